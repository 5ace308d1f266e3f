package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

var statuses = []string{"running", "paused", "scheduled", "completed", "failed", "cancelled"}

func (t *tester) expect(s subject, n *grammar.TestExpect) {
	if n.What == nil || n.What.Broken() {
		return
	}
	if t.never(n) {
		return
	}
	m := &model.Expect{Placed: t.placed(n), Subject: t.about(s, n), Not: n.Not, Text: t.text(n.What)}
	if m.What = t.expectation(s, n.What); m.What != nil {
		t.add(m)
	}
}

// never reports `0 times`, which is what `not` says.
func (t *tester) never(n *grammar.TestExpect) bool {
	var times *grammar.Count
	switch what := n.What.(type) {
	case *grammar.ExpectOffered:
		times = what.Times
	case *grammar.ExpectDispatched:
		times = what.Times
	case *grammar.ExpectChild:
		times = what.Times
	}
	if times == nil || times.N == nil || times.N.Kind != grammar.Int || strings.Trim(times.N.Text, "0_") != "" {
		return false
	}
	whole := n.Span()
	meant := strings.TrimSpace(string(t.env.file.ast.Src[n.What.Span().Start:times.Span().Start]))
	if !n.Not {
		meant = "not " + meant
	}
	t.c.report(t.env.of(times), diag.TypeMismatch, "an expected number of times is at least 1; that something never happens is `expect not …`").
		help("write `expect %s`", meant).fix("Write `expect "+meant+"`", whole, "expect "+meant)
	return true
}

func (t *tester) text(n grammar.Node) string {
	span := n.Span()
	return string(t.env.file.ast.Src[span.Start:span.End])
}

// expectation checks what an expect looks at; nil when it is not known.
func (t *tester) expectation(s subject, what grammar.Expectation) model.Expectation {
	switch n := what.(type) {
	case *grammar.ExpectState:
		return t.expectStates(s, n)
	case *grammar.ExpectStatus:
		return t.expectStatus(n)
	case *grammar.ExpectFinal:
		if st := t.final(s.flow, pathRef(n.Name)); st != nil {
			return model.ExpectFinal{State: st.m.Index}
		}
	case *grammar.ExpectOutcome:
		return t.expectOutcome(n)
	case *grammar.ExpectError:
		return model.ExpectError{Code: plainText(n.Code)}
	case *grammar.ExpectValue:
		return t.expectValue(s, n)
	case *grammar.ExpectTimer:
		return t.expectTimer(s, n)
	case *grammar.ExpectNoTimers:
		return model.ExpectNoTimers{}
	case *grammar.ExpectRefused:
		if sym, args := t.event(s, n.Event); sym != nil {
			return model.ExpectRefused{Event: sym.event, Args: args, Text: plainText(n.Text), HasText: n.Text != nil}
		}
	case *grammar.ExpectOffered:
		if sym, match := t.taskCall(s, n.Task); sym != nil {
			return model.ExpectOffered{Task: sym.task, Match: match, Times: t.times(n.Times, -1)}
		}
	case *grammar.ExpectDispatched:
		if sym, match := t.taskCall(s, n.Task); sym != nil {
			return model.ExpectOffered{Task: sym.task, Match: match, Times: t.times(n.Times, -1), Dispatched: true}
		}
	case *grammar.ExpectChild:
		return t.expectChild(n)
	case *grammar.ExpectNote:
		return t.expectNote(s, n)
	case *grammar.ExpectAccepts:
		return t.expectAccepts(n)
	}
	return nil
}

func (t *tester) expectStates(s subject, n *grammar.ExpectState) model.Expectation {
	var out model.ExpectStates
	for _, p := range n.States {
		if s.flow == nil {
			return nil
		}
		if st := t.state(s.flow, pathRef(p)); st != nil {
			out.States = append(out.States, st.m.Index)
		}
	}
	return out
}

func (t *tester) expectStatus(n *grammar.ExpectStatus) model.Expectation {
	if n.Status == nil {
		return nil
	}
	for _, s := range statuses {
		if s == n.Status.Text {
			return model.ExpectStatus{Status: s}
		}
	}
	t.c.report(t.env.of(n.Status), diag.UnknownConstant, "there is no status `%s`; a token is %s", n.Status.Text, strings.Join(ticked(statuses[:len(statuses)-1]), ", ")+" or `"+statuses[len(statuses)-1]+"`").
		didYouMean(n.Status.Span(), n.Status.Text, statuses).
		orHelp("the final state is looked at by `expect final NAME`, a state by `expect state NAME`")
	return nil
}

func (t *tester) expectOutcome(n *grammar.ExpectOutcome) model.Expectation {
	if n.Outcome == nil {
		return nil
	}
	if i := model.OutcomeDecl.Member(n.Outcome.Text); i >= 0 {
		return model.ExpectOutcome{Outcome: model.Outcome(i)}
	}
	t.c.report(t.env.of(n.Outcome), diag.UnknownConstant, "there is no outcome `%s`; a token ends as %s", n.Outcome.Text, quote(model.OutcomeDecl.Members, "or")).
		didYouMean(n.Outcome.Span(), n.Outcome.Text, model.OutcomeDecl.Members)
	return nil
}

