package engine_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
	"flowc/vm/store"
)

// waits is a flow with all ways to wait.
const waits = `
event go
event pay(n: int)
task charge() -> (receipt: string) fails "declined" retry 9 backoff 1s
flow kid() {
  initial k
  state k {
    on go -> good
  }
  final good
}
flow weak() {
  initial a
  state a {
    always -> z { fail "no luck" }
  }
  final z
}
flow stubborn() {
  initial first
  state first {
    invoke weak()
    on error { note "it is stubborn" }
    on completed -> second
    on go -> second
  }
  state second {
    invoke kid()
    on completed -> done
    on error -> done
  }
  final done
}
flow wait(kind: string) {
  initial choose
  state choose {
    always when kind == "event" -> event_only
    always when kind == "timer" -> timer_only
    always when kind == "both" -> both
    always when kind == "task" -> charging
    always when kind == "child" -> parent
    always -> guarded
  }
  state event_only {
    on go -> done
  }
  state timer_only {
    timeout 1s
    on timeout -> late
  }
  state both {
    timeout 1h
    on go -> done
    on timeout -> late
  }
  state charging {
    do charge()
    on completed -> done
    on error -> late
  }
  state parent {
    invoke kid()
    on completed -> done
    on error -> late
  }
  state guarded {
    on pay when event.n > 3 -> done
  }
  final done
  final late as failure
}
`

func (s *server) why(id string) engine.WhyView {
	s.t.Helper()
	w, err := s.Why(s.ctx, engine.WhyRequest{Token: engine.Ref{ID: id}})
	if err != nil {
		s.t.Fatalf("why: %v", err)
	}
	return w
}

func (s *server) wantWhy(id string, kind vm.WhyKind, summary string) engine.WhyView {
	s.t.Helper()
	w := s.why(id)
	if w.Kind != kind || !strings.Contains(w.Summary, summary) {
		s.t.Fatalf("the answer is %q: %s\nwant %q: …%s…", w.Kind, w.Summary, kind, summary)
	}
	s.listedBy(id, kind)
	return w
}

func (s *server) waiting(kind string) string {
	s.t.Helper()
	return s.start("wait", "", fmt.Sprintf(`{"kind": %q}`, kind)).ID
}

// UX-01: nine kinds of waiting, nine answers, each checked against what then happens.
func TestUX01_WhyATokenWaits(t *testing.T) {
	for back, url := range backs(t) {
		t.Run(back, func(t *testing.T) { whyATokenWaits(t, url) })
	}
}

func whyATokenWaits(t *testing.T, url func(*testing.T) string) {
	for name, check := range map[string]func(*server){
		"event": whyEvent, "timer": whyTimer, "event or timer": whyBoth, "worker at it": whyWorking, "backoff": whyBackoff,
		"no free worker": whyUnclaimed, "child failed": whyChildFailed, "scheduled": whyScheduled, "child paused": whyChildPaused, "event just refused": whyRefused, "program missing": whyNoProgram,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(serve(t, url(t), store.Options{}, waits))
		})
	}
}

func whyEvent(s *server) {
	id := s.waiting("event")
	w := s.wantWhy(id, vm.WhyEvent, "`event_only` waits for the event `go`, for as long as it takes")
	if w.Next != nil || w.Refused != nil || len(w.Waits) != 1 || w.Waits[0].Name != "go" {
		s.t.Errorf("%s", jsonOf(w))
	}
	if _, err := s.send(id, "go", ""); err != nil {
		s.t.Error(err)
	}
	s.wantWhy(id, vm.WhyEnded, "in `done`")
}

func whyTimer(s *server) {
	id := s.waiting("timer")
	w := s.wantWhy(id, vm.WhyTimer, "`timer_only` waits for `timer_only.timeout` at ")
	if w.Next == nil || *w.Next.Final != "late" || !strings.HasSuffix(w.Next.What, "fires, and the token ends in `late`") {
		s.t.Fatalf("%s", jsonOf(w))
	}
	if v := s.awaitFinal(id, *w.Next.Final); v.EndedAt.Before(w.Next.At) {
		s.t.Errorf("it ended at %s, foretold for %s", v.EndedAt, w.Next.At)
	}
}

