package vm

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

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
