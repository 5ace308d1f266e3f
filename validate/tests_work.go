package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// event resolves the event of a test's line and its arguments.
func (t *tester) event(s subject, call *grammar.Call) (*symbol, *model.Code) {
	r := callRef(call)
	if len(r) == 0 {
		return nil, nil
	}
	x := t.coder(subject{})
	if reserved[r.String()] {
		n := t.c.report(t.env.ofRef(r), diag.ReservedEventSent, "`%s` is a reserved event: only the engine makes it, and nobody can send it", r)
		switch r.String() {
		case "timeout", "expired":
			n.help("move the clock to its instant: `advance DUR`")
		case "cancel":
			n.help("write `cancel`")
		case "completed", "error":
			n.help("end the work: `complete TASK` or `fail TASK \"code\"`")
		}
		x.looseArgs(call.Args)
		return nil, nil
	}
	sym := t.c.findEvent(t.env, r)
	if sym == nil {
		x.looseArgs(call.Args)
		return nil, nil
	}
	return sym, x.asCode(x.payload(call.Args, sym.event.Payload, "the event `"+sym.name+"`", r))
}

func (t *tester) send(s subject, n *grammar.TestSend) {
	sym, args := t.event(s, n.Event)
	if sym != nil && sym.event.Internal {
		t.c.report(t.env.ofRef(callRef(n.Event)), diag.UnknownEvent, "`%s` is an internal event, which nobody outside can send", sym.name).
			related(sym.env.of(sym.ident), "declared here").
			help("let happen what raises or schedules it, or remove `internal` from its declaration; that it is refused is `expect refused %s`", sym.name)
	}
	m := &model.TestSend{Placed: t.placed(n), Subject: t.about(s, n), Args: args, Actor: plainText(n.As)}
	if sym != nil {
		m.Event = sym.event
		t.add(m)
	}
}

// taskCall resolves a task and the arguments by which one of its offers is chosen; those left out match anything.
func (t *tester) taskCall(s subject, call *grammar.Call) (*symbol, []model.ArgMatch) {
	if call == nil {
		return nil, nil
	}
	sym := t.c.findTask(t.env, callRef(call))
	x := t.coder(subject{})
	if sym == nil {
		x.looseArgs(call.Args)
		return nil, nil
	}
	var out []model.ArgMatch
	given := map[string]bool{}
	for _, a := range call.Args.List() {
		if a == nil {
			continue
		}
		x := t.coder(subject{})
		i := x.argField(a, call.Args, sym.task.Params, "the task `"+sym.name+"`", given)
		if i < 0 {
			continue
		}
		given[a.Name.Text] = true
		t.c.info.refer(t.env.file, a.Name.Span(), t.c.fieldDefs[sym.task.Params][a.Name.Text])
		v := x.need(a.Value, sym.task.Params.Fields[i].Type, "the argument `"+a.Name.Text+"`")
		out = append(out, model.ArgMatch{Param: i, Value: x.asCode(v)})
	}
	return sym, out
}

func (t *tester) complete(s subject, n *grammar.TestComplete) {
	sym, match := t.taskCall(s, n.Task)
	m := &model.TestTask{Placed: t.placed(n), Subject: t.about(s, n), Op: model.CompleteTask, Match: match}
	switch {
	case n.Event != nil:
		ev, args := t.event(s, n.Event)
		if ev == nil {
			return
		}
		m.Event, m.Args = ev.event, args
		if sym != nil {
			t.mayEnd(s, sym, ev, callRef(n.Event))
		}
	case sym != nil:
		m.Result = t.results(n.Results, sym.task.Result, "the result of `"+sym.name+"`", callRef(n.Task))
	case n.Results != nil:
		t.coder(subject{}).looseArgs(n.Results)
	}
	if sym != nil {
		m.Task = sym.task
		t.add(m)
	}
}

// mayEnd reports an event with which no use of the task in the flow lets a worker end it. Only a `do` can.
func (t *tester) mayEnd(s subject, task, ev *symbol, at ref) {
	if s.flow == nil || s.flow.unclear {
		return
	}
	var may []string
	for _, st := range s.flow.states {
		if st.work == nil || st.work.task != task {
			continue
		}
		if st.work.mayOpen {
			return
		}
		for _, e := range st.work.may {
			if e == ev {
				return
			}
			may = append(may, e.name)
		}
	}
	n := t.c.report(t.env.ofRef(at), diag.UnknownEvent, "no `do %s` of the flow `%s` names `%s` behind `may`, so a worker cannot end it with this event", task.name, s.flow.m.Name, ev.name)
	if len(may) == 0 {
		n.help("write `may %s` behind the `do`, or `complete %s` without an event", ev.name, task.name)
		return
	}
	n.didYouMean(at.span(), ev.name, may).orHelp("it may end with %s", quote(may, "or"))
}

