package vm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"flowc/vm"
)

const kids = `
event go(n: int)
event boom
event stop
flow kid(n: int) -> (m: int) {
  data { m: int = 0 }
  initial k
  state k {
    timeout never
    on go -> good { m = event.n }
    on boom { fail "boom" }
    on stop -> bad
  }
  final good
  final bad as cancelled
}
flow one {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    invoke kid(n: 1)
    on completed -> s2 { log = "{event.final ?? "-"} {event.outcome} {event.m}" }
    on error { log = "{event.code} {event.message} {event.source ?? ""}" }
    on stop -> s2
  }
  state s2 { timeout never }
}
flow many {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    invoke kid(n: x) each x in range(4) key "k{x}" concurrency 3 join all
    on joined -> s2 {
      log = "{event.ok} {event.total} {event.succeeded} {event.failed}:"
      for r in event.results { log = "{log} {r.index}/{r.final ?? "-"}/{(r.outcome ?? outcome.failure) == outcome.success}/{r.code ?? "-"}" }
    }
    on error -> s2
  }
  state s2 { timeout never }
}
flow racing {
  data { log: string = "" }
  initial s
  state s {
    timeout never
    invoke kid(n: x) each x in range(3) join race
    on joined -> s2 { log = "{event.ok} {event.succeeded} {event.failed}" }
    on error -> s2
  }
  state s2 { timeout never }
}`

func TestInvokeCompletes(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	w.event(kid, "go", `{"n": 5}`)
	w.wantData(e, "log", "good success 5")
	if e.VM().Totals != (vm.ChildTotals{Completed: 1}) {
		t.Fatalf("%+v", e.VM().Totals)
	}
}

func TestR53_RetriedChildStillCompletesItsParent(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	w.event(kid, "boom", "")
	w.wantData(e, "log", "child_failed kid failed: failed: boom kid")
	w.wantStates(e, "s")
	w.command(kid, vm.OnRetry)
	w.event(kid, "stop", "")
	w.wantData(e, "log", "bad cancelled 0")
	if e.VM().Totals != (vm.ChildTotals{Cancelled: 1}) {
		t.Fatalf("%+v", e.VM().Totals)
	}
}

func TestR53_ParentMovedOn(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	w.event(kid, "boom", "")
	w.event(e, "stop", "")
	w.wantStatus(kid, vm.Failed)
	if a := w.command(kid, vm.OnRetry); a.Outcome != vm.Refused || a.Code != vm.ParentMovedOn {
		t.Fatal(a)
	}
}

func TestR57_FanOutOfChildren(t *testing.T) {
	w, e := begin(t, kids, "many", "{}")
	if n := len(w.Children(e, "kid")); n != 3 {
		t.Fatal(n)
	}
	if w.keyed("kid", "k2") == nil {
		t.Fatal("the children have no keys")
	}
	w.event(w.keyed("kid", "k2"), "go", `{"n":1}`)
	w.event(w.keyed("kid", "k0"), "boom", "")
	w.event(w.keyed("kid", "k3"), "stop", "")
	w.event(w.keyed("kid", "k1"), "go", `{"n":1}`)
	w.wantData(e, "log", "true 4 2 2: 0/-/false/child_failed 1/good/true/- 2/good/true/- 3/bad/false/-")
	if a := w.command(w.keyed("kid", "k0"), vm.OnRetry); a.Code != vm.ParentMovedOn {
		t.Fatal(a)
	}
}

func TestR57_RaceCancelsTheRest(t *testing.T) {
	w, e := begin(t, kids, "racing", "{}")
	all := w.Children(e, "kid")
	w.event(all[1], "stop", "")
	w.wantData(e, "log", "true 0 1")
	w.wantStatus(all[0], vm.Cancelled)
	w.wantStatus(all[2], vm.Cancelled)
	if e.VM().Totals != (vm.ChildTotals{Cancelled: 3}) {
		t.Fatalf("%+v", e.VM().Totals)
	}
}

