package api

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"flowc/vm/engine"
)

// A worker that goes while its claim is answered gives back what it never saw.
func TestWorkOfAWorkerWhoHasGoneIsGivenBack(t *testing.T) {
	f := newFake()
	f.claimed = []engine.ClaimedTask{{ID: "k1", Lease: "l1"}, {ID: "k2", Lease: "l2"}}
	c := newClient(t, f, Options{})
	ctx, gone := context.WithCancel(context.Background())
	claim := func() {
		req := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/v1/tasks/claim", strings.NewReader(`{"worker":"w","tasks":[{"name":"charge","max":2}]}`))
		req.Header.Set("Content-Type", "application/json")
		c.api.ServeHTTP(httptest.NewRecorder(), req)
	}
	claim()
	if slices.ContainsFunc(f.asked, isRelease) {
		t.Fatal("work of a worker who is there was given back")
	}
	gone()
	claim()
	if n := len(f.asked); n < 2 || f.asked[n-1].(engine.ReleaseRequest).Lease != "l2" || f.asked[n-2].(engine.ReleaseRequest).Lease != "l1" {
		t.Errorf("asked %+v", f.asked)
	}
}

func isRelease(req any) bool {
	_, ok := req.(engine.ReleaseRequest)
	return ok
}
