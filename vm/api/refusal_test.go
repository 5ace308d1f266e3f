package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

// What is wrong with a request is said with a code and a place, and never reaches the engine.
func TestMalformedRequests(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	tests := []struct {
		request string
		body    string
		headers []string
		status  int
		code    string
		where   string // a pointer or a parameter
	}{
		{"POST /v1/tokens/t/events", ``, nil, 400, "malformed", ""},
		{"POST /v1/tokens/t/events", `{`, nil, 400, "malformed", ""},
		{"POST /v1/tokens/t/events", `{"event":"a","event":"b"}`, nil, 400, "malformed", "/event"},
		{"POST /v1/tokens/t/events", `{"event":"a","payload":{"x":{"y":1,"y":2}}}`, nil, 400, "malformed", "/payload/x/y"},
		{"POST /v1/tokens/t/events", `{"event":"a\u0000"}`, nil, 400, "malformed", "/event"},
		{"POST /v1/tokens/t/events", `{"event":"a","payload":{"k":["\ud800"]}}`, nil, 400, "malformed", "/payload/k/0"},
		{"POST /v1/tokens/t/events", "{\"event\":\"\xff\"}", nil, 400, "malformed", "/event"},
		{"POST /v1/tokens/t/events", `{"event":"a","payload":` + strings.Repeat("[", 201) + strings.Repeat("]", 201) + `}`, nil, 400, "malformed", "*"},
		{"POST /v1/tokens/t/events", `{"event":"a"} {}`, nil, 400, "malformed", ""},
		{"POST /v1/tokens/t/events", `[]`, nil, 422, "invalid", ""},
		{"POST /v1/tokens/t/events", `{}`, nil, 422, "invalid", "/event"},
		{"POST /v1/tokens/t/events", `{"event":""}`, nil, 422, "invalid", "/event"},
		{"POST /v1/tokens/t/events", `{"event":7}`, nil, 422, "invalid", "/event"},
		{"POST /v1/tokens/t/events", `{"event":"a","paylod":{}}`, nil, 422, "invalid", "/paylod"},
		{"POST /v1/tokens/t/events", `{"event":"a","payload":"` + long + `"}`, nil, 413, "too-large", ""},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"Content-Type: text/plain"}, 415, "unsupported-media-type", ""},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"Content-Type: "}, 415, "unsupported-media-type", ""},
		{"POST /v1/tokens/t/pause", ``, []string{"Content-Type: "}, 415, "unsupported-media-type", ""},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"Content-Type: application/json; charset=latin1"}, 415, "unsupported-media-type", ""},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"Content-Encoding: gzip"}, 415, "unsupported-media-type", ""},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"If-Match: 7"}, 400, "malformed", "If-Match"},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{`If-Match: "x"`}, 400, "malformed", "If-Match"},
		{"POST /v1/tokens/t/events", `{"event":"a"}`, []string{"Idempotency-Key: " + long[:300]}, 400, "malformed", "Idempotency-Key"},
		{"POST /v1/flows/f/tokens", `{"delay":"90"}`, nil, 422, "invalid", "/delay"},
		{"POST /v1/flows/f/tokens", `{"delay":"4000d"}`, nil, 422, "invalid", "/delay"},
		{"POST /v1/flows/f/tokens", `{"delay":"99999999999999999999d"}`, nil, 422, "invalid", "/delay"},
		{"POST /v1/flows/f/tokens", `{"delay":"1h","startAt":"2026-01-01T00:00:00Z"}`, nil, 422, "invalid", "/startAt"},
		{"POST /v1/flows/f/tokens", `{"startAt":"2026-01-01"}`, nil, 422, "invalid", "/startAt"},
		{"POST /v1/flows/f/tokens", `{"startAt":"1066-01-01T00:00:00Z"}`, nil, 422, "invalid", "/startAt"},
		{"POST /v1/flows/f/tokens", `{"onConflict":"replace"}`, nil, 422, "invalid", "/onConflict"},
		{"POST /v1/tasks/claim", `{"worker":"w","tasks":[]}`, nil, 422, "invalid", "/tasks"},
		{"POST /v1/tasks/claim", `{"worker":"w","tasks":[{"name":"x","max":0}]}`, nil, 422, "invalid", "/tasks/0/max"},
		{"POST /v1/tasks/claim", `{"worker":"w","tasks":[{"name":"x","maximum":1}]}`, nil, 422, "invalid", "/tasks/0/maximum"},
		{"POST /v1/tasks/k/complete", `{"lease":"l","event":"e","result":{}}`, nil, 422, "invalid", "/event"},
		{"POST /v1/tasks/k/complete", `{"lease":"l","schedule":[{"event":"e"}]}`, nil, 422, "invalid", "/schedule/0"},
		{"PATCH /v1/tokens/t/timers/x", `{}`, nil, 422, "invalid", "/due"},
		{"PATCH /v1/tokens/t/data", `{"field":"x","value":1,"reason":""}`, nil, 422, "invalid", "/reason"},
		{"POST /v1/batches", `{"action":"explode","filter":{"flow":"x"}}`, nil, 422, "invalid", "/action"},
		{"GET /v1/tokens?limit=x", ``, nil, 400, "malformed", "limit"},
		{"GET /v1/tokens?limit=0", ``, nil, 400, "malformed", "limit"},
		{"GET /v1/tokens?limit=1001", ``, nil, 400, "malformed", "limit"},
		{"GET /v1/tokens?status=asleep", ``, nil, 400, "malformed", "status"},
		{"GET /v1/tokens?flw=x", ``, nil, 400, "malformed", "flw"},
		{"GET /v1/tokens?flow=x&flow=y", ``, nil, 400, "malformed", "flow"},
		{"GET /v1/tokens?flow=%00", ``, nil, 400, "malformed", "flow"},
		{"GET /v1/tokens?flow=%ff", ``, nil, 400, "malformed", "flow"},
		{"GET /v1/tokens?flow=%zz", ``, nil, 400, "malformed", ""},
		{"GET /v1/tokens/order:%00", ``, nil, 400, "malformed", ""},
		{"GET /v1/tokens/order:%ff", ``, nil, 400, "malformed", ""},
		{"GET /v1/nothing", ``, nil, 404, "not-found", ""},
		{"POST /v1/nothing", `{}`, nil, 404, "not-found", ""},
		{"DELETE /v1/tokens/t", ``, nil, 405, "method-not-allowed", ""},
		{"GET /v1/tokens", ``, []string{"Host: evil.example"}, 403, "host-refused", ""},
		{"GET /v1/tokens", ``, []string{"Host: localhost.evil.example:7654"}, 403, "host-refused", ""},
		{"GET /v1/tokens", ``, []string{"Origin: https://evil.example"}, 403, "origin-refused", ""},
		{"POST /v1/tokens/t/pause", ``, []string{"Origin: null"}, 403, "origin-refused", ""},
	}
	for _, test := range tests {
		f := newFake()
		c := newClient(t, f, Options{})
		method, path, _ := strings.Cut(test.request, " ")
		res := c.do(method, path, test.body, test.headers...)
		name := test.request + " " + test.body[:min(len(test.body), 60)]
		var p Problem
		if err := json.Unmarshal([]byte(res.text), &p); err != nil || res.status != test.status || p.Code != test.code {
			t.Errorf("%s: got %d %s", name, res.status, res.text)
			continue
		}
		if len(f.asked) > 0 {
			t.Errorf("%s: the engine was asked: %+v", name, f.asked)
		}
		if test.where == "*" {
			continue
		}
		where := ""
		if len(p.Errors) > 0 && p.Errors[0].Pointer != nil {
			where = *p.Errors[0].Pointer
		} else if len(p.Errors) > 0 {
			where = p.Errors[0].Parameter
		}
		if where != test.where {
			t.Errorf("%s: the fault is at %q, want %q: %s", name, where, test.where, res.text)
		}
	}
}

