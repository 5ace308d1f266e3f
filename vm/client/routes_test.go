package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/client"
)

// A recorder remembers which routes were asked for.
type recorder struct {
	mu    sync.Mutex
	asked map[string]bool // METHOD PATH
	beat  chan struct{}   // a heartbeat went by
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[req.Method+" "+req.URL.EscapedPath()] = true
	if strings.HasSuffix(req.URL.Path, "/heartbeat") {
		select {
		case r.beat <- struct{}{}:
		default:
		}
	}
	return res, err
}

// operations are the routes of the server's own description: METHOD PATH with {names}, by their ids.
func operations(t *testing.T, c *client.Client) map[string]string {
	t.Helper()
	res, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/v1/openapi.json"})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			ID string `json:"operationId"`
		}
	}
	if err := res.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			out[op.ID] = strings.ToUpper(method) + " " + path
		}
	}
	return out
}

// fits says whether a request is one of a route, and of no other that says more.
func fits(request, route string) bool {
	a, b := strings.Split(request, "/"), strings.Split(route, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(b[i], "{") {
			return false
		}
	}
	return true
}

// Each route of the server's description is asked for by a method of the client, and answers what the method gives. A new route
// fails this test until the client has a method for it.
func TestEveryRouteHasAMethod(t *testing.T) {
	t.Parallel()
	s := serve(t)
	r := &recorder{asked: map[string]bool{}, beat: make(chan struct{}, 1)}
	c, err := client.New(client.Options{Server: s.c.Server(), HTTP: &http.Client{Transport: r}})
	if err != nil {
		t.Fatal(err)
	}
	read(t, s, c)
	steer(t, s, c)
	operate(t, s, c)
	worked(t, s, c, r)
	ops := operations(t, c)
	if len(ops) < 40 {
		t.Fatalf("the description has %d routes", len(ops))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, route := range ops {
		found := false
		for request := range r.asked {
			if !fits(request, route) {
				continue
			}
			for other, more := range ops { // /tokens/count is no token
				if other != id && !strings.Contains(more, "{") && fits(request, more) && strings.Contains(route, "{") {
					request = ""
					break
				}
			}
			found = found || request != ""
		}
		if !found {
			t.Errorf("no method of the client asks for %s (%s)", route, id)
		}
	}
}

func ok(t *testing.T, what string, err error, is bool) {
	t.Helper()
	if err != nil || !is {
		t.Errorf("%s: %v, as expected: %v", what, err, is)
	}
}

// read reads all that can be read of a token that waits.
func read(t *testing.T, s *server, c *client.Client) {
	t.Helper()
	ctx := s.ctx
	started, err := c.Start(ctx, "job", client.Start{Key: "read", Input: object{"n": 7}})
	ok(t, "start", err, started.Created)
	flows, err := c.Flows(ctx)
	ok(t, "flows", err, len(flows) == 1 && flows[0].Name == "job" && flows[0].Versions == 1 && flows[0].Current == started.Program)
	flow, err := c.Flow(ctx, "job")
	ok(t, "flow", err, flow == flows[0])
	versions, err := c.Versions(ctx, "job")
	ok(t, "versions", err, len(versions) == 1 && versions[0].Current && len(versions[0].Files) > 0)
	why, err := c.Why(ctx, "job:read")
	ok(t, "why", err, why.Kind == "event-or-timer" && why.Next != nil && why.Next.Final == "late" && len(why.Waits) == 3)
	_, err = c.Send(ctx, "job:read", client.Event{Name: "add", Payload: object{"n": 1}})
	ok(t, "send", err, true)
	then, err := c.TokenAt(ctx, "job:read", 1)
	ok(t, "token at", err, then.Version == 1 && string(then.Data) == `{"receipt":"","why":"","count":0}`)
	replay, err := c.Replay(ctx, "job:read")
	ok(t, "replay", err, replay.Same && replay.Steps == 2)
	states, err := c.States(ctx, client.Filter{Flow: "job"})
	ok(t, "states", err, len(states) == 1 && states[0] == client.StateCount{Flow: "job", State: "waiting", Count: 1})
	waiting, err := c.Waiting(ctx, client.Filter{})
	ok(t, "waiting", err, len(waiting) == 1 && waiting[0] == client.WaitingCount{Flow: "job", Waiting: "event-or-timer", Count: 1})
	n, err := c.Count(ctx, client.Filter{Waiting: "event-or-timer"})
	ok(t, "count", err, n == 1)
	for token, err := range c.Tokens(ctx, client.Filter{Waiting: "event-or-timer"}) {
		ok(t, "tokens", err, token.Key == "read")
	}
	for timer, err := range c.Timers(ctx, "job") {
		ok(t, "timers", err, timer.ID == "waiting.timeout" && timer.Token == started.ID && timer.Key == "read")
	}
	lines := 0
	for _, err := range c.History(ctx, "job:read", "") {
		ok(t, "history", err, true)
		lines++
	}
	ok(t, "history", nil, lines > 3)
	stats, err := c.Stats(ctx)
	ok(t, "stats", err, stats.Tokens["running"] == 1 && stats.Steps >= 2)
	metrics, err := c.Metrics(ctx)
	ok(t, "metrics", err, strings.Contains(metrics, "flowc_steps_total"))
	ok(t, "alive", c.Alive(ctx), true)
	health, err := c.Health(ctx)
	ok(t, "health", err, health.Ready && len(health.Loops) > 3)
}

// steer gives every command.
func steer(t *testing.T, s *server, c *client.Client) {
	t.Helper()
	ctx := s.ctx
	var cmd client.Command
	_, err := c.Deploy(ctx, client.Deploy{Files: map[string]string{"test.flow": jobFlow}, DryRun: true})
	ok(t, "deploy", err, true)
	moved, err := c.Pause(ctx, "job:read", cmd)
	ok(t, "pause", err, moved.Token.Status == "paused")
	moved, err = c.Resume(ctx, "job:read", cmd)
	ok(t, "resume", err, moved.Token.Status == "running")
	moved, err = c.SetField(ctx, "job:read", "count", 9, client.Command{Reason: "r"})
	ok(t, "set", err, strings.Contains(string(moved.Token.Data), `"count":9`))
	moved, err = c.MoveTimer(ctx, "job:read", "waiting.timeout", time.Now().Add(48*time.Hour), cmd)
	ok(t, "move", err, len(moved.Token.Timers) == 1)
	_, err = c.MoveTimer(ctx, "job:read", "waiting.nothing", time.Now(), cmd)
	ok(t, "move of an unknown timer", nil, errors.Is(err, client.UnknownTimer))
	moved, err = c.Retry(ctx, "job:read", "charging", cmd)
	ok(t, "retry", err, moved.Token.States[0] == "charging")
	moved, err = c.FireTimer(ctx, "job:read", "charging.timeout", cmd)
	ok(t, "fire", err, moved.Token.Final == "late")
	moved, err = c.Restart(ctx, "job:read", "again", cmd)
	ok(t, "restart", err, moved.Token.Key == "again")
	batch, err := c.Batch(ctx, client.Batch{Action: "pause", Filter: client.Filter{Key: "again", Waiting: "event-or-timer"}})
	ok(t, "batch", err, batch.Changed == 1)
	moved, err = c.Cancel(ctx, "job:again", cmd)
	ok(t, "cancel", err, moved.Token.Status == "cancelled")
	for _, err := range c.Watch(ctx, "job:again", "") {
		ok(t, "watch", err, true)
	}
}

// operate does what operators and admins do.
func operate(t *testing.T, s *server, c *client.Client) {
	t.Helper()
	ctx := s.ctx
	hold, err := c.Hold(ctx, "charge", "the bank is down")
	ok(t, "hold", err, hold.Task == "charge" && hold.Reason == "the bank is down")
	holds, err := c.Holds(ctx)
	ok(t, "holds", err, len(holds) == 1 && holds[0].Task == "charge")
	ok(t, "release", c.ReleaseHold(ctx, "charge"), true)
	ok(t, "release again", nil, errors.Is(c.ReleaseHold(ctx, "charge"), client.NotFound))
	queue, err := c.LimitQueue(ctx, "bank/slow", 5, 100, time.Minute)
	ok(t, "queue", err, queue == client.Queue{Queue: "bank/slow", Concurrency: 5, Rate: 100, PerMs: 60_000})
	queues, err := c.Queues(ctx)
	ok(t, "queues", err, len(queues) == 1 && queues[0] == queue)
	for i, end := range []func(task string) (client.TaskMoved, error){
		func(task string) (client.TaskMoved, error) { return c.RetryTask(ctx, task, client.Call{}) },
		func(task string) (client.TaskMoved, error) {
			return c.CompleteTask(ctx, task, object{"receipt": "by hand"}, client.Call{})
		},
		func(task string) (client.TaskMoved, error) {
			return c.FailTask(ctx, task, "declined", "by phone", client.Call{})
		},
	} {
		token := s.begin("operate" + string(rune('a'+i)))
		var task client.TaskInfo
		for task, err = range c.Tasks(ctx, client.TaskFilter{Token: token.ID}) {
			ok(t, "tasks", err, true)
		}
		moved, err := end(task.ID)
		ok(t, "operate", err, moved.Task == task.ID && moved.Token == token.ID && moved.Status == []string{"offered", "done", "failed"}[i])
	}
	set, err := c.Quarantine(ctx, 10)
	ok(t, "quarantine", err, len(set) == 0)
	ok(t, "release of a token", nil, errors.Is(c.ReleaseToken(ctx, "job:operatea", "repaired"), client.NotFound))
	n, err := c.Purge(ctx, client.Purge{OlderThan: time.Hour, DryRun: true})
	ok(t, "purge of old ones", err, n.Tokens == 0)
	n, err = c.Purge(ctx, client.Purge{Tokens: []string{"job:again"}})
	ok(t, "purge", err, n.Tokens == 1 && len(n.Left) == 0)
	_, err = c.Token(ctx, "job:again")
	ok(t, "a purged token", nil, errors.Is(err, client.Purged))
	made, secret, err := c.CreateCredential(ctx, client.Credential{Name: "ann", Role: "admin", Flows: []string{}})
	ok(t, "credential", err, made.Name == "ann" && secret != "" && !made.CreatedAt.IsZero())
	known, err := client.New(client.Options{Server: c.Server(), Credential: secret, HTTP: &http.Client{Transport: http.DefaultTransport}})
	ok(t, "client", err, true)
	credentials, err := known.Credentials(ctx)
	ok(t, "credentials", err, len(credentials) == 1 && credentials[0].Role == "admin")
	_, err = c.Credentials(ctx)
	ok(t, "credentials without one", nil, errors.Is(err, client.Unauthorized))
	_ = c.RevokeCredential(ctx, "ann") // refused: this client has no credential
	ok(t, "revoke", known.RevokeCredential(ctx, "ann"), true)
}

// worked does work in every way.
func worked(t *testing.T, s *server, c *client.Client, r *recorder) {
	t.Helper()
	for _, key := range []string{"done", "fails", "back"} {
		s.begin(key)
	}
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	given := false
	err := c.Work(ctx, client.WorkerOptions{Tasks: []string{"charge"}, Lease: 3 * time.Second, Once: true}, func(ctx context.Context, task client.Task) (client.Outcome, error) {
		token, err := c.Token(ctx, task.Token)
		switch {
		case err != nil:
			return client.Outcome{}, err
		case token.Key == "fails":
			return client.Outcome{}, &client.Failure{Code: "declined", Message: "no"}
		case token.Key == "back" && !given:
			given = true
			return client.Outcome{}, client.ErrRelease
		case token.Key == "done":
			get(t, "a heartbeat", r.beat)
		}
		return client.Done(object{"receipt": "r"}), nil
	})
	ok(t, "work", err, given)
	var input json.RawMessage
	for task, err := range c.Tasks(s.ctx, client.TaskFilter{Task: "mail"}) {
		ok(t, "tasks", err, task.Status == "offered")
		input = task.Input
	}
	ok(t, "tasks", nil, string(input) == `{"n":7}`)
}
