package vm_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"flowc/vm"
	"flowc/vm/sim"
)

const visits = `
event park
event take_up
flow f {
  initial review
  state review {
    timeout 6h
    on park -> parked
    on timeout -> over
  }
  state parked {
    timeout 10d
    on take_up -> review
    on timeout -> over
  }
  final over
}`

func TestR10_StaleTimerNeverFires(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	first := vm.Timers(e.Program(), e.VM(), w.Now())[0]
	w.advance(w.Now() + hours)
	w.event(e, "park", "")
	w.advance(w.Now() + hours)
	w.event(e, "take_up", "")
	w.advance(testStart + 7*hours)
	w.wantStates(e, "review")
	if _, err := vm.Apply(e.Program(), e.VM(), &vm.Stimulus{Kind: vm.OnTimer, Timer: &vm.TimerRef{ID: first.ID, Visit: first.Visit, Due: first.Due}}, w.Now()); err == nil {
		t.Fatal("a timer of an earlier visit fires")
	}
	w.advance(testStart + 8*hours)
	w.wantStates(e, "over")
}

func TestR12_TimersFireBeforeTheEvent(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.late(w.Now() + 6*hours)
	if a := w.give(e, &vm.Stimulus{Kind: vm.OnEvent, Event: "park"}); a.Outcome != vm.Refused || a.Code != vm.TokenEnded {
		t.Fatalf("the late event is %+v", a)
	}
	w.wantStates(e, "over")
}

func TestR12_InstantNeverGoesBack(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.late(w.Now() + hours)
	w.event(e, "park", "")
	w.late(w.Now() - 2*hours)
	w.event(e, "take_up", "")
	if e.VM().LastAt != testStart+hours {
		t.Fatalf("the last step is at %d", e.VM().LastAt)
	}
}

func TestR13_NextDue(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	if due, ok := vm.NextDue(e.VM()); !ok || due != testStart+6*hours {
		t.Fatal(due, ok)
	}
	w.command(e, vm.OnPause)
	if _, ok := vm.NextDue(e.VM()); ok {
		t.Fatal("a paused token has a due time")
	}
	w.command(e, vm.OnResume)
	w.command(e, vm.OnCancel)
	if _, ok := vm.NextDue(e.VM()); ok {
		t.Fatal("an ended token has a due time")
	}
}

func TestR13_NeverEarly(t *testing.T) {
	_, e := begin(t, visits, "f", "{}")
	r, err := vm.Apply(e.Program(), e.VM(), nil, testStart+6*hours-1)
	if err != nil || len(r.Steps) != 0 || r.Token != e.VM() {
		t.Fatal("it fires a microsecond early", err)
	}
	r, err = vm.Apply(e.Program(), e.VM(), nil, testStart+6*hours)
	if err != nil || len(r.Steps) != 1 {
		t.Fatal("it does not fire when it is due", err)
	}
}

const worker = `
event approved(by: string)
event nudge(n: int)
event leave
event other
task review(doc: string) -> (score: int) fails "bad"
flow f {
  data {
    nudges: int = 0
    who: string = ""
  }
  initial reviewing
  state reviewing {
    timeout 10d
    do review(doc: "d") may approved, nudge
    on approved when event.by != "nobody" -> accepted { who = event.by }
    on nudge { nudges = nudges + event.n }
    on completed when event.score > 50 -> accepted
    on error -> rejected
    on leave -> rejected
    on other -> rejected
    on timeout -> rejected
  }
  state accepted {
    timeout 5d
    on nudge { nudges = nudges + 100 }
    on timeout -> done
  }
  final done
  final rejected as failure
}`

