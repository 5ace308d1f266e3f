package vm_test

import (
	"errors"
	"testing"

	"flowc/vm"
	"flowc/vm/task"
)

func TestR30_RoutineGoesOnWhereItWas(t *testing.T) {
	const text = `
event hello(name: string)
event bye
event other
task ask(n: int) -> (answer: int) fails "bad"
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    defer hello
    on other { log = "{log}o" }
    run {
      let first = 10
      let r = call ask(n: first)
      log = "{log}{r.answer} "
      try {
        let q = call ask(n: 2)
        log = "{log}never"
      } catch "bad" as e {
        log = "{log}{e.code}:{e.message} "
      }
      let h = wait hello for 1h
      log = "{log}{h == null ? "nobody" : "somebody"} "
      wait {
        on hello when event.name == "ann" { log = "{log}{event.name} " }
        on hello, bye { log = "{log}? " }
        after 2h { log = "{log}late " }
      }
      sleep 1h
      let z = wait bye for 0s
      log = "{log}{z == null} {first}"
    }
    on completed -> done
    on error -> broken
  }
  final done
  final broken as failure
}`
	w, e := begin(t, text, "f", "{}")
	if a := w.event(e, "hello", `{"name":"early"}`); a.Outcome != vm.DeferredEvent {
		t.Fatal(a)
	}
	w.event(e, "other", "")
	w.result(0, `{"answer": 7}`)
	w.fails(w.Tasks()[1], task.Failing{Code: "bad", Message: "no", NoRetry: true})
	w.wantData(e, "log", "o7 bad:no somebody ")
	w.event(e, "hello", `{"name":"bob"}`)
	w.wantData(e, "log", "o7 bad:no somebody ? ")
	if a := w.event(e, "bye", ""); a.Outcome != vm.Refused {
		t.Fatal("events complete a sleep", a)
	}
	w.advance(w.Now() + hours)
	w.wantData(e, "log", "o7 bad:no somebody ? true 10")
	w.wantStates(e, "done")
}

func TestR31_WaitLimits(t *testing.T) {
	const text = `
event hello
flow f(until: time) {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    run {
      let a = wait hello for 1h
      log = "{log}{a == null ? "-" : "+"}"
      let b = wait hello until until
      log = "{log}{b == null ? "-" : "+"}"
      let c = wait hello for 1h
      log = "{log}{c == null ? "-" : "+"}"
      wait hello
      log = "{log}!"
    }
    on completed -> done
    on error -> done
  }
  final done
}`
	w, e := begin(t, text, "f", `{"until": "2026-01-01T00:30:00Z"}`)
	w.advance(w.Now() + hours)
	w.wantData(e, "log", "--")
	w.event(e, "hello", "")
	w.wantData(e, "log", "--+")
	if n := len(vm.Timers(e.Program(), e.VM(), w.Now())); n != 0 {
		t.Fatal("a limit outlives its wait")
	}
	w.event(e, "hello", "")
	w.wantStates(e, "done")
}

func TestR33_LeavingCancelsTheRoutine(t *testing.T) {
	const text = `
event out
event back
task ask(n: int)
flow kid {
  initial k
  state k { timeout never }
}
flow f {
  data { mode: int = 0 }
  initial s
  state s {
    timeout never
    run {
      if mode == 0 { sleep 1d }
      if mode == 1 { call ask(n: 1) }
      if mode == 2 { call kid() }
      if mode == 3 { call ask(n: x) each x in range(5) concurrency 2 }
    }
    on out -> t { mode = mode + 1 }
    on completed -> t
    on error -> t
  }
  state t {
    timeout never
    on back -> s
  }
}`
	w, e := begin(t, text, "f", "{}")
	for mode := range 4 {
		w.event(e, "out", "")
		if len(e.VM().Frames)+len(e.VM().Work)+len(e.VM().Children)+len(e.VM().Fans)+len(e.VM().Timers) != 0 {
			t.Fatalf("mode %d: %+v", mode, e.VM())
		}
		w.event(e, "back", "")
	}
	for _, task := range w.Tasks() {
		if !task.Row().Status.Over() {
			t.Fatal("a task goes on")
		}
	}
	if kid := w.Children(e, "kid"); len(kid) != 1 || kid[0].VM().Status != vm.Cancelled {
		t.Fatal("the child goes on")
	}
}

