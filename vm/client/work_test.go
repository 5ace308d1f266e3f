package client_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/client"
)

// returns is a handler that returns at once.
func returns(o client.Outcome, err error) client.Handler {
	return func(context.Context, client.Task) (client.Outcome, error) { return o, err }
}

var receipt = client.Done(object{"receipt": "r"})

func TestOutcomes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tests := []struct {
		name    string
		outcome client.Outcome
		err     error
		final   string
		why     string // in the data
		kinds   string // of the attempts
	}{
		{name: "event", outcome: client.Instead("instead", object{"text": "told"}), final: "done", why: "told", kinds: "completed"},
		{name: "declined", err: client.Fail("declined", "no %s", "money"), final: "refused", why: "declined: no money", kinds: "failed"},
		{name: "no-retry", err: &client.Failure{Code: "broken", Message: "a\x00b", NoRetry: true}, final: "refused", why: "broken: a\uFFFDb", kinds: "failed"},
		{name: "no-json", outcome: client.Done(make(chan int)), final: "refused", why: "bad_output: ", kinds: "failed failed failed"},
		{name: "misfit", outcome: client.Done(object{"receipt": 7}), final: "refused", why: "bad_output: ", kinds: "failed failed failed"},
		{name: "not-may", outcome: client.Instead("begin", nil), final: "refused", why: "outcome_refused: ", kinds: "failed failed failed"},
		{name: "plain", err: errors.New("oh no"), final: "refused", why: "handler_failed: oh no", kinds: "failed failed failed"},
	}
	outcomes := map[string]client.Handler{}
	tokens := map[string]client.Token{}
	for _, test := range tests {
		tokens[test.name] = s.begin(test.name)
		outcomes[tokens[test.name].ID] = returns(test.outcome, test.err)
	}
	panics := s.begin("panic")
	outcomes[panics.ID] = func(context.Context, client.Task) (client.Outcome, error) { panic("oh dear") }
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Concurrency: 4}, func(ctx context.Context, task client.Task) (client.Outcome, error) {
		return outcomes[task.Token](ctx, task)
	})
	for _, test := range tests {
		end := s.wait(test.name)
		why, _ := s.field(test.name, "why").(string)
		if end.Final != test.final || !strings.HasPrefix(why, test.why) {
			t.Errorf("%s: ended in %s because of %s", test.name, end.Final, why)
		}
		if got := s.kinds(tokens[test.name]); got != test.kinds {
			t.Errorf("%s: the attempts %s", test.name, got)
		}
	}
	s.wait("panic")
	if why := s.field("panic", "why"); why != "handler_failed: the handler panicked: oh dear" {
		t.Errorf("a panic ended as %s", why)
	}
}

// A result that does not fit has failed its attempt: there is no second report of it, and the log says what was wrong. After an
// event that the server does not take the lease goes on, and a second report ends the attempt (docs/workers.md, R43, R45).
func TestAMisfitIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		outcome client.Outcome
		fails   int
		log     string
	}{
		{"result", client.Done(object{"receipt": 7}), 0, "the result does not fit, which has failed the attempt"},
		{"field", client.Done(object{"receipt": "r", "more": 1}), 0, "the result does not fit, which has failed the attempt"},
		{"schedule", receipt.After(time.Hour, "later", object{"text": 7}), 1, "the outcome is refused"},
		{"event", client.Instead("instead", object{"text": 7}), 1, "the outcome is refused"},
	} {
		s := serve(t)
		token := s.begin("A")
		var log safeBuffer
		claimed := false
		s.work(client.WorkerOptions{Tasks: []string{"charge"}, Log: slog.New(slog.NewTextHandler(&log, nil))},
			func(context.Context, client.Task) (client.Outcome, error) {
				if !claimed { // one handler at a time
					claimed = true
					return test.outcome, nil
				}
				return client.Instead("instead", object{"text": "done"}), nil
			})
		s.wait("A")
		if got := s.kinds(token); got != "failed completed" {
			t.Errorf("%s: the attempts %s", test.name, got)
		}
		if n := len(s.proxy.requests("/fail")); n != test.fails {
			t.Errorf("%s: %d reports of the failure, not %d", test.name, n, test.fails)
		}
		if got := log.String(); !strings.Contains(got, test.log) || strings.Contains(got, "too late") {
			t.Errorf("%s: the log is\n%s", test.name, got)
		}
	}
}

