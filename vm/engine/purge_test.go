package engine_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

var purged = flag.Int("purged", 300, "finished tokens, children among them, that the purge test removes under load")

const houses = `
event poke
flow room(n: int) {
  initial done
  final done
}
flow house(n: int) {
  initial building
  state building {
    invoke room(n: n)
    on completed -> done
    on error -> done
  }
  final done
}
flow live {
  data { n: int = 0 }
  initial on
  state on {
    on poke { n = n + 1 }
    timeout 1d
    on timeout -> off
  }
  final off
}
`

// TestR73_APurgeUnderLoadIsComplete removes finished tokens with children while live ones take events, stops half-way and goes on.
func TestR73_APurgeUnderLoadIsComplete(t *testing.T) {
	url := pgtest.Reused(t)
	s := serve(t, url, store.Options{}, houses)
	s.ctx = t.Context() // how long it takes is the flag's to say, and -timeout's
	live := s.start("live", "", `{}`)
	parents := *purged / 2
	began := time.Now()
	s.build(parents)
	s.allEnded(int64(2 * parents))
	built := time.Since(began)
	stop, sent := make(chan struct{}), make(chan int, 1)
	began = time.Now()
	go func() { sent <- s.poke(live.ID, stop) }()
	all := engine.PurgeRequest{Before: time.Now().Add(time.Hour), Limit: int64(parents)}
	half, err := s.Purge(s.ctx, all) // cut short, as by a crash: what is committed stays done
	if err != nil || !half.More {
		t.Fatalf("%+v %v", half, err)
	}
	all.Limit = 0
	rest, err := s.Purge(s.ctx, all)
	if err != nil || half.Tokens+rest.Tokens != int64(2*parents) {
		t.Fatalf("%d and %d removed, %v", half.Tokens, rest.Tokens, err)
	}
	took := time.Since(began)
	close(stop)
	n := <-sent
	t.Logf("%d tokens built in %s and purged in %s, beside %.0f events a second", 2*parents, built, took, float64(n)/took.Seconds())
	if v := s.token(live.ID); string(v.Data) != fmt.Sprintf(`{"n":%d}`, n) {
		t.Errorf("%d events sent, the live token has %s", n, v.Data)
	}
	s.nothingBut(url, parents, live.ID)
}

// allEnded waits until so many tokens have completed.
func (s *server) allEnded(want int64) {
	s.t.Helper()
	tick := time.NewTicker(200 * time.Millisecond) // a count of many tokens is dear
	defer tick.Stop()
	for {
		n, err := s.Count(s.ctx, engine.ListRequest{Status: "completed"})
		if err != nil {
			s.t.Fatal(err)
		}
		if n == want {
			return
		}
		<-tick.C
	}
}

// build starts houses with rooms, many at a time.
func (s *server) build(n int) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 64 {
		wg.Go(func() {
			for i := range next {
				req := engine.StartRequest{Flow: "house", Key: fmt.Sprintf("h%d", i), Input: []byte(fmt.Sprintf(`{"n": %d}`, i))}
				if _, err := s.StartToken(context.Background(), req); err != nil {
					s.t.Errorf("start: %v", err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// poke sends events until told to stop and counts them.
func (s *server) poke(id string, stop chan struct{}) (n int) {
	for {
		select {
		case <-stop:
			return n
		default:
		}
		if _, err := s.SendEvent(context.Background(), engine.EventRequest{Token: engine.Ref{ID: id}, Event: "poke"}); err != nil {
			s.t.Errorf("poke: %v", err)
			return n
		}
		n++
	}
}

// nothingBut counts the rows of every table: of what was purged only the keys are left.
func (s *server) nothingBut(url string, keys int, live string) {
	s.t.Helper()
	db, err := peek(s.ctx, url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]int{
		"SELECT count(*) FROM tokens WHERE id <> $1":                                                0,
		"SELECT count(*) FROM history WHERE token <> $1":                                            0,
		"SELECT count(*) FROM tasks WHERE token <> $1":                                              0,
		"SELECT count(*) FROM inbox WHERE receiver <> $1":                                           0,
		"SELECT count(*) FROM quarantine WHERE token <> $1":                                         0,
		"SELECT count(*) FROM fan_items WHERE token <> $1":                                          0,
		"SELECT count(*) FROM idempotency WHERE route <> $1":                                        0,
		"SELECT count(*) FROM keys WHERE purged_at IS NOT NULL AND flow = 'house' AND token <> $1":  keys,
		"SELECT count(*) FROM keys WHERE (purged_at IS NULL OR flow <> 'house') AND token <> $1":    0,
		"SELECT count(*) FROM tokens WHERE id = $1 AND status = 'running' AND next_due IS NOT NULL": 1,
	} {
		var n int
		if err := db.QueryRowContext(s.ctx, query, live).Scan(&n); err != nil || n != want {
			s.t.Errorf("%s: %d, want %d, %v", query, n, want, err)
		}
	}
}
