package api

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

var (
	pollers = flag.Int("pollers", 50, "workers who wait for work in the crowd test")
	callers = flag.Int("callers", 200, "callers who wait for the end of their tokens in the crowd test")
)

// Those who wait hold no connection to the database: beside them events are as fast on a pool of four.
func TestACrowdThatWaitsSlowsNobody(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, pgtest.New(t), store.Options{Pool: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eng, err := engine.New(ctx, engine.Options{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer eng.Stop(ctx) //nolint:errcheck // the test is over
	c := &client{t: t, api: New(eng, Options{})}
	body, _ := json.Marshal(map[string]any{"files": map[string]string{"v.flow": secretFlow, "order.flow": orderFlow}})
	c.wants(c.do("POST", "/v1/flows", string(body)), 200, "")
	c.start("A")
	alone := c.p99(t)
	server := httptest.NewServer(c.api)
	defer server.Close()
	var waiting sync.WaitGroup
	wait := func(path, body string) {
		waiting.Go(func() {
			res, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		})
	}
	for range *pollers {
		wait("/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"none"}],"wait":"60s"}`)
	}
	for range *callers {
		wait("/v1/flows/order/tokens", `{"input":{"n":1},"wait":"60s"}`)
	}
	for all := int64(0); all < int64(*callers)+1; {
		if all, err = eng.Count(ctx, engine.ListRequest{Flow: "order"}); err != nil {
			t.Fatal(err)
		}
	}
	crowded := c.p99(t)
	c.api.Close()
	waiting.Wait()
	t.Logf("p99 of events: alone %s, beside %d pollers and %d callers %s", alone, *pollers, *callers, crowded)
	if crowded > 20*alone+time.Second {
		t.Errorf("p99 of events went from %s to %s", alone, crowded)
	}
}

// p99 sends events one after the other; all are refused by the flow, after a step that is saved.
func (c *client) p99(t *testing.T) time.Duration {
	t.Helper()
	took := make([]time.Duration, 200)
	for i := range took {
		began := time.Now()
		c.has(c.do("POST", "/v1/tokens/order:A/events", `{"event":"ship"}`), 409)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}
