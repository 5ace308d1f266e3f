package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/lossy"
	"flowc/vm/store/pgtest"
)

const counting = `
event add(n: int)
flow counter() {
  data { sum: int = 0 }
  on cancel -> stopped
  initial counting
  state counting {
    timeout never
    on add { sum = sum + event.n }
  }
  final stopped as cancelled
}
`

func (s *server) add(id string, m engine.Mutation) error {
	_, err := s.SendEvent(s.ctx, engine.EventRequest{Mutation: m, Token: engine.Ref{ID: id}, Event: "add", Payload: json.RawMessage(`{"n": 1}`)})
	return err
}

func sum(v engine.TokenView) int {
	var d struct{ Sum int }
	_ = json.Unmarshal(v.Data, &d)
	return d.Sum
}

func TestR4_LostCommitsLoseAndDoubleNothing(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := serve(t, p.URL(), store.Options{}, counting)
	p.OnCommit(func(n int) lossy.Fate {
		if n%4 == 0 {
			return lossy.LostReply
		}
		if n%7 == 0 {
			return lossy.LostRequest
		}
		return lossy.Through
	})
	var ids []string
	for range 4 {
		ids = append(ids, s.start("counter", "", `{}`).ID)
	}
	var accepted atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range 25 {
				if err := s.add(ids[(i+k)%4], engine.Mutation{}); err != nil {
					t.Error(err)
					continue
				}
				accepted.Add(1)
			}
		}()
	}
	wg.Wait()
	p.OnCommit(nil)
	total, steps := 0, int64(0)
	for _, id := range ids {
		v := s.token(id)
		total += sum(v)
		steps += v.Version
	}
	if total != int(accepted.Load()) || steps != int64(total)+4 {
		t.Errorf("%d accepted, %d added, %d steps", accepted.Load(), total, steps)
	}
	if n, err := s.Count(s.ctx, engine.ListRequest{}); err != nil || n != 4 {
		t.Errorf("%d tokens, %v", n, err)
	}
	if s.store.Metrics().Settled == 0 {
		t.Error("no commit was looked up")
	}
}

func TestR55_AnUnknownOutcomeIsSettledByTheSameKey(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := serve(t, p.URL(), store.Options{CommitFor: 200 * time.Millisecond, Patience: 500 * time.Millisecond}, counting)
	v := s.start("counter", "", `{}`)
	for i := range 4 {
		p.OnCommit(func(int) lossy.Fate {
			go p.Cut()
			return lossy.Fate(1 + i%2)
		})
		m := idem(fmt.Sprint(i), "b")
		err := s.add(v.ID, m)
		if code := engine.CodeOf(err); code != engine.UnknownOutcome && code != engine.Unavailable {
			t.Errorf("got %v", err)
		}
		p.OnCommit(nil)
		p.Heal()
		s.eventually("the repeat is answered", func() bool { return s.add(v.ID, m) == nil })
		if got := s.token(v.ID); sum(got) != i+1 || got.Version != int64(i+2) {
			t.Errorf("after %d: %s", i, jsonOf(got))
		}
	}
}

func TestAServerWorksAgainAfterTheDatabaseWasAway(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := serve(t, p.URL(), store.Options{Patience: 300 * time.Millisecond}, review)
	v := s.start("review", "", `{"order": "o", "limit": "1s"}`)
	p.Cut()
	if _, err := s.send(v.ID, "ping", `{}`); engine.CodeOf(err) != engine.Unavailable || err.(*engine.Error).RetryAfter == 0 {
		t.Errorf("got %v", err)
	}
	if h := s.Health(s.ctx); h.Ready {
		t.Error("it says that it is ready")
	}
	p.Heal()
	s.eventually("it is ready", func() bool { return s.Health(s.ctx).Ready })
	s.awaitFinal(v.ID, "late")
}

func TestAPoolOfOneIsEnoughForEverything(t *testing.T) {
	s := serve(t, pgtest.Reused(t), store.Options{Pool: 1}, work)
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := s.start("one", "", `{"n": 1}`)
			c := s.claim("job")
			if _, err := s.complete(c, `{"m": 1}`); err != nil {
				t.Error(err)
			}
			if _, err := s.List(s.ctx, engine.ListRequest{}); err != nil {
				t.Error(err)
			}
			s.history(v.ID)
		}()
	}
	wg.Wait()
	s.eventually("all are done", func() bool {
		n, err := s.Count(s.ctx, engine.ListRequest{Status: "completed"})
		return err == nil && n == 20
	})
}

func TestCancelledCallersCutNoStep(t *testing.T) {
	onBoth(t, counting, func(s *server) {
		v := s.start("counter", "", `{}`)
		var accepted, maybe atomic.Int32
		var wg sync.WaitGroup
		for range 100 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				ctx, cancel := context.WithTimeout(s.ctx, rand.N(20*time.Millisecond))
				defer cancel()
				_, err := s.SendEvent(ctx, engine.EventRequest{Token: engine.Ref{ID: v.ID}, Event: "add", Payload: json.RawMessage(`{"n": 1}`)})
				switch {
				case err == nil:
					accepted.Add(1)
				case engine.CodeOf(err) == engine.UnknownOutcome:
					maybe.Add(1)
				}
			}()
		}
		wg.Wait()
		if err := s.add(v.ID, engine.Mutation{}); err != nil { // behind all others
			t.Fatal(err)
		}
		s.eventually("all steps are there", func() bool {
			got := sum(s.token(v.ID)) - 1
			return got >= int(accepted.Load()) && got <= int(accepted.Load()+maybe.Load())
		})
		if got := s.token(v.ID); got.Version != int64(sum(got))+1 {
			t.Errorf("%s", jsonOf(got))
		}
	})
}

