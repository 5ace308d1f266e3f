package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store/pgtest"
)

// familyFlow has three levels. The middle one has a clean-up with a timer, the lowest one work and a timer that repeats.
const familyFlow = `
task chore(n: int) -> (done: bool) retry 5

flow low(n: int) {
  initial holding
  state holding {
    timeout 30d
    every 1s as beat {
    }
    exit {
      note "let go"
    }
    do chore(n: n)
    on completed -> over
    on error, timeout -> over
  }
  final over
}

flow middle(n: int) {
  initial holding
  on cancel -> tidying
  state holding {
    timeout 30d
    invoke low(n: x) each x in range(5)
    exit {
      note "let go"
    }
    on joined, timeout -> over
  }
  state tidying {
    after 1s -> tidy
  }
  final over
  final tidy as cancelled
}

flow top {
  initial holding
  state holding {
    timeout 30d
    invoke middle(n: x) each x in range(4)
    exit {
      note "let go"
    }
    on joined, timeout -> over
  }
  final over
}
`

// A family is one token on top, four in the middle and twenty below.
const familySize = 1 + 4 + 4*5

// makeFamilies starts the families that do not exist yet and, once every token runs, cancels those on top. Killed at any moment
// and begun anew it does the same.
func makeFamilies(ctx context.Context, e *engine.Engine, size int) {
	for i := range size {
		insist(func() error {
			_, err := e.StartToken(ctx, engine.StartRequest{Flow: "top", Key: strconv.Itoa(i), OnConflict: engine.ReturnOnConflict})
			return err
		})
	}
	insist(func() error {
		n, err := e.Count(ctx, engine.ListRequest{Flow: "low"})
		if err == nil && int(n) < size*20 {
			err = fmt.Errorf("%d of %d", n, size*20)
		}
		return err
	})
	for i := range size {
		insist(func() error {
			_, err := e.Control(ctx, engine.ControlRequest{Token: engine.Ref{Flow: "top", Key: strconv.Itoa(i)}, Action: engine.Cancel, Reason: "no more"})
			return err
		})
	}
}

// insist tries something again until it is done.
func insist(do func() error) {
	for do() != nil {
		<-time.After(10 * time.Millisecond)
	}
}

// TestFleetCancel (PAR-04): families of tokens cancelled at the top while servers are killed: all ended, no timer left, no orphan,
// nothing twice.
func TestFleetCancel(t *testing.T) {
	url := pgtest.Reused(t)
	r := reader(t, url, familyFlow)
	families := sized(2, 12)
	f := fleet{url: url, role: "families", size: families, servers: sized(2, 4), kills: sized(2, 12), shortest: 50 * time.Millisecond, max: 900 * time.Millisecond}
	began := time.Now()
	f.until(t, "SELECT (SELECT count(*) FROM tokens WHERE status = 'cancelled') - (SELECT count(*) FROM inbox)", families*familySize)
	took := time.Since(began)
	for what, query := range map[string]string{
		"tokens more than the families have": fmt.Sprintf("SELECT count(*) - %d FROM tokens", families*familySize),
		"timers":                             "SELECT count(*) FROM tokens WHERE next_due IS NOT NULL",
		"messages":                           "SELECT count(*) FROM inbox",
		"open tasks":                         "SELECT count(*) FROM tasks WHERE status <> 'withdrawn'",
		"orphans":                            "SELECT count(*) FROM tokens c LEFT JOIN tokens p ON p.id = c.parent WHERE c.parent IS NOT NULL AND p.id IS NULL",
		"tokens set aside":                   "SELECT count(*) FROM quarantine",
	} {
		if n := number(t, url, query); n != 0 {
			t.Errorf("%d %s are left", n, what)
		}
	}
	for flow, children := range map[string]int{"top": 4, "middle": 5, "low": 0} {
		for _, v := range r.everyToken(flow) {
			n := r.kinds(v.ID)
			if n["control cancel"] != 1 || n["note let go"] != 1 || n["ended"] != 1 || n["child-started"] != children {
				t.Errorf("%s %s: %v", flow, v.ID, n)
			}
			r.replayed(v.ID)
		}
	}
	t.Logf("%d tokens of three levels made and cancelled in %s, with up to %d kills of each of %d servers", families*familySize, took.Round(time.Millisecond), f.kills, f.servers)
}
