package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// isWork reports whether a value is a `call` or a `wait`.
func (x *coder) isWork(e grammar.Expr) bool {
	switch e.(type) {
	case *grammar.CallWork, *grammar.WaitEvent:
		return true
	}
	return false
}

// routineStmt is a statement that stands in routines only.
func (x *coder) routineStmt(s grammar.Stmt) (model.Stmt, bool) {
	if s == nil {
		return nil, true
	}
	if x.where != inRoutine && !s.Broken() {
		x.notInBlock(s)
		return nil, true
	}
	switch n := s.(type) {
	case *grammar.WhileStmt:
		return x.while(n)
	case *grammar.BreakStmt:
		return x.leaveLoop(n, "break")
	case *grammar.ContinueStmt:
		return x.leaveLoop(n, "continue")
	case *grammar.CallWork:
		m, _ := x.callWork(n)
		return m, true
	case *grammar.WaitEvent:
		m, _ := x.waitEvent(n)
		return m, true
	case *grammar.WaitBlock:
		return x.waitBlock(n)
	case *grammar.SleepStmt:
		return x.sleep(n), true
	case *grammar.TryStmt:
		return x.try(n)
	case *grammar.GoStmt:
		return x.goStmt(n), false
	}
	return nil, true
}

// notInBlock reports a statement that waits where a block runs to the end at once.
func (x *coder) notInBlock(s grammar.Node) {
	x.c.mentionAll(x.env.file, s)
	word := firstWord(x.env, s)
	n := x.c.report(x.env.at(wordSpan(s, word)), diag.Syntax, "`%s` stands in a routine (`run { … }`), and this block runs to its end at once", word)
	switch s.(type) {
	case *grammar.GoStmt:
		n.help("leave with the arrow of the handler: `on EVENT -> STATE { … }`")
	case *grammar.CallWork:
		n.help("offer the work with `dispatch` when nobody needs to wait for it, otherwise with `do` in a state of its own")
	case *grammar.WhileStmt:
		n.help("a block goes through a list with `for x in LIST`")
	case *grammar.BreakStmt, *grammar.ContinueStmt:
		n.help("in a block a loop goes through its whole list: test with `if` inside it, or go through a part of the list, `filter(LIST, x => …)`")
	default:
		n.help("put it into a `run { … }`, or use a timer of the state")
	}
}

func (x *coder) leaveLoop(n grammar.Node, word string) (model.Stmt, bool) {
	if x.loops == 0 {
		x.c.report(x.env.of(n), diag.Syntax, "`%s` stands in a loop, and here is none", word).
			help("a loop is `while CONDITION { … }` or `for x in LIST { … }`; a routine ends at its last statement, or leaves the state by `go STATE`")
		return nil, true
	}
	if word == "break" {
		x.broke = true
		return &model.Break{Placed: x.placed(n)}, false
	}
	return &model.Continue{Placed: x.placed(n)}, false
}

func (x *coder) while(n *grammar.WhileStmt) (model.Stmt, bool) {
	m := &model.While{Placed: x.placed(n)}
	x.forgetAssigned(n.Body)
	r := x.needBool(n.Cond, "a condition")
	x.noteErrors(r.m)
	m.Cond = r.m
	before := x.broke
	x.broke = false
	m.Body = x.loop(n.Body, r.yes, nil)
	broke := x.broke
	x.broke = before
	k, constant := r.m.(*model.Const)
	constant = constant && !isBad(k)
	x.checkBusy(n, constant && !k.Value.Bool())
	if !broke {
		x.learn(r.no...)
	}
	return m, broke || !constant || !k.Value.Bool()
}

func (x *coder) sleep(n *grammar.SleepStmt) model.Stmt {
	m := &model.Sleep{Placed: x.placed(n)}
	switch {
	case n.Until != nil:
		m.Until = x.needTime(n.Until, value.TypeTime, "the instant to sleep until")
		x.noteErrors(m.Until)
	case n.Dur != nil:
		m.For = x.value(n.Dur, value.TypeDuration, "the time to sleep")
	}
	x.forgetData()
	return m
}

func (x *coder) goStmt(n *grammar.GoStmt) model.Stmt {
	m := &model.Go{Placed: x.placed(n)}
	r := pathRef(n.Target)
	x.effects.goesAway = true
	switch {
	case len(r) == 0:
		x.fl.unclear = true
		return nil
	case r.String() == "self":
		m.Target = model.Target{Kind: model.ToSelf, State: x.state(), Pos: x.env.pos(r.span())}
		x.effects.goes = append(x.effects.goes, x.st)
		return m
	}
	t := x.c.findState(x.env, x.st, r)
	if t == nil {
		return nil
	}
	x.effects.goes = append(x.effects.goes, t)
	m.Target = model.Target{Kind: model.ToState, State: t.m.Index, Pos: x.env.pos(r.span())}
	return m
}

// letWork is `let r = call …` and `let e = wait …`.
func (x *coder) letWork(n *grammar.LetStmt, t *value.Type) model.Stmt {
	m, got := x.workValue(n.Value)
	if t == nil {
		t = got
	} else {
		x.workFits(n.Value, got, t)
	}
	index := x.newLocal(n.Name, t, n)
	keep(m, &model.Place{Data: -1, Local: index})
	return m
}

