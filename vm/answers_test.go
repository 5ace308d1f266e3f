package vm_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"flowc/vm"
)

func TestR72_EnteredAtNeverMoves(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.command(e, vm.OnPause)
	w.advance(w.Now() + hours)
	w.command(e, vm.OnResume)
	w.advance(w.Now() + hours)
	for _, v := range e.VM().Active {
		if v.EnteredAt != testStart {
			t.Fatalf("%+v", v)
		}
	}
}

func TestR70_HistoryTellsEverything(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	w.advance(w.Now() + hours)
	w.event(e, "take_up", "")
	w.event(e, "park", "")
	var got []string
	for _, s := range e.Steps() {
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
	refused := e.Steps()[1]
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
	send := func(id, event string) vm.Answer {
		a := w.give(e, &vm.Stimulus{Kind: vm.OnEvent, Event: event, ID: id})
		w.rest()
		return a
	}
	if a := send("1", "later"); a.Outcome != vm.Refused || a.Repeated {
		t.Fatal(a)
	}
	for i := range 3 {
		if a := send("2", "next"); a.Outcome != vm.Accepted || a.Repeated != (i > 0) {
			t.Fatal(i, a)
		}
		w.wantStates(e, "b")
	}
	for i := range 2 {
		if a := send("1", "later"); a.Outcome != vm.DeferredEvent || a.Repeated != (i > 0) {
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
		outcome        vm.AnswerOutcome
		code, text     string
	}{
		{"aprove", "", vm.Invalid, vm.UnknownEvent, "did you mean `approve`?"},
		{"timeout", "", vm.Invalid, vm.ReservedEvent, "reserved"},
		{"secret", "", vm.Invalid, vm.InternalEvent, "internal"},
		{"approve", "", vm.Invalid, vm.PayloadInvalid, "/amount"},
		{"approve", `{"amount": "x"}`, vm.Invalid, vm.PayloadInvalid, "/amount"},
		{"approve", `{"amount": 1, "more": 2}`, vm.Invalid, vm.PayloadInvalid, "/more"},
		{"maybe", `{"n": 1}`, vm.Refused, vm.EventRefused, "does not take `maybe`"},
		{"never", "", vm.Refused, vm.EventRefused, "`a` does not take `never` now; it takes approve, maybe, wait_for"},
		{"no", "", vm.Refused, vm.EventRefused, "no"},
		{"wait_for", "", vm.DeferredEvent, "", ""},
		{"maybe", `{"n": 4}`, vm.Accepted, "", ""},
	} {
		if a := w.event(e, c.event, c.payload); a.Outcome != c.outcome || a.Code != c.code || !strings.Contains(a.Reason, c.text) {
			t.Errorf("%s %s: %+v", c.event, c.payload, a)
		}
	}
	want := []vm.Accept{{Event: "approve"}, {Event: "maybe", Conditional: true}, {Event: "wait_for", Deferred: true}}
	if got := vm.Accepts(e.Program(), e.VM(), w.Now()); !slices.Equal(got, want) {
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
	set := func(field, v string) vm.Answer {
		a := w.give(e, &vm.Stimulus{Kind: vm.OnSet, Field: field, Value: json.RawMessage(v), Actor: "ann", Reason: "by hand"})
		w.rest()
		return a
	}
	if a := set("m", "1"); a.Code != vm.UnknownField {
		t.Fatal(a)
	}
	if a := set("n", `"x"`); a.Code != vm.PayloadInvalid {
		t.Fatal(a)
	}
	w.command(e, vm.OnPause)
	set("n", "9")
	w.wantStates(e, "a")
	w.command(e, vm.OnResume)
	w.wantStates(e, "b")
}

func TestTimersByHand(t *testing.T) {
	w, e := begin(t, visits, "f", "{}")
	by := func(kind vm.StimulusKind, id string, due int64) vm.Answer {
		a := w.give(e, &vm.Stimulus{Kind: kind, Timer: &vm.TimerRef{ID: id}, Due: due})
		w.rest()
		return a
	}
	if a := by(vm.OnMove, "timeout", w.Now()); a.Code != vm.UnknownTimer || !strings.HasSuffix(a.Reason, "; did you mean `review.timeout`?") {
		t.Errorf("a timer without its state: %+v", a)
	}
	if a := by(vm.OnMove, "review.timeot", w.Now()); a.Code != vm.UnknownTimer || !strings.Contains(a.Reason, "review.timeout") {
		t.Fatal(a)
	}
	by(vm.OnMove, "review.timeout", w.Now()+2*hours)
	w.command(e, vm.OnPause)
	w.advance(w.Now() + hours)
	by(vm.OnMove, "review.timeout", w.Now()+90*minutes)
	if a := by(vm.OnFire, "review.timeout", 0); a.Code != vm.TokenPaused {
		t.Fatal(a)
	}
	w.advance(w.Now() + hours)
	w.command(e, vm.OnResume)
	if due := dueOf(e, "review.timeout"); due != w.Now()+30*minutes {
		t.Fatal(due - w.Now())
	}
	if a := by(vm.OnFire, "review.timeout", 0); a.Outcome != vm.Accepted {
		t.Fatal(a)
	}
	w.wantStates(e, "over")
}
