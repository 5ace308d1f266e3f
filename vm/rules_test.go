package vm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	seconds = int64(1_000_000)
	minutes = 60 * seconds
	hours   = 60 * minutes
	days    = 24 * hours
)

// begin starts the only flow of a text, or the one named.
func begin(t *testing.T, text, flow, input string) (*world, *entry) {
	t.Helper()
	w := check(t, "test.flow", text)
	t.Cleanup(func() {
		if !t.Failed() {
			w.replayAll()
		}
	})
	e, a := w.start(flow, "", json.RawMessage(input), 0)
	if e == nil {
		t.Fatal("it does not start:", a.Reason, a.Errors)
	}
	return w, e
}

func (w *world) event(e *entry, name, payload string) Answer {
	w.t.Helper()
	a := w.apply(e, &Stimulus{Kind: OnEvent, Event: name, Payload: json.RawMessage(payload)})
	w.run()
	return a
}

func (w *world) command(e *entry, kind StimulusKind) Answer {
	w.t.Helper()
	a := w.apply(e, &Stimulus{Kind: kind})
	w.run()
	return a
}

func (w *world) wantStates(e *entry, want ...string) {
	w.t.Helper()
	if got := Leaves(e.p, e.tok); !slices.Equal(got, want) {
		w.t.Fatalf("states are %v, want %v\n%s", got, want, w.story())
	}
}

func (w *world) wantStatus(e *entry, want Status) {
	w.t.Helper()
	if e.tok.Status != want {
		w.t.Fatalf("status is %s, want %s\n%s", e.tok.Status, want, w.story())
	}
}

func (w *world) wantData(e *entry, field string, want any) {
	w.t.Helper()
	f := flowOf(e.p, e.tok.Flow)
	for i := range f.Data {
		if f.Data[i].Name == field {
			if got := string(encode(e.tok.Data[i])); got != fmt.Sprint(want) && got != fmt.Sprintf("%q", want) {
				w.t.Fatalf("%s is %s, want %v\n%s", field, got, want, w.story())
			}
			return
		}
	}
	w.t.Fatalf("there is no field %s", field)
}

// lines returns the lines of a kind, as `state name text`.
func (e *entry) lines(kind string) []string {
	var found []string
	for _, s := range e.steps {
		for _, l := range s.Lines {
			if l.Kind == kind {
				found = append(found, strings.TrimSpace(strings.Join(strings.Fields(l.State+" "+l.Name+" "+l.Text), " ")))
			}
		}
	}
	return found
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("lines are %q, want %q", got, want)
	}
}

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
	first := Timers(e.p, e.tok, w.now)[0]
	w.advance(w.now + hours)
	w.event(e, "park", "")
	w.advance(w.now + hours)
	w.event(e, "take_up", "")
	w.advance(testStart + 7*hours)
	w.wantStates(e, "review")
	if _, err := take(e.p, flowOf(e.p, "f"), e.tok, &Stimulus{Kind: OnTimer, Timer: &TimerRef{ID: first.ID, Visit: first.Visit, Due: first.Due}}, w.now); err == nil {
		t.Fatal("a timer of an earlier visit fires")
	}
	w.advance(testStart + 8*hours)
	w.wantStates(e, "over")
}

func TestR12_TimersFireBeforeTheEvent(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.now += 6 * hours
	if a := w.apply(e, &Stimulus{Kind: OnEvent, Event: "park"}); a.Outcome != Refused || a.Code != TokenEnded {
		t.Fatalf("the late event is %+v", a)
	}
	w.wantStates(e, "over")
}

func TestR12_InstantNeverGoesBack(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.now += hours
	w.event(e, "park", "")
	w.now -= 2 * hours
	w.event(e, "take_up", "")
	if e.tok.LastAt != testStart+hours {
		t.Fatalf("the last step is at %d", e.tok.LastAt)
	}
	w.now = testStart + hours
}

