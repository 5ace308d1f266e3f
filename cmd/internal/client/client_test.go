package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// served runs a handler and gives a client of it.
func served(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := New(s.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDoSends(t *testing.T) {
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.EscapedPath() != "/v1/tokens/order:A%2F1/events" || r.URL.RawQuery != "x=1" || string(body) != "{\"a\":\"<\"}\n" ||
			r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Content-Type") != "application/json" ||
			len(r.Header.Get("Idempotency-Key")) != 32 || r.Header.Get("If-Match") != `"7"` {
			t.Errorf("got %s %s %s %v", r.Method, r.URL, body, r.Header)
		}
		_, _ = io.WriteString(w, `{"n":9007199254740993}`)
	})
	res, err := c.Do(context.Background(), Request{
		Method: "POST", Path: TokenPath("order:A/1", "events"), Query: map[string][]string{"x": {"1"}}, Body: map[string]string{"a": "<"}, IfMatch: `"7"`,
	})
	if err != nil || string(res.Body) != `{"n":9007199254740993}` {
		t.Errorf("got %v, %v", res, err)
	}
}

func TestDoRepeatsWithTheSameKey(t *testing.T) {
	var keys []string
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) == 1 {
			panic(http.ErrAbortHandler) // the answer is lost
		}
		_, _ = io.WriteString(w, `{}`)
	})
	if _, err := c.Do(context.Background(), Request{Method: "POST", Path: "/v1/x"}); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("the keys were %v", keys)
	}
}

func TestRefusal(t *testing.T) {
	c := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"status":409,"code":"event-refused","detail":"waiting does not take pay","state":["waiting"],
			"accepts":[{"event":"go"},{"event":"stop","conditional":true}]}`)
	})
	_, err := c.Do(context.Background(), Request{Method: "POST", Path: "/v1/x"})
	var r *Refusal
	if !errors.As(err, &r) || r.Status != http.StatusConflict {
		t.Fatalf("got %v", err)
	}
	want := "waiting does not take pay (409 event-refused)\n  it is in: waiting\n  it takes: go, stop (depends on the payload)"
	if err.Error() != want {
		t.Errorf("got %s", err)
	}
}

func TestNoServer(t *testing.T) {
	c, err := New("127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Do(context.Background(), Request{Method: "GET", Path: "/v1/flows"})
	var u *UnreachableError
	if !errors.As(err, &u) || !strings.Contains(err.Error(), "flowc run") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"ftp://x", "http://", "::"} {
		if _, err := New(bad, ""); err == nil {
			t.Errorf("%q is no server", bad)
		}
	}
}

func TestNotAFlowcServer(t *testing.T) {
	c := served(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", http.StatusNotFound) })
	if _, err := c.Do(context.Background(), Request{Method: "GET", Path: "/"}); err == nil || !strings.Contains(err.Error(), "is it a flowc server?") {
		t.Errorf("got %v", err)
	}
}