// assignWork is `x = call …` and `x = wait …`.
func (x *coder) assignWork(n *grammar.AssignStmt) model.Stmt {
	m, got := x.workValue(n.Value)
	a := x.assignable(n.Target)
	if a == nil {
		return nil
	}
	x.workFits(n.Value, got, a.typ)
	x.assigned(a, nil)
	keep(m, &a.place)
	return m
}

func (x *coder) workFits(e grammar.Expr, got, want *value.Type) {
	if value.Assignable(got, want) && !value.Converts(got, want) {
		return
	}
	if got.Optional && value.Assignable(got.Base(), want) {
		x.c.report(x.env.at(wordSpan(e, "wait")), diag.NullNotTested, "a `wait` with a limit yields null when the limit comes first, and this place is `%s`", want).
			help("let the type be `%s?`, and test it", want)
		return
	}
	x.c.report(x.env.at(wordSpan(e, firstWord(x.env, e))), diag.TypeMismatch, "the place is `%s`, and this yields `%s`", want, got)
}

// keep says where a statement puts its result.
func keep(m model.Stmt, p *model.Place) {
	switch m := m.(type) {
	case *model.CallTask:
		m.Place = p
	case *model.CallFlow:
		m.Place = p
	case *model.Wait:
		m.Place = p
	}
}

func (x *coder) workValue(e grammar.Expr) (model.Stmt, *value.Type) {
	if x.where != inRoutine {
		if !e.Broken() {
			x.notInBlock(e)
		}
		return nil, value.TypeInvalid
	}
	switch n := e.(type) {
	case *grammar.CallWork:
		return x.callWork(n)
	case *grammar.WaitEvent:
		return x.waitEvent(n)
	}
	return nil, value.TypeInvalid
}

// callWork is `call TASK(…)` or `call FLOW(…)`.
func (x *coder) callWork(n *grammar.CallWork) (model.Stmt, *value.Type) {
	r := callRef(n.Call)
	defer x.forgetData()
	if len(r) == 0 {
		return nil, value.TypeInvalid
	}
	if x.env.use == nil || x.env.use.kinds[r.String()] != "task" {
		if x.env.file.lookup(symTask, r.names()) == nil {
			if f := x.c.find(x.env, symFlow, r); f != nil {
				return x.callFlow(n, f, r)
			}
		}
	}
	return x.callTask(n, r)
}

func (x *coder) callTask(n *grammar.CallWork, r ref) (model.Stmt, *value.Type) {
	s := x.c.findTask(x.env, r)
	cl := &n.Clauses
	m := &model.CallTask{Placed: x.placed(n), Item: -1}
	x.open()
	defer x.close()
	if cl.Each != nil {
		if list := x.listOf(cl.Each.List, "`each`"); list != nil {
			m.Each = list
			m.Item = x.declare(cl.Each.Var, list.Type().Elem, DefLocal, cl.Each)
		} else {
			x.declare(cl.Each.Var, value.TypeInvalid, DefLocal, cl.Each)
		}
		if cl.Concurrency != nil && cl.Concurrency.N != nil {
			m.Concurrency = x.value(cl.Concurrency.N, value.TypeInt, "the number after `concurrency`")
			x.atLeastOne(cl.Concurrency.N, m.Concurrency, "the number after `concurrency`")
		}
	}
	if s == nil {
		x.looseArgs(n.Call.Args)
		x.called = append(x.called, nil)
		return nil, value.TypeInvalid
	}
	m.Task, m.Policy = s.task, x.c.policyOf(x.env, cl)
	policy := merge(s.task.Policy, m.Policy)
	x.c.checkBackoffs(x.env, cl, policy)
	m.Args = x.payload(n.Call.Args, s.task.Params, "the task `"+s.name+"`", r)
	x.noteErrors(m.Args)
	x.mayFail(x.env.ofRef(r), s)
	x.effects.callSites = append(x.effects.callSites, callSite{x.env.ofRef(r), policy, s})
	t := value.RecordOf(s.task.Result)
	if cl.Each != nil {
		t = value.ListOf(t)
	}
	return m, t
}

func (x *coder) callFlow(n *grammar.CallWork, f *symbol, r ref) (model.Stmt, *value.Type) {
	cl := &n.Clauses
	if cl.Each != nil || cl.Within != nil || cl.Retry != nil || cl.Queue != nil || cl.Concurrency != nil {
		x.c.report(x.env.of(cl), diag.Syntax, "`each`, `concurrency` and policies belong to tasks, and `%s` is a flow", r).
			help("start many flows with `invoke %s(…) each x in LIST` in a state of its own", r)
	}
	m := &model.CallFlow{Placed: x.placed(n), Flow: f.flow.m}
	m.Args = x.payload(n.Call.Args, f.flow.m.Input, "the flow `"+f.name+"`", r)
	x.noteErrors(m.Args)
	x.mayFail(x.env.ofRef(r), f)
	return m, value.RecordOf(f.flow.m.Ended)
}

// mayFail notes a call whose error nothing catches.
func (x *coder) mayFail(at place, s *symbol) {
	x.called = append(x.called, s)
	if x.safe == 0 && !x.effects.calls {
		x.effects.calls, x.effects.callAt = true, at
	}
}
