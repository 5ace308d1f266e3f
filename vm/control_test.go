package vm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"flowc/vm"
)

const pausing = `
event a(n: int)
event b
event stop
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout 1d
    defer b
    exit { log = "{log}x" }
    on a { log = "{log}{event.n}" }
    on stop -> over
    on timeout -> over
  }
  final over
}`

func TestR50_KeptEventsComeInOrder(t *testing.T) {
	w, e := begin(t, pausing, "f", "{}")
	w.command(e, vm.OnPause)
	if e.VM().PausedAt != w.Now() {
		t.Fatal("pausedAt is not set")
	}
	for i := range 5 {
		if a := w.event(e, "a", fmt.Sprintf(`{"n":%d}`, i)); a.Outcome != vm.Queued {
			t.Fatal(a)
		}
	}
	if a := w.event(e, "a", `{"n":"x"}`); a.Outcome != vm.Invalid {
		t.Fatal("a misfit is kept", a)
	}
	w.event(e, "stop", "")
	w.event(e, "a", `{"n":9}`)
	w.wantData(e, "log", "")
	if len(e.VM().Kept) != 7 {
		t.Fatal(len(e.VM().Kept))
	}
	w.command(e, vm.OnResume)
	w.wantData(e, "log", "01234x")
	w.wantStates(e, "over")
	wantLines(t, linesOf(e, "event-dropped"), "a the token has ended")
}

func TestR50_OnlySoMuchIsKept(t *testing.T) {
	w, e := begin(t, pausing, "f", "{}")
	w.command(e, vm.OnPause)
	tok := e.VM()
	st := &vm.Stimulus{Kind: vm.OnEvent, Event: "a", Payload: json.RawMessage(`{"n":1}`)}
	for range vm.MaxKept {
		r, err := vm.Apply(e.Program(), tok, st, w.Now())
		if err != nil || r.Answer.Outcome != vm.Queued {
			t.Fatal(err, r.Answer)
		}
		tok = r.Token
	}
	r, err := vm.Apply(e.Program(), tok, st, w.Now())
	if err != nil || r.Answer.Outcome != vm.Full || r.Token != tok {
		t.Fatal(err, r.Answer)
	}
	r, err = vm.Apply(e.Program(), tok, &vm.Stimulus{Kind: vm.OnResume}, w.Now())
	if err != nil || len(r.Token.Kept) != 0 || len(r.Steps) != 1+vm.MaxKept {
		t.Fatal(err, len(r.Steps))
	}
}

func TestR50_WhatIsKeptTakesOnlySoMuchRoom(t *testing.T) {
	const text = `
event a(s: string)
flow f {
  initial s
  state s {
    timeout never
    on a {}
  }
}`
	w, e := begin(t, text, "f", "{}")
	w.command(e, vm.OnPause)
	big := fmt.Sprintf(`{"s":%q}`, strings.Repeat("x", 300_000))
	for i, want := range []vm.AnswerOutcome{vm.Queued, vm.Queued, vm.Queued, vm.Full, vm.Full} {
		if a := w.event(e, "a", big); a.Outcome != want {
			t.Fatal(i, a.Outcome)
		}
	}
	w.wantStatus(e, vm.Paused)
}

func TestR50_PauseAndResumeAreIdempotent(t *testing.T) {
	w, e := begin(t, pausing, "f", "{}")
	w.command(e, vm.OnResume)
	w.command(e, vm.OnPause)
	v := e.VM().Version
	w.command(e, vm.OnPause)
	if e.VM().Version != v {
		t.Fatal("a second pause is a step")
	}
	w.command(e, vm.OnResume)
	w.command(e, vm.OnResume)
	w.wantStatus(e, vm.Running)
	w.command(e, vm.OnCancel)
	for _, kind := range []vm.StimulusKind{vm.OnPause, vm.OnResume, vm.OnRetry} {
		if a := w.command(e, kind); a.Outcome != vm.Refused || a.Code != vm.TokenEnded {
			t.Fatal(kind, a)
		}
	}
}

const cancelling = `
event undone
event b
event a(n: int)
task undo(n: int)
flow f(zero: int) {
  data {
    log: string = ""
    n: int = 0
  }
  timeout 30d
  on timeout -> over
  on cancel -> cleaning { log = "{log}c{event.reason ?? "-"}" }
  initial s
  state s {
    timeout 1d
    exit {
      log = "{log}x"
      n = zero == 0 ? 1 / zero : 0
    }
    defer b
    on a {}
    on timeout -> over
  }
  state cleaning {
    timeout 1h
    do undo(n: 1)
    on completed -> undone_all
    on undone -> undone_all
    on error -> undone_all
    on timeout -> undone_all
  }
  final undone_all as cancelled
  final over
}`