func TestR8_UncaughtErrorUndoesTheSegment(t *testing.T) {
	const text = `
event go
event off
task ask(n: int) -> (answer: int)
flow f {
  data {
    log: string = ""
    n: int = 0
  }
  initial s
  state s {
    timeout never
    on go -> r { log = "{log}go " }
  }
  state r {
    timeout never
    run {
      log = "{log}first "
      let a = call ask(n: 1)
      log = "{log}second "
      note "second"
      raise off
      n = 1 / n
    }
    on off { log = "{log}off " }
    on completed -> s
    on error { log = "{log}{event.code} {event.attempts}" }
  }
}`
	w, e := begin(t, text, "f", "{}")
	if a := w.event(e, "go", ""); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	w.result(0, `{"answer": 1}`)
	w.wantData(e, "log", "go first division_by_zero 0")
	if len(e.VM().Frames) != 0 || len(linesOf(e, "note")) != 0 {
		t.Fatal("something of the segment remains")
	}
}

func TestR41_ErrorOfACallSaysHowOften(t *testing.T) {
	const text = `
task ask(n: int) -> (answer: int) retry 2
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    run { call ask(n: 1) }
    on completed -> s2
    on error -> s2 { log = "{event.code} {event.attempts} {event.source ?? ""} {event.message}" }
  }
  state s2 { timeout never }
}`
	w, e := begin(t, text, "f", "{}")
	for range 3 {
		w.fails(w.Tasks()[0], task.Failing{Code: "down", Message: "no answer"})
	}
	w.wantData(e, "log", "down 3 ask no answer")
}

func TestRoutineCallsFlowAndEach(t *testing.T) {
	const text = `
task ask(n: int) -> (answer: int) fails "bad"
event stop
flow kid(n: int) -> (doubled: int) {
  data { doubled: int = 0 }
  initial k
  state k {
    timeout 1h
    on timeout -> good { doubled = n * 2 }
    on stop -> bad
  }
  final good
  final bad as failure
}
flow f {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    run {
      let c = call kid(n: 4)
      log = "{c.doubled} {c.final ?? "-"} {c.outcome}; "
      let rs = call ask(n: x * 10) each x in [1, 2, 3] concurrency 2
      for r in rs { log = "{log}{r.answer} " }
      let none = call ask(n: x) each x in range(0)
      log = "{log}{len(none)}; "
      call ask(n: x) each x in range(3)
    }
    on completed -> s2
    on error -> s2 { log = "{log}{event.code}" }
  }
  state s2 { timeout never }
}`
	w, e := begin(t, text, "f", "{}")
	w.advance(w.Now() + hours)
	w.wantData(e, "log", "8 good success; ")
	if len(w.Tasks()) != 2 {
		t.Fatal("more than two at once")
	}
	w.result(1, `{"answer": 2}`)
	w.result(2, `{"answer": 3}`)
	w.result(0, `{"answer": 1}`)
	w.wantData(e, "log", "8 good success; 1 2 3 0; ")
	w.result(3, `{"answer": 3}`)
	w.fails(w.Tasks()[4], task.Failing{Code: "bad", Message: "bad", NoRetry: true})
	w.wantData(e, "log", "8 good success; 1 2 3 0; bad")
	if !w.Tasks()[5].Row().Status.Over() {
		t.Fatal("the first failure does not withdraw the rest")
	}
}

