package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
)

const orderFlow = `
event pay(reference: string, amount: decimal)
event ship
event go_on
internal event tick
task charge(n: decimal) -> (receipt: string) fails "declined" retry 2 backoff 1s

flow order(n: decimal, label: string = "x") -> (receipt: string) {
  data {
    receipt: string = ""
    count: int = 0
  }
  on tick {}
  on cancel -> cancelled
  initial waiting
  state waiting {
    timeout 1d
    on pay when event.amount >= n -> charging
    on ship { refuse "not paid yet" }
    on go_on { count = 1 / count }
    on timeout -> late
  }
  state charging {
    do charge(n: n) may go_on
    defer ship
    on completed -> done { receipt = event.receipt }
    on go_on -> done { receipt = "by event" }
    on error { fail "no money" }
  }
  final done
  final late as failure
  final cancelled as cancelled
}
`

// newServer serves the real engine on SQLite in memory, with orderFlow deployed.
func newServer(t *testing.T) *client {
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
	c := &client{t: t, api: New(eng, Options{})}
	body, _ := json.Marshal(map[string]any{"files": map[string]string{"order.flow": orderFlow}})
	c.wants(c.do("POST", "/v1/flows", string(body)), 200, "")
	return c
}

// start starts a token.
func (c *client) start(key string) {
	c.t.Helper()
	c.wants(c.do("POST", "/v1/flows/order/tokens", `{"key":"`+key+`","input":{"n":10}}`), 201, "")
}

// token reads a token.
func (c *client) token(key string) engine.TokenView {
	c.t.Helper()
	var view engine.TokenView
	res := c.do("GET", "/v1/tokens/order:"+key, "")
	c.wants(res, 200, "")
	if err := json.Unmarshal([]byte(res.text), &view); err != nil {
		c.t.Fatal(err)
	}
	return view
}

// has fails the test unless the answer has all texts.
func (c *client) has(res response, status int, texts ...string) response {
	c.t.Helper()
	if res.status != status {
		c.t.Fatalf("got %d, want %d: %s", res.status, status, res.text)
	}
	for _, text := range texts {
		if !strings.Contains(res.text, text) {
			c.t.Fatalf("%s is not in %s", text, res.text)
		}
	}
	return res
}

func TestServerFlows(t *testing.T) {
	c := newServer(t)
	c.has(c.do("GET", "/v1/flows", ""), 200, `"name":"order"`, `"next":null`)
	c.has(c.do("GET", "/v1/flows/order", ""), 200, `"versions":1`)
	c.has(c.do("GET", "/v1/flows/order/versions", ""), 200, `"current":true`, `order.flow`)
	c.wants(c.do("GET", "/v1/flows/oder", ""), 404, "not-found")
	c.has(c.do("POST", "/v1/flows?dryRun=true", `{"files":{"x.flow":"flow x {"}}`), 200, `"id":"syntax"`, `"flows":[]`)
	p := c.wants(c.do("POST", "/v1/flows", `{"files":{"x.flow":"flow x {"}}`), 422, "findings")
	if len(p.Findings) == 0 {
		t.Error("a refused deploy without its findings")
	}
	c.wants(c.do("POST", "/v1/flows", `{"files":{"a.flow":"import \"../../etc/passwd\"\nflow a { initial b\n final b }"}}`), 422, "findings")
	same := `{"files":{"a.flow":"flow a { initial b final b }","b.flow":"flow a { initial b final b }"}}`
	c.wants(c.do("POST", "/v1/flows", same), 422, "invalid")
	c.wants(c.do("POST", "/v1/flows", `{"files":{"a.flow":"const a = 1"}}`), 422, "invalid")
}

