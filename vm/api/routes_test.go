package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"flowc/validate/diag"
	"flowc/vm"
	"flowc/vm/engine"
)

func ptr[T any](v T) *T { return &v }

// Every route hands the engine what was sent, and answers with the status of the contract.
func TestRoutes(t *testing.T) {
	tests := []struct {
		request string
		body    string
		headers []string
		status  int
		asked   any // compared without the idempotency's hash
	}{
		{"POST /v1/flows/order/tokens", `{"key":"A/1","input":{"n":9007199254740993},"delay":"2h","onConflict":"return"}`, nil, 201,
			engine.StartRequest{Flow: "order", Key: "A/1", Input: json.RawMessage(`{"n":9007199254740993}`), Delay: 2 * time.Hour, OnConflict: "return"}},
		{"POST /v1/flows/order/tokens", `{"startAt":"2026-03-28T22:00:00Z","input":null}`, nil, 201,
			engine.StartRequest{Flow: "order", StartAt: now.UnixMicro()}},
		{"GET /v1/tokens?flow=order&status=failed&state=a.b&key=x&limit=5&cursor=c", "", nil, 200,
			engine.ListRequest{Flow: "order", Status: "failed", State: "a.b", Key: "x", Limit: 5, Cursor: "c"}},
		{"GET /v1/tokens/count?flow=order", "", nil, 200, engine.ListRequest{Flow: "order"}},
		{"GET /v1/tokens?waiting=child-paused&error=child_failed", "", nil, 200, engine.ListRequest{Waiting: vm.WhyChildPaused, Error: "child_failed"}},
		{"GET /v1/tokens?waiting=nobody", "", nil, 400, nil},
		{"GET /v1/tokens/waiting?flow=order", "", nil, 200, engine.ListRequest{Flow: "order"}},
		{"GET /v1/quarantine?limit=5", "", nil, 200, nil},
		{"POST /v1/quarantine/order:A/release", "{}", nil, 200, engine.Ref{Flow: "order", Key: "A"}},
		{"GET /v1/tokens/t1", "", nil, 200, engine.Ref{ID: "t1"}},
		{"GET /v1/tokens/order:A%2F1:x", "", nil, 200, engine.Ref{Flow: "order", Key: "A/1:x"}},
		{"GET /v1/tokens/t1?at=3", "", nil, 200, engine.Ref{ID: "t1"}},
		{"GET /v1/tokens/t1/why", "", nil, 200, engine.WhyRequest{Token: engine.Ref{ID: "t1"}}},
		{"GET /v1/tokens/order:A/replay", "", nil, 200, engine.Ref{Flow: "order", Key: "A"}},
		{"POST /v1/tokens/t1/events", `{"event":"go","payload":{"d":1.10},"id":"e1"}`, []string{`If-Match: "7"`}, 200,
			engine.EventRequest{Mutation: engine.Mutation{IfMatch: ptr(int64(7))}, Token: engine.Ref{ID: "t1"}, Event: "go", Payload: json.RawMessage(`{"d":1.10}`), ID: "e1"}},
		{"POST /v1/tokens/t1/pause", "", nil, 200, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.Pause}},
		{"POST /v1/tokens/t1/resume", "{}", nil, 200, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.Resume}},
		{"POST /v1/tokens/t1/cancel", `{"reason":"why"}`, nil, 200, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.Cancel, Reason: "why"}},
		{"POST /v1/tokens/t1/retry", `{"state":"a.b"}`, nil, 200, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.Retry, State: "a.b"}},
		{"POST /v1/tokens/t1/restart", `{"key":"k2"}`, nil, 201, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.Restart, Key: "k2"}},
		{"PATCH /v1/tokens/t1/timers/a.timeout", `{"due":"2026-03-28T22:00:00Z"}`, nil, 200,
			engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.MoveTimer, Timer: "a.timeout", Due: now.UnixMicro()}},
		{"POST /v1/tokens/t1/timers/a.timeout/fire", "", nil, 200, engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.FireTimer, Timer: "a.timeout"}},
		{"PATCH /v1/tokens/t1/data", `{"field":"n","value":1.50,"reason":"r"}`, nil, 200,
			engine.ControlRequest{Token: engine.Ref{ID: "t1"}, Action: engine.SetField, Field: "n", Value: json.RawMessage(`1.50`), Reason: "r"}},
		{"GET /v1/tokens/t1/history?after=3.1&limit=2", "", nil, 200, engine.HistoryRequest{Token: engine.Ref{ID: "t1"}, After: "3.1", Limit: 2}},
		{"POST /v1/batches", `{"action":"pause","filter":{"flow":"order"},"dryRun":true}`, nil, 200, engine.ListRequest{Flow: "order"}},
		{"POST /v1/batches", `{"action":"cancel","filter":{"waiting":"unclaimed"},"dryRun":true}`, nil, 200, engine.ListRequest{Waiting: vm.WhyUnclaimed}},
		{"POST /v1/tasks/claim", `{"worker":"w","tasks":[{"name":"charge","max":3},{"name":"mail"}],"wait":"30s","lease":"1m"}`, nil, 200,
			engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "charge", Max: 3}, {Name: "mail", Max: 1}}, Wait: 30 * time.Second, Lease: time.Minute}},
		{"POST /v1/tasks/k1/heartbeat", `{"lease":"l","for":"90s"}`, nil, 200, engine.HeartbeatRequest{Task: "k1", Lease: "l", For: 90 * time.Second}},
		{"POST /v1/tasks/k1/complete", `{"lease":"l","result":{"r":1}}`, nil, 200, engine.CompleteRequest{Task: "k1", Lease: "l", Result: json.RawMessage(`{"r":1}`)}},
		{"POST /v1/tasks/k1/complete", `{"lease":"l","event":"e","payload":{},"schedule":[{"event":"x","after":"5s"}]}`, nil, 200,
			engine.CompleteRequest{Task: "k1", Lease: "l", Event: "e", Payload: json.RawMessage(`{}`), Schedule: []engine.Schedule{{Event: "x", After: ptr(int64(5_000_000))}}}},
		{"POST /v1/tasks/k1/fail", `{"lease":"l","code":"declined","message":"m","noRetry":true,"retryAfter":"1m"}`, nil, 200,
			engine.FailRequest{Task: "k1", Lease: "l", Code: "declined", Message: "m", NoRetry: true, RetryAfter: time.Minute}},
		{"POST /v1/tasks/k1/release", `{"lease":"l"}`, nil, 200, engine.ReleaseRequest{Task: "k1", Lease: "l"}},
		{"POST /v1/tasks/k1/operate", `{"action":"fail","code":"c"}`, nil, 200, engine.OperateTaskRequest{Task: "k1", Action: engine.FailTask, Code: "c"}},
		{"GET /v1/tasks?task=charge&status=offered&token=t1", "", nil, 200, engine.TasksRequest{Task: "charge", Status: "offered", Token: engine.Ref{ID: "t1"}}},
		{"GET /v1/timers?flow=order", "", nil, 200, engine.TimersRequest{Flow: "order"}},
		{"GET /v1/flows", "", nil, 200, nil},
		{"GET /v1/flows/order", "", nil, 200, nil},
		{"GET /v1/flows/order/versions", "", nil, 200, nil},
		{"GET /v1/stats", "", nil, 200, nil},
		{"GET /healthz", "", nil, 200, nil},
		{"GET /readyz", "", nil, 200, nil},
		{"GET /metrics", "", nil, 200, nil},
	}
	for _, test := range tests {
		f := newFake()
		c := newClient(t, f, Options{})
		method, path, _ := strings.Cut(test.request, " ")
		if res := c.do(method, path, test.body, test.headers...); res.status != test.status {
			t.Errorf("%s: got %d: %s", test.request, res.status, res.text)
			continue
		}
		if test.asked != nil && !reflect.DeepEqual(f.last(), test.asked) {
			t.Errorf("%s\n asked %+v\n  want %+v", test.request, f.last(), test.asked)
		}
	}
}

