package vm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestR7_OrderOfBlocks(t *testing.T) {
	const text = `
event go
event stop
flow f {
  data { log: string = "" }
  exit { log = "{log} -root" }
  on stop -> over { log = "{log} |" }
  initial a
  state a {
    exit { log = "{log} -a" }
    initial a1
    state a1 {
      exit { log = "{log} -a1" }
      on go -> both { log = "{log} go" }
    }
  }
  parallel both {
    entry { log = "{log} +both" }
    exit { log = "{log} -both" }
    region l {
      entry { log = "{log} +l" }
      exit { log = "{log} -l" }
      initial l1
      state l1 {
        entry { log = "{log} +l1" }
        exit { log = "{log} -l1" }
      }
    }
    region r {
      entry { log = "{log} +r" }
      exit { log = "{log} -r" }
      initial r1
      state r1 {
        entry { log = "{log} +r1" }
        exit { log = "{log} -r1" }
      }
    }
  }
  final over { entry { log = "{log} +over" } }
}`
	w, e := begin(t, text, "f", "{}")
	w.event(e, "go", "")
	w.wantData(e, "log", " -a1 -a go +both +l +l1 +r +r1")
	w.event(e, "stop", "")
	w.wantData(e, "log", " -a1 -a go +both +l +l1 +r +r1 -r1 -r -l1 -l -both | +over -root")
	w.wantStatus(e, Completed)
}

