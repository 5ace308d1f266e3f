package vm_test

import (
	"slices"
	"testing"

	"flowc/vm"
)

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
		if a := w.event(e, event, `{"zero": 0}`); a.Outcome != vm.ErrorOutcome || a.Code != "division_by_zero" {
			t.Fatalf("%s: %+v", event, a)
		}
		w.wantStates(e, "a")
		w.wantData(e, "n", 0)
		w.wantData(e, "code", "division_by_zero")
	}
	if len(w.Tasks()) != 0 || len(linesOf(e, "note")) != 0 {
		t.Fatal("something of the step remains")
	}
	if line := e.Steps()[1].Lines[len(e.Steps()[1].Lines)-1]; line.Kind != "error" || line.Code == nil {
		t.Fatalf("%+v", e.Steps()[1].Lines)
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
	w.wantStatus(e, vm.Failed)
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
	w.wantStatus(e, vm.Failed)
	w.wantStates(e)
	if a := w.command(e, vm.OnRetry); a.Outcome == vm.Refused {
		t.Fatal(a)
	}
	w.wantStatus(e, vm.Failed)
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
	w.advance(w.Now() + hours)
	w.event(e, "stay", "")
	w.wantStatus(e, vm.Failed)
	w.wantData(e, "n", 1)
	if e.VM().Error.Message != "stay" || e.VM().Error.Code != vm.CodeFail {
		t.Fatalf("%+v", e.VM().Error)
	}
	w.down(w.Now() + 5*hours)
	w.command(e, vm.OnRetry)
	w.wantStates(e, "a")
	w.event(e, "leave", "")
	w.wantStatus(e, vm.Failed)
	w.wantStates(e, "a")
	w.wantData(e, "n", 13)
	if slices.Contains(linesOf(e, "left"), "b") {
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
	w.advance(w.Now() + hours)
	w.event(e, "boom", "")
	w.wantStatus(e, vm.Failed)
	kid := w.Children(e, "kid")[0]
	if !w.Tasks()[0].Row().Status.Over() || kid.VM().Status != vm.Cancelled {
		t.Fatal("work or children go on", kid.VM().Status)
	}
	w.advance(w.Now() + 20*hours)
	for _, a := range vm.Timers(e.Program(), e.VM(), w.Now()) {
		if !a.Held || a.Remaining != 9*hours && a.Remaining != 3*hours {
			t.Fatalf("%+v", a)
		}
	}
	w.command(e, vm.OnRetry)
	w.wantStatus(e, vm.Running)
	w.wantStates(e, "both.l.l1", "both.r.r1")
	if due := dueOf(e, "timeout"); due != w.Now()+9*hours {
		t.Fatal("the flow's timer does not go on from its remainder", due-w.Now())
	}
	if due := dueOf(e, "both.r.r1.timeout"); due != w.Now()+4*hours {
		t.Fatal("the leaf's timer is not armed anew", due-w.Now())
	}
	if len(w.Children(e, "kid")) != 2 || len(w.Tasks()) != 2 {
		t.Fatal("work and children do not start anew")
	}
	if e.VM().Totals.Running != 1 || e.VM().Totals.Cancelled != 1 {
		t.Fatalf("%+v", e.VM().Totals)
	}
}