func TestTokenKeepsEveryDigit(t *testing.T) {
	c := newClient(t, newFake(), Options{})
	res := c.do("GET", "/v1/tokens/t1", "")
	for _, want := range []string{`"amount":12345678901234567890.10`, `"n":9007199254740993`, `"final":null`, `"createdAt":"2026-03-28T22:00:00Z"`} {
		if !strings.Contains(res.text, want) {
			t.Errorf("%s is not in %s", want, res.text)
		}
	}
	if res.header.Get("ETag") != `"7"` {
		t.Errorf("the ETag is %s", res.header.Get("ETag"))
	}
}

func TestStartAnswers(t *testing.T) {
	f := newFake()
	c := newClient(t, f, Options{})
	res := c.do("POST", "/v1/flows/order/tokens", `{}`, "Idempotency-Key: k")
	if res.header.Get("Location") != "/v1/tokens/t1" || res.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("got %v", res.header)
	}
	first := f.last().(engine.StartRequest).Idempotency
	if first.Key != "k" || first.Route != "POST /v1/flows/order/tokens" || first.BodyHash == "" {
		t.Errorf("the engine got %+v", first)
	}
	f.answer.Created, f.answer.Replayed = false, true
	res = c.do("POST", "/v1/flows/order/tokens", `{"key":"x"}`, "Idempotency-Key: k")
	if res.status != http.StatusOK || res.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %d %v", res.status, res.header)
	}
	if again := f.last().(engine.StartRequest).Idempotency; again.BodyHash == first.BodyHash {
		t.Error("another body has the same hash")
	}
}