func whyBoth(s *server) {
	id := s.waiting("both")
	w := s.wantWhy(id, vm.WhyEither, "waits for the event `go`, or for `both.timeout` at ")
	if w.Next == nil || *w.Next.Final != "late" || len(w.Waits) != 2 {
		s.t.Errorf("%s", jsonOf(w))
	}
	if _, err := s.send(id, "go", ""); err != nil {
		s.t.Error(err)
	}
	s.wantWhy(id, vm.WhyEnded, "in `done`")
}

func whyWorking(s *server) {
	id := s.waiting("task")
	c := s.claim("charge")
	w := s.wantWhy(id, vm.WhyWorking, "waits for the task `charge`: attempt 1 of 10 runs since")
	if w.Waits[0].Who != "w" || w.Next == nil || !w.Next.At.Equal(c.LeaseUntil) || !strings.Contains(w.Next.What, "the attempt is lost") {
		s.t.Errorf("%s", jsonOf(w))
	}
	if _, err := s.Complete(s.ctx, engine.CompleteRequest{Task: c.ID, Lease: c.Lease, Result: []byte(`{"receipt": "r"}`)}); err != nil {
		s.t.Error(err)
	}
	s.wantWhy(id, vm.WhyEnded, "in `done`")
}

func whyBackoff(s *server) {
	id := s.waiting("task")
	for n := range 4 {
		if n > 0 { // an operator does not wait for the backoff
			task := s.token(id).Tasks[0].ID
			if _, err := s.OperateTask(s.ctx, engine.OperateTaskRequest{Task: task, Action: engine.RetryTask}); err != nil {
				s.t.Fatal(err)
			}
		}
		c := s.claim("charge")
		if _, err := s.Fail(s.ctx, engine.FailRequest{Task: c.ID, Lease: c.Lease, Code: "down", Message: "no answer"}); err != nil {
			s.t.Fatal(err)
		}
	}
	w := s.wantWhy(id, vm.WhyBackoff, "attempt 4 of 10 failed (down: no answer); the next one is offered at ")
	if w.Next == nil || w.Next.What != "attempt 5 of 10 of `charge` is offered" {
		s.t.Fatalf("%s", jsonOf(w))
	}
	if c := s.claim("charge"); c.Attempt != 5 || c.LeaseUntil.Before(w.Next.At) {
		s.t.Errorf("%s", jsonOf(c))
	}
}

func whyUnclaimed(s *server) {
	id := s.waiting("task")
	w := s.wantWhy(id, vm.WhyUnclaimed, "attempt 1 of 10 is on offer since")
	if !strings.Contains(w.Summary, "no worker has asked this server") || w.Waits[0].Who != "a worker of `charge`" || w.Next != nil {
		s.t.Errorf("%s", jsonOf(w))
	}
	if _, err := s.LimitQueue(s.ctx, engine.Mutation{}, engine.QueueLimit{Queue: "default", Concurrency: 2, Rate: 5, Per: time.Minute}); err != nil {
		s.t.Fatal(err)
	}
	s.wantWhy(id, vm.WhyUnclaimed, "its queue `default` lets no more begin than 2 at once and 5 in 1m0s")
	if _, err := s.HoldTask(s.ctx, engine.HoldRequest{Mutation: engine.Mutation{Actor: "ann"}, Task: "charge", Reason: "outage"}); err != nil {
		s.t.Fatal(err)
	}
	w = s.wantWhy(id, vm.WhyUnclaimed, "no worker gets it, for the task is held since ")
	if !strings.HasSuffix(w.Summary, " by ann: outage") || w.Waits[0].Who != "an operator: `flowc release task charge`" {
		s.t.Errorf("%s", jsonOf(w))
	}
	if _, err := s.ReleaseHeld(s.ctx, engine.Mutation{}, "charge"); err != nil {
		s.t.Fatal(err)
	}
	s.claim("charge")
	s.wantWhy(id, vm.WhyWorking, "attempt 1 of 10 runs")
}

