package vm_test

import (
	"strings"
	"testing"

	"flowc/vm"
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
	w.wantStatus(e, vm.Completed)
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
	w.advance(w.Now() + hours)
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
	if due := dueOf(e, "box.timeout"); due != w.Now()+days {
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
		{"loop", vm.CodeSteps}, {"ping", vm.CodeSteps}, {"count", "instruction_limit"}, {"shape", vm.CodeSnapshot},
	} {
		w, e := begin(t, text, "f", "{}")
		if a := w.event(e, c.event, ""); a.Outcome != vm.ErrorOutcome {
			t.Fatalf("%s: %+v", c.event, a)
		}
		w.wantStatus(e, vm.Failed)
		w.wantStates(e, "a")
		w.wantData(e, "n", 0)
		if e.VM().Error.Code != c.code {
			t.Fatalf("%s: %+v", c.event, e.VM().Error)
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
	w.wantStatus(e, vm.Failed)
	if e.VM().Error.Code != vm.CodeSteps {
		t.Fatalf("%+v", e.VM().Error)
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
	if a := w.event(e, "go", ""); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	w.wantData(e, "n", 1)
	wantLines(t, linesOf(e, "raised-unhandled"), "more")
	wantLines(t, linesOf(e, "event-refused"), "no never")
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