func TestMessages(t *testing.T) {
	const text = `
event ping(n: int)
event pong(n: int)
event tell
internal event inside_only(n: int)
flow ear {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    on ping { log = "{log}{event.n}{event.actor ?? "-"} " }
    on inside_only { log = "{log}i" }
    on pong when event.n == 5 {}
  }
}
flow kid {
  initial k
  state k {
    timeout 1h
    on timeout -> over { send ping(n: 3) to parent }
  }
  final over
}
flow mouth {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    invoke kid()
    on tell {
      send ping(n: 1) to ear["e"]
      send inside_only(n: 1) to ear["e"]
      send pong(n: 1) to ear["e"]
      send ping(n: 2) to ear["nobody"]
      send ping(n: 2) to parent
      start ear() key "e"
      start ear() key "e" keep
      start ear() key "fresh" after 2h
    }
    on ping { log = "{log}{event.n}" }
    on completed {}
    on error {}
  }
}`
	w := check(t, "test.flow", text)
	ear, _ := w.start("ear", "e", nil, 0)
	mouth, _ := w.start("mouth", "", nil, 0)
	w.event(mouth, "tell", "")
	w.wantData(ear, "log", "1- i")
	wantLines(t, linesOf(mouth, "undeliverable"), "s ping the token has no parent", `ping there is no token ear["nobody"]`,
		`ear the key ear["e"] is taken`, "pong `s` does not take `pong` now; it takes ping, pong")
	w.wantStatus(w.keyed("ear", "fresh"), vm.Scheduled)
	w.advance(w.Now() + 2*hours)
	w.wantStatus(w.keyed("ear", "fresh"), vm.Running)
	w.wantData(mouth, "log", "3")
	w.replay()
}

func TestR51_CancelledParentsChildrenEnd(t *testing.T) {
	w, e := begin(t, kids, "many", "{}")
	w.give(e, &vm.Stimulus{Kind: vm.OnCancel})
	if e.VM().Totals.Running != 3 {
		t.Fatal("the API cannot show how many still run", e.VM().Totals)
	}
	w.rest()
	if e.VM().Totals != (vm.ChildTotals{Cancelled: 3}) {
		t.Fatalf("%+v", e.VM().Totals)
	}
}

func TestR47_DispatchedWorkOutlivesTheToken(t *testing.T) {
	w, e := begin(t, `
task mail(n: int)
flow f {
  initial over
  final over { entry { dispatch mail(n: 1) retry 2 backoff 1s } }
}`, "f", "{}")
	w.wantStatus(e, vm.Completed)
	v := e.VM().Version
	for range 3 {
		w.fails(w.Tasks()[0], task.Failing{Code: "down", Message: "no"})
	}
	wantLines(t, linesOf(e, "task-failed"), "mail down: no")
	if e.VM().Version != v {
		t.Fatal("a line about dispatched work changed the token")
	}
}

func TestApplyWithoutToken(t *testing.T) {
	w := check(t, "test.flow", kids)
	p := w.units["one"]
	if _, err := vm.Apply(p, nil, &vm.Stimulus{Kind: vm.OnPause}, 0); !errors.Is(err, vm.ErrNoToken) {
		t.Fatal(err)
	}
	if _, err := vm.Apply(p, nil, nil, 0); !errors.Is(err, vm.ErrNoToken) {
		t.Fatal(err)
	}
	if _, err := vm.Apply(p, nil, vm.New(vm.NewToken{Flow: "nowhere"}), 0); err == nil {
		t.Fatal("a flow of another program starts")
	}
}

func TestIDsAndBackoff(t *testing.T) {
	if a, b := vm.DeriveID("t", 1, 1), vm.DeriveID("t", 1, 2); a == b || len(a) != 36 || a != vm.DeriveID("t", 1, 1) || a[14] != '8' {
		t.Fatal(a, b)
	}
	if vm.FanID("t", 1, 2, 3) == vm.FanID("t", 2, 1, 3) || vm.FanID("t", 1, 2, 3) == vm.DeriveID("t", 2, 3) {
		t.Fatal("ids collide")
	}
	j := vm.Jitter("t", 1, 0, 1)
	if j < 0 || j >= 1 || j != vm.Jitter("t", 1, 0, 1) || j == vm.Jitter("t", 1, 0, 2) {
		t.Fatal(j)
	}
}
