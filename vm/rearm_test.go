package vm_test

import (
	"testing"

	"flowc/vm"
)

func TestRearmStartsOver(t *testing.T) {
	const text = `
event again
event stop_nudge
event nudge
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout 10h
    after 1h as nag { log = "{log}n" }
    every 1h for 150m times 2 as beat { log = "{log}b" }
    entry { schedule nudge after 30m }
    on nudge { log = "{log}u" }
    on again {
      rearm nag
      rearm beat
      rearm nudge
      rearm timeout
    }
    on stop_nudge { unschedule nudge }
    on timeout -> over
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + 70*minutes)
	w.wantData(e, "log", "unb")
	w.event(e, "again", "")
	for id, due := range map[string]int64{"s.nag": 60, "s.nudge": 30, "s.timeout": 600, "s.beat": 60} {
		if got := dueOf(e, id); got != w.Now()+due*minutes {
			t.Errorf("%s is due in %d min", id, (got-w.Now())/minutes)
		}
	}
	w.event(e, "stop_nudge", "")
	w.advance(w.Now() + 60*minutes) // 130 min: the second beat, and the last of two
	w.wantData(e, "log", "unbnb")
	w.event(e, "again", "")
	if dueOf(e, "s.beat") != 0 || dueOf(e, "s.nudge") != 0 {
		t.Fatal("`times` does not count from the entry, or an unscheduled timer is armed again")
	}
	w.advance(w.Now() + 600*minutes)
	w.wantStates(e, "over")
}

func TestR17_CalendarCollapsesWhilePaused(t *testing.T) {
	const text = `
event stop
flow f {
  data { n: int = 0 }
  initial s
  state s {
    every mon..fri at "09:00" in "Europe/Berlin" as daily { n = n + 1 }
    on stop -> over
  }
  final over
}`
	w, e := begin(t, text, "f", "{}") // Thursday
	w.advance(w.Now() + days)
	w.wantData(e, "n", 1)
	w.command(e, vm.OnPause)
	w.advance(w.Now() + 7*days)
	if a := vm.Timers(e.Program(), e.VM(), w.Now())[0]; !a.Overdue || a.Held {
		t.Fatalf("%+v", a)
	}
	w.command(e, vm.OnResume)
	w.wantData(e, "n", 2)
	last := e.Steps()[len(e.Steps())-1]
	if l := last.Lines[0]; l.Missed != 4 {
		t.Fatalf("%+v", l) // Friday 2nd is the fire; Monday 5th to Thursday 8th collapse into it
	}
	if due := dueOf(e, "s.daily"); due != testStart+8*days+8*hours {
		t.Fatal((due - testStart) / hours)
	}
}

func TestR8_TwoRegionsFailAtOnce(t *testing.T) {
	const text = `
event go
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    on go -> both
  }
  parallel both {
    timeout 1h
    on error -> s { log = "{log}{event.code} " }
    on timeout -> s
    region l {
      initial l1
      state l1 {
        run { log = "{1 / (len(log) - len(log))}" }
        on completed -> l2
      }
      final l2
    }
    region r {
      initial r1
      state r1 {
        run { log = "{1 / (len(log) - len(log))}" }
        on completed -> r2
      }
      final r2
    }
    on joined -> s
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.event(e, "go", "")
	w.wantStates(e, "s")
	w.wantData(e, "log", "division_by_zero ") // the second one's state had been left by then
	w.wantStatus(e, vm.Running)
}

func TestR53_StateNames(t *testing.T) {
	w := check(t, "test.flow", `
flow f {
  initial a
  state a {
    timeout never
    initial x
    state x { timeout never }
  }
  state b {
    timeout never
    initial x
    state x { timeout never }
    state y { timeout never }
    always when 1 > 2 -> y
  }
  always when 1 > 2 -> b
}`)
	for name, want := range map[string]string{"y": "b.y", "a.x": "a.x", "x": "", "nowhere": "", "b": "b.x"} {
		e, _ := w.start("f", "", nil, 0)
		a := w.give(e, &vm.Stimulus{Kind: vm.OnRetry, State: name})
		if want == "" {
			if a.Outcome != vm.Invalid {
				t.Errorf("retry at %s: %+v", name, a)
			}
			continue
		}
		w.wantStates(e, want)
	}
}