func TestServerTokens(t *testing.T) {
	c := newServer(t)
	c.start("A/1:x")
	c.has(c.do("GET", "/v1/tokens/order:A%2F1:x", ""), 200, `"key":"A/1:x"`, `"states":["waiting"]`, `"event":"pay","conditional":true`)
	p := c.wants(c.do("POST", "/v1/flows/order/tokens", `{"key":"A/1:x","input":{"n":1}}`), 409, "conflict")
	if p.Existing == "" {
		t.Error("a conflict without the token that has the key")
	}
	c.has(c.do("POST", "/v1/flows/order/tokens", `{"key":"A/1:x","input":{"n":10},"onConflict":"return"}`), 200, p.Existing)
	c.wants(c.do("POST", "/v1/flows/oder/tokens", `{}`), 404, "not-found")
	c.wants(c.do("POST", "/v1/flows/order/tokens", `{"key":"`+strings.Repeat("k", 201)+`","input":{"n":1}}`), 422, "invalid")
	c.start("B")
	c.start("C")
	c.has(c.do("GET", "/v1/tokens/count?flow=order", ""), 200, `"count":3`)
	seen, cursor := "", ""
	for {
		res := c.do("GET", "/v1/tokens?flow=order&limit=2"+cursor, "")
		var list Page[engine.TokenView]
		if err := json.Unmarshal([]byte(res.text), &list); err != nil {
			t.Fatal(err)
		}
		for _, token := range list.Items {
			seen += *token.Key + " "
		}
		if list.Next == nil {
			break
		}
		cursor = "&cursor=" + *list.Next
	}
	if seen != "C B A/1:x " {
		t.Errorf("the pages held %s", seen)
	}
	for _, bad := range []string{"?cursor=x", "?cursor=%25%27", "?cursor=AAAA"} {
		c.wants(c.do("GET", "/v1/tokens"+bad, ""), 400, "malformed")
	}
	for _, id := range []string{"nobody", "order:", ":x", "order:nobody", "01a22c81-6df1-7090-be30-d02dd371c5ee", "'; drop table tokens", strings.Repeat("x", 3000)} {
		if res := c.do("GET", "/v1/tokens/"+strings.ReplaceAll(id, " ", "%20"), ""); res.status != 404 && res.status != 400 {
			t.Errorf("%q: got %d %s", id, res.status, res.text)
		}
	}
}

// A fault of a query or a header names it; a JSON Pointer would point into a body that a GET has not.
func TestServerNamesTheParameterAtFault(t *testing.T) {
	c := newServer(t)
	c.wants(c.do("POST", "/v1/flows/order/tokens", `{"key":"A","input":{"n":1}}`), 201, "")
	for _, bad := range []struct{ path, header, parameter string }{
		{"/v1/tokens?cursor=x", "", "cursor"},
		{"/v1/timers?cursor=x", "", "cursor"},
		{"/v1/tokens/order:A/history?after=x", "", "after"},
		{"/v1/tokens/order:A/watch?after=x", "", "after"},
		{"/v1/tokens/order:A/watch", "Last-Event-ID: x", "Last-Event-ID"},
	} {
		var headers []string
		if bad.header != "" {
			headers = append(headers, bad.header)
		}
		res := c.do("GET", bad.path, "", headers...)
		c.wants(res, 400, "malformed")
		var p Problem
		if err := json.Unmarshal([]byte(res.text), &p); err != nil || len(p.Errors) != 1 || p.Errors[0].Pointer != nil || p.Errors[0].Parameter != bad.parameter {
			t.Errorf("%s: got %s, want the parameter %s", bad.path, res.text, bad.parameter)
		}
	}
}