func TestR51_CancelWithHandler(t *testing.T) {
	w, e := begin(t, cancelling, "f", `{"zero": 1}`)
	w.event(e, "b", "")
	w.command(e, vm.OnPause)
	w.event(e, "a", `{"n":1}`)
	w.advance(w.Now() + 2*days)
	w.give(e, &vm.Stimulus{Kind: vm.OnCancel, Reason: "enough"})
	w.rest()
	w.wantStatus(e, vm.Running)
	w.wantStates(e, "cleaning")
	w.wantData(e, "log", "xcenough")
	wantLines(t, linesOf(e, "event-dropped"), "b the token is cancelled", "a the token is cancelled")
	if !e.VM().Cancelling {
		t.Fatal("it is not shown as cancelling")
	}
	if a := w.command(e, vm.OnPause); a.Outcome != vm.Refused || a.Code != vm.NotPausable {
		t.Fatal(a)
	}
	if a := w.give(e, &vm.Stimulus{Kind: vm.OnCancel, Reason: "again"}); a.Outcome != vm.Accepted || e.VM().Reason != "enough" {
		t.Fatal(a)
	}
	w.advance(w.Now() + hours)
	w.wantStatus(e, vm.Cancelled)
	if vm.FinalName(e.Program(), e.VM()) != "undone_all" || e.VM().Reason != "enough" {
		t.Fatalf("%+v", e.VM())
	}
}

func TestR51_ErrorOnTheWayEndsItAsCancelled(t *testing.T) {
	w, e := begin(t, cancelling, "f", `{"zero": 0}`)
	w.give(e, &vm.Stimulus{Kind: vm.OnCancel, Reason: "enough"})
	w.rest()
	w.wantStatus(e, vm.Cancelled)
	if e.VM().Error == nil || e.VM().Error.Code != "division_by_zero" || e.VM().Reason != "enough" || len(vm.Timers(e.Program(), e.VM(), w.Now())) != 0 {
		t.Fatalf("%+v", e.VM())
	}
}

func TestR51_CancelWithoutHandler(t *testing.T) {
	w, e := begin(t, pausing, "f", "{}")
	w.event(e, "b", "")
	w.give(e, &vm.Stimulus{Kind: vm.OnCancel, Reason: "first", Actor: "ann"})
	w.wantStatus(e, vm.Cancelled)
	w.wantData(e, "log", "x")
	v := e.VM().Version
	if a := w.give(e, &vm.Stimulus{Kind: vm.OnCancel, Reason: "second"}); a.Outcome != vm.Accepted || e.VM().Version != v || e.VM().Reason != "first" {
		t.Fatal(a)
	}
}

func TestR51_CancelOfWhatCompletedIsRefused(t *testing.T) {
	w, e := begin(t, pausing, "f", "{}")
	w.event(e, "stop", "")
	if a := w.command(e, vm.OnCancel); a.Outcome != vm.Refused || a.Code != vm.TokenEnded {
		t.Fatal(a)
	}
}

func TestR51_CancelOfAFailedToken(t *testing.T) {
	w, e := begin(t, `
event boom
flow f {
  data { n: int = 0 }
  initial a
  state a {
    timeout never
    exit { n = n + 1 }
    on boom { fail "boom" }
  }
}`, "f", "{}")
	w.event(e, "boom", "")
	w.wantStatus(e, vm.Failed)
	w.command(e, vm.OnCancel)
	w.wantStatus(e, vm.Cancelled)
	w.wantData(e, "n", 1)
}

const retrying = `
event boom
event go
flow f(zero: int) {
  data { log: string = "" }
  timeout 20h
  on timeout -> over
  initial a
  state a {
    timeout 9h
    entry { log = "{log}A" }
    exit { log = "{log}a" }
    initial b
    on timeout -> over
    state b {
      timeout 5h
      entry { log = "{log}B" }
      exit { log = "{log}b" }
      on boom { fail "boom" }
      on go -> c
      on timeout -> over
    }
    state c {
      timeout never
      entry { log = "{log}C" }
    }
  }
  state d {
    timeout never
    entry { log = "{log}D" }
    initial d1
    state d1 { entry { log = "{log}1" } }
    state d2 { entry { log = "{log}2" } }
    on go -> d2
  }
  parallel p {
    region r {
      initial r1
      state r1 { timeout never }
    }
    on go -> d
  }
  on boom -> p
  final over { entry { log = "{log}O" } }
}`