func TestR6_ABadTokenIsSetAsideAndHoldsUpNobody(t *testing.T) {
	onBoth(t, review, func(s *server) {
		var ids []string
		for range 10 {
			ids = append(ids, s.start("review", "", `{"order": "o", "limit": "2s"}`).ID)
		}
		bad := ids[3]
		damage(s, bad)
		for _, id := range ids {
			if id != bad {
				s.awaitFinal(id, "late")
			}
		}
		s.eventually("the bad one is set aside", func() bool {
			q, err := s.store.Quarantined(s.ctx, 10)
			return err == nil && len(q) == 1 && q[0].Token == bad
		})
		v := s.token(bad)
		if v.Quarantine == nil || !strings.Contains(*v.Quarantine, "snapshot") {
			t.Errorf("%s", jsonOf(v))
		}
		if _, err := s.send(bad, "ping", `{}`); engine.CodeOf(err) != engine.Quarantined {
			t.Errorf("an event to it: %v", err)
		}
	})
}

// A due time in the row that no timer has would be found again and again, and with enough of them nothing else would fire.
func TestR11_ADueTimeThatNoTimerHasIsPutRight(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o", "limit": "2d"}`)
		before := s.history(v.ID)
		spoil(s, v.ID, func(row *store.Token) { row.NextDue = 1 })
		s.eventually("the row is as the snapshot says", func() bool {
			due, _, err := s.store.NextDue(s.ctx)
			return err == nil && due > v.CreatedAt.UnixMicro()
		})
		if got := s.token(v.ID); got.Version != v.Version || got.Quarantine != nil || len(s.history(v.ID)) != len(before) {
			t.Errorf("it moved: %s", jsonOf(got))
		}
		if _, err := s.send(v.ID, "ping", `{}`); err != nil {
			t.Error(err)
		}
	})
}

// damage makes a snapshot unreadable, as a bug or a hand might.
func damage(s *server, id string) {
	s.t.Helper()
	spoil(s, id, func(row *store.Token) { row.Snapshot = []byte("{not a snapshot") })
}

// spoil writes another row.
func spoil(s *server, id string, how func(*store.Token)) {
	s.t.Helper()
	err := s.store.Update(s.ctx, func(tx *store.Tx) error {
		rows, err := tx.LockTokens([]string{id})
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("lock: %d rows, %w", len(rows), err)
		}
		how(&rows[0])
		return tx.Write(&store.Writes{Tokens: rows})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestR6_ABatchThatCannotBeWrittenIsHalvedUntilTheBadOneIsAlone(t *testing.T) {
	for _, back := range []string{"postgres", "sqlite"} {
		t.Run(back, func(t *testing.T) {
			url := filepath.Join(t.TempDir(), "flow.db")
			if back == "postgres" {
				url = pgtest.Reused(t)
			}
			s := serve(t, url, store.Options{}, counting)
			var ids []string
			for range 16 {
				ids = append(ids, s.start("counter", "", `{}`).ID)
			}
			// a history row that is in the way: the token's next step cannot be written
			err := s.store.Update(s.ctx, func(tx *store.Tx) error {
				return tx.Write(&store.Writes{History: []store.History{{Token: ids[5], Version: 2, Line: 1, Stimulus: "{}", Lines: "[]"}}})
			})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for i, id := range ids {
				wg.Add(1)
				go func() {
					defer wg.Done()
					err := s.add(id, engine.Mutation{})
					if want := map[bool]engine.Code{true: engine.Quarantined, false: ""}[i == 5]; engine.CodeOf(err) != want {
						t.Errorf("token %d: %v", i, err)
					}
				}()
			}
			wg.Wait()
			for i, id := range ids {
				if v := s.token(id); i != 5 && sum(v) != 1 || i == 5 && v.Quarantine == nil {
					t.Errorf("token %d: %s", i, jsonOf(v))
				}
			}
		})
	}
}

func TestTwoServersShareTheWorkAndWakeEachOther(t *testing.T) {
	url := pgtest.Reused(t)
	a := serveWith(t, url, store.Options{}, engine.Options{Poll: 20 * time.Second}, work) // the poll is out of reach
	b := serveWith(t, url, store.Options{}, engine.Options{Poll: 20 * time.Second}, "")
	got := make(chan engine.ClaimedTask, 1)
	go func() { got <- a.claim("job") }()
	began := time.Now()
	v := b.start("one", "", `{"n": 1}`)
	select {
	case c := <-got:
		if c.Token != v.ID {
			t.Errorf("claimed %s", jsonOf(c))
		}
		if d := time.Since(began); d > 15*time.Second {
			t.Errorf("the hint took %s", d)
		}
		if _, err := a.complete(c, `{"m": 1}`); err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("nothing was claimed")
	}
	b.eventually("the other server sees it", func() bool { return b.token(v.ID).Status == "completed" })
}
