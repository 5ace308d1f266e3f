package engine_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// The durable server under random operations in real time; package vm compares thousands of random flows with a model under the
// virtual clock.
const shortTimes = `
event a
event b
flow short() {
  data { n: int = 0 }
  timeout 300s
  on timeout -> over
  initial first
  state first {
    every 1s for 4s as beat { n = n + 1 }
    after 1s as nag { n = n + 1 }
    timeout 2s
    entry { schedule a after 1s }
    on a -> both
    on b -> self
    on timeout -> both
  }
  parallel both join any {
    timeout 3s
    region l {
      history
      initial l1
      state l1 {
        timeout 1s
        on a -> l2
        on timeout -> l2
      }
      state l2 {
        timeout 1s
        on b -> l1
        on timeout -> l1
      }
    }
    region r {
      initial r1
      state r1 {
        timeout 2s
        run {
          sleep 1s
          wait b for 1s
        }
        on completed -> r2
        on timeout -> r2
      }
      final r2
    }
    on joined -> first
    on timeout -> first
  }
  final over
}
`

func TestRandomOperationsOnTwoServers(t *testing.T) {
	url := pgtest.Reused(t)
	servers := []*server{serve(t, url, store.Options{}, shortTimes), serve(t, url, store.Options{}, "")}
	ids := make([]string, 12)
	var wg sync.WaitGroup
	for i := range ids {
		ids[i] = servers[0].start("short", "", "{}").ID
		wg.Add(1)
		go func() {
			defer wg.Done()
			jostle(servers, ids[i], rand.New(rand.NewPCG(7, uint64(i))))
		}()
	}
	wg.Wait()
	fired := 0
	for _, id := range ids {
		fired += servers[0].checkTimers(id)
		if r, err := servers[1].Replay(servers[1].ctx, engine.Ref{ID: id}); err != nil || !r.Same {
			t.Errorf("the replay differs: %s %v", r.Reason, err)
		}
	}
	t.Logf("%d timers fired", fired)
	if fired < len(ids) {
		t.Errorf("%d timers fired: the test shows nothing", fired)
	}
}

// jostle does this and that to a token for a few seconds; what it may not do is refused, which is as well.
func jostle(servers []*server, id string, r *rand.Rand) {
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); {
		s := servers[r.IntN(len(servers))]
		ref := engine.Ref{ID: id}
		switch r.IntN(6) {
		case 0:
			_, _ = s.Control(s.ctx, engine.ControlRequest{Token: ref, Action: engine.Pause})
		case 1, 2:
			_, _ = s.Control(s.ctx, engine.ControlRequest{Token: ref, Action: engine.Resume})
		default:
			_, _ = s.SendEvent(s.ctx, engine.EventRequest{Token: ref, Event: []string{"a", "b"}[r.IntN(2)]})
		}
		<-time.After(time.Duration(r.IntN(400)) * time.Millisecond) // the moments are the test
	}
	_, _ = servers[0].Control(servers[0].ctx, engine.ControlRequest{Token: engine.Ref{ID: id}, Action: engine.Pause}) // it stands still
}

// checkTimers reads a history: no timer fires early, twice, for a visit that is over, or while the token is paused.
func (s *server) checkTimers(id string) int {
	s.t.Helper()
	active, fired, paused := map[int64]bool{}, map[string]bool{}, false
	for _, l := range s.history(id) {
		switch l.Kind {
		case "entered":
			active[l.Visit] = true
		case "left":
			delete(active, l.Visit)
		case "control":
			paused = l.Name == "pause"
		case "timer-fired":
			name := fmt.Sprintf("%s.%s of visit %d due %s", l.State, l.Name, l.Visit, l.Due)
			if l.At.Before(*l.Due) || fired[name] || !active[l.Visit] || paused {
				s.t.Errorf("%s fires at %s: early, twice (%v), in a visit that is over (%v) or paused (%v)", name, l.At, fired[name], !active[l.Visit], paused)
			}
			fired[name] = true
		}
	}
	return len(fired)
}