func TestR53_RetryGoesOnWhereItFailed(t *testing.T) {
	w, e := begin(t, retrying, "f", `{"zero":0}`)
	w.advance(w.Now() + hours)
	w.event(e, "boom", "")
	w.wantStatus(e, vm.Failed)
	w.advance(w.Now() + 100*hours)
	w.command(e, vm.OnRetry)
	w.wantData(e, "log", "ABB")
	for id, left := range map[string]int64{"timeout": 19, "a.timeout": 8, "a.b.timeout": 5} {
		if due := dueOf(e, id); due != w.Now()+left*hours {
			t.Errorf("%s is due in %d h", id, (due-w.Now())/hours)
		}
	}
	if a := w.command(e, vm.OnRetry); a.Code != vm.TokenRunning {
		t.Fatal(a)
	}
}

func TestR53_RetryAt(t *testing.T) {
	w, e := begin(t, retrying, "f", `{"zero":0}`)
	at := func(state string) vm.Answer {
		a := w.give(e, &vm.Stimulus{Kind: vm.OnRetry, State: state})
		w.rest()
		return a
	}
	for state, code := range map[string]string{"nowhere": vm.UnknownState, "p.r.r1": vm.StateInRegion, "r1": vm.StateInRegion} {
		if a := at(state); a.Code != code {
			t.Fatal(state, a)
		}
	}
	at("c") // also of a running token: no exit block, the entry block below the nearest active ancestor
	w.wantData(e, "log", "ABC")
	at("d.d2")
	w.wantStates(e, "d.d2")
	w.wantData(e, "log", "ABCD2")
	at("d")
	w.wantStates(e, "d.d1")
	w.wantData(e, "log", "ABCD2D1")
	at("over")
	w.wantStatus(e, vm.Completed)
	if a := at("d"); a.Code != vm.TokenEnded {
		t.Fatal(a)
	}
}

func TestR53_ErrorOfARetriedEntryBlock(t *testing.T) {
	w, e := begin(t, `
event go
flow f {
  data {
    ok: bool = false
    n: int = 0
  }
  initial a
  state a {
    timeout never
    on go -> b
  }
  state b {
    timeout never
    entry {
      if n == 1 { n = n / (n - n) }
      fail "not yet"
    }
    on error -> c
  }
  state c { timeout never }
}`, "f", "{}")
	w.event(e, "go", "")
	w.wantStatus(e, vm.Failed)
	w.wantStates(e, "b")
	w.give(e, &vm.Stimulus{Kind: vm.OnSet, Field: "n", Value: json.RawMessage("1")})
	w.command(e, vm.OnRetry)
	w.wantStates(e, "c")
}

func TestR53_FailedStartRunsAgain(t *testing.T) {
	w, e := begin(t, `
flow f(n: int) {
  data { m: int = 0 }
  initial a
  state a {
    timeout never
    entry { m = 6 / n }
  }
  state b { timeout never }
  on error -> b
}`, "f", `{"n": 0}`)
	w.wantStatus(e, vm.Failed)
	w.give(e, &vm.Stimulus{Kind: vm.OnRetry, State: "b"})
	w.wantStatus(e, vm.Running)
	w.wantStates(e, "b")
	w.wantData(e, "m", 0)
}

func TestR56_StartLater(t *testing.T) {
	w := check(t, "test.flow", pausing)
	e, a := w.start("f", "", nil, 2*hours)
	if a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	w.wantStatus(e, vm.Scheduled)
	if e.VM().StartAt != w.Now()+2*hours {
		t.Fatal(e.VM().StartAt)
	}
	if a := w.event(e, "stop", ""); a.Code != vm.NotStarted {
		t.Fatal(a)
	}
	w.advance(w.Now() + hours)
	w.command(e, vm.OnPause)
	w.wantStatus(e, vm.Paused)
	if a := w.event(e, "stop", ""); a.Code != vm.NotStarted {
		t.Fatal(a)
	}
	w.advance(w.Now() + 3*hours)
	w.command(e, vm.OnResume)
	w.wantStatus(e, vm.Scheduled)
	if e.VM().StartAt != w.Now()+hours {
		t.Fatal(e.VM().StartAt - w.Now())
	}
	w.advance(w.Now() + hours)
	w.wantStatus(e, vm.Running)
	if e.VM().StartedAt != w.Now() {
		t.Fatal(e.VM().StartedAt)
	}
	other, _ := w.start("f", "", nil, hours)
	w.command(other, vm.OnCancel)
	w.wantStatus(other, vm.Cancelled)
	w.advance(w.Now() + 5*hours)
	w.wantStatus(other, vm.Cancelled)
	w.replay()
}

func TestStartRefusesMisfits(t *testing.T) {
	w := check(t, "test.flow", retrying)
	e, a := w.start("f", "", json.RawMessage(`{"zero": "x", "more": 1}`), 0)
	if e != nil || a.Outcome != vm.Invalid || a.Code != vm.InputInvalid || len(a.Errors) != 2 || a.Errors[0].Pointer != "/zero" {
		t.Fatalf("%+v", a)
	}
}
