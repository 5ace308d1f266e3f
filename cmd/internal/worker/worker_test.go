package worker

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/client"
)

// A server hands out one task and remembers what it is told about it.
type server struct {
	mu       sync.Mutex
	task     map[string]any // what claim gives once; nil: nothing left
	beats    string         // the answer to heartbeats
	reports  chan string    // `verb body`
	beaten   chan struct{}
	refusing bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, verb, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/tasks/"), "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.refusing:
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"status":403,"code":"forbidden","detail":"no"}`)
	case r.URL.Path == "/v1/tasks/claim":
		tasks := []any{}
		if s.task != nil {
			tasks, s.task = append(tasks, s.task), nil
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"tasks": tasks})
	case verb == "heartbeat":
		_, _ = io.WriteString(w, s.beats)
		select {
		case s.beaten <- struct{}{}:
		default:
		}
	default:
		s.reports <- verb + " " + strings.TrimSpace(string(body))
		_, _ = io.WriteString(w, `{}`)
	}
}

// start serves one task with the input {"n":1}.
func start(t *testing.T) (*server, Options) {
	t.Helper()
	s := &server{
		task: map[string]any{"id": "k1", "lease": "l1", "task": "charge", "token": "t1", "flow": "order", "attempt": 2,
			"idempotencyKey": "i1", "input": json.RawMessage(`{"n":9007199254740993}`), "leaseUntil": time.Now().Add(time.Minute), "may": []string{}},
		beats: `{"leaseUntil":"2026-01-01T00:00:00Z","cancelled":false}`, reports: make(chan string, 10), beaten: make(chan struct{}, 100),
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	c, err := client.New(client.Options{Server: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	return s, Options{Client: c, Name: "w", Task: "charge", Once: true, Env: os.Environ(), Stderr: io.Discard}
}

func TestOutcomes(t *testing.T) {
	tests := []struct{ script, want string }{
		{`cat`, `complete {"lease":"l1","result":{"n":9007199254740993}}`},
		{`echo '{"receipt": "r"}'; echo noise >&2`, `complete {"lease":"l1","result":{"receipt":"r"}}`},
		{`true`, `complete {"lease":"l1"}`},
		{`echo "{\"key\":\"$FLOWC_IDEMPOTENCY_KEY$FLOWC_ATTEMPT$FLOWC_TOKEN$FLOWC_TASK_ID$FLOWC_FLOW$FLOWC_TASK\"}"`, `complete {"lease":"l1","result":{"key":"i12t1k1ordercharge"}}`},
		{`echo "card refused" >&2; exit 1`, `fail {"lease":"l1","code":"command_failed","message":"card refused"}`},
		{`echo gone >&2; exit 2`, `fail {"lease":"l1","code":"command_failed","message":"gone","noRetry":true}`},
		{`echo '{"code":"declined","message":"no money"}'; exit 1`, `fail {"lease":"l1","code":"declined","message":"no money"}`},
		{`exit 3`, `fail {"lease":"l1","code":"command_failed","message":"exit code 3"}`},
		{`echo no json`, `fail {"lease":"l1","code":"bad_output","message":"the program wrote something that is no JSON: no json"}`},
		{`head -c 1100000 /dev/zero`, `fail {"lease":"l1","code":"bad_output","message":"the program wrote more than 1048576 bytes"}`},
		{`kill -9 $$`, `fail {"lease":"l1","code":"command_failed","message":"signal: killed"}`},
	}
	for _, test := range tests {
		s, o := start(t)
		o.Command = []string{"sh", "-c", test.script}
		if err := Run(context.Background(), o); err != nil {
			t.Errorf("%s: %v", test.script, err)
			continue
		}
		if got := <-s.reports; got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.script, got, test.want)
		}
	}
}

func TestDeadlineStopsTheProgram(t *testing.T) {
	s, o := start(t)
	s.task["deadline"] = time.Now().Add(100 * time.Millisecond)
	o.Command = []string{"sh", "-c", "sleep 60 & wait"}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if got := <-s.reports; !strings.HasPrefix(got, `fail {"lease":"l1","code":"attempt_timeout"`) {
		t.Errorf("got %s", got)
	}
}

func TestStopReleases(t *testing.T) {
	s, o := start(t)
	o.Once = false
	ready := t.TempDir() + "/ready"
	o.Command = []string{"sh", "-c", "touch " + ready + "; sleep 60 & wait"}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Run(ctx, o) }()
	s.waitFor(t, func() bool { _, err := os.Stat(ready); return err == nil })
	cancel()
	if got := <-s.reports; got != `release {"lease":"l1"}` {
		t.Errorf("got %s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// waitFor asks until it is so; the test's own time limit ends it.
func (s *server) waitFor(t *testing.T, so func() bool) {
	t.Helper()
	for !so() {
		select {
		case <-s.beaten:
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestUnwantedWorkIsStoppedAndNotReported(t *testing.T) {
	s, o := start(t)
	s.beats = `{"leaseUntil":"2026-01-01T00:00:00Z","cancelled":true}`
	o.Lease = 300 * time.Millisecond
	o.Command = []string{"sh", "-c", "sleep 60 & wait"}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-s.reports:
		t.Errorf("got %s", got)
	default:
	}
}

func TestARefusalEndsTheWorker(t *testing.T) {
	s, o := start(t)
	s.refusing = true
	o.Command = []string{"true"}
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("got %v", err)
	}
}
