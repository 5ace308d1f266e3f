package engine_test

import (
	"testing"
	"time"

	"flowc/vm/engine"
)

const queued = `
task charge() -> () retry 2 queue slow
task mail() -> ()
flow order {
  initial paying
  state paying {
    do charge()
    on completed -> done
    on error -> done
  }
  final done
}
flow letter {
  initial sending
  state sending {
    do mail()
    on completed -> done
    on error -> done
  }
  final done
}
flow note {
  initial sending
  state sending {
    do mail()
    on completed -> done
    on error -> done
  }
  final done
}
`

// look claims once, without waiting.
func (s *server) look(name string, most int, flows ...string) []engine.ClaimedTask {
	s.t.Helper()
	got, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: name, Max: most}}, Flows: flows})
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func TestNothingOfAHeldTaskIsClaimed(t *testing.T) {
	onBoth(t, queued, func(s *server) {
		v := s.start("order", "", `{}`)
		if _, err := s.HoldTask(s.ctx, engine.HoldRequest{Mutation: engine.Mutation{Actor: "ann"}, Task: "charge", Reason: "the bank is down"}); err != nil {
			t.Fatal(err)
		}
		if got := s.look("charge", 5); len(got) != 0 {
			t.Errorf("%d claimed of a held task", len(got))
		}
		stats, err := s.Stats(s.ctx)
		if err != nil || len(stats.HeldTasks) != 1 || stats.HeldTasks[0].Reason != "the bank is down" {
			t.Errorf("%v %v", stats.HeldTasks, err)
		}
		if len(stats.OldestOffer) != 0 {
			t.Errorf("a held task counts as unclaimed: %v", stats.OldestOffer)
		}
		page, err := s.Tasks(s.ctx, engine.TasksRequest{})
		if err != nil || len(page.Items) != 1 || !page.Items[0].TaskHeld {
			t.Errorf("%s %v", jsonOf(page), err)
		}
		claimed := make(chan engine.ClaimedTask, 1)
		go func() { claimed <- s.claim("charge") }()
		s.eventually("a worker waits", func() bool {
			stats, err := s.Stats(s.ctx)
			return err == nil && len(stats.LastPoll) > 0
		})
		if _, err := s.ReleaseHeld(s.ctx, engine.Mutation{}, "charge"); err != nil {
			t.Fatal(err)
		}
		if got := <-claimed; got.Token != v.ID {
			t.Errorf("got %s", jsonOf(got))
		}
		if _, err := s.ReleaseHeld(s.ctx, engine.Mutation{}, "charge"); engine.CodeOf(err) != engine.NotFound {
			t.Errorf("again: %v", err)
		}
	})
}

func TestAQueueRunsNoMoreThanItsConcurrency(t *testing.T) {
	onBoth(t, queued, func(s *server) {
		if _, err := s.LimitQueue(s.ctx, engine.Mutation{}, engine.QueueLimit{Queue: "slow", Concurrency: 2}); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			s.start("order", "", `{}`)
		}
		got := s.look("charge", 5)
		if len(got) != 2 {
			t.Fatalf("%d claimed", len(got))
		}
		if more := s.look("charge", 5); len(more) != 0 {
			t.Errorf("%d more claimed", len(more))
		}
		if _, err := s.complete(got[0], `{}`); err != nil {
			t.Fatal(err)
		}
		s.claim("charge") // waits until the limit is looked at again
		if more := s.look("charge", 5); len(more) != 0 {
			t.Errorf("%d claimed beyond the limit", len(more))
		}
		if _, err := s.LimitQueue(s.ctx, engine.Mutation{}, engine.QueueLimit{Queue: "slow"}); err != nil {
			t.Fatal(err)
		}
		if more := s.look("charge", 5); len(more) != 2 {
			t.Errorf("%d claimed without a limit", len(more))
		}
	})
}

func TestAQueueKeepsItsRate(t *testing.T) {
	onBoth(t, queued, func(s *server) {
		if _, err := s.LimitQueue(s.ctx, engine.Mutation{}, engine.QueueLimit{Queue: "slow", Rate: 2, Per: 24 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			s.start("order", "", `{}`)
		}
		if got := s.look("charge", 5); len(got) != 2 {
			t.Fatalf("%d claimed", len(got))
		}
		if got := s.look("charge", 5); len(got) != 0 {
			t.Fatalf("%d more claimed", len(got))
		}
		if _, err := s.LimitQueue(s.ctx, engine.Mutation{}, engine.QueueLimit{Queue: "slow", Rate: 1, Per: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		s.claim("charge")
		s.claim("charge")
	})
}

func TestAClaimForFlowsGetsNoOthers(t *testing.T) {
	onBoth(t, queued, func(s *server) {
		for range 3 {
			s.start("letter", "", `{}`)
		}
		v := s.start("note", "", `{}`)
		if got := s.look("mail", 1, "note"); len(got) != 1 || got[0].Token != v.ID {
			t.Errorf("got %s", jsonOf(got))
		}
		if got := s.look("mail", 1, "note", "order"); len(got) != 0 {
			t.Errorf("got %s", jsonOf(got))
		}
		if got := s.look("mail", 9); len(got) != 3 {
			t.Errorf("%d claimed", len(got))
		}
	})
}