func TestStartWaits(t *testing.T) {
	f := newFake()
	f.changed = func(version int64) int64 {
		f.token.Status, f.token.Version = "completed", version+1
		return version + 1
	}
	c := newClient(t, f, Options{})
	if res := c.do("POST", "/v1/flows/order/tokens", `{"wait":"60s"}`); res.status != http.StatusCreated || !strings.Contains(res.text, `"status":"completed"`) {
		t.Errorf("got %d %s", res.status, res.text)
	}
}

func TestQueuedIsAccepted(t *testing.T) {
	f := newFake()
	f.answer.Outcome, f.taskAnswer.Outcome = vm.Queued, "queued"
	c := newClient(t, f, Options{})
	for path, body := range map[string]string{
		"/v1/tokens/t1/events": `{"event":"go"}`, "/v1/tasks/k1/complete": `{"lease":"l"}`, "/v1/tokens/t1/pause": ``,
	} {
		if res := c.do("POST", path, body); res.status != http.StatusAccepted {
			t.Errorf("%s: got %d", path, res.status)
		}
	}
}

func TestNotReady(t *testing.T) {
	f := newFake()
	f.health = engine.Health{Reason: "timers is late", Loops: []engine.LoopHealth{{Name: "timers", Late: true}}}
	c := newClient(t, f, Options{})
	if res := c.do("GET", "/readyz", ""); res.status != http.StatusServiceUnavailable || !strings.Contains(res.text, "timers is late") {
		t.Errorf("got %d %s", res.status, res.text)
	}
	c.wants(c.do("GET", "/healthz", ""), 200, "")
	if res := c.do("GET", "/metrics", ""); !strings.Contains(res.text, `flowc_loop_late{loop="timers"} 1`) || !strings.Contains(res.text, `flowc_steps_total 5`) {
		t.Errorf("got %s", res.text)
	}
}

