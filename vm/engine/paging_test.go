package engine_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
)

const paged = `
event go
event boom
task job(n: int) -> (m: int)

flow paged() {
  data { zero: int = 0 }
  initial here
  state here {
    timeout 30d
    on go -> here
    on boom { zero = 1 / zero }
    on timeout -> over
  }
  final over
}

flow other() {
  initial busy
  state busy {
    timeout 30d
    do job(n: 1)
    on completed, error, timeout -> over
  }
  final over
}
`

// A lister gives one page of ids after a cursor.
type lister func(cursor string) (ids []string, next string, err error)

func (s *server) lists(req engine.ListRequest) lister {
	return func(cursor string) (ids []string, next string, err error) {
		req.Cursor, req.Limit = cursor, 7
		page, err := s.List(s.ctx, req)
		for _, v := range page.Items {
			ids = append(ids, v.ID)
		}
		return ids, page.Next, err
	}
}

func (s *server) listsTimers(cursor string) (ids []string, next string, err error) {
	page, err := s.Timers(s.ctx, engine.TimersRequest{Flow: "paged", Cursor: cursor, Limit: 7})
	for _, v := range page.Items {
		ids = append(ids, v.Token)
	}
	return ids, page.Next, err
}

func (s *server) listsTasks(cursor string) (ids []string, next string, err error) {
	page, err := s.Tasks(s.ctx, engine.TasksRequest{Task: "job", Cursor: cursor, Limit: 7})
	for _, v := range page.Items {
		ids = append(ids, v.Token)
	}
	return ids, page.Next, err
}

// A page begins where the one before ended, whatever happens in between: of the tokens that are there and match from the first page to
// the last each comes exactly once, while others are started, moved, ended and purged, and these are moved too.
func TestPagesUnderChange(t *testing.T) {
	onBoth(t, paged, func(s *server) {
		const kept = 40
		var stay, still, failed, working []string
		for i := range kept {
			stay = append(stay, s.start("paged", fmt.Sprint("stay", i), "{}").ID)
			still = append(still, s.start("paged", fmt.Sprint("still", i), "{}").ID)
			working = append(working, s.start("other", fmt.Sprint("busy", i), "{}").ID)
			id := s.start("paged", fmt.Sprint("fail", i), "{}").ID
			if _, err := s.send(id, "boom", ""); err != nil {
				t.Fatal(err)
			}
			failed = append(failed, id)
		}
		stop := make(chan struct{})
		var churning sync.WaitGroup
		for i := range 4 {
			churning.Go(func() { s.churn(fmt.Sprint("churn", i), stay, stop) })
		}
		all := append(append([]string{}, stay...), still...)
		later, earlier := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
		for name, c := range map[string]struct {
			list lister
			want []string
		}{
			"flow":    {s.lists(engine.ListRequest{Flow: "paged"}), append(append([]string{}, all...), failed...)},
			"flows":   {s.lists(engine.ListRequest{Flows: []string{"other", "none"}}), working},
			"status":  {s.lists(engine.ListRequest{Flow: "paged", Status: "running"}), all},
			"state":   {s.lists(engine.ListRequest{State: "here"}), all},
			"waiting": {s.lists(engine.ListRequest{Waiting: "unclaimed"}), working},
			"error":   {s.lists(engine.ListRequest{Error: "division_by_zero"}), failed},
			"age":     {s.lists(engine.ListRequest{Status: "running", Before: later, After: earlier}), append(append([]string{}, all...), working...)},
			"key":     {s.lists(engine.ListRequest{Key: "still7"}), still[7:8]},
			"timers":  {s.listsTimers, still}, // by due time, so that one that is armed anew changes its place
			"tasks":   {s.listsTasks, working},
		} {
			for range 3 {
				s.pages(name, c.list, c.want, name != "timers")
			}
		}
		close(stop)
		churning.Wait()
	})
}

// pages reads all pages: each wanted id comes once, and none twice where places do not change.
func (s *server) pages(name string, list lister, want []string, fixed bool) {
	s.t.Helper()
	seen, pages := map[string]int{}, 0
	for cursor := ""; ; pages++ {
		ids, next, err := list(cursor)
		if err != nil {
			s.t.Fatalf("by %s, page %d: %v", name, pages, err)
		}
		for _, id := range ids {
			if seen[id]++; seen[id] > 1 && fixed {
				s.t.Errorf("by %s: %s came twice", name, id)
			}
		}
		if cursor = next; next == "" {
			break
		}
	}
	for _, id := range want {
		if seen[id] != 1 {
			s.t.Errorf("by %s: %s, which was there all the time, came %d times on %d pages", name, id, seen[id], pages+1)
		}
	}
}

// churn starts tokens, moves, fails, ends and purges them, and moves those that stay, until it is told to stop.
func (s *server) churn(name string, stay []string, stop chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		_, err := s.send(stay[rand.N(len(stay))], "go", "")
		for _, flow := range []string{"paged", "other"} {
			if err != nil {
				break
			}
			var a engine.Answer
			if a, err = s.StartToken(s.ctx, engine.StartRequest{Flow: flow, Key: fmt.Sprint(name, flow, i)}); err != nil {
				break
			}
			ref := engine.Ref{ID: a.Token.ID}
			if flow == "paged" && rand.N(3) == 0 {
				_, err = s.send(ref.ID, "boom", "")
			}
			if err == nil && rand.N(2) == 0 {
				_, err = s.Control(s.ctx, engine.ControlRequest{Token: ref, Action: engine.Cancel})
				if err == nil && rand.N(2) == 0 {
					_, err = s.Purge(s.ctx, engine.PurgeRequest{Tokens: []engine.Ref{ref}})
				}
			}
		}
		if err != nil {
			s.t.Error(err)
			return
		}
	}
}
