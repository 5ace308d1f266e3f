package engine_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
)

const known = `
event pay(amount: int)
task charge() -> ()
flow order {
  initial waiting
  state waiting {
    timeout 1d
    on pay -> paying
    on timeout -> done
  }
  state paying {
    do charge()
    on completed -> done
    on error -> done
  }
  final done
}
`

const knownLater = `
task weigh() -> ()
flow parcel {
  initial weighing
  state weighing {
    do weigh()
    on completed -> done
    on error -> done
  }
  final done
}
`

// A name that no current flow has is told of with the one that was probably meant, of the flows that the sender may see.
func TestUnknownNames(t *testing.T) {
	onBoth(t, known, func(s *server) {
		s.unknown(engine.Names{Flows: []string{"order"}, Events: []string{"pay"}, Tasks: []string{"charge"}})
		s.unknown(engine.Names{Flows: []string{"oder"}, Events: []string{"pya"}, Tasks: []string{"charge", "chrage", "fly"}},
			"no flow `oder` is deployed; did you mean `order`?", "no deployed flow has the event `pya`; did you mean `pay`?",
			"no deployed flow has the task `chrage`; did you mean `charge`?", "no deployed flow has the task `fly`")
		s.unknown(engine.Names{Tasks: []string{"charge"}, Within: []string{"order"}})
		s.unknown(engine.Names{Tasks: []string{"charge", "chrage"}, Within: []string{"refund"}},
			"no deployed flow has the task `charge`", "no deployed flow has the task `chrage`")
		s.unknown(engine.Names{Tasks: []string{"weigh"}}, "no deployed flow has the task `weigh`")
		s.deploy(knownLater)
		s.unknown(engine.Names{Flows: []string{"parcel"}, Tasks: []string{"weigh", "charge"}})
	})
}

func (s *server) unknown(n engine.Names, want ...string) {
	s.t.Helper()
	got, err := s.Unknown(s.ctx, n)
	if said := engine.Warnings(got); err != nil || !slices.Equal(said, want) {
		s.t.Errorf("of %v: %q, %v; want %q", n, said, err, want)
	}
}

// Names that are known cost no statement, and others one in a second at most, after which a deploy by another server is seen.
func TestUnknownNamesAreCheap(t *testing.T) {
	s := serve(t, ":memory:", store.Options{}, known)
	counted := &listed{Store: s.store}
	clock := &stopped{now: time.Unix(1_800_000_000, 0)}
	e, err := engine.New(s.ctx, engine.Options{Store: counted, Clock: clock}) // reads work before Start
	if err != nil {
		t.Fatal(err)
	}
	other := &server{Engine: e, t: t, ctx: s.ctx}
	for range 100 {
		other.unknown(engine.Names{Tasks: []string{"charge"}})
		other.unknown(engine.Names{Tasks: []string{"weigh"}}, "no deployed flow has the task `weigh`")
	}
	if n := counted.flows.Load(); n != 1 {
		t.Errorf("the flows were read %d times", n)
	}
	s.deploy(knownLater)
	clock.now = clock.now.Add(time.Second)
	other.unknown(engine.Names{Tasks: []string{"weigh"}})
	if n := counted.flows.Load(); n != 2 {
		t.Errorf("the flows were read %d times", n)
	}
}

// Before the first deploy a credential's limits cannot be judged, and a worker's tasks can: there is no work for them.
func TestUnknownNamesBeforeTheFirstDeploy(t *testing.T) {
	s := serve(t, ":memory:", store.Options{}, "")
	for range 2 {
		s.unknown(engine.Names{Flows: []string{"order"}, IfDeployed: true})
		s.unknown(engine.Names{Tasks: []string{"charge"}}, "no deployed flow has the task `charge`")
	}
	s.deploy(known)
	s.unknown(engine.Names{Flows: []string{"oder"}, IfDeployed: true}, "no flow `oder` is deployed; did you mean `order`?")
}

// A listed store counts how often its flows are read.
type listed struct {
	store.Store
	flows atomic.Int64
}

func (c *listed) Flows(ctx context.Context) ([]store.Flow, error) {
	c.flows.Add(1)
	return c.Store.Flows(ctx)
}

// A stopped clock stands still until it is moved.
type stopped struct{ now time.Time }

func (c *stopped) Now() time.Time { return c.now }

func (c *stopped) After(time.Duration) (<-chan time.Time, func() bool) {
	return nil, func() bool { return true }
}