func TestR7_InternalAndExternal(t *testing.T) {
	const text = `
event inner
event self_box
event named
event stay
event up
flow f {
  data { log: string = "" }
  initial box
  state box {
    timeout 1d
    entry { log = "{log}B" }
    exit { log = "{log}b" }
    initial one
    on inner -> two
    on self_box -> self
    on named -> box
    on timeout -> over
    state one { entry { log = "{log}1" } }
    state two {
      entry { log = "{log}2" }
      on stay {}
      on up -> box
    }
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.now + hours)
	w.event(e, "inner", "")
	w.wantData(e, "log", "B12")
	w.event(e, "stay", "")
	if due := dueOf(e, "box.timeout"); due != testStart+days {
		t.Fatal("a transition inside the composite has moved its timer", due)
	}
	w.event(e, "up", "")
	w.wantData(e, "log", "B12bB1")
	w.event(e, "self_box", "")
	w.event(e, "named", "")
	w.wantData(e, "log", "B12bB1bB1bB1")
	if due := dueOf(e, "box.timeout"); due != w.now+days {
		t.Fatal("a new visit has not armed its timer anew", due)
	}
}

func TestR7_History(t *testing.T) {
	const text = `
event next
event inner
event away
event back_shallow
event back_deep
flow f {
  initial s
  state s {
    history
    initial s1
    on away -> out
    on back_deep -> d
    state s1 { on next -> s2 }
    state s2 {
      initial s2a
      state s2a { on inner -> s2b }
      state s2b { timeout never }
    }
  }
  state d {
    history deep
    initial d1
    on away -> out
    state d1 { on next -> dp }
    parallel dp {
      region l {
        initial l1
        state l1 { on inner -> l2 }
        state l2 { timeout never }
      }
      region r {
        initial r1
        state r1 { timeout never }
      }
    }
  }
  state out {
    timeout never
    on back_shallow -> s
    on back_deep -> d
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.event(e, "next", "")
	w.event(e, "inner", "")
	w.wantStates(e, "s.s2.s2b")
	w.event(e, "away", "")
	w.event(e, "back_shallow", "")
	w.wantStates(e, "s.s2.s2a")
	w.event(e, "back_deep", "")
	w.wantStates(e, "d.d1")
	w.event(e, "next", "")
	w.event(e, "inner", "")
	w.event(e, "away", "")
	w.event(e, "back_deep", "")
	w.wantStates(e, "d.dp.l.l2", "d.dp.r.r1")
}

func TestR7_HistoryOfWhatHasEnded(t *testing.T) {
	const text = `
event next
event back
flow f {
  initial s
  state s {
    history
    initial s1
    on completed -> out
    state s1 { on next -> done }
    final done
  }
  state out {
    timeout never
    on back -> s
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.event(e, "next", "")
	w.wantStates(e, "out")
	w.event(e, "back", "")
	w.wantStates(e, "s.s1")
}

func TestR7_LoopsAreUndone(t *testing.T) {
	const text = `
event loop
event count
event ping
event shape
flow f {
  data {
    n: int = 0
    up: bool = true
    text: string = "x"
  }
  initial a
  state a {
    timeout 1d
    on loop -> b { n = 1 }
    on ping { raise ping }
    on count { for i in range(1000000) { n = n + i } }
    on shape {
      text = "0123456789"
      for i in range(17) { text = text + text }
    }
    on error -> over
    on timeout -> over
  }
  state b {
    always when up -> c { up = not up }
    always when not up -> c { up = not up }
    on ping -> over
  }
  state c { always -> b }
  final over
}`
	for _, c := range []struct{ event, code string }{
		{"loop", CodeSteps}, {"ping", CodeSteps}, {"count", "instruction_limit"}, {"shape", CodeSnapshot},
	} {
		w, e := begin(t, text, "f", "{}")
		if a := w.event(e, c.event, ""); a.Outcome != ErrorOutcome {
			t.Fatalf("%s: %+v", c.event, a)
		}
		w.wantStatus(e, Failed)
		w.wantStates(e, "a")
		w.wantData(e, "n", 0)
		if e.tok.Error.Code != c.code {
			t.Fatalf("%s: %+v", c.event, e.tok.Error)
		}
	}
}

func TestR7_ZeroTimersDoNotLoopForEver(t *testing.T) {
	const text = `
event tick
event go
flow f(zero: duration) {
  data { n: int = 0 }
  initial a
  state a {
    timeout 1d
    on go { schedule tick after zero }
    on tick {
      n = n + 1
      schedule tick after zero
    }
    on timeout -> over
  }
  final over
}`
	w, e := begin(t, text, "f", `{"zero":"0s"}`)
	w.event(e, "go", "")
	w.wantStatus(e, Failed)
	if e.tok.Error.Code != CodeSteps {
		t.Fatalf("%+v", e.tok.Error)
	}
}

func TestR7_RaisedEventThatNothingTakes(t *testing.T) {
	const text = `
event go
event more
event no
flow f {
  data { n: int = 0 }
  initial a
  state a {
    timeout never
    on go {
      raise more
      raise no
      n = n + 1
    }
    on more when n == 7 {}
    on no {
      n = 50
      refuse "never"
    }
  }
}`
	w, e := begin(t, text, "f", "{}")
	if a := w.event(e, "go", ""); a.Outcome != Accepted {
		t.Fatal(a)
	}
	w.wantData(e, "n", 1)
	wantLines(t, e.lines("raised-unhandled"), "more")
	wantLines(t, e.lines("event-refused"), "no never")
}

func TestR7_RoutineBeforeAlwaysAndRaisedInOrder(t *testing.T) {
	const text = `
event one
event two
event go
flow f {
  data { log: string = "" }
  initial a
  state a {
    entry {
      log = "{log}e"
      raise one
    }
    run {
      log = "{log}r"
      raise two
    }
    always when log == "er" -> b { log = "{log}a" }
    on completed -> b
    on error -> b
  }
  state b {
    timeout never
    on one { log = "{log}1" }
    on two { log = "{log}2" }
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.wantData(e, "log", "era12")
}

func TestR8_ErrorIsUndoneAndHandled(t *testing.T) {
	const text = `
event go(zero: int)
event out(zero: int)
task mail(to: string)
flow f {
  data {
    n: int = 0
    code: string = ""
  }
  initial a
  state a {
    timeout 1d
    exit { n = n + 100 }
    on go {
      note "tried"
      dispatch mail(to: "x")
      n = 5 / event.zero
    }
    on out -> b { n = 5 / event.zero }
    on error { code = event.code }
    on timeout -> b
  }
  state b {
    timeout never
    entry { n = n / (n - n) }
  }
}`
	w, e := begin(t, text, "f", "{}")
	for _, event := range []string{"go", "out"} {
		if a := w.event(e, event, `{"zero": 0}`); a.Outcome != ErrorOutcome || a.Code != "division_by_zero" {
			t.Fatalf("%s: %+v", event, a)
		}
		w.wantStates(e, "a")
		w.wantData(e, "n", 0)
		w.wantData(e, "code", "division_by_zero")
	}
	if len(w.tasks) != 0 || len(e.lines("note")) != 0 {
		t.Fatal("something of the step remains")
	}
	if line := e.steps[1].Lines[len(e.steps[1].Lines)-1]; line.Kind != "error" || line.Code == nil {
		t.Fatalf("%+v", e.steps[1].Lines)
	}
	w.event(e, "out", `{"zero": 1}`) // now the entry block of b fails: looked for from the source, a
	w.wantStates(e, "a")
}

func TestR8_ErrorWhileHandlingErrorFails(t *testing.T) {
	const text = `
event go
flow f(zero: int) {
  data { n: int = 7 }
  timeout 1d
  on timeout -> over
  on error -> over
  initial a
  state a {
    on go { n = 1 / zero }
    on error {
      n = 8
      n = 2 % zero
    }
  }
  final over
}`
	w, e := begin(t, text, "f", `{"zero":0}`)
	w.event(e, "go", "")
	w.wantStatus(e, Failed)
	w.wantData(e, "n", 7)
	w.wantStates(e, "a")
}

func TestR8_StartStep(t *testing.T) {
	const text = `
flow f(zero: int) {
  data { n: int = 1 }
  on error -> over
  initial a
  state a {
    timeout never
    entry { n = 1 / zero }
  }
  final over
}`
	w, e := begin(t, text, "f", `{"zero":0}`)
	w.wantStatus(e, Failed)
	w.wantStates(e)
	if a := w.command(e, OnRetry); a.Outcome == Refused {
		t.Fatal(a)
	}
	w.wantStatus(e, Failed)
}

func TestR8_FailKeepsWhatTheStepDid(t *testing.T) {
	const text = `
event stay
event leave
event go
flow f {
  data { n: int = 0 }
  initial a
  state a {
    timeout 2h
    exit { n = n + 10 }
    on stay {
      n = n + 1
      fail "stay"
    }
    on leave -> b {
      n = n + 2
      fail "leave"
    }
    on error -> b
    on timeout -> b
    on go -> b
  }
  state b { timeout never }
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.now + hours)
	w.event(e, "stay", "")
	w.wantStatus(e, Failed)
	w.wantData(e, "n", 1)
	if e.tok.Error.Message != "stay" || e.tok.Error.Code != CodeFail {
		t.Fatalf("%+v", e.tok.Error)
	}
	w.now += 5 * hours
	w.command(e, OnRetry)
	w.wantStates(e, "a")
	w.event(e, "leave", "")
	w.wantStatus(e, Failed)
	w.wantStates(e, "a")
	w.wantData(e, "n", 13)
	if slices.Contains(e.lines("left"), "b") {
		t.Fatal("the state was left")
	}
}

func TestR9_FailingStopsEverything(t *testing.T) {
	const text = `
event boom
event go
task work(n: int)
flow kid {
  initial k
  state k { timeout never }
}
flow f {
  timeout 10h
  on timeout -> over
  initial both
  parallel both {
    region l {
      initial l1
      state l1 {
        do work(n: 1)
        on completed -> over
        on error -> over
        on boom { fail "boom" }
      }
    }
    region r {
      initial r1
      state r1 {
        timeout 4h
        invoke kid()
        on completed -> over
        on error -> over
        on timeout -> over
      }
    }
  }
  final over
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.now + hours)
	w.event(e, "boom", "")
	w.wantStatus(e, Failed)
	kid := w.children(e, "kid")[0]
	if !w.tasks[0].over || kid.tok.Status != Cancelled {
		t.Fatal("work or children go on", kid.tok.Status)
	}
	w.advance(w.now + 20*hours)
	for _, a := range Timers(e.p, e.tok, w.now) {
		if !a.Held || a.Remaining != 9*hours && a.Remaining != 3*hours {
			t.Fatalf("%+v", a)
		}
	}
	w.command(e, OnRetry)
	w.wantStatus(e, Running)
	w.wantStates(e, "both.l.l1", "both.r.r1")
	if due := dueOf(e, "timeout"); due != w.now+9*hours {
		t.Fatal("the flow's timer does not go on from its remainder", due-w.now)
	}
	if due := dueOf(e, "both.r.r1.timeout"); due != w.now+4*hours {
		t.Fatal("the leaf's timer is not armed anew", due-w.now)
	}
	if len(w.children(e, "kid")) != 2 || len(w.tasks) != 2 {
		t.Fatal("work and children do not start anew")
	}
	if e.tok.Totals.Running != 1 || e.tok.Totals.Cancelled != 1 {
		t.Fatalf("%+v", e.tok.Totals)
	}
}

func TestR72_EnteredAtNeverMoves(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.command(e, OnPause)
	w.advance(w.now + hours)
	w.command(e, OnResume)
	w.advance(w.now + hours)
	for _, v := range e.tok.Active {
		if v.EnteredAt != testStart {
			t.Fatalf("%+v", v)
		}
	}
}

func TestR70_HistoryTellsEverything(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.advance(w.now + hours)
	w.event(e, "take_up", "")
	w.event(e, "park", "")
	var got []string
	for _, s := range e.steps {
		for _, l := range s.Lines {
			got = append(got, strings.TrimSpace(l.Kind+" "+l.State+" "+l.Name))
		}
	}
	want := []string{
		"started", "entered", "entered review", "timer-set review timeout", "event-refused  take_up", "event-accepted  park",
		"timer-stopped review timeout", "left review", "entered parked", "timer-set parked timeout",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	refused := e.steps[1]
	if refused.Changed || refused.Version != 1 || refused.Lines[0].More["accepts"] == nil {
		t.Fatalf("%+v", refused)
	}
}

func TestR55_SameEventIDGetsTheFirstAnswer(t *testing.T) {
	const text = `
event next
event later
flow f {
  initial a
  state a { on next -> b }
  state b {
    defer later
    on next -> c
  }
  state c { timeout never }
}`
	w, e := begin(t, text, "f", "{}")
	send := func(id, event string) Answer {
		a := w.apply(e, &Stimulus{Kind: OnEvent, Event: event, ID: id})
		w.run()
		return a
	}
	if a := send("1", "later"); a.Outcome != Refused || a.Repeated {
		t.Fatal(a)
	}
	for i := range 3 {
		if a := send("2", "next"); a.Outcome != Accepted || a.Repeated != (i > 0) {
			t.Fatal(i, a)
		}
		w.wantStates(e, "b")
	}
	for i := range 2 {
		if a := send("1", "later"); a.Outcome != DeferredEvent || a.Repeated != (i > 0) {
			t.Fatal(i, a)
		}
	}
	send("3", "next")
	w.wantStates(e, "c")
}

func TestAnswers(t *testing.T) {
	const text = `
event approve(amount: int)
internal event secret
event maybe(n: int)
event wait_for
event never
event no
flow f {
  data { n: int = 0 }
  initial a
  state a {
    timeout never
    defer wait_for
    on approve { n = event.amount }
    on secret {}
    on maybe when event.n > 3 {}
    on never when n == 99 {}
    on no { refuse "no" }
  }
}`
	w, e := begin(t, text, "f", "{}")
	for _, c := range []struct {
		event, payload string
		outcome        AnswerOutcome
		code, text     string
	}{
		{"aprove", "", Invalid, UnknownEvent, "did you mean `approve`?"},
		{"timeout", "", Invalid, ReservedEvent, "reserved"},
		{"secret", "", Invalid, InternalEvent, "internal"},
		{"approve", "", Invalid, PayloadInvalid, "/amount"},
		{"approve", `{"amount": "x"}`, Invalid, PayloadInvalid, "/amount"},
		{"approve", `{"amount": 1, "more": 2}`, Invalid, PayloadInvalid, "/more"},
		{"maybe", `{"n": 1}`, Refused, EventRefused, "does not take `maybe`"},
		{"never", "", Refused, EventRefused, "`a` does not take `never` now; it takes approve, maybe, wait_for"},
		{"no", "", Refused, EventRefused, "no"},
		{"wait_for", "", DeferredEvent, "", ""},
		{"maybe", `{"n": 4}`, Accepted, "", ""},
	} {
		if a := w.event(e, c.event, c.payload); a.Outcome != c.outcome || a.Code != c.code || !strings.Contains(a.Reason, c.text) {
			t.Errorf("%s %s: %+v", c.event, c.payload, a)
		}
	}
	want := []Accept{{Event: "approve"}, {Event: "maybe", Conditional: true}, {Event: "wait_for", Deferred: true}}
	if got := Accepts(e.p, e.tok, w.now); !slices.Equal(got, want) {
		t.Fatalf("%+v", got)
	}
}

func TestSetField(t *testing.T) {
	const text = `
flow f {
  data { n: int = 0 }
  initial a
  state a {
    timeout never
    always when n > 5 -> b
  }
  state b { timeout never }
}`
	w, e := begin(t, text, "f", "{}")
	set := func(field, v string) Answer {
		a := w.apply(e, &Stimulus{Kind: OnSet, Field: field, Value: json.RawMessage(v), Actor: "ann", Reason: "by hand"})
		w.run()
		return a
	}
	if a := set("m", "1"); a.Code != UnknownField {
		t.Fatal(a)
	}
	if a := set("n", `"x"`); a.Code != PayloadInvalid {
		t.Fatal(a)
	}
	w.command(e, OnPause)
	set("n", "9")
	w.wantStates(e, "a")
	w.command(e, OnResume)
	w.wantStates(e, "b")
}

func TestTimersByHand(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	by := func(kind StimulusKind, id string, due int64) Answer {
		a := w.apply(e, &Stimulus{Kind: kind, Timer: &TimerRef{ID: id}, Due: due})
		w.run()
		return a
	}
	if a := by(OnMove, "review.timeot", w.now); a.Code != UnknownTimer || !strings.Contains(a.Reason, "review.timeout") {
		t.Fatal(a)
	}
	by(OnMove, "review.timeout", w.now+2*hours)
	w.command(e, OnPause)
	w.advance(w.now + hours)
	by(OnMove, "review.timeout", w.now+30*minutes)
	if a := by(OnFire, "review.timeout", 0); a.Code != TokenPaused {
		t.Fatal(a)
	}
	w.advance(w.now + hours)
	w.command(e, OnResume)
	if due := dueOf(e, "review.timeout"); due != w.now+30*minutes {
		t.Fatal(due - w.now)
	}
	if a := by(OnFire, "review.timeout", 0); a.Outcome != Accepted {
		t.Fatal(a)
	}
	w.wantStates(e, "over")
}

func TestR7_TransitionsOfParallelsAndRegions(t *testing.T) {
	const text = `
event own
event region_self
event to_region
event across
event whole
event root_self
event end_l
flow f {
  data { log: string = "" }
  on root_self -> self
  initial p
  parallel p join any {
    entry { log = "{log}P" }
    exit { log = "{log}p" }
    timeout 1d
    on own -> l.l2
    on whole -> self
    on joined { log = "{log}!" }
    on timeout -> over
    region l {
      entry { log = "{log}L" }
      exit { log = "{log}l" }
      initial l1
      on region_self -> self
      state l1 {
        on to_region -> l
        on across -> r.r2
        on end_l -> l_end
      }
      state l2 { timeout never }
      final l_end
    }
    region r {
      entry { log = "{log}R" }
      exit { log = "{log}r" }
      initial r1
      state r1 { timeout never }
      state r2 { timeout never }
    }
  }
  final over
}`
	for _, c := range []struct {
		events string
		log    string
		states string
	}{
		{"own", "PLRrlLR", "p.l.l2 p.r.r1"},              // the parallel is not left, its regions are
		{"region_self", "PLRlL", "p.l.l1 p.r.r1"},        // the other region goes on
		{"to_region", "PLRlL", "p.l.l1 p.r.r1"},          //
		{"across", "PLRrlpPLR", "p.l.l1 p.r.r2"},         // from one region into another: the whole parallel
		{"whole", "PLRrlpPLR", "p.l.l1 p.r.r1"},          //
		{"root_self", "PLRrlpPLR", "p.l.l1 p.r.r1"},      //
		{"end_l", "PLRr!", "p.l.l_end"},                  // joined: what runs is left
		{"end_l own end_l", "PLRr!lLR", "p.l.l2 p.r.r1"}, // begun anew
	} {
		w, e := begin(t, text, "f", "{}")
		for _, event := range strings.Fields(c.events) {
			w.event(e, event, "")
		}
		w.wantData(e, "log", c.log)
		w.wantStates(e, strings.Fields(c.states)...)
	}
}
