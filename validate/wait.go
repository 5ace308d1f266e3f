package validate

import (
	"slices"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// waitEvent is `wait EVENT [for DUR | until TIME]`.
func (x *coder) waitEvent(n *grammar.WaitEvent) (model.Stmt, *value.Type) {
	s := x.c.findDeclaredEvent(x.env, pathRef(n.Event))
	m := &model.Wait{Placed: x.placed(n)}
	switch {
	case n.For != nil:
		m.For = x.value(n.For, value.TypeDuration, "the time to wait")
	case n.Until != nil:
		m.Until = x.needTime(n.Until, value.TypeTime, "the instant to wait until")
		x.noteErrors(m.Until)
	}
	x.forgetData()
	if s == nil {
		return nil, value.TypeInvalid
	}
	s.handled = true
	x.effects.waits = append(x.effects.waits, s)
	m.Event = s.event
	t := value.RecordOf(s.event.Payload)
	if n.For != nil || n.Until != nil {
		t = value.Opt(t)
	} else {
		x.mustWait(s)
	}
	return m, t
}

// mustWait notes a wait without a limit that stands where the routine cannot go round it: in no branch and no loop.
func (x *coder) mustWait(events ...*symbol) {
	if x.block.outer != nil && x.block.outer.outer == nil {
		x.effects.mustWait = append(x.effects.mustWait, slices.Clone(events))
	}
}

// waitBlock is `wait { on … {…} after DUR {…} }`.
func (x *coder) waitBlock(n *grammar.WaitBlock) (model.Stmt, bool) {
	m := &model.WaitBlock{Placed: x.placed(n)}
	if n.Body == nil {
		return nil, true
	}
	var limit *grammar.WaitArm
	for _, arm := range n.Body.Arms {
		if arm != nil && arm.After != nil && limit == nil {
			limit = arm
			m.After = x.value(arm.After, value.TypeDuration, "the time to wait")
		}
	}
	x.forgetData()
	known, mark := x.facts, len(x.effects.waits)
	taken := map[*symbol]place{}
	var ends [][]string
	falls := false
	for _, arm := range n.Body.Arms {
		if arm == nil {
			continue
		}
		x.facts = known
		var goesOn bool
		switch {
		case arm.After == nil:
			goesOn = x.waitArm(m, arm, taken)
		case arm == limit:
			m.Else, goesOn = x.stmts(arm.Body)
		default:
			x.c.report(x.env.at(wordSpan(arm, "after")), diag.Syntax, "a `wait` has one `after`, and there is one above")
			continue
		}
		if goesOn {
			ends, falls = append(ends, x.facts), true
		}
	}
	if limit == nil {
		x.mustWait(x.effects.waits[mark:]...)
	}
	x.facts = meet(ends)
	return m, falls || len(n.Body.Arms) == 0
}

func (x *coder) waitArm(m *model.WaitBlock, arm *grammar.WaitArm, taken map[*symbol]place) bool {
	wc := model.WaitCase{Pos: x.env.pos(arm.Span())}
	var events []eventRef
	for _, p := range arm.Events {
		r := pathRef(p)
		s := x.c.findDeclaredEvent(x.env, r)
		ev := eventRef{name: r.String(), sym: s, at: x.env.ofRef(r), unknown: s == nil}
		events = append(events, ev)
		if s == nil {
			continue
		}
		if before, ok := taken[s]; ok {
			x.c.report(ev.at, diag.ShadowedHandler, "`%s` is taken by an earlier arm of this `wait`, so this one never is", r).related(before, "taken here")
		}
		if arm.When == nil {
			taken[s] = ev.at
		}
		s.handled = true
		x.effects.waits = append(x.effects.waits, s)
		wc.Events = append(wc.Events, s.event)
	}
	outer := x.event
	x.event = x.c.shapeOf(x.st, events)
	defer func() { x.event = outer }()
	if arm.When != nil {
		r := x.needBool(arm.When.Cond, "a guard")
		x.noteErrors(r.m)
		if k, ok := r.m.(*model.Const); ok && !isBad(k) {
			x.c.constantGuard(x.st, arm.When.Cond, k.Value.Bool(), inGuard)
		}
		wc.Guard = r.m
		x.learn(r.yes...)
	}
	var falls bool
	wc.Body, falls = x.stmts(arm.Body)
	m.Cases = append(m.Cases, wc)
	x.retain(func(fact string) bool { return fact[0] != 'e' })
	return falls
}

// engineCodes are the codes of errors that the engine itself makes.
var engineCodes = []string{
	value.CodeNull, value.CodeDivision, value.CodeRange, value.CodeOverflow, value.CodeTooLong, value.CodeNotPositive,
	"attempt_timeout", "lease_lost", "bad_output", "child_failed", "too_many_items", "results_too_large",
}

// try is `try {…} catch … {…}`.
func (x *coder) try(n *grammar.TryStmt) (model.Stmt, bool) {
	m := &model.Try{Placed: x.placed(n)}
	all := false
	for _, c := range n.Catches {
		all = all || c != nil && len(c.Codes) == 0
	}
	if all {
		x.safe++
	}
	x.forgetAssigned(n.Body)
	before, mark := x.facts, len(x.called)
	var falls bool
	m.Body, falls = x.stmts(n.Body)
	if all {
		x.safe--
	}
	var ends [][]string
	if falls {
		ends = append(ends, x.facts)
	}
	called := x.called[mark:len(x.called):len(x.called)]
	var plain *grammar.Catch
	for _, c := range n.Catches {
		if c == nil {
			continue
		}
		if plain != nil {
			x.c.report(x.env.at(wordSpan(c, "catch")), diag.ShadowedHandler, "the `catch` above takes every error, so this one takes none").
				related(x.env.at(wordSpan(plain, "catch")), "takes every error").help("write the one without codes last")
		} else if len(c.Codes) == 0 {
			plain = c
		}
		x.facts = before
		k, goesOn := x.catch(c, called)
		m.Catches = append(m.Catches, k)
		if goesOn {
			ends, falls = append(ends, x.facts), true
		}
	}
	if len(n.Catches) == 0 && !n.Broken() {
		x.c.report(x.env.at(wordSpan(n, "try")), diag.Syntax, "a `try` has a `catch`, and here is none").help("add `catch { … }`")
	}
	x.facts = meet(ends)
	return m, falls
}

func (x *coder) catch(c *grammar.Catch, called []*symbol) (model.Catch, bool) {
	k := model.Catch{Var: -1, Pos: x.env.pos(c.Span())}
	x.open()
	defer x.close()
	for _, code := range c.Codes {
		text := plainText(code)
		x.checkCodeOf(code, text, called, "nothing in this `try`")
		k.Codes = append(k.Codes, text)
	}
	if c.As != nil {
		k.Var = x.declare(c.As, value.RecordOf(model.CaughtDecl), DefLocal, c)
	}
	var falls bool
	k.Body, falls = x.stmts(c.Body)
	return k, falls
}

// checkCodeOf reports an error code that none of the tasks has; a task that is not known may have any.
func (x *coder) checkCodeOf(at *grammar.StringLit, text string, tasks []*symbol, who string) {
	codes := engineCodes[:len(engineCodes):len(engineCodes)]
	var own []string
	for _, s := range tasks {
		if s == nil {
			return
		}
		if s.task != nil {
			own = append(own, s.task.Fails...)
		}
	}
	for _, code := range append(own, codes...) {
		if code == text {
			return
		}
	}
	n := x.c.report(x.env.of(at), diag.UnknownErrorCode, "%s fails with the code \"%s\"", who, text)
	near := diag.Nearest(text, append(own, codes...))
	switch {
	case near != "":
		n.help("did you mean \"%s\"?", near).fix("Write \""+near+"\"", at.Span(), `"`+near+`"`)
	case len(own) > 0:
		n.help("the codes are %s; add this one to the `fails` of its task", quote(own, "and"))
	default:
		n.help("add it to the `fails` of the task that ends with it")
	}
}

// checkCode looks at a comparison of `event.code` with a code.
func (x *coder) checkCode(e *grammar.BinaryExpr, op value.Op, a, b model.Expr) {
	if op != value.OpEq && op != value.OpNe || x.event == nil || x.st == nil || x.where == inTest {
		return
	}
	at := e.Y
	if _, ok := b.(*model.EventField); ok {
		a, b, at = b, a, e.X
	}
	f, ok := a.(*model.EventField)
	k, ok2 := b.(*model.Const)
	lit, ok3 := at.(*grammar.StringLit)
	if !ok || !ok2 || !ok3 || f.Name != "code" || x.event.only != model.OnError || k.T.Kind != value.String {
		return
	}
	x.checkCodeOf(lit, k.Value.Str(), x.c.tasksIn(x.st), "no work of "+x.st.title())
}

// tasksIn lists the tasks that a state and the states in it do; nil among them for one that is not known.
func (c *checker) tasksIn(s *state) []*symbol {
	var out []*symbol
	if s.work != nil {
		switch s.work.m.Kind {
		case model.Do:
			out = append(out, s.work.task)
		case model.Run:
			out = append(out, c.tasksCalled(s)...)
		}
	}
	for _, k := range s.kids {
		out = append(out, c.tasksIn(k)...)
	}
	return out
}

// tasksCalled lists the tasks that a routine calls, also before the routine is checked.
func (c *checker) tasksCalled(s *state) []*symbol {
	var out []*symbol
	run, ok := s.work.node.(*grammar.Run)
	if !ok || run.Block == nil {
		return nil
	}
	grammar.Walk(run.Block, func(n grammar.Node) bool {
		if call, ok := n.(*grammar.CallWork); ok {
			r := callRef(call.Call)
			if s.env.use != nil && len(r) == 1 && s.env.use.kinds[r[0].Text] == "task" {
				out = append(out, s.env.use.tasks[r[0].Text])
			} else if sym := s.env.file.lookup(symTask, r.names()); sym != nil {
				out = append(out, sym)
			}
		}
		return true
	})
	return out
}