func TestLocalHostsAreLetIn(t *testing.T) {
	c := newClient(t, newFake(), Options{})
	for _, host := range []string{"localhost", "LOCALHOST:1", "127.0.0.1:7654", "127.8.8.8", "[::1]:7654", "[::1]"} {
		c.wants(c.do("GET", "/v1/flows", "", "Host: "+host), 200, "")
	}
	c.wants(c.do("GET", "/v1/flows", "", "Host: localhost:7654", "Origin: http://localhost:7654"), 200, "")
	open := newClient(t, newFake(), Options{AnyHost: true})
	open.wants(open.do("GET", "/v1/flows", "", "Host: flow.example"), 200, "")
	open.wants(open.do("GET", "/v1/flows", "", "Host: flow.example", "Origin: https://other.example"), 403, "origin-refused")
}

// Each code of the engine becomes its status, with all that the engine knows, and nothing of its inside.
func TestEngineErrors(t *testing.T) {
	cause := errors.New(`pq: relation "tokens" does not exist`)
	tests := []struct {
		err    error
		status int
		code   string
		check  func(Problem, response) bool
	}{
		{&engine.Error{Code: engine.Malformed, Detail: "d"}, 400, "malformed", nil},
		{&engine.Error{Code: engine.NotFound, Detail: "d"}, 404, "not-found", nil},
		{&engine.Error{Code: engine.Conflict, Detail: "d", Existing: "t9"}, 409, "conflict", func(p Problem, _ response) bool { return p.Existing == "t9" }},
		{&engine.Error{Code: engine.Refused, Refusal: "event-refused", Detail: "d", State: []string{"waiting"}, Accepts: []vm.Accept{{Event: "go"}}, Version: 7}, 409, "event-refused",
			func(p Problem, r response) bool {
				return p.State[0] == "waiting" && p.Accepts[0].Event == "go" && *p.Version == 7 && r.header.Get("ETag") == `"7"`
			}},
		{&engine.Error{Code: engine.Refused, Refusal: "token-ended", Detail: "d"}, 409, "token-ended",
			func(_ Problem, r response) bool {
				return strings.Contains(r.text, `"state":[]`) && strings.Contains(r.text, `"accepts":[]`)
			}},
		{&engine.Error{Code: engine.LeaseLost, Detail: "d"}, 409, "lease-lost", nil},
		{&engine.Error{Code: engine.Purged, Detail: "d", PurgedAt: now.UnixMicro()}, 410, "purged", func(p Problem, _ response) bool { return p.PurgedAt.Equal(now) }},
		{&engine.Error{Code: engine.Stale, Detail: "d", Version: 8}, 412, "stale", nil},
		{&engine.Error{Code: engine.TooLarge, Detail: "d"}, 413, "too-large", nil},
		{&engine.Error{Code: engine.Invalid, Detail: "d", Fields: []vm.FieldError{{Pointer: "/payload/n", Detail: "bad"}}}, 422, "invalid",
			func(p Problem, _ response) bool { return *p.Errors[0].Pointer == "/payload/n" }},
		{&engine.Error{Code: engine.IdempotencyMismatch, Detail: "d"}, 422, "idempotency-mismatch", nil},
		{&engine.Error{Code: engine.Full, Detail: "d", RetryAfter: 1500 * time.Millisecond}, 429, "full", func(_ Problem, r response) bool { return r.header.Get("Retry-After") == "2" }},
		{&engine.Error{Code: engine.Unavailable, Detail: "d"}, 503, "unavailable", func(_ Problem, r response) bool { return r.header.Get("Retry-After") == "1" }},
		{&engine.Error{Code: engine.UnknownOutcome, Detail: "d"}, 503, "unknown-outcome", nil},
		{&engine.Error{Code: engine.Refused, Refusal: "event-refused", Detail: "d", Replayed: true}, 409, "event-refused",
			func(_ Problem, r response) bool { return r.header.Get("Idempotency-Replayed") == "true" }},
		{cause, 500, "internal", nil},
		{&engine.Error{Code: "new-and-unknown", Detail: cause.Error()}, 500, "internal", nil},
	}
	for _, test := range tests {
		f := newFake()
		f.err = test.err
		c := newClient(t, f, Options{})
		res := c.do("POST", "/v1/tokens/t1/events", `{"event":"go"}`)
		p := c.wants(res, test.status, test.code)
		if strings.Contains(res.text, "relation") {
			t.Errorf("%v: the inside came out: %s", test.err, res.text)
		}
		if test.check != nil && !test.check(p, res) {
			t.Errorf("%v: got %v %s", test.err, res.header, res.text)
		}
	}
}