const deadline = `
event due_is(t: time?)
event boom
event late_boom(t: time?)
flow f {
  data {
    n: int = 0
    due: time?
  }
  at due as near { n = n + 1 }
  on due_is { due = event.t }
  on boom { fail "asked to" }
  on late_boom {
    due = event.t
    fail "asked to"
  }
  initial s
  state s { timeout never }
}`

// R18: a deadline that a hand has moved fires once. A retry, which changes no field, arms nothing again.
func TestR18_ARetryDoesNotArmAMovedTimerAgain(t *testing.T) {
	w, e := begin(t, deadline, "f", "{}")
	w.event(e, "due_is", `{"t":"2026-01-01T05:00:00Z"}`)
	w.give(e, &vm.Stimulus{Kind: vm.OnMove, Timer: &vm.TimerRef{ID: "near"}, Due: testStart + hours})
	w.event(e, "boom", "")
	w.command(e, vm.OnRetry)
	if due := dueOf(e, "near"); due != testStart+hours {
		t.Fatalf("the retry moved it back to +%dh", (due-testStart)/hours)
	}
	w.advance(testStart + 2*hours)
	w.wantData(e, "n", 1)
	w.event(e, "boom", "")
	w.command(e, vm.OnRetry)
	w.advance(testStart + 9*hours)
	w.wantData(e, "n", 1)
}

// R18: the deadline that fired last does not fire again in the visit, also when a hand fired it before its time.
func TestR18_ADeadlineFiredByHandDoesNotFireAgain(t *testing.T) {
	w, e := begin(t, deadline, "f", "{}")
	w.event(e, "due_is", `{"t":"2026-01-01T05:00:00Z"}`)
	w.give(e, &vm.Stimulus{Kind: vm.OnFire, Timer: &vm.TimerRef{ID: "near"}})
	w.wantData(e, "n", 1)
	w.event(e, "due_is", `{"t":null}`)
	w.event(e, "due_is", `{"t":"2026-01-01T05:00:00Z"}`)
	w.advance(testStart + 6*hours)
	w.wantData(e, "n", 1)
	w.event(e, "due_is", `{"t":"2026-01-01T07:00:00Z"}`)
	w.advance(testStart + 8*hours)
	w.wantData(e, "n", 2)
}

// R18: what a step changed before it failed moves the timers that read it.
func TestR18_AFailingStepMovesItsDeadlines(t *testing.T) {
	w, e := begin(t, deadline, "f", "{}")
	w.event(e, "late_boom", `{"t":"2026-01-01T03:00:00Z"}`)
	w.wantStatus(e, vm.Failed)
	if due := dueOf(e, "near"); due != testStart+3*hours {
		t.Fatalf("it is due at %d", due)
	}
	w.command(e, vm.OnRetry)
	w.advance(testStart + 3*hours)
	w.wantData(e, "n", 1)
}

// A field that is assigned what it has changes no deadline: one that was moved by hand stays there, one that was started over fires.
func TestR18_TheSameDeadlineAgainChangesNothing(t *testing.T) {
	w, e := begin(t, deadline, "f", "{}")
	same := `{"t":"2026-01-01T05:00:00Z"}`
	w.event(e, "due_is", same)
	w.give(e, &vm.Stimulus{Kind: vm.OnMove, Timer: &vm.TimerRef{ID: "near"}, Due: testStart + 9*hours})
	w.event(e, "due_is", same)
	if due := dueOf(e, "near"); due != testStart+9*hours {
		t.Fatalf("it was moved back to +%dh", (due-testStart)/hours)
	}
	w.event(e, "due_is", `{"t":"2026-01-01T06:00:00Z"}`)
	if due := dueOf(e, "near"); due != testStart+6*hours {
		t.Fatalf("another deadline leaves it at +%dh", (due-testStart)/hours)
	}

	w, e = begin(t, `
event due_is(t: time?)
event again
flow f {
  data { n: int = 0  due: time? }
  initial s
  state s {
    timeout never
    at due as near { n = n + 1 }
    on due_is { due = event.t }
    on again { rearm near }
  }
}`, "f", "{}")
	w.event(e, "due_is", same)
	w.advance(testStart + 6*hours)
	w.wantData(e, "n", 1)
	w.give(e, &vm.Stimulus{Kind: vm.OnPause})
	w.event(e, "again", "")
	w.event(e, "due_is", same)
	w.give(e, &vm.Stimulus{Kind: vm.OnResume})
	w.rest()
	w.wantData(e, "n", 2)
}