func TestDeploy(t *testing.T) {
	finding := diag.New(diag.UnknownState, "a.flow", diag.NewLines([]byte("x")), 0, 1, "no such state").WithHelp("write another")
	bad := func(map[string]string) (Build, error) {
		return Build{Report: diag.Report{Files: []string{"a.flow"}, Findings: []diag.Finding{finding}}}, nil
	}
	c := newClient(t, newFake(), Options{Compile: bad})
	p := c.wants(c.do("POST", "/v1/flows", `{"files":{"a.flow":"x"}}`), 422, "findings")
	if len(p.Findings) != 1 || p.Findings[0].ID != "unknown-state" || p.Findings[0].Message != "no such state; write another" {
		t.Errorf("got %+v", p.Findings)
	}
	if res := c.do("POST", "/v1/flows?dryRun=true", `{"files":{"a.flow":"x"}}`); res.status != 200 || !strings.Contains(res.text, `"errors":1`) {
		t.Errorf("got %d %s", res.status, res.text)
	}
	good := func(files map[string]string) (Build, error) {
		return Build{Programs: []engine.Deployment{{Flow: "order", Code: []byte(files["a.flow"])}, {Flow: "refund"}}}, nil
	}
	f := newFake()
	f.deployed = engine.DeployResult{Flows: []engine.Deployed{{Flow: "order", Program: "p", New: true, Current: true}}}
	c = newClient(t, f, Options{Compile: good})
	if res := c.do("POST", "/v1/flows", `{"files":{"a.flow":"x"},"flows":["order"]}`); res.status != 200 || !strings.Contains(res.text, `"new":true`) {
		t.Errorf("got %d %s", res.status, res.text)
	}
	if asked := f.last().(engine.DeployRequest); len(asked.Programs) != 1 || string(asked.Programs[0].Code) != "x" {
		t.Errorf("the engine got %+v", asked)
	}
	p = c.wants(c.do("POST", "/v1/flows", `{"files":{"a.flow":"x"},"flows":["oder"]}`), 422, "invalid")
	if !strings.Contains(p.Detail, `did you mean "order"?`) {
		t.Errorf("got %s", p.Detail)
	}
	c.wants(c.do("POST", "/v1/flows", `{"files":{}}`), 422, "invalid")
	c.wants(newClient(t, newFake(), Options{}).do("POST", "/v1/flows", `{"files":{"a.flow":"x"}}`), 422, "findings")
}

func TestBatch(t *testing.T) {
	f := newFake()
	f.page = engine.TokenPage{Items: []engine.TokenView{sample(), sample()}}
	c := newClient(t, f, Options{})
	if res := c.do("POST", "/v1/batches", `{"action":"cancel","filter":{"flow":"order"},"reason":"r"}`, "Idempotency-Key: k"); !strings.Contains(res.text, `"matched":2,"changed":2`) {
		t.Errorf("got %d %s", res.status, res.text)
	}
	if asked := f.last().(engine.ControlRequest); asked.Idempotency.Route != "POST /v1/batches#t1" || asked.Reason != "r" {
		t.Errorf("the engine got %+v", asked)
	}
	c.wants(c.do("POST", "/v1/batches", `{"action":"cancel","filter":{}}`), 422, "invalid")
}

func TestWatch(t *testing.T) {
	f := newFake()
	f.token.Status = "completed"
	f.history = engine.HistoryPage{Items: []engine.HistoryLine{{ID: "1.1", At: now, Kind: "started"}, {ID: "2.1", At: now, Kind: "note", Text: "a\nb"}}}
	c := newClient(t, f, Options{})
	res := c.do("GET", "/v1/tokens/t1/watch", "")
	if res.status != 200 || res.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %v", res.status, res.header)
	}
	for _, want := range []string{"id: 1.1\ndata: {", "id: 2.1\ndata: {", `"text":"a\nb"`, "event: end\n"} {
		if !strings.Contains(res.text, want) {
			t.Errorf("%q is not in %s", want, res.text)
		}
	}
	res = c.do("GET", "/v1/tokens/t1/watch", "", "Last-Event-ID: 2.1")
	if strings.Contains(res.text, "id: ") {
		t.Errorf("lines came again: %s", res.text)
	}
}