// A safeBuffer is a log that is read while others write it.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is what was written.
func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// kinds is how the attempts of a token's charge ended.
func (s *server) kinds(token client.Token) string {
	s.t.Helper()
	var kinds []string
	for _, a := range s.task(token, "charge").Attempts {
		kinds = append(kinds, a.Kind)
	}
	return strings.Join(kinds, " ")
}

// What a worker schedules is saved with its outcome and comes when it is due.
func TestSchedules(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	s.work(client.WorkerOptions{Tasks: []string{"charge"}}, returns(receipt.
		After(time.Hour, "later", object{"text": "in an hour"}).
		At(time.Now().Add(time.Second), "later", object{"text": "in a second"}), nil))
	s.until(token.ID, entered("mailing"))
	end := s.wait("A")
	if why := s.field("A", "why"); end.Final != "done" || why != "in a second" {
		t.Errorf("ended in %s because of %s", end.Final, why)
	}
}

// A later retry comes no earlier.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	claimed := make(chan time.Time, 2)
	s.work(client.WorkerOptions{Tasks: []string{"charge"}}, func(_ context.Context, task client.Task) (client.Outcome, error) {
		claimed <- time.Now()
		if task.Attempt == 1 {
			return client.Outcome{}, &client.Failure{Code: "busy", RetryAfter: 3 * time.Second}
		}
		return client.Instead("instead", object{"text": "done"}), nil
	})
	first, second := get(t, "the first attempt", claimed), get(t, "the second", claimed)
	if d := second.Sub(first); d < 2900*time.Millisecond {
		t.Errorf("the second attempt came after %s", d)
	}
	s.wait("A")
	if got := s.kinds(token); got != "failed completed" {
		t.Errorf("the attempts %s", got)
	}
}

// held is a handler that tells of its tasks and returns what it is told, or when its context ends.
type held struct {
	begun chan client.Task
	cause chan error
	end   chan client.Outcome
}

func newHeld() *held {
	return &held{make(chan client.Task, 100), make(chan error, 100), make(chan client.Outcome, 100)}
}

func (h *held) do(ctx context.Context, task client.Task) (client.Outcome, error) {
	h.begun <- task
	select {
	case o := <-h.end:
		return o, nil
	case <-ctx.Done():
		h.cause <- context.Cause(ctx)
		return client.Outcome{}, ctx.Err()
	}
}

// The handler's context ends when the token leaves, and nothing is reported.
func TestUnwanted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	h := newHeld()
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Lease: time.Second}, h.do)
	get(t, "the task", h.begun)
	s.proxy.lose(nil)
	if _, err := s.c.Cancel(s.ctx, token.ID, client.Command{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := get(t, "the end of the context", h.cause); !errors.Is(err, client.ErrCancelled) {
		t.Errorf("it ended because of %v", err)
	}
	if n := len(s.proxy.requests("/fail")) + len(s.proxy.requests("/release")); n > 0 {
		t.Errorf("there were %d reports", n)
	}
}

// A heartbeat at every third keeps a lease for as long as the handler takes.
func TestHeartbeatsKeepTheLease(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	h := newHeld()
	beats := make(chan bool, 100)
	s.proxy.lose(func(r *http.Request) fate {
		if strings.HasSuffix(r.URL.Path, "/heartbeat") {
			beats <- true
		}
		return through
	})
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Lease: time.Second}, h.do)
	get(t, "the task", h.begun)
	for range 6 { // two seconds
		get(t, "a heartbeat", beats)
	}
	h.end <- client.Instead("instead", object{"text": "at last"})
	s.wait("A")
	if got := s.kinds(token); got != "completed" {
		t.Errorf("the attempts %s", got)
	}
}

// A worker that reaches no server stops its handler when the lease must have run out; another has the work, and a late report
// is refused.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	h := newHeld()
	cut := atomic.Bool{}
	s.proxy.lose(func(r *http.Request) fate {
		if cut.Load() && r.URL.Path != "/v1/tasks/claim" && strings.HasPrefix(r.URL.Path, "/v1/tasks/") {
			return loseRequest
		}
		return through
	})
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Lease: time.Second}, h.do)
	first := get(t, "the task", h.begun)
	cut.Store(true)
	if err := get(t, "the end of the context", h.cause); !errors.Is(err, client.ErrLeaseLost) {
		t.Errorf("it ended because of %v", err)
	}
	cut.Store(false)
	second := get(t, "the second attempt", h.begun)
	if second.ID != first.ID || second.IdempotencyKey != first.IdempotencyKey || second.Lease == first.Lease || second.Attempt != 2 {
		t.Errorf("got %+v after %+v", second, first)
	}
	_, err := s.c.Do(s.ctx, client.Request{Method: "POST", Path: "/v1/tasks/" + first.ID + "/complete",
		Body: object{"lease": first.Lease, "result": object{"receipt": "late"}}})
	problemOf(t, err, client.LeaseLost)
	h.end <- client.Instead("instead", object{"text": "second"})
	s.wait("A")
	if got := s.kinds(token); got != "lease-lost completed" || s.field("A", "why") != "second" {
		t.Errorf("the attempts %s, %v", got, s.field("A", "why"))
	}
}

