package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store/pgtest"
)

const fanFlow = `
task weigh(n: int) -> (doubled: int) retry 100

flow weighing(items: int) -> (weights: list<int>) {
  data {
    weights: list<int> = []
  }
  initial fanning
  state fanning {
    timeout 1d
    do weigh(n: x) each x in range(items) concurrency 50
    on joined -> done {
      weights = map(event.results, r => r.value!.doubled)
    }
    on timeout -> late
  }
  final done
  final late as failure
}

flow one(n: int) -> (doubled: int) {
  data {
    doubled: int = n * 2
  }
  initial working
  state working {
    always -> done
  }
  final done
}

flow children(items: int) -> (weights: list<int>) {
  data {
    weights: list<int> = []
  }
  initial fanning
  state fanning {
    timeout 1d
    invoke one(n: x) each x in range(items) concurrency 50
    on joined when event.failed == 0 -> done {
      weights = map(event.results, r => r.value!.doubled)
    }
    on joined, timeout -> late
  }
  final done
  final late as failure
}
`

// weighAll is a worker beside a server, twenty-five attempts at a time.
func weighAll(ctx context.Context, e *engine.Engine, _ int) {
	for ctx.Err() == nil {
		got, err := e.Claim(ctx, engine.ClaimRequest{Worker: "scales", Tasks: []engine.ClaimTask{{Name: "weigh", Max: 25}}, Wait: time.Second, Lease: 2 * time.Second})
		if err != nil {
			<-time.After(10 * time.Millisecond)
			continue
		}
		var all sync.WaitGroup
		for _, k := range got {
			all.Go(func() {
				var in struct{ N int }
				if json.Unmarshal(k.Input, &in) == nil {
					// A lost answer comes to the same as no answer: the lease runs out and somebody weighs again.
					_, _ = e.Complete(ctx, engine.CompleteRequest{Task: k.ID, Lease: k.Lease, Result: fmt.Appendf(nil, `{"doubled": %d}`, in.N*2)})
				}
			})
		}
		all.Wait()
	}
}

// TestFleetFan (R57): a fan-out of tasks and one of children with 50 in flight, on servers that are killed on the way: every result
// once, in list order.
func TestFleetFan(t *testing.T) {
	items := sized(300, 5000)
	for _, flow := range []string{"weighing", "children"} {
		t.Run(flow, func(t *testing.T) {
			url := pgtest.Reused(t)
			r := reader(t, url, fanFlow)
			m, err := spawn(url, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.tell(order{Do: "start", Name: flow, Body: fmt.Appendf(nil, `{"items": %d}`, items)})
			m.kill()
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			f := fleet{url: url, role: "weigh", servers: 2, kills: sized(1, 5), shortest: 300 * time.Millisecond, max: time.Duration(sized(1, 6)) * time.Second}
			f.until(t, "SELECT count(*) FROM tokens WHERE parent IS NULL AND status <> 'running'", 1)
			wantWeights(t, r, got.Token.ID, items)
			t.Logf("%d items of %s in %s, with up to %d kills of each of 2 servers", items, flow, time.Since(began).Round(time.Millisecond), f.kills)
		})
	}
}

func wantWeights(t *testing.T, r *server, id string, items int) {
	t.Helper()
	v := r.token(id)
	var result struct{ Weights []int }
	if err := json.Unmarshal(v.Result, &result); err != nil || len(result.Weights) != items {
		t.Fatalf("%d of %d results in %s, %v", len(result.Weights), items, v.Status, err)
	}
	for i, w := range result.Weights {
		if w != i*2 {
			t.Fatalf("result %d is %d", i, w)
		}
	}
	r.replayed(id)
}