func whyChildPaused(s *server) {
	id := s.waiting("child")
	var kid string
	s.eventually("the child is there", func() bool {
		page, err := s.List(s.ctx, engine.ListRequest{Flow: "kid", Status: "running"})
		if err == nil && len(page.Items) == 1 {
			kid = page.Items[0].ID
		}
		return kid != ""
	})
	s.wantWhy(id, vm.WhyChild, "which is running in `k`; ask `flowc why "+kid+"`")
	pause := engine.ControlRequest{Mutation: engine.Mutation{Actor: "ann"}, Token: engine.Ref{ID: kid}, Action: engine.Pause, Reason: "audit"}
	if _, err := s.Control(s.ctx, pause); err != nil {
		s.t.Fatal(err)
	}
	w := s.wantWhy(id, vm.WhyChildPaused, "waits for the child kid "+kid+", which is paused since ")
	if !strings.HasSuffix(w.Summary, " by ann: audit") || !strings.Contains(w.Waits[0].Who, "flowc resume "+kid) {
		s.t.Errorf("%s", jsonOf(w))
	}
	s.wantWhy(kid, vm.WhyPaused, "nothing moves until it is resumed")
	// A pause of the parent comes and goes; the child's own goes on, and it is the one to tell of (R54).
	s.control(id, engine.Pause)
	s.eventually("the child has heard of the pause", func() bool { return strings.Contains(s.why(kid).Summary, "by a command and by its parent") })
	s.control(id, engine.Resume)
	s.eventually("the child has heard of the resume", func() bool { return !strings.Contains(s.why(kid).Summary, "by its parent") })
	if w := s.wantWhy(id, vm.WhyChildPaused, "which is paused since "); !strings.HasSuffix(w.Summary, " by ann: audit") {
		s.t.Errorf("%s", jsonOf(w))
	}
	s.control(kid, engine.Resume)
	s.wantWhy(id, vm.WhyChild, "which is running")
	if _, err := s.send(kid, "go", ""); err != nil {
		s.t.Error(err)
	}
	s.awaitFinal(id, "done")
}

func whyChildFailed(s *server) {
	id := s.start("stubborn", "", `{}`).ID
	s.eventually("the child has failed", func() bool { return s.why(id).Kind == vm.WhyChildFailed })
	waits := s.wantWhy(id, vm.WhyChildFailed, "which has failed: ").Waits
	child := *waits[slices.IndexFunc(waits, func(w engine.WhyWaitView) bool { return w.Kind == "child" })].ID
	s.wantWhy(child, vm.WhyFailed, "no luck")
	if _, err := s.send(id, "go", ""); err != nil { // the parent moves on, and waits for the child no more
		s.t.Fatal(err)
	}
	s.eventually("the child knows", func() bool { return strings.Contains(s.why(child).Summary, "waits for it no more") })
	s.wantWhy(id, vm.WhyChild, "which is running in `k`")
	s.wantWhy(child, vm.WhyFailed, "no luck")
}