// What does not fit the flow's types is 422 with a pointer, and all digits survive.
func TestServerPayloads(t *testing.T) {
	c := newServer(t)
	for body, pointer := range map[string]string{
		`{"input":{}}`:                                    "/input/n",
		`{"input":{"n":"10"}}`:                            "/input/n",
		`{"input":{"n":10,"m":1}}`:                        "/input/m",
		`{"input":{"n":1e999999}}`:                        "/input/n",
		`{"input":{"n":` + strings.Repeat("9", 40) + `}}`: "/input/n",
		`{"input":[]}`:                                    "/input",
		`{}`:                                              "/input/n",
	} {
		res := c.do("POST", "/v1/flows/order/tokens", body)
		var p Problem
		if err := json.Unmarshal([]byte(res.text), &p); err != nil || res.status != 422 {
			t.Errorf("%s: got %d %s", body, res.status, res.text)
			continue
		}
		if len(p.Errors) == 0 || p.Errors[0].Pointer == nil || *p.Errors[0].Pointer != pointer {
			t.Errorf("%s: the fault is not at %s: %s", body, pointer, res.text)
		}
	}
	const digits = "1234567890123456789012.345678901234"
	c.has(c.do("POST", "/v1/flows/order/tokens", `{"key":"D","input":{"n":`+digits+`}}`), 201, digits)
	c.has(c.do("GET", "/v1/tokens/order:D", ""), 200, `"n":`+digits)
}

func TestServerEvents(t *testing.T) {
	c := newServer(t)
	c.start("A")
	p := c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"ship"}`), 409, "event-refused")
	if len(p.State) != 1 || p.State[0] != "waiting" || len(p.Accepts) == 0 || !strings.Contains(p.Detail, "not paid yet") {
		t.Errorf("got %+v", p)
	}
	c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"pai"}`), 422, "unknown-event")
	c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"timeout"}`), 422, "reserved-event")
	c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"tick"}`), 422, "internal-event")
	c.has(c.do("POST", "/v1/tokens/order:A/events", `{"event":"go_on"}`), 200, `"outcome":"error"`, `"code":"division_by_zero"`, `"file":"order.flow"`)
	c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"ship"}`), 409, "token-failed")
	c.has(c.do("POST", "/v1/tokens/order:A/retry", ``), 200, `"states":["waiting"]`)
	pay := `{"event":"pay","payload":{"reference":"r","amount":10.00},"id":"e1"}`
	etag := c.do("GET", "/v1/tokens/order:A", "").header.Get("ETag")
	c.wants(c.do("POST", "/v1/tokens/order:A/events", pay, `If-Match: "0"`), 412, "stale")
	first := c.has(c.do("POST", "/v1/tokens/order:A/events", pay, "If-Match: "+etag, "Idempotency-Key: k1"), 200, `"outcome":"accepted"`, `"states":["charging"]`)
	again := c.do("POST", "/v1/tokens/order:A/events", pay, "If-Match: "+etag, "Idempotency-Key: k1")
	if again.text != first.text || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the repeat got %d %v %s", again.status, again.header, again.text)
	}
	c.wants(c.do("POST", "/v1/tokens/order:A/events", `{"event":"ship"}`, "Idempotency-Key: k1"), 422, "idempotency-mismatch")
	c.has(c.do("POST", "/v1/tokens/order:A/events", `{"event":"ship"}`), 200, `"outcome":"deferred"`)
	c.has(c.do("POST", "/v1/tokens/order:A/events", pay), 200, `"outcome":"accepted"`) // the same id: the first answer
	c.has(c.do("GET", "/v1/tokens/order:A/history?limit=1000", ""), 200, `"event-deferred"`, `"event-refused"`)
	c.wants(c.do("GET", "/v1/tokens/order:A/history?after=x", ""), 400, "malformed")
	c.wants(c.do("POST", "/v1/tokens/order:nobody/events", pay), 404, "not-found")
}

// One key, many requests at once: the step happens once.
func TestServerRepeatsAtOnce(t *testing.T) {
	c := newServer(t)
	server := httptest.NewServer(c.api)
	defer server.Close()
	var wg sync.WaitGroup
	statuses := make(chan string, 20)
	for range cap(statuses) {
		wg.Go(func() {
			req, _ := http.NewRequest("POST", server.URL+"/v1/flows/order/tokens", strings.NewReader(`{"input":{"n":1}}`))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Idempotency-Key", "k")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				statuses <- err.Error()
				return
			}
			res.Body.Close()
			statuses <- fmt.Sprint(res.StatusCode, " ", res.Header.Get("Location"))
		})
	}
	wg.Wait()
	close(statuses)
	all := map[string]int{}
	for s := range statuses {
		all[s]++
	}
	if len(all) != 1 {
		t.Errorf("got %v", all)
	}
	c.has(c.do("GET", "/v1/tokens/count", ""), 200, `"count":1`)
}

func TestServerControl(t *testing.T) {
	c := newServer(t)
	c.start("A")
	c.has(c.do("POST", "/v1/tokens/order:A/pause", `{"reason":"r"}`), 200, `"status":"paused"`)
	c.has(c.do("POST", "/v1/tokens/order:A/events", `{"event":"pay","payload":{"reference":"r","amount":10}}`), 202, `"outcome":"queued"`)
	c.has(c.do("POST", "/v1/tokens/order:A/resume", ``), 200, `"states":["charging"]`)
	c.start("B")
	timer := c.token("B").Timers[0]
	due := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	c.has(c.do("PATCH", "/v1/tokens/order:B/timers/"+timer.ID, `{"due":"`+due.Format(time.RFC3339)+`"}`), 200, due.Format(time.RFC3339))
	c.wants(c.do("PATCH", "/v1/tokens/order:B/timers/waiting.nothing", `{"due":"2026-03-28T22:00:00Z"}`), 404, "unknown-timer")
	c.has(c.do("PATCH", "/v1/tokens/order:B/data", `{"field":"count","value":7,"reason":"test"}`), 200, `"count":7`)
	c.wants(c.do("PATCH", "/v1/tokens/order:B/data", `{"field":"count","value":"7","reason":"test"}`), 422, "payload-invalid")
	c.has(c.do("POST", "/v1/tokens/order:B/timers/"+timer.ID+"/fire", ``), 200, `"final":"late"`)
	c.wants(c.do("POST", "/v1/tokens/order:B/retry", ``), 409, "token-ended")
	res := c.has(c.do("POST", "/v1/tokens/order:B/restart", `{"key":"B2"}`), 201, `"restartOf":"`, `"key":"B2"`)
	c.has(c.do("GET", res.header.Get("Location"), ""), 200, `"key":"B2"`)
	c.has(c.do("POST", "/v1/tokens/order:B2/cancel", `{"reason":"done with it"}`), 200, `"status":"cancelled"`, `"reason":"done with it"`)
	c.has(c.do("POST", "/v1/batches", `{"action":"pause","filter":{"status":"running"},"dryRun":true}`), 200, `"matched":1`)
	c.has(c.do("POST", "/v1/batches", `{"action":"pause","filter":{"flow":"order"}}`, "Idempotency-Key: b"), 200, `"changed":1`)
	c.has(c.do("GET", "/v1/timers", ""), 200, `"items":[`)
}

