package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
)

const secretFlow = `
event poke
task whisper() -> () retry 2
flow vault {
  initial shut
  state shut {
    do whisper()
    timeout 1d
    on poke -> open
    on completed -> open
    on error -> open
    on timeout -> open
  }
  final open
}
`

// A plan is how the walk asks for a route: what goes well, and what a credential of another flow gets.
type plan struct {
	path    string // with $token, $key, $task, $timer of the vault
	body    string
	foreign int    // the status for a credential that is limited to another flow; 0: an answer in which the vault does not occur
	missing string // the path with an id that nobody has, which must get the very same answer; "": it names nothing
	match   bool   // it takes If-Match
	echo    string // a foreign name of the body that the answer may say again, as it would one that nobody has
}

// plans has an entry for each route. A new route fails the walk until it is here.
var plans = map[string]plan{
	"deploy":           {path: "/v1/flows", body: `{"files":{"v.flow":$vault}}`, foreign: 404},
	"listFlows":        {path: "/v1/flows"},
	"getFlow":          {path: "/v1/flows/vault", foreign: 404, missing: "/v1/flows/nobody"},
	"listVersions":     {path: "/v1/flows/vault/versions", foreign: 404, missing: "/v1/flows/nobody/versions"},
	"startToken":       {path: "/v1/flows/vault/tokens", body: `{"input":{}}`, foreign: 404, missing: "/v1/flows/nobody/tokens"},
	"listTokens":       {path: "/v1/tokens?flow=vault"},
	"countTokens":      {path: "/v1/tokens/count?flow=vault"},
	"countStates":      {path: "/v1/tokens/states?flow=vault"},
	"countWaiting":     {path: "/v1/tokens/waiting?flow=vault"},
	"getToken":         {path: "/v1/tokens/$token", foreign: 404, missing: "/v1/tokens/nobody"},
	"whyToken":         {path: "/v1/tokens/$token/why", foreign: 404, missing: "/v1/tokens/nobody/why"},
	"replayToken":      {path: "/v1/tokens/$token/replay", foreign: 404, missing: "/v1/tokens/nobody/replay"},
	"getHistory":       {path: "/v1/tokens/$token/history", foreign: 404, missing: "/v1/tokens/nobody/history"},
	"watchToken":       {path: "/v1/tokens/$ended/watch", foreign: 404, missing: "/v1/tokens/nobody/watch"},
	"sendEvent":        {path: "/v1/tokens/$token/events", body: `{"event":"poke"}`, foreign: 404, missing: "/v1/tokens/nobody/events", match: true},
	"pauseToken":       {path: "/v1/tokens/$token/pause", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/pause", match: true},
	"resumeToken":      {path: "/v1/tokens/$token/resume", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/resume", match: true},
	"cancelToken":      {path: "/v1/tokens/$token/cancel", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/cancel", match: true},
	"retryToken":       {path: "/v1/tokens/$token/retry", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/retry", match: true},
	"restartToken":     {path: "/v1/tokens/$token/restart", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/restart", match: true},
	"moveTimer":        {path: "/v1/tokens/$token/timers/shut.timeout", body: `{"due":"2100-01-01T00:00:00Z"}`, foreign: 404, missing: "/v1/tokens/nobody/timers/shut.timeout", match: true},
	"fireTimer":        {path: "/v1/tokens/$token/timers/shut.timeout/fire", body: `{}`, foreign: 404, missing: "/v1/tokens/nobody/timers/shut.timeout/fire", match: true},
	"setField":         {path: "/v1/tokens/$token/data", body: `{"field":"x","value":1,"reason":"r"}`, foreign: 404, missing: "/v1/tokens/nobody/data", match: true},
	"runBatch":         {path: "/v1/batches", body: `{"action":"pause","filter":{"flow":"vault"}}`},
	"claimTasks":       {path: "/v1/tasks/claim", body: `{"worker":"w","tasks":[{"name":"whisper","max":9}]}`, echo: "whisper"},
	"heartbeatTask":    {path: "/v1/tasks/$task/heartbeat", body: `{"lease":"l"}`, foreign: 404, missing: "/v1/tasks/nobody/heartbeat"},
	"completeTask":     {path: "/v1/tasks/$task/complete", body: `{"lease":"l"}`, foreign: 404, missing: "/v1/tasks/nobody/complete"},
	"failTask":         {path: "/v1/tasks/$task/fail", body: `{"lease":"l","code":"c"}`, foreign: 404, missing: "/v1/tasks/nobody/fail"},
	"releaseTask":      {path: "/v1/tasks/$task/release", body: `{"lease":"l"}`, foreign: 404, missing: "/v1/tasks/nobody/release"},
	"operateTask":      {path: "/v1/tasks/$task/operate", body: `{"action":"retry"}`, foreign: 404, missing: "/v1/tasks/nobody/operate"},
	"listTasks":        {path: "/v1/tasks?task=whisper"},
	"listTimers":       {path: "/v1/timers"},
	"listHolds":        {path: "/v1/holds", foreign: 403},
	"holdTask":         {path: "/v1/holds", body: `{"task":"other"}`, foreign: 403},
	"releaseHold":      {path: "/v1/holds/other/release", body: `{}`, foreign: 403},
	"listQueues":       {path: "/v1/queues", foreign: 403},
	"limitQueue":       {path: "/v1/queues/other", body: `{"concurrency":9}`, foreign: 403},
	"listQuarantine":   {path: "/v1/quarantine", foreign: 403},
	"releaseToken":     {path: "/v1/quarantine/$token/release", body: `{}`, foreign: 404, missing: "/v1/quarantine/nobody/release"},
	"purge":            {path: "/v1/purge", body: `{"olderThan":"3650d","flow":"vault"}`, foreign: 404},
	"listCredentials":  {path: "/v1/credentials", foreign: 403},
	"createCredential": {path: "/v1/credentials", body: `{"name":"n","role":"viewer"}`, foreign: 403},
	"revokeCredential": {path: "/v1/credentials/nobody/revoke", body: `{}`, foreign: 403},
	"getStats":         {path: "/v1/stats"},
	"getHealth":        {path: "/healthz"},
	"getReadiness":     {path: "/readyz"},
	"getMetrics":       {path: "/metrics", foreign: 403},
}

// A walk is the server that all routes are tried on.
type walk struct {
	*client
	names map[string]string
}

// newWalk serves a token of the vault with a task and a timer, and credentials of each role, with and without the limit to another
// flow.
func newWalk(t *testing.T) *walk {
	t.Helper()
	w := newServed(t, "order")
	for _, text := range []string{secretFlow, orderFlow} {
		w.deployed(map[string]string{"v.flow": text})
	}
	vault, _ := json.Marshal(secretFlow)
	w.names["$vault"] = string(vault)
	w.names["$token"] = w.started("vault", "hidden")
	w.names["$ended"] = w.started("vault", "over")
	w.wants(w.as("admin", "POST", "/v1/tokens/"+w.names["$ended"]+"/cancel", "{}"), 200, "")
	w.names["$task"] = w.taskOf(w.names["$token"])
	return w
}

// newServed is a server with credentials of each role, with and without the limit to a flow.
func newServed(t *testing.T, flow string) *walk {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, ":memory:", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	eng, err := engine.New(ctx, engine.Options{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	var all []Credential
	for _, role := range roles {
		all = append(all, Credential{Name: string(role), Role: role, Hash: sum(string(role))},
			Credential{Name: "limited-" + string(role), Role: role, Hash: sum("limited-" + string(role)), Flows: []string{flow}})
	}
	return &walk{client: &client{t: t, api: New(eng, Options{Credentials: all, BodyTime: 100 * time.Millisecond})}, names: map[string]string{}}
}

func (w *walk) deployed(files map[string]string) {
	w.t.Helper()
	body, _ := json.Marshal(map[string]any{"files": files})
	w.wants(w.as("admin", "POST", "/v1/flows", string(body)), 200, "")
}

// taskOf is the one task of a token.
func (w *walk) taskOf(token string) string {
	w.t.Helper()
	var tasks Page[engine.TaskView]
	if err := json.Unmarshal([]byte(w.as("admin", "GET", "/v1/tasks?token="+token, "").text), &tasks); err != nil || len(tasks.Items) != 1 {
		w.t.Fatalf("no task: %v", err)
	}
	return tasks.Items[0].ID
}

func (w *walk) started(flow, key string) string {
	w.t.Helper()
	var token engine.TokenView
	res := w.as("admin", "POST", "/v1/flows/"+flow+"/tokens", `{"key":"`+key+`"}`)
	if err := json.Unmarshal([]byte(res.text), &token); err != nil || res.status != 201 {
		w.t.Fatalf("got %d %s", res.status, res.text)
	}
	return token.ID
}

// as sends a request with a credential, whose token is its name.
func (w *walk) as(who, method, path, body string, headers ...string) response {
	w.t.Helper()
	if who != "" {
		headers = append(headers, "Authorization: Bearer "+who)
	}
	return w.do(method, path, body, headers...)
}

func (w *walk) fill(text string) string {
	for name, value := range w.names {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// each calls a function for each route with its plan, on a server of its own.
func each(t *testing.T, try func(w *walk, r route, p plan)) {
	t.Helper()
	for _, r := range New(newFake(), Options{}).routes {
		p, ok := plans[r.id]
		if !ok {
			t.Errorf("%s %s has no plan in this test: say what others get of it", r.method, r.path)
			continue
		}
		t.Run(r.id, func(t *testing.T) {
			w := newWalk(t)
			p.path, p.body, p.missing = w.fill(p.path), w.fill(p.body), w.fill(p.missing)
			try(w, r, p)
		})
	}
}

func TestWalkRoles(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if len(r.allow) == 0 {
			return
		}
		w.wants(w.as("", r.method, p.path, p.body), 401, "unauthorized")
		w.wants(w.as("nobody", r.method, p.path, p.body), 401, "unauthorized")
		for _, role := range roles {
			res := w.as(string(role), r.method, p.path, p.body)
			if refused := res.status == 403; refused == slices.Contains(r.allow, role) {
				w.t.Errorf("%s as %s: got %d %s", r.id, role, res.status, res.text)
			}
		}
	})
}

// What is outside of a credential's flows does not exist for it: not by a word in any answer.
func TestWalkForeignFlows(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if len(r.allow) == 0 {
			return
		}
		for _, role := range r.allow {
			who := "limited-" + string(role)
			res := w.as(who, r.method, p.path, p.body)
			if p.foreign != 0 && res.status != p.foreign {
				w.t.Errorf("%s as %s: got %d, want %d: %s", r.id, who, res.status, p.foreign, res.text)
			}
			if p.foreign == 0 && res.status != 200 {
				w.t.Errorf("%s as %s: got %d %s", r.id, who, res.status, res.text)
			}
			if p.missing != "" {
				same := w.as(who, r.method, p.missing, p.body)
				if hide(res.text, p.path) != hide(same.text, p.missing) || res.status != same.status {
					w.t.Errorf("%s as %s tells what is foreign from what is not there:\n%s%s", r.id, who, res.text, same.text)
				}
			}
			if p.echo != "" {
				same := w.as(who, r.method, p.path, strings.ReplaceAll(p.body, p.echo, "nobody"))
				if res.text = strings.ReplaceAll(res.text, p.echo, "X"); res.text != strings.ReplaceAll(same.text, "nobody", "X") {
					w.t.Errorf("%s as %s tells what is foreign from what is not there:\n%s%s", r.id, who, res.text, same.text)
				}
			}
			if p.foreign != 404 && (strings.Contains(res.text, "vault") || strings.Contains(res.text, "whisper") || strings.Contains(res.text, w.names["$token"])) {
				w.t.Errorf("%s as %s shows what is foreign: %s", r.id, who, res.text)
			}
		}
		if token := w.as("admin", "GET", "/v1/tokens/"+w.names["$token"], ""); !strings.Contains(token.text, `"version":1,`) {
			w.t.Errorf("%s moved a foreign token: %s", r.id, token.text)
		}
	})
}

// hide takes the names that a request itself brought out of an answer.
func hide(text, path string) string {
	for _, word := range strings.Split(path, "/") {
		if len(word) > 4 {
			text = strings.ReplaceAll(text, word, "X")
		}
	}
	return text
}

func TestWalkIds(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if p.missing != "" {
			w.wants(w.as("admin", r.method, p.missing, p.body), 404, "not-found")
		}
	})
}

func TestWalkStaleVersions(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if p.match {
			w.wants(w.as("admin", r.method, p.path, p.body, `If-Match: "77"`), 412, "stale")
		}
	})
}

// A repeat of a mutation with its key gets the first answer, another body none.
func TestWalkRepeatedKeys(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if r.method == http.MethodGet || r.noKey {
			return
		}
		first := w.as("admin", r.method, p.path, p.body, "Idempotency-Key: k")
		again := w.as("admin", r.method, p.path, p.body, "Idempotency-Key: k")
		if first.status != again.status || first.text != again.text {
			w.t.Errorf("%s:\n%d %s%d %s", r.id, first.status, first.text, again.status, again.text)
		}
		kept := first.status < 300 || first.status == 409
		if kept && again.header.Get("Idempotency-Replayed") != "true" {
			w.t.Errorf("%s does not say that it is a repeat: %v", r.id, again.header)
		}
	})
}

func TestWalkBodies(t *testing.T) {
	each(t, func(w *walk, r route, p plan) {
		if r.method == http.MethodGet {
			return
		}
		deep := `{"x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`
		w.wants(w.as("admin", r.method, p.path, deep), 400, "malformed")
		limit := r.limit
		if limit == 0 {
			limit = bodyLimit
		}
		w.wants(w.as("admin", r.method, p.path, `{"x":"`+strings.Repeat("x", int(limit))+`"}`), 413, "too-large")
		w.wants(w.as("admin", r.method, p.path, p.body, "Content-Type: text/plain"), 415, "unsupported-media-type")
		w.slow(r, p)
	})
}

// slow sends half of a body and waits.
func (w *walk) slow(r route, p plan) {
	server := httptest.NewServer(w.api)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", r.method, p.path)
	if _, err := io.WriteString(conn, head); err != nil {
		w.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestTimeout {
		w.t.Errorf("%s: got %d", r.id, res.StatusCode)
	}
}