func TestR14_WorkerSchedulesForTheStateEntered(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	hour := hours
	st := &vm.Stimulus{Kind: vm.OnTask, Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": 60}`), Schedule: []vm.TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":1}`), After: &hour}}}}
	if a := w.outcome(w.Tasks()[0], st); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	armed := vm.Timers(e.Program(), e.VM(), w.Now())
	if armed[0].ID != "accepted.nudge" || armed[0].Due != w.Now()+hours || armed[0].Kind != "event" {
		t.Fatalf("%+v", armed)
	}
	w.advance(w.Now() + hours)
	w.wantData(e, "nudges", 100)
}

func TestR14_OutcomeWithoutTakerSavesItsTimers(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	at := w.Now() + 2*hours
	st := &vm.Stimulus{Kind: vm.OnTask, Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": 10}`), Schedule: []vm.TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":7}`), At: &at}}}}
	w.outcome(w.Tasks()[0], st)
	w.wantStates(e, "reviewing")
	w.advance(at)
	w.wantData(e, "nudges", 7)
}

func TestR14_FailureSchedulesNothing(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	hour := hours
	st := &vm.Stimulus{Kind: vm.OnTask, Task: &vm.TaskOutcome{Code: "bad", Schedule: []vm.TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":7}`), After: &hour}}}}
	w.outcome(w.Tasks()[0], st)
	w.wantStates(e, "rejected")
}

func TestR45_WorkerEvents(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	hour := hours
	for _, c := range []struct {
		st   vm.Stimulus
		want vm.AnswerOutcome
		code string
	}{
		{vm.Stimulus{Event: "other"}, vm.Invalid, vm.NotInMay},
		{vm.Stimulus{Event: "nowhere"}, vm.Invalid, vm.NotInMay},
		{vm.Stimulus{Event: "approved", Payload: json.RawMessage(`{"by": 1}`)}, vm.Invalid, vm.PayloadInvalid},
		{vm.Stimulus{Event: "approved", Payload: json.RawMessage(`{"by": "nobody"}`)}, vm.Refused, vm.EventRefused},
		{vm.Stimulus{Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": "x"}`)}}, vm.Invalid, vm.PayloadInvalid},
		{vm.Stimulus{Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": 1}`), Schedule: []vm.TaskSchedule{{Event: "leave", After: &hour}}}}, vm.Invalid, vm.NotInMay},
		{vm.Stimulus{Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": 1}`), Schedule: []vm.TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":1}`)}}}}, vm.Invalid, vm.PayloadInvalid},
	} {
		before := stored(t, e)
		st := c.st
		st.Kind = vm.OnTask
		if st.Task == nil {
			st.Task = &vm.TaskOutcome{}
		}
		if a := w.outcome(w.Tasks()[0], &st); a.Outcome != c.want || a.Code != c.code {
			t.Errorf("%+v: %+v, want %s %s", c.st, a, c.want, c.code)
		}
		if stored(t, e) != before {
			t.Fatal("something of the outcome was saved")
		}
	}
	w.outcome(w.Tasks()[0], &vm.Stimulus{Kind: vm.OnTask, Event: "approved", Payload: json.RawMessage(`{"by": "ann"}`), Task: &vm.TaskOutcome{}})
	w.wantStates(e, "accepted")
	w.wantData(e, "who", "ann")
	if a := w.outcome(w.Tasks()[0], &vm.Stimulus{Kind: vm.OnTask, Task: &vm.TaskOutcome{Result: json.RawMessage(`{"score": 60}`)}}); a.Outcome != vm.LeaseLost {
		t.Fatal("a task that is over is taken again", a)
	}
}

func TestR46_LeavingWithdraws(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	w.event(e, "leave", "")
	if !w.Tasks()[0].Row().Status.Over() || len(linesOf(e, "task-withdrawn")) != 1 {
		t.Fatal("the task is not withdrawn")
	}
}

func TestR15_PauseHoldsDurationsAndKeepsInstants(t *testing.T) {
	const text = `
event stop
flow f(at: time) {
  data { log: string = "" }
  initial a
  state a {
    timeout 10h
    after 3h { log = "{log}d" }
    at (at) { log = "{log}i" }
    every 2h for 7h as beat { log = "{log}b" }
    on stop { log = "{log}s" }
    on timeout -> over
  }
  final over
}`
	w, e := begin(t, text, "f", `{"at":"2026-01-01T04:00:00Z"}`)
	w.advance(w.Now() + hours)
	w.command(e, vm.OnPause)
	w.advance(w.Now() + 4*hours) // 05:00
	for _, a := range vm.Timers(e.Program(), e.VM(), w.Now()) {
		if held := a.Kind != "at"; held != a.Held || a.Overdue == held {
			t.Fatalf("%+v", a)
		}
	}
	if a := w.event(e, "stop", ""); a.Outcome != vm.Queued {
		t.Fatal(a)
	}
	w.wantData(e, "log", "")
	w.command(e, vm.OnResume)
	w.wantData(e, "log", "si") // what was kept comes before what fell due
	if due := dueOf(e, "a.after1"); due != testStart+7*hours {
		t.Fatalf("the duration is due at %d", due-testStart)
	}
	w.advance(testStart + 13*hours)
	w.wantData(e, "log", "sibdbb") // beats at 6, 8 and 10 of 11: `for` got its time back too
	w.advance(testStart + 14*hours)
	w.wantStates(e, "over")
}

func dueOf(e *sim.Token, id string) int64 {
	for _, a := range vm.Timers(e.Program(), e.VM(), 0) {
		if a.ID == id {
			return a.Due
		}
	}
	return 0
}

func TestR16_InnerBeforeOuterAndTimeoutLast(t *testing.T) {
	const text = `
event go
flow f {
  data { log: string = "" }
  timeout 1h
  after 1h { log = "{log}o" }
  on timeout -> over { log = "{log}T" }
  initial a
  state a {
    timeout 1h
    after 1h { log = "{log}i" }
    on timeout { log = "{log}t" }
    entry { schedule go after 1h }
    on go { log = "{log}s" }
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + hours)
	w.wantData(e, "log", "istoT")
}

func TestR17_MissedPeriodsCollapse(t *testing.T) {
	const text = `
event stop
flow f {
  data { n: int = 0 }
  initial a
  state a {
    every 10m times 5 as beat { n = n + 1 }
    on stop -> over
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.down(w.Now() + 35*minutes)
	w.wantData(e, "n", 1)
	last := e.Steps()[len(e.Steps())-1]
	if l := last.Lines[0]; l.Kind != "timer-fired" || l.Missed != 2 || l.LateMicros != 25*minutes || last.Stimulus.Timer.Missed != 2 {
		t.Fatalf("%+v", l)
	}
	if due := dueOf(e, "a.beat"); due != testStart+40*minutes {
		t.Fatal("the rhythm has moved", due)
	}
	w.advance(w.Now() + 5*hours)
	w.wantData(e, "n", 5)
}

func TestR18_DeadlineThatFiredDoesNotFireAgain(t *testing.T) {
	const text = `
event set(t: time?)
flow f {
  data {
    deadline: time?
    n: int = 0
  }
  initial a
  state a {
    timeout never
    at deadline + 1h { n = n + 1 }
    on set { deadline = event.t }
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.event(e, "set", `{"t":"2026-01-01T01:00:00Z"}`)
	w.advance(testStart + 3*hours)
	w.wantData(e, "n", 1)
	w.event(e, "set", `{}`)
	w.event(e, "set", `{"t":"2026-01-01T01:00:00Z"}`)
	w.wantData(e, "n", 1)
	w.event(e, "set", `{"t":"2026-01-01T00:30:00Z"}`) // past: at once
	w.wantData(e, "n", 2)
	if a := w.give(e, &vm.Stimulus{Kind: vm.OnSet, Field: "deadline", Value: json.RawMessage(`"2026-01-01T09:00:00Z"`)}); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	if due := dueOf(e, "a.at1"); due != testStart+10*hours {
		t.Fatal(due)
	}
}

func TestR20_ExpiredThatNothingTakesCancels(t *testing.T) {
	const text = `
event ping
event job
flow f {
  idle 2h
  initial a
  state a {
    timeout never
    on ping {}
    defer job
    entry { schedule ping after 90m }
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + hours)
	w.event(e, "job", "") // a deferred event is activity, the timer's own event is not
	w.advance(testStart + 3*hours - 1)
	w.wantStatus(e, vm.Running)
	w.advance(testStart + 3*hours)
	w.wantStatus(e, vm.Cancelled)
	if e.VM().Reason != "expired" || e.VM().Outcome != "cancelled" {
		t.Fatalf("%+v", e.VM())
	}
	wantLines(t, linesOf(e, "event-dropped"), "job the token has ended")
}

func TestR20_TimeoutThatNothingTakesFails(t *testing.T) {
	const text = `
event go
flow f {
  initial a
  state a {
    // flowc:allow unhandled-timeout on purpose
    timeout 1h
    on go -> over
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + hours)
	w.wantStatus(e, vm.Failed)
	if e.VM().Error.Code != vm.CodeTimeout || vm.StatePath(e.Program(), e.VM(), e.VM().Error.State) != "a" {
		t.Fatalf("%+v", e.VM().Error)
	}
	if a := w.event(e, "go", ""); a.Outcome != vm.Refused || a.Code != vm.TokenFailed {
		t.Fatal(a)
	}
}

func TestR20_ScheduledEventThatNothingTakes(t *testing.T) {
	const text = `
event nudge
flow f(open: bool) {
  initial a
  state a {
    timeout 1d
    entry { schedule nudge after 1h }
    on nudge when open -> over
    on timeout -> over
  }
  final over
}`
	w, e := begin(t, text, "f", `{"open": false}`)
	w.advance(w.Now() + hours)
	w.wantStates(e, "a")
	if got := linesOf(e, "event-refused"); len(got) != 1 {
		t.Fatal(got)
	}
}

func TestR21_DynamicDurations(t *testing.T) {
	const text = `
event stop
flow f(wait: duration, period: duration) {
  data { n: int = 0 }
  initial a
  state a {
    after wait { n = n + 1 }
    on stop -> b
    on error -> broken
  }
  state b {
    every period { n = n + 10 }
    on error -> broken
    on stop -> broken
  }
  final broken as failure
}`
	for _, c := range []struct {
		wait, period string
		n            int
		state        string
	}{
		{"0s", "1h", 1, "b"}, {"-5m", "1h", 1, "b"}, {"1h", "0s", 0, "broken"}, {"1h", "-1s", 0, "broken"},
	} {
		w, e := begin(t, text, "f", fmt.Sprintf(`{"wait":%q,"period":%q}`, c.wait, c.period))
		w.wantData(e, "n", c.n)
		w.event(e, "stop", "")
		w.wantStates(e, c.state)
	}
}

func TestR23_IdleRestarts(t *testing.T) {
	const text = `
event ping
event no
flow f {
  idle 1h
  on expired -> over
  initial a
  state a {
    timeout never
    on ping {}
    on no { refuse "no" }
    every 10m {}
  }
  final over as cancelled
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + 50*minutes)
	w.event(e, "ping", "")
	w.advance(w.Now() + 30*minutes)
	w.event(e, "no", "")
	w.advance(w.Now() + 30*minutes - 1)
	w.wantStates(e, "a")
	w.advance(w.Now() + 1)
	w.wantStates(e, "over")
}

func TestR24_OverdueFireOnceInOrder(t *testing.T) {
	const text = `
event stop
flow f {
  data { log: string = "" }
  initial a
  state a {
    timeout 4h
    after 1h { log = "{log}r" }
    after 2h { log = "{log}s" }
    on stop -> over
    on timeout -> b { log = "{log}t" }
  }
  state b {
    timeout 1h
    on timeout -> over
    entry { log = "{log}b" }
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.down(w.Now() + 100*hours)
	w.wantData(e, "log", "rstb")
	w.wantStates(e, "b")
	if len(e.Steps()) != 4 {
		t.Fatalf("%d steps", len(e.Steps()))
	}
}