// results makes the record of a result; nil when there are no fields to give.
func (t *tester) results(args *grammar.Args, decl *value.Decl, owner string, at ref) *model.Code {
	if args == nil {
		var names []string
		for _, f := range decl.Fields {
			if f.Default == nil && !f.Type.Optional {
				names = append(names, f.Name)
			}
		}
		if len(names) > 0 {
			t.c.lacksFields(t.env.ofRef(at), owner, names).help("write `with (%s)` behind it", blanks(names))
			return nil
		}
		if len(decl.Fields) == 0 {
			return nil
		}
	}
	x := t.coder(subject{})
	return x.asCode(x.payload(args, decl, owner, at))
}

func (t *tester) fail(s subject, n *grammar.TestFail) {
	sym, match := t.taskCall(s, n.Task)
	if sym == nil {
		return
	}
	t.add(&model.TestTask{
		Placed: t.placed(n), Subject: t.about(s, n), Op: model.FailTask, Task: sym.task, Match: match,
		Code: plainText(n.Code), NoRetry: n.NoRetry,
	})
}

// mock is `mock TASK …` or `mock FLOW final NAME …`.
func (t *tester) mock(n *grammar.TestMock) {
	r := pathRef(n.Name)
	if len(r) == 0 {
		return
	}
	m := &model.TestMock{Placed: t.placed(n), Times: t.times(n.Times, 0)}
	if n.Final != nil || t.env.file.lookup(symTask, r.names()) == nil && t.env.file.lookup(symFlow, r.names()) != nil {
		t.mockFlow(m, n, r)
		return
	}
	sym := t.c.findTask(t.env, r)
	if sym == nil {
		if n.Results != nil {
			t.coder(subject{}).looseArgs(n.Results)
		}
		return
	}
	m.Task = sym.task
	if n.Fails != nil {
		m.Fails, m.Code = true, plainText(n.Fails)
		if len(sym.task.Fails) > 0 { // a task without `fails` says nothing of its codes
			t.coder(subject{}).checkCodeOf(n.Fails, m.Code, []*symbol{sym}, "the task `"+sym.name+"` never")
		}
	} else if n.Results != nil { // without both the parser has reported it
		m.Result = t.results(n.Results, sym.task.Result, "the result of `"+sym.name+"`", r)
	}
	t.add(m)
}

func (t *tester) mockFlow(m *model.TestMock, n *grammar.TestMock, r ref) {
	sym := t.c.findFlow(t.env, r)
	if sym == nil {
		if n.Results != nil {
			t.coder(subject{}).looseArgs(n.Results)
		}
		return
	}
	m.Flow = sym.flow.m
	switch {
	case n.Fails != nil:
		m.Fails, m.Code = true, plainText(n.Fails)
	case n.Final == nil:
		t.c.report(t.env.ofRef(r), diag.MissingArgument, "the mock of a flow says in which final state it ends").help("write `mock %s final NAME`", r)
	default:
		m.Final = n.Final.Text
		t.final(sym.flow, ref{n.Final})
	}
	if n.Results != nil {
		m.Result = t.results(n.Results, sym.flow.m.Output, "the result of `"+sym.name+"`", r)
	}
	t.add(m)
}

// final resolves a final state directly in a flow, in which its tokens end.
func (t *tester) final(fl *flow, r ref) *state {
	if fl == nil || len(r) == 0 {
		return nil
	}
	root := fl.states[0]
	if s := root.child(r.String()); s != nil && s.isFinal() {
		if s.ident != nil {
			t.c.info.refer(t.env.file, r.last().Span(), t.c.info.defs[s.ident])
		}
		return s
	}
	var names []string
	for _, k := range root.kids {
		if k.isFinal() {
			names = append(names, k.m.Name)
		}
	}
	if root.hurt {
		return nil
	}
	n := t.c.report(t.env.ofRef(r), diag.UnknownState, "the flow `%s` has no final state `%s`", fl.m.Name, r)
	n.didYouMean(r.span(), r.String(), names)
	if n.f.Help == "" && len(names) > 0 {
		n.help("it ends in %s", quote(names, "or"))
	}
	return nil
}