func TestR13_NextDue(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	if due, ok := NextDue(e.tok); !ok || due != testStart+6*hours {
		t.Fatal(due, ok)
	}
	w.command(e, OnPause)
	if _, ok := NextDue(e.tok); ok {
		t.Fatal("a paused token has a due time")
	}
	w.command(e, OnResume)
	w.command(e, OnCancel)
	if _, ok := NextDue(e.tok); ok {
		t.Fatal("an ended token has a due time")
	}
}

func TestR13_NeverEarly(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	r, err := Apply(e.p, e.tok, nil, testStart+6*hours-1)
	if err != nil || len(r.Steps) != 0 || r.Token != e.tok {
		t.Fatal("it fires a microsecond early", err)
	}
	r, err = Apply(e.p, e.tok, nil, testStart+6*hours)
	if err != nil || len(r.Steps) != 1 {
		t.Fatal("it does not fire when it is due", err)
	}
	w.now += 0
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
	st := &Stimulus{Kind: OnTask, Task: &TaskOutcome{Result: json.RawMessage(`{"score": 60}`), Schedule: []TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":1}`), After: &hour}}}}
	if a := w.taskEnds(w.tasks[0], st); a.Outcome != Accepted {
		t.Fatal(a)
	}
	armed := Timers(e.p, e.tok, w.now)
	if armed[0].ID != "accepted.nudge" || armed[0].Due != w.now+hours || armed[0].Kind != "event" {
		t.Fatalf("%+v", armed)
	}
	w.advance(w.now + hours)
	w.wantData(e, "nudges", 100)
}

func TestR14_OutcomeWithoutTakerSavesItsTimers(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	at := w.now + 2*hours
	st := &Stimulus{Kind: OnTask, Task: &TaskOutcome{Result: json.RawMessage(`{"score": 10}`), Schedule: []TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":7}`), At: &at}}}}
	w.taskEnds(w.tasks[0], st)
	w.wantStates(e, "reviewing")
	w.advance(at)
	w.wantData(e, "nudges", 7)
}

func TestR14_FailureSchedulesNothing(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	hour := hours
	st := &Stimulus{Kind: OnTask, Task: &TaskOutcome{Code: "bad", Schedule: []TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":7}`), After: &hour}}}}
	w.taskEnds(w.tasks[0], st)
	w.wantStates(e, "rejected")
}

func TestR45_WorkerEvents(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	hour := hours
	for _, c := range []struct {
		st   Stimulus
		want AnswerOutcome
		code string
	}{
		{Stimulus{Event: "other"}, Invalid, NotInMay},
		{Stimulus{Event: "nowhere"}, Invalid, NotInMay},
		{Stimulus{Event: "approved", Payload: json.RawMessage(`{"by": 1}`)}, Invalid, PayloadInvalid},
		{Stimulus{Event: "approved", Payload: json.RawMessage(`{"by": "nobody"}`)}, Refused, EventRefused},
		{Stimulus{Task: &TaskOutcome{Result: json.RawMessage(`{"score": "x"}`)}}, Invalid, PayloadInvalid},
		{Stimulus{Task: &TaskOutcome{Result: json.RawMessage(`{"score": 1}`), Schedule: []TaskSchedule{{Event: "leave", After: &hour}}}}, Invalid, NotInMay},
		{Stimulus{Task: &TaskOutcome{Result: json.RawMessage(`{"score": 1}`), Schedule: []TaskSchedule{{Event: "nudge", Payload: json.RawMessage(`{"n":1}`)}}}}, Invalid, PayloadInvalid},
	} {
		before := string(e.snapshot)
		st := c.st
		st.Kind = OnTask
		if st.Task == nil {
			st.Task = &TaskOutcome{}
		}
		if a := w.taskEnds(w.tasks[0], &st); a.Outcome != c.want || a.Code != c.code {
			t.Errorf("%+v: %+v, want %s %s", c.st, a, c.want, c.code)
		}
		if string(e.snapshot) != before {
			t.Fatal("something of the outcome was saved")
		}
	}
	w.taskEnds(w.tasks[0], &Stimulus{Kind: OnTask, Event: "approved", Payload: json.RawMessage(`{"by": "ann"}`), Task: &TaskOutcome{}})
	w.wantStates(e, "accepted")
	w.wantData(e, "who", "ann")
	if a := w.taskEnds(w.tasks[0], &Stimulus{Kind: OnTask, Task: &TaskOutcome{Result: json.RawMessage(`{"score": 60}`)}}); a.Outcome != LeaseLost {
		t.Fatal("a task that is over is taken again", a)
	}
}

func TestR46_LeavingWithdraws(t *testing.T) {
	w, e := begin(t, worker, "f", "{}")
	w.event(e, "leave", "")
	if !w.tasks[0].over || len(e.lines("task-withdrawn")) != 1 {
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
	w.advance(w.now + hours)
	w.command(e, OnPause)
	w.advance(w.now + 4*hours) // 05:00
	for _, a := range Timers(e.p, e.tok, w.now) {
		if held := a.Kind != "at"; held != a.Held || a.Overdue == held {
			t.Fatalf("%+v", a)
		}
	}
	if a := w.event(e, "stop", ""); a.Outcome != Queued {
		t.Fatal(a)
	}
	w.wantData(e, "log", "")
	w.command(e, OnResume)
	w.wantData(e, "log", "si") // what was kept comes before what fell due
	if due := dueOf(e, "a.after1"); due != testStart+7*hours {
		t.Fatalf("the duration is due at %d", due-testStart)
	}
	w.advance(testStart + 13*hours)
	w.wantData(e, "log", "sibdbb") // beats at 6, 8 and 10 of 11: `for` got its time back too
	w.advance(testStart + 14*hours)
	w.wantStates(e, "over")
}

func dueOf(e *entry, id string) int64 {
	for _, a := range Timers(e.p, e.tok, 0) {
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
	w.advance(w.now + hours)
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
	w.now += 35 * minutes
	w.run()
	w.wantData(e, "n", 1)
	last := e.steps[len(e.steps)-1]
	if l := last.Lines[0]; l.Kind != "timer-fired" || l.Missed != 2 || l.LateMicros != 25*minutes || last.Stimulus.Timer.Missed != 2 {
		t.Fatalf("%+v", l)
	}
	if due := dueOf(e, "a.beat"); due != testStart+40*minutes {
		t.Fatal("the rhythm has moved", due)
	}
	w.advance(w.now + 5*hours)
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
	if a := w.apply(e, &Stimulus{Kind: OnSet, Field: "deadline", Value: json.RawMessage(`"2026-01-01T09:00:00Z"`)}); a.Outcome != Accepted {
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
	w.advance(w.now + hours)
	w.event(e, "job", "") // a deferred event is activity, the timer's own event is not
	w.advance(testStart + 3*hours - 1)
	w.wantStatus(e, Running)
	w.advance(testStart + 3*hours)
	w.wantStatus(e, Cancelled)
	if e.tok.Reason != "expired" || e.tok.Outcome != "cancelled" {
		t.Fatalf("%+v", e.tok)
	}
	wantLines(t, e.lines("event-dropped"), "job the token has ended")
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
	w.advance(w.now + hours)
	w.wantStatus(e, Failed)
	if e.tok.Error.Code != CodeTimeout || StatePath(e.p, e.tok, e.tok.Error.State) != "a" {
		t.Fatalf("%+v", e.tok.Error)
	}
	if a := w.event(e, "go", ""); a.Outcome != Refused || a.Code != TokenFailed {
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
	w.advance(w.now + hours)
	w.wantStates(e, "a")
	if got := e.lines("event-refused"); len(got) != 1 {
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
	w.advance(w.now + 50*minutes)
	w.event(e, "ping", "")
	w.advance(w.now + 30*minutes)
	w.event(e, "no", "")
	w.advance(w.now + 30*minutes - 1)
	w.wantStates(e, "a")
	w.advance(w.now + 1)
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
	w.now += 100 * hours
	w.run()
	w.wantData(e, "log", "rstb")
	w.wantStates(e, "b")
	if len(e.steps) != 4 {
		t.Fatalf("%d steps", len(e.steps))
	}
}
