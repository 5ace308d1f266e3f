package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/vm/client"
)

func unreachable(err error) bool {
	var u *client.UnreachableError
	return errors.As(err, &u)
}

// problemOf fails unless the error is a problem with the code.
func problemOf(t *testing.T, err error, code client.Code) *client.Problem {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) || !errors.Is(err, code) {
		t.Fatalf("got %v, not %s", err, code)
	}
	return p
}

func TestAddresses(t *testing.T) {
	for given, want := range map[string]string{
		"": client.DefaultServer, "127.0.0.1:80": "http://127.0.0.1:80", "https://flow.example/x/": "https://flow.example/x",
	} {
		c, err := client.New(client.Options{Server: given})
		if err != nil || c.Server() != want {
			t.Errorf("%q: got %v, %v", given, c, err)
		}
	}
	for _, bad := range []string{"ftp://x", "http://", "::"} {
		if _, err := client.New(client.Options{Server: bad}); err == nil {
			t.Errorf("%q is no server", bad)
		}
	}
}

func TestRequestsAsTheyGoOut(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.EscapedPath() != "/v1/tokens/order:A%2F1/events" || r.URL.RawQuery != "x=1" || string(body) != "{\"a\":\"<\"}\n" ||
			r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/json" ||
			len(r.Header.Get("Idempotency-Key")) != 32 || r.Header.Get("If-Match") != `"7"` {
			t.Errorf("got %s %s %s %v", r.Method, r.URL, body, r.Header)
		}
		_, _ = io.WriteString(w, `{"n":9007199254740993}`)
	}))
	defer srv.Close()
	c, err := client.New(client.Options{Server: srv.URL, Credential: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(t.Context(), client.Request{
		Method: "POST", Path: client.TokenPath("order:A/1", "events"), Query: map[string][]string{"x": {"1"}},
		Body: map[string]string{"a": "<"}, IfVersion: 7,
	})
	if err != nil || string(res.Body) != `{"n":9007199254740993}` {
		t.Errorf("got %v, %v", res, err)
	}
}

// Refusals keep all that the server says.
func TestProblems(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.start("A")
	_, err := s.c.Send(s.ctx, token.ID, client.Event{Name: "instead", Payload: object{"text": "x"}})
	p := problemOf(t, err, client.EventRefused)
	if p.Status != 409 || !slices.Equal(p.State, []string{"waiting"}) || p.Version != token.Version ||
		!slices.Contains(p.Accepts, client.Accept{Event: "add"}) || !slices.Contains(p.Accepts, client.Accept{Event: "begin"}) {
		t.Errorf("got %+v", p)
	}
	_, err = s.c.Start(s.ctx, "job", client.Start{Input: object{"n": "seven", "m": 1}})
	var pointers []string
	for _, e := range problemOf(t, err, "input-invalid").Errors {
		if e.Pointer != nil {
			pointers = append(pointers, *e.Pointer)
		}
	}
	if len(pointers) == 0 || !strings.HasPrefix(pointers[0], "/input/") {
		t.Errorf("the faults are at %v", pointers)
	}
	_, err = s.c.Start(s.ctx, "job", client.Start{Key: "A", Input: object{"n": 1}})
	if p := problemOf(t, err, client.Conflict); p.Existing != token.ID {
		t.Errorf("got %+v", p)
	}
	_, err = s.c.Pause(s.ctx, token.ID, client.Command{Call: client.Call{IfVersion: token.Version + 5}})
	problemOf(t, err, client.Stale)
	_, err = s.c.Token(s.ctx, "job:nobody")
	problemOf(t, err, client.NotFound)
	_, err = s.c.Deploy(s.ctx, client.Deploy{Files: map[string]string{"x.flow": "flow x {"}})
	if p := problemOf(t, err, client.Findings); !strings.Contains(string(p.Findings), `"id":"syntax"`) {
		t.Errorf("got %s", p.Findings)
	}
	one := client.Event{Name: "add", Payload: object{"n": 1}, Call: client.Call{IdempotencyKey: "k"}}
	if _, err := s.c.Send(s.ctx, token.ID, one); err != nil {
		t.Error(err)
	}
	if again, err := s.c.Send(s.ctx, token.ID, one); err != nil || !again.Replayed {
		t.Errorf("got %+v, %v", again, err)
	}
	one.Payload = object{"n": 2}
	_, err = s.c.Send(s.ctx, token.ID, one)
	problemOf(t, err, client.IdempotencyMismatch)
}

func TestNotAFlowcServer(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	c, err := client.New(client.Options{Server: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Token(t.Context(), "x")
	if p := problemOf(t, err, client.NoProblem); p.Status != 404 || !strings.Contains(p.Error(), "is it a flowc server?") {
		t.Errorf("got %v", err)
	}
}

// Who asks an HTTPS server without TLS is told so.
func TestServerSpeaksHTTPS(t *testing.T) {
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	c, err := client.New(client.Options{Server: "http://" + srv.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Token(t.Context(), "x")
	if p := problemOf(t, err, client.NoProblem); !strings.Contains(p.Error(), "begin its address with https://") {
		t.Errorf("got %v", err)
	}
}

// nowhere is an address on which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestNobodyListens(t *testing.T) {
	at := nowhere(t)
	fast, err := client.New(client.Options{Server: at, FailFast: true, Tries: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fast.Token(t.Context(), "x"); !unreachable(err) {
		t.Errorf("got %v", err)
	}
	patient, err := client.New(client.Options{Server: at})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := patient.Token(ctx, "x"); !unreachable(err) {
		t.Errorf("got %v", err)
	}
	cancel()
	if _, err := patient.Token(ctx, "x"); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A server that comes back is found again.
func TestServerComesBack(t *testing.T) {
	at := nowhere(t)
	c, err := client.New(client.Options{Server: at})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := c.Count(t.Context(), client.Filter{})
		done <- err
	}()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"count":3}`) })}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	if err := get(t, "the answer", done); err != nil {
		t.Error(err)
	}
}