// Three lost attempts end in an error, and no worker has the work again.
func TestLostAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	s.proxy.lose(func(r *http.Request) fate {
		if strings.HasSuffix(r.URL.Path, "/heartbeat") {
			return loseRequest
		}
		return through
	})
	h := newHeld()
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Lease: time.Second}, h.do)
	end := s.wait("A")
	if got := s.kinds(token); end.Final != "refused" || got != "lease-lost lease-lost lease-lost" {
		t.Errorf("ended in %s after %s", end.Final, got)
	}
	if why, _ := s.field("A", "why").(string); !strings.HasPrefix(why, "lease_lost") {
		t.Errorf("the error is %s", why)
	}
}

// The time of an attempt ends the handler's context.
func TestDeadline(t *testing.T) {
	t.Parallel()
	s := serveFlow(t, `
task slow() -> () within 1s retry 1 backoff 1s
flow job() -> (why: string) {
  data {
    why: string = ""
  }
  initial working
  state working {
    timeout 1h
    do slow()
    on completed -> done
    on error -> done {
      why = event.code
    }
    on timeout -> done
  }
  final done
}
`)
	if _, err := s.c.Start(s.ctx, "job", client.Start{Key: "A"}); err != nil {
		t.Fatal(err)
	}
	h := newHeld()
	s.work(client.WorkerOptions{Tasks: []string{"slow"}}, h.do)
	if err := get(t, "the end of the context", h.cause); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended because of %v", err)
	}
	if end := s.wait("A"); string(end.Result) != `{"why":"attempt_timeout"}` {
		t.Errorf("got %s", end.Result)
	}
}

// A worker of a task that no flow has is told so at once and once, with the name that was probably meant, and goes on waiting: its
// flow may come.
func TestAnUnknownTaskIsToldOf(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var log safeBuffer
	claims := make(chan bool, 100)
	s.proxy.lose(func(r *http.Request) fate {
		if r.URL.Path == "/v1/tasks/claim" {
			claims <- true
		}
		return through
	})
	s.work(client.WorkerOptions{Tasks: []string{"weigh", "chrage", "charge"}, Concurrency: 3, Poll: time.Second,
		Log: slog.New(slog.NewTextHandler(&log, nil))}, returns(client.Instead("instead", object{"text": "done"}), nil))
	for range 3 { // the first, which does not wait, and one whose answer has come
		get(t, "a claim", claims)
	}
	said := log.String()
	for _, want := range []string{"`chrage`; did you mean `charge`?", "no deployed flow has the task `weigh`"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("%s is said %d times in\n%s", want, strings.Count(said, want), said)
		}
	}
	if strings.Count(said, "misspelt") != 2 {
		t.Errorf("the log is\n%s", said)
	}
	s.begin("A") // the other task is worked on all the same
	s.wait("A")
	if _, err := s.c.Deploy(s.ctx, client.Deploy{Files: map[string]string{"later.flow": laterFlow}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.c.Start(s.ctx, "parcel", client.Start{Key: "P"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	if end, err := s.c.Wait(ctx, "parcel:P"); err != nil || end.Final != "weighed" {
		t.Errorf("the flow that came later ended in %s: %v", end.Final, err)
	}
}

const laterFlow = `
event instead(text: string)
task weigh() -> ()
flow parcel {
  initial weighing
  state weighing {
    do weigh() may instead
    on completed -> weighed
    on instead -> weighed
    on error -> lost
  }
  final weighed
  final lost as failure
}
`

// A refusal that will not go away ends the worker.
func TestWorkIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if err := s.c.Work(s.ctx, client.WorkerOptions{}, returns(receipt, nil)); err == nil {
		t.Error("a worker without a task")
	}
	err := s.c.Work(s.ctx, client.WorkerOptions{Tasks: make([]string, 101)}, returns(receipt, nil))
	problemOf(t, err, client.Invalid)
}
