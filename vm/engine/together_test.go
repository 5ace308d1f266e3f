package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

const gathering = `
task look(n: int) -> (m: int) fails "blind" retry 0

flow all() -> (seen: string) {
  data { seen: string = "" }
  initial fanning
  state fanning {
    timeout 1d
    do look(n: x) each x in range(20)
    on joined -> done { seen = join(map(event.results, r => r.code ?? "ok"), " ") }
    on timeout -> late
  }
  final done
  final late as failure
}

flow first() -> (seen: int) {
  data { seen: int = 0 }
  initial fanning
  state fanning {
    timeout 1d
    do look(n: x) each x in range(20) join any
    on joined -> done { seen = event.succeeded }
    on timeout -> late
  }
  final done
  final late as failure
}
`

// completeAll completes tasks at once, while the token is locked, so that their outcomes wait together.
func (s *server) completeAll(url string, token string, tasks []engine.ClaimedTask, end func(i int, c engine.ClaimedTask) error) []error {
	s.t.Helper()
	look, err := peek(s.ctx, url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer look.Close()
	tx, err := look.BeginTx(s.ctx, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(s.ctx, "SELECT 1 FROM tokens WHERE id = $1 FOR UPDATE", token); err != nil {
		s.t.Fatal(err)
	}
	faults := make([]error, len(tasks))
	var all, asked sync.WaitGroup
	for i, c := range tasks {
		asked.Add(1)
		all.Go(func() {
			asked.Done()
			faults[i] = end(i, c)
		})
	}
	asked.Wait()
	if err := tx.Rollback(); err != nil {
		s.t.Fatal(err)
	}
	all.Wait()
	return faults
}

func (s *server) claimAll(n int) []engine.ClaimedTask {
	s.t.Helper()
	var got []engine.ClaimedTask
	for len(got) < n {
		got = append(got, s.claim("look"))
	}
	return got
}

// TestR57_OutcomesOfTasksThatWaitAreOneStep: what many workers answer at once is taken together, each of them is answered for
// itself, and the history leads to the same token.
func TestR57_OutcomesOfTasksThatWaitAreOneStep(t *testing.T) {
	url := pgtest.Reused(t)
	s := serve(t, url, store.Options{}, gathering)

	t.Run("all", func(t *testing.T) {
		v := s.start("all", "", `{}`)
		faults := s.completeAll(url, v.ID, s.claimAll(20), func(i int, c engine.ClaimedTask) error {
			if strings.Contains(string(c.Input), `"n":7}`) {
				_, err := s.fail(c, "blind")
				return err
			}
			_, err := s.complete(c, fmt.Sprintf(`{"m": %d}`, c.Attempt))
			return err
		})
		if err := errors.Join(faults...); err != nil {
			t.Fatal(err)
		}
		end := s.awaitFinal(v.ID, "done")
		want := `{"seen":"` + strings.Repeat("ok ", 7) + "blind" + strings.Repeat(" ok", 12) + `"}`
		if string(end.Result) != want {
			t.Errorf("result %s", end.Result)
		}
		if end.Version >= 1+20 {
			t.Errorf("20 outcomes took %d steps", end.Version-1)
		}
		s.replayed(v.ID)
	})

	t.Run("any", func(t *testing.T) {
		v := s.start("first", "", `{}`)
		lost := 0
		for _, err := range s.completeAll(url, v.ID, s.claimAll(20), func(i int, c engine.ClaimedTask) error {
			_, err := s.complete(c, `{"m": 1}`)
			return err
		}) {
			var e *engine.Error
			switch {
			case errors.As(err, &e) && e.Code == engine.LeaseLost:
				lost++
			case err != nil:
				t.Error(err)
			}
		}
		if lost != 19 {
			t.Errorf("%d were told that they came too late", lost)
		}
		if end := s.awaitFinal(v.ID, "done"); string(end.Result) != `{"seen":1}` {
			t.Errorf("result %s", end.Result)
		}
		s.replayed(v.ID)
	})
}
