package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/lossy"
	"flowc/vm/store/pgtest"
)

func TestAReadOnlyDatabaseEmptiesThePoolAndComesBack(t *testing.T) {
	url := pgtest.New(t)
	s := serve(t, url, store.Options{Patience: 300 * time.Millisecond}, counting)
	v := s.start("counter", "", `{}`)
	admin, err := peek(s.ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	set := func(value string) {
		t.Helper()
		q := `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + value + `', current_database()); END $$`
		for _, q := range []string{"SET default_transaction_read_only = off", q,
			"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"} {
			if _, err := admin.ExecContext(s.ctx, q); err != nil {
				t.Fatal(err)
			}
		}
	}
	set("on")
	if err := s.add(v.ID, engine.Mutation{}); engine.CodeOf(err) != engine.Unavailable {
		t.Errorf("got %v", err)
	}
	s.eventually("it says that it is not ready", func() bool { return !s.Health(s.ctx).Ready })
	q := `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = off', current_database()); END $$`
	if _, err := admin.ExecContext(s.ctx, q); err != nil {
		t.Fatal(err)
	}
	s.eventually("it writes again", func() bool { return s.add(v.ID, engine.Mutation{}) == nil })
	if got := s.token(v.ID); got.Quarantine != nil || sum(got) != 1 {
		t.Errorf("%s", jsonOf(got))
	}
}

func TestR81_ALostHintIsCoveredByThePoll(t *testing.T) {
	url := pgtest.Reused(t)
	p := lossy.New(t, url)
	a := serve(t, url, store.Options{ListenURL: p.URL()}, work)
	b := serve(t, url, store.Options{}, "")
	p.Cut()
	for range 3 {
		got := make(chan engine.ClaimedTask, 1)
		go func() { got <- a.claim("job") }()
		v := b.start("one", "", `{"n": 1}`)
		if c := <-got; c.Token != v.ID {
			t.Errorf("claimed %s", jsonOf(c))
		}
	}
	p.Heal()
}

func TestR83_ABatchOfAnySizeIsAFixedNumberOfStatements(t *testing.T) {
	var mu sync.Mutex
	counts := map[string]int{}
	count := func(name string) error {
		mu.Lock()
		defer mu.Unlock()
		counts[name]++
		return nil
	}
	s := serveWith(t, pgtest.Reused(t), store.Options{Fault: count}, engine.Options{Poll: time.Minute}, chaosFlow)
	due := time.Now().Add(5 * time.Second).Truncate(time.Millisecond)
	const n = 200
	var wg sync.WaitGroup
	ids := make([]string, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ids[i] = s.start("chaos", "", fmt.Sprintf(`{"due": %q}`, due.UTC().Format(time.RFC3339Nano))).ID
		}()
	}
	wg.Wait()
	if time.Now().After(due) {
		t.Fatal("the machine is too slow for this test")
	}
	mu.Lock()
	starts := counts["insert_tokens"]
	clear(counts)
	mu.Unlock()
	for _, id := range ids {
		s.awaitFinal(id, "late")
	}
	mu.Lock()
	defer mu.Unlock()
	if starts > n/4 {
		t.Errorf("%d batches for %d starts at once", starts, n)
	}
	if got := counts["update_tokens"]; got == 0 || got > 3 {
		t.Errorf("%d batches for %d timers of one instant", got, n)
	}
	for name, k := range counts {
		if k > 20 {
			t.Errorf("%s ran %d times", name, k)
		}
	}
}

func TestManyStimuliForOneTokenAreFoldedInOrder(t *testing.T) {
	onBoth(t, counting, func(s *server) {
		v := s.start("counter", "", `{}`)
		var wg sync.WaitGroup
		for range 300 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if err := s.add(v.ID, engine.Mutation{}); err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		got := s.token(v.ID)
		if sum(got) != 300 || got.Version != 301 {
			t.Errorf("%s", jsonOf(got))
		}
		if st, err := s.Stats(s.ctx); err != nil || st.Batches > 250 {
			t.Errorf("%d batches for 300 events, %v", st.Batches, err)
		}
		last := int64(0)
		for _, l := range s.history(v.ID) {
			var version, n int64
			if _, err := fmt.Sscanf(strings.ReplaceAll(l.ID, ".", " "), "%d %d", &version, &n); err != nil || version < last {
				t.Fatalf("line %s after version %d", l.ID, last)
			}
			last = version
		}
	})
}

const storm = `
flow storm(n: int) {
  data { fired: int = 0 }
  initial on_air
  state on_air {
    timeout never
    every 1s times n { fired = fired + 1 }
  }
}
`

func TestR13_OneTokensStormDoesNotDelayTheOthers(t *testing.T) {
	onBoth(t, storm+"\n"+chaosFlow, func(s *server) {
		for range 50 {
			s.start("storm", "", `{"n": 100}`)
		}
		due := time.Now().Add(1500 * time.Millisecond).Truncate(time.Millisecond).UTC()
		v := s.start("chaos", "", fmt.Sprintf(`{"due": %q}`, due.Format(time.RFC3339Nano)))
		end := s.awaitFinal(v.ID, "late")
		if late := end.EndedAt.Sub(due); late < 0 || late > 10*time.Second {
			t.Errorf("%s late", late)
		}
	})
}

func TestR24_AfterAStopOverdueTimersFireOnceEach(t *testing.T) {
	url := t.TempDir() + "/flow.db"
	s := serve(t, url, store.Options{}, chaosFlow)
	due := time.Now().Add(400 * time.Millisecond).Truncate(time.Millisecond).UTC()
	v := s.start("chaos", "", fmt.Sprintf(`{"due": %q}`, due.Format(time.RFC3339Nano)))
	s.stop()
	time.Sleep(time.Until(due.Add(300 * time.Millisecond))) // nobody runs: the time itself is what is tested
	again := serve(t, url, store.Options{}, "")
	end := again.awaitFinal(v.ID, "late")
	if end.EndedAt.Before(due) {
		t.Errorf("it fired early: %s", end.EndedAt)
	}
	fires := 0
	for _, l := range again.history(v.ID) {
		if l.Kind == "timer-fired" {
			fires++
			if l.LateMs < 200 {
				t.Errorf("it was %d ms late", l.LateMs)
			}
		}
	}
	if fires != 1 {
		t.Errorf("%d fires", fires)
	}
}