func TestR54_PausePassesOn(t *testing.T) {
	w, e := begin(t, kids, "many", "{}")
	all := w.Children(e, "kid")
	w.command(all[0], vm.OnPause)
	w.command(e, vm.OnPause)
	for _, k := range all {
		w.wantStatus(k, vm.Paused)
	}
	w.event(all[1], "go", `{"n":1}`)
	w.command(e, vm.OnResume)
	w.wantStatus(all[0], vm.Paused)
	w.wantStatus(all[1], vm.Completed)
	w.wantStatus(all[2], vm.Running)
	w.command(all[0], vm.OnResume)
	w.wantStatus(all[0], vm.Running)
}

func TestR50_OutcomesAreKeptWithTheEvents(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	// Only the parent is paused: its child's outcome waits for the resume.
	w.give(e, &vm.Stimulus{Kind: vm.OnPause})
	w.event(kid, "go", `{"n": 5}`)
	w.wantStates(e, "s")
	w.command(e, vm.OnResume)
	w.wantData(e, "log", "good success 5")
}

func TestR57_OneStepTakesAllOutcomes(t *testing.T) {
	const text = `
task weigh(n: int) -> (text: string)
flow f(n: int) {
  data {
    good: int = -1
    log: string = ""
  }
  initial s
  state s {
    timeout never
    do weigh(n: x) each x in range(n)
    on joined -> done { good = event.succeeded }
    on error -> done { log = event.code }
  }
  state done { timeout never }
}`
	w := check(t, "test.flow", text)
	e, _ := w.start("f", "", json.RawMessage(`{"n": 10000}`), 0)
	outcome := func(i int, text string) vm.TaskOutcome {
		o := w.Tasks()[i].Row()
		return vm.TaskOutcome{ID: o.ID, Task: o.Task, Visit: o.Visit, Index: o.Index, Result: json.RawMessage(fmt.Sprintf(`{"text": %q}`, text))}
	}
	st := &vm.Stimulus{Kind: vm.OnTask}
	first := outcome(9999, "x")
	st.Task = &first
	for i := range 9999 {
		st.Tasks = append(st.Tasks, outcome(i, "x"))
	}
	if a := w.give(e, st); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	w.wantData(e, "good", 10000)
	if e.VM().Version != 2 {
		t.Fatal("more than one step")
	}
	w.replay()

	w = w.anew()
	e, _ = w.start("f", "", json.RawMessage(`{"n": 20}`), 0)
	st = &vm.Stimulus{Kind: vm.OnTask}
	first = outcome(13, "x")
	st.Task = &first
	for i := range 10 {
		st.Tasks = append(st.Tasks, outcome(i, "x"))
	}
	st.Tasks[3].Code, st.Tasks[3].Result = "blind", nil
	if a := w.give(e, st); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	if e.VM().Version != 2 || e.VM().Fans[0].Succeeded != 10 || e.VM().Fans[0].Failed != 1 {
		t.Fatalf("version %d: %+v", e.VM().Version, e.VM().Fans[0])
	}
	w.replay()

	w = w.anew()
	e, _ = w.start("f", "", json.RawMessage(`{"n": 10001}`), 0)
	w.wantStatus(e, vm.Failed)
	if e.VM().Error.Code != "too_many_items" {
		t.Fatalf("%+v", e.VM().Error)
	}

	w = w.anew()
	e, _ = w.start("f", "", json.RawMessage(`{"n": 3}`), 0)
	for i := range 2 {
		o := outcome(i, strings.Repeat("y", 600_000))
		w.give(e, &vm.Stimulus{Kind: vm.OnTask, Task: &o})
	}
	w.wantData(e, "log", vm.CodeResults)
	if !w.Tasks()[2].Row().Status.Over() {
		t.Fatal("the rest goes on")
	}
}