func TestCredentials(t *testing.T) {
	credentials, err := ParseCredentials(`
# name role hash tasks
ann operator sha256:` + sum("ann-token") + `
bob viewer ` + sum("bob-token") + `
eve worker ` + sum("eve-token") + ` charge,mail
`)
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	c := newClient(t, f, Options{Credentials: credentials})
	p := c.wants(c.do("GET", "/v1/tokens", "", "Host: flow.example"), 401, "unauthorized")
	if !strings.Contains(p.Detail, "Authorization: Bearer") {
		t.Errorf("got %s", p.Detail)
	}
	c.wants(c.do("GET", "/v1/tokens", "", "Authorization: Bearer wrong"), 401, "unauthorized")
	c.wants(c.do("GET", "/v1/tokens", "", "Authorization: Basic bob-token"), 401, "unauthorized")
	c.wants(c.do("GET", "/v1/tokens", "", "Authorization: Bearer bob-token"), 200, "")
	c.wants(c.do("POST", "/v1/tokens/t1/pause", "", "Authorization: Bearer bob-token"), 403, "forbidden")
	c.wants(c.do("POST", "/v1/tokens/t1/pause", "", "Authorization: bearer ann-token", "Idempotency-Key: k"), 200, "")
	if asked := f.last().(engine.ControlRequest); asked.Actor != "ann" || asked.Idempotency.Credential != "ann" {
		t.Errorf("the engine got %+v", asked)
	}
	claim := func(task string) response {
		return c.do("POST", "/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"`+task+`"}]}`, "Authorization: Bearer eve-token")
	}
	c.wants(claim("charge"), 200, "")
	c.wants(claim("other"), 403, "forbidden")
	c.wants(c.do("GET", "/v1/tokens", "", "Authorization: Bearer eve-token"), 403, "forbidden")
	c.wants(c.do("GET", "/healthz", ""), 200, "")
}

// With credentials every route asks for one, but for the two that say how the server is.
func TestEveryRouteAsksForACredential(t *testing.T) {
	c := newClient(t, newFake(), Options{Credentials: []Credential{{Name: "a", Role: Admin, Hash: sum("x")}}})
	for _, r := range c.api.routes {
		want := http.StatusUnauthorized
		if r.path == "/healthz" || r.path == "/readyz" {
			want = http.StatusOK
		}
		path := strings.NewReplacer("{id}", "x", "{flow}", "x", "{timer}", "x").Replace(r.path)
		if res := c.do(r.method, path, ""); res.status != want {
			t.Errorf("%s %s: got %d, want %d", r.method, r.path, res.status, want)
		}
	}
}

func TestParseCredentialsRefuses(t *testing.T) {
	good := sum("x")
	for in, want := range map[string]string{
		"ann":                                    "write NAME ROLE HASH",
		"ann boss " + good:                       `the role "boss" is none of`,
		"ann viewer 1234":                        "is no SHA-256",
		"ann viewer " + good + " charge":         "tasks can be named for workers only",
		"a admin " + good + "\na viewer " + good: "line 2: the name a stands twice",
	} {
		if _, err := ParseCredentials(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", in, err, want)
		}
	}
}
