package engine_test

import (
	"fmt"
	"testing"

	"flowc/vm/engine"
)

const crowded = `
task weigh(n: int) -> (doubled: int) retry 2
flow crowded(items: int) {
  initial fanning
  state fanning {
    timeout 1d
    do weigh(n: x) each x in range(items) concurrency 120
    on joined -> done
    on timeout -> done
  }
  final done
}`

// Interface 2: a token with a wide fan-out shows its first hundred tasks, how many there are, and where the others are. It is so wherever
// a token is shown.
func TestATokenShowsItsFirstHundredTasks(t *testing.T) {
	onBoth(t, crowded, func(s *server) {
		v := s.start("crowded", "", `{"items":150}`)
		list, err := s.List(s.ctx, engine.ListRequest{})
		if err != nil || len(list.Items) != 1 {
			t.Fatal(err)
		}
		for name, view := range map[string]engine.TokenView{"start": v, "get": s.token(v.ID), "list": list.Items[0]} {
			if len(view.Tasks) != 100 || view.TaskCount != 120 || view.MoreTasks != "GET /v1/tasks?token="+v.ID {
				t.Errorf("%s: %d of %d tasks, %q", name, len(view.Tasks), view.TaskCount, view.MoreTasks)
			}
			if view.Tasks[0].Task != "weigh" || view.Tasks[0].MaxAttempts != 3 {
				t.Errorf("%s: %+v", name, view.Tasks[0])
			}
		}
		var all []engine.TaskView
		for req := (engine.TasksRequest{Token: engine.Ref{ID: v.ID}, Limit: 50}); ; {
			page, err := s.Tasks(s.ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			if all = append(all, page.Items...); page.Next == "" {
				break
			}
			req.Cursor = page.Next
		}
		if len(all) != v.TaskCount {
			t.Errorf("%d tasks are listed, %d counted", len(all), v.TaskCount)
		}
	})
}

// The count follows the work, and the hint goes when everything is shown.
func TestTheCountOfTasksFollowsTheWork(t *testing.T) {
	onBoth(t, crowded, func(s *server) {
		v := s.start("crowded", "", `{"items":125}`)
		done := func(n int) engine.TokenView {
			t.Helper()
			for range n {
				task := s.claim("weigh")
				if _, err := s.Complete(s.ctx, engine.CompleteRequest{Task: task.ID, Lease: task.Lease, Result: []byte(`{"doubled":2}`)}); err != nil {
					t.Fatal(err)
				}
			}
			return s.token(v.ID)
		}
		if v := done(5); v.TaskCount != 120 || len(v.Tasks) != 100 {
			t.Errorf("%d of %d", len(v.Tasks), v.TaskCount)
		}
		if v := done(20); v.TaskCount != 100 || len(v.Tasks) != 100 || v.MoreTasks != "" {
			t.Errorf("%d of %d, %q", len(v.Tasks), v.TaskCount, v.MoreTasks)
		}
		if v := s.control(v.ID, engine.Cancel); v.TaskCount != 0 || len(v.Tasks) != 0 {
			t.Error(fmt.Sprint(v.Tasks, v.TaskCount))
		}
	})
}