// expectValue is a condition; of a comparison both sides are kept for the message.
func (t *tester) expectValue(s subject, n *grammar.ExpectValue) model.Expectation {
	if s.open && s.flow == nil {
		return nil
	}
	x := t.coder(s)
	r := x.needBool(n.X, "what is expected")
	out := model.ExpectTrue{Cond: x.asCode(r.m)}
	if b, ok := r.m.(*model.Binary); ok && b.Op >= model.Eq {
		out.Left, out.Right = x.asCode(b.X), x.asCode(b.Y)
	}
	return out
}

func (t *tester) expectChild(n *grammar.ExpectChild) model.Expectation {
	sym := t.c.findFlow(t.env, pathRef(n.Flow))
	if sym == nil {
		return nil
	}
	out := model.ExpectChild{Flow: sym.flow.m, State: -1, Times: t.times(n.Times, -1)}
	if n.State != nil {
		st := t.state(sym.flow, pathRef(n.State))
		if st == nil {
			return nil
		}
		out.State = st.m.Index
	}
	return out
}

func (t *tester) expectNote(s subject, n *grammar.ExpectNote) model.Expectation {
	if n.Text == nil {
		return nil
	}
	x := t.coder(subject{})
	m := x.need(n.Text, value.TypeString, "a note")
	k, ok := m.(*model.Const)
	if !ok {
		x.notConstant(n.Text, "the expected note")
		return nil
	}
	return model.ExpectNote{Text: k.Value.Str()}
}

func (t *tester) expectAccepts(n *grammar.ExpectAccepts) model.Expectation {
	var out model.ExpectAccepts
	for _, p := range n.Events {
		if sym := t.c.findDeclaredEvent(t.env, pathRef(p)); sym != nil {
			out.Events = append(out.Events, sym.event)
		}
	}
	return out
}

// expectTimer is `timer NAME in DUR` or `timer NAME at TIME`.
func (t *tester) expectTimer(s subject, n *grammar.ExpectTimer) model.Expectation {
	out, ok := t.timerNamed(s, pathRef(n.Timer))
	switch {
	case n.In != nil:
		x := t.coder(s)
		out.In = x.asCode(x.need(n.In, value.TypeDuration, "the time until then"))
	case n.At != nil:
		out.At = t.time(s, n.At)
	}
	if !ok {
		return nil
	}
	return out
}

// timerNamed resolves the name of a timer: `timeout` and `idle`, an `as` name, an event that was scheduled, or a state with one
// other timer; each but the event also behind a state's path.
func (t *tester) timerNamed(s subject, r ref) (model.ExpectTimer, bool) {
	out := model.ExpectTimer{State: -1}
	if len(r) == 0 || s.flow == nil {
		return out, false
	}
	name := r.last().Text
	if len(r) == 1 && (name == "timeout" || name == "idle") {
		out.Name = name
		return out, true
	}
	var holders []*state
	for _, st := range s.flow.states {
		path := "." + st.m.Path + "." + name
		if i, _ := st.timerNamed(name); i >= 0 && (len(r) == 1 || hasSuffix(path, "."+r.String())) {
			holders = append(holders, st)
		}
	}
	if len(holders) > 0 {
		out.Name = name
		for _, st := range holders {
			t.c.referTimer(t.env, r.last(), st)
			t.referPath(st, r[:len(r)-1])
		}
		if len(holders) == 1 {
			out.State = holders[0].m.Index
		}
		return out, true
	}
	if sym := t.c.find(t.env, symEvent, r); sym != nil {
		out.Name = sym.event.Name
		return out, true
	}
	return t.timerOfState(s.flow, r, out)
}

func hasSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && s[len(s)-len(suffix):] == suffix
}

// timerOfState is the one timer of a state that is neither its timeout nor its idle.
func (t *tester) timerOfState(fl *flow, r ref, out model.ExpectTimer) (model.ExpectTimer, bool) {
	known := false
	for _, st := range fl.states[1:] {
		known = known || hasSuffix("."+st.m.Path, "."+r.String())
	}
	if !known {
		var names []string
		for _, st := range fl.states {
			for _, n := range st.timerNames() {
				if n != "" {
					names = append(names, n)
				}
			}
			names = append(names, st.m.Name)
		}
		if !fl.states[0].hurt {
			t.c.report(t.env.ofRef(r), diag.UnknownTimer, "the flow `%s` has no timer `%s`", fl.m.Name, r).didYouMean(r.span(), r.String(), names).
				orHelp("a timer is named by its `as`, by `timeout` or `STATE.timeout`, by its event, or by the state that holds no other one")
		}
		return out, false
	}
	st := t.state(fl, r)
	if st == nil {
		return out, false
	}
	others := 0
	for _, tm := range st.timers {
		if tm.m.Kind != model.Timeout && tm.m.Kind != model.Idle {
			others++
		}
	}
	if others != 1 {
		t.c.report(t.env.ofRef(r), diag.UnknownTimer, "`%s` does not have a single timer beside `timeout` and `idle`, but %d", r, others).
			help("give the timer a name with `as NAME`")
		return out, false
	}
	out.State = st.m.Index
	return out, true
}