func whyScheduled(s *server) {
	a, err := s.StartToken(s.ctx, engine.StartRequest{Flow: "kid", Input: []byte(`{}`), Delay: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	s.wantWhy(a.Token.ID, vm.WhyScheduled, "it is not started yet")
}

func whyRefused(s *server) {
	id := s.waiting("guard")
	s.wantWhy(id, vm.WhyEvent, "waits for the event `pay`")
	if _, err := s.send(id, "pay", `{"n": 1}`); engine.CodeOf(err) != engine.Refused {
		s.t.Fatal(err)
	}
	w := s.wantWhy(id, vm.WhyRefused, "`guarded` refused `pay` at ")
	if w.Refused == nil || w.Refused.Event != "pay" || !w.Refused.Since || len(w.Refused.Accepts) != 1 || !w.Refused.Accepts[0].Conditional {
		s.t.Fatalf("%s", jsonOf(w))
	}
	if _, err := s.send(id, "pay", `{"n": 4}`); err != nil {
		s.t.Error(err)
	}
	if w := s.wantWhy(id, vm.WhyEnded, "in `done`"); w.Refused == nil || w.Refused.Since {
		s.t.Errorf("the refusal is forgotten, or counts as the last thing that happened: %s", jsonOf(w))
	}
}

func whyNoProgram(s *server) {
	url := filepath.Join(s.t.TempDir(), "flow.db") // the server of the test has another
	next := serve(s.t, url, store.Options{}, waits)
	id := next.waiting("event")
	next.stop()
	forgetPrograms(s.t, url)
	again := serve(s.t, url, store.Options{}, "")
	again.wantWhy(id, vm.WhyNoProgram, "is missing from the database")
	if _, err := again.send(id, "go", ""); engine.CodeOf(err) != engine.Quarantined {
		s.t.Errorf("an event gives %v", err)
	}
	again.wantWhy(id, vm.WhySetAside, "because it could not be stepped")
}

// Of several things in the way the summary names the worst, and a token that nothing can move says so.
func TestWhyOfTokensThatStandStill(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "flow.db"), store.Options{}, `
event go
task work()
flow stuck() {
  initial a
  state a {
    on go -> b
  }
  state b {
    timeout 1h
    do work()
    on completed { fail "no luck" }
    on error -> e
    on timeout -> e
  }
  final e
}`)
	id := s.start("stuck", "", "{}").ID
	if _, err := s.send(id, "go", ""); err != nil {
		t.Fatal(err)
	}
	w := s.wantWhy(id, vm.WhyUnclaimed, "waits for the task `work`")
	if w.Next == nil || *w.Next.Final != "e" {
		t.Errorf("%s", jsonOf(w))
	}
	c := s.claim("work")
	if _, err := s.Complete(s.ctx, engine.CompleteRequest{Task: c.ID, Lease: c.Lease, Result: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if w := s.wantWhy(id, vm.WhyFailed, "no luck; nothing moves until it is retried"); w.Next != nil || w.Waits[0].Name != "retry" {
		t.Errorf("%s", jsonOf(w))
	}
	s.control(id, engine.Retry)
	s.control(id, engine.Pause)
	w = s.wantWhy(id, vm.WhyPaused, "`b` is paused since ")
	if w.Next != nil || len(w.Waits) != 3 || !strings.Contains(w.Waits[2].Text, "stands still") {
		t.Errorf("%s", jsonOf(w))
	}
}

// R71: a token of any version is the one that was shown then.
func TestR71_ATokenOfAnEarlierVersion(t *testing.T) {
	s := serve(t, filepath.Join(t.TempDir(), "flow.db"), store.Options{}, review)
	v := s.start("review", "", `{"order": "o"}`)
	first := s.token(v.ID)
	for range 3 {
		if _, err := s.send(v.ID, "ping", ""); err != nil {
			t.Fatal(err)
		}
	}
	past, err := s.TokenAt(s.ctx, engine.Ref{ID: v.ID}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range past.Timers { // of another instant
		past.Timers[i].RemainingMs, first.Timers[i].RemainingMs = nil, nil
	}
	past.Tasks = first.Tasks
	if jsonOf(past) != jsonOf(first) {
		t.Errorf("%s\n%s", jsonOf(past), jsonOf(first))
	}
	for _, version := range []int64{-1, 0, 5, 99} {
		if _, err := s.TokenAt(s.ctx, engine.Ref{ID: v.ID}, version); engine.CodeOf(err) != engine.NotFound {
			t.Errorf("version %d gives %v", version, err)
		}
	}
}
