package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// wideFlow has so many regions, each ended by the clock or by an event of its own.
func wideFlow(regions int) string {
	var b strings.Builder
	b.WriteString(`
event finish(n: int)

flow wide(due: time) -> (joins: int, ended: int) {
  data {
    joins: int = 0
    ended: int = 0
  }

  initial together

  parallel together join all {
`)
	for i := range regions {
		fmt.Fprintf(&b, `
    region r%[1]d {
      initial waiting%[1]d
      state waiting%[1]d {
        timeout at due
        on timeout -> done%[1]d {
          ended = ended + 1
        }
        on finish when event.n == %[1]d -> done%[1]d {
          ended = ended + 1
        }
      }
      final done%[1]d
    }
`, i)
	}
	b.WriteString(`
    on joined -> joined_all {
      joins = joins + 1
    }
  }

  final joined_all
}
`)
	return b.String()
}

const wideRegions = 50

// TestFleetJoin (PAR-03): tokens with 50 regions that all end in one tick, on four servers: each joins once, and no caller is told
// of an error.
func TestFleetJoin(t *testing.T) {
	tokens := sized(12, 200)
	for _, how := range []string{"clock", "events"} {
		t.Run(how, func(t *testing.T) {
			url := pgtest.Reused(t)
			r := reader(t, url, wideFlow(wideRegions))
			servers := make([]*server, 4)
			for i := range servers {
				servers[i] = serve(t, url, store.Options{}, "")
			}
			due := time.Now().Add(time.Hour)
			if how == "clock" {
				due = time.Now().Add(time.Duration(sized(2, 8)) * time.Second)
			}
			ids := startWide(t, servers, tokens, due)
			began := time.Now()
			if how == "events" {
				finishAll(t, servers, ids)
			}
			for i, id := range ids {
				servers[i%4].awaitFinal(id, "joined_all")
			}
			took := time.Since(began)
			for _, id := range ids {
				wantOneJoin(t, r, id)
			}
			t.Logf("%d tokens × %d regions ended by %s in %s, each joined once", tokens, wideRegions, how, took.Round(time.Millisecond))
		})
	}
}

func startWide(t *testing.T, servers []*server, tokens int, due time.Time) []string {
	ids := make([]string, tokens)
	var all sync.WaitGroup
	for s := range servers {
		all.Go(func() {
			for i := s; i < tokens; i += len(servers) {
				a, err := servers[s].StartToken(servers[s].ctx, engine.StartRequest{Flow: "wide",
					Input: fmt.Appendf(nil, `{"due": %q}`, due.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano))})
				if err != nil {
					t.Errorf("start: %v", err)
					continue
				}
				ids[i] = a.Token.ID
			}
		})
	}
	all.Wait()
	return ids
}

// finishAll sends every region of every token its end at once, from callers of all servers.
func finishAll(t *testing.T, servers []*server, ids []string) {
	var all sync.WaitGroup
	for caller := range 32 {
		all.Go(func() {
			s := servers[caller%len(servers)]
			for n := caller; n < len(ids)*wideRegions; n += 32 {
				_, err := s.SendEvent(s.ctx, engine.EventRequest{Token: engine.Ref{ID: ids[n/wideRegions]}, Event: "finish",
					Payload: fmt.Appendf(nil, `{"n": %d}`, n%wideRegions)})
				if err != nil {
					t.Errorf("region %d: %v", n%wideRegions, err)
				}
			}
		})
	}
	all.Wait()
}

func wantOneJoin(t *testing.T, r *server, id string) {
	t.Helper()
	n := r.kinds(id)
	v := r.token(id)
	if n["joined"] != 1 || n["ended"] != 1 || string(v.Result) != fmt.Sprintf(`{"joins":1,"ended":%d}`, wideRegions) {
		t.Errorf("token %s joined %d times and ended %d times: %s", id, n["joined"], n["ended"], v.Result)
	}
	r.replayed(id)
}