func TestServerWork(t *testing.T) {
	c := newServer(t)
	claim := func(more string) []engine.ClaimedTask {
		t.Helper()
		res := c.has(c.do("POST", "/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"charge","max":5}]`+more+`}`), 200)
		var got Claimed
		if err := json.Unmarshal([]byte(res.text), &got); err != nil {
			t.Fatal(err)
		}
		return got.Tasks
	}
	paid := func(key string) engine.ClaimedTask {
		t.Helper()
		c.start(key)
		c.has(c.do("POST", "/v1/tokens/order:"+key+"/events", `{"event":"pay","payload":{"reference":"r","amount":10}}`), 200)
		tasks := claim(`,"wait":"10s","lease":"30s"`)
		if len(tasks) != 1 || string(tasks[0].Input) != `{"n":10}` || tasks[0].May[0] != "go_on" {
			t.Fatalf("claimed %+v", tasks)
		}
		return tasks[0]
	}
	post := func(task engine.ClaimedTask, verb, more string, headers ...string) response {
		return c.do("POST", "/v1/tasks/"+task.ID+"/"+verb, `{"lease":"`+task.Lease+`"`+more+`}`, headers...)
	}
	if got := claim(``); len(got) != 0 {
		t.Fatalf("claimed %+v", got)
	}
	a := paid("A")
	c.has(c.do("GET", "/v1/tasks?task=charge", ""), 200, a.ID)
	c.has(post(a, "heartbeat", `,"for":"2m"`), 200, `"cancelled":false`)
	if res := post(a, "complete", `,"result":{"receipt":7}`); res.status != 422 && res.status != 200 {
		t.Errorf("a bad result got %d %s", res.status, res.text)
	}
	c.has(c.do("POST", "/v1/tokens/order:A/cancel", ``), 200) // so that no later attempt of it is claimed below
	b := paid("B")
	done := c.has(post(b, "complete", `,"result":{"receipt":"r-1"}`, "Idempotency-Key: k"), 200, `"outcome":"accepted"`)
	if again := post(b, "complete", `,"result":{"receipt":"r-1"}`, "Idempotency-Key: k"); again.text != done.text || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeat got %v %s", again.header, again.text)
	}
	c.has(post(b, "complete", `,"result":{"receipt":"r-1"}`), 200)
	c.wants(post(b, "complete", `,"result":{"receipt":"other"}`), 409, "lease-lost")
	if view := c.token("B"); string(view.Result) != `{"receipt":"r-1"}` {
		t.Errorf("got %s", view.Result)
	}
	d := paid("D")
	c.has(post(d, "release", ``), 200)
	d = claim(`,"wait":"10s"`)[0]
	c.wants(post(d, "complete", `,"event":"ship"`), 422, "invalid")
	c.has(post(d, "complete", `,"event":"go_on","schedule":[]`), 200, `"outcome":"accepted"`)
	e := paid("E")
	c.has(post(e, "fail", `,"code":"declined","message":"no"`), 200)
	if view := c.token("E"); view.Status != "failed" || view.Error == nil || view.Error.Line == nil {
		t.Errorf("got %+v", view)
	}
	c.has(c.do("POST", "/v1/tokens/order:E/retry", ``), 200, `"states":["charging"]`)
	task := c.token("E").Tasks[0].ID
	c.has(c.do("POST", "/v1/tasks/"+task+"/operate", `{"action":"complete","result":{"receipt":"by hand"}}`), 200)
	c.has(c.do("GET", "/v1/tokens/order:E", ""), 200, "by hand")
	c.wants(post(engine.ClaimedTask{ID: "nobody", Lease: "x"}, "heartbeat", ``), 404, "not-found")
}

func TestServerOperations(t *testing.T) {
	c := newServer(t)
	c.start("A")
	c.has(c.do("GET", "/v1/stats", ""), 200, `"running":1`)
	c.has(c.do("GET", "/readyz", ""), 200, `"ready":true`)
	c.has(c.do("GET", "/metrics", ""), 200, `flowc_tokens{status="running"} 1`, "flowc_steps_total 1", `flowc_loop_running{loop="due"} 1`,
		`flowc_http_request_seconds_count{route="POST /v1/flows/{flow}/tokens",status="201"} 1`)
	c.has(c.do("POST", "/v1/tokens/order:A/cancel", ``), 200)
	c.has(c.do("GET", "/v1/tokens/order:A/watch", ""), 200, "id: 1.1\n", `"kind":"ended"`, "event: end\n")
}

// A server that closes answers those who wait with what there is.
func TestServerClosesOnWaiters(t *testing.T) {
	c := newServer(t)
	c.start("A")
	answers := make(chan response, 2)
	go func() {
		answers <- c.do("POST", "/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"charge"}],"wait":"60s"}`)
	}()
	go func() { answers <- c.do("GET", "/v1/tokens/order:A/watch", "") }()
	time.AfterFunc(50*time.Millisecond, c.api.Close)
	for range cap(answers) {
		if res := <-answers; res.status != 200 {
			t.Errorf("got %d %s", res.status, res.text)
		}
	}
}
