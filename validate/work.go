package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

func (c *checker) doItem(s *state, n *grammar.Do) {
	w := s.work
	if w == nil || w.node != grammar.StateItem(n) {
		return
	}
	cl := &n.Clauses
	if w.task != nil {
		w.m.Policy = c.policyOf(s.env, cl)
		w.policy = merge(w.task.task.Policy, w.m.Policy)
		c.checkBackoffs(s.env, cl, w.policy)
		c.workArgs(s, w, n.Call, cl, w.task.task.Params, "the task `"+w.task.name+"`")
	} else {
		c.looseArgs(s, n.Call, cl)
	}
	if cl.May != nil {
		for _, p := range cl.May.Events {
			c.mayEvent(s, w, pathRef(p))
		}
	}
	c.eachClauses(s, w, cl)
}

// mayEvent is an event with which a worker may end its task.
func (c *checker) mayEvent(s *state, w *work, r ref) {
	ev := c.findDeclaredEvent(s.env, r)
	if ev == nil {
		w.mayOpen = true
		return
	}
	if ev.event.Internal {
		c.report(s.env.ofRef(r), diag.UnknownEvent, "`%s` is an internal event, which no worker can send", r).
			related(ev.env.of(ev.ident), "declared here").help("remove `internal` from its declaration")
		return
	}
	ev.emitted = append(ev.emitted, s.env.ofRef(r))
	w.may = append(w.may, ev)
	w.m.May = append(w.m.May, ev.event)
}

func (c *checker) invokeItem(s *state, n *grammar.Invoke) {
	w := s.work
	if w == nil || w.node != grammar.StateItem(n) {
		return
	}
	cl := &n.Clauses
	if w.flow != nil {
		c.workArgs(s, w, n.Call, cl, w.flow.flow.m.Input, "the flow `"+w.flow.name+"`")
	} else {
		c.looseArgs(s, n.Call, cl)
	}
	if cl.Key != nil && cl.Key.Value != nil {
		x := c.eachCoder(s, cl)
		w.m.Key = x.asCode(x.need(cl.Key.Value, value.TypeString, "a key"))
	}
	c.eachClauses(s, w, cl)
}

// workArgs checks the arguments of work; with `each` they are evaluated for each item, which is the first local.
func (c *checker) workArgs(s *state, w *work, call *grammar.Call, cl *grammar.Clauses, params *value.Decl, owner string) {
	if cl.Each != nil {
		x := c.coder(s.env, s.fl, s, inPart)
		if list := x.listOf(cl.Each.List, "`each`"); list != nil {
			w.m.Each = x.asCode(list)
		}
	}
	x := c.eachCoder(s, cl)
	w.m.Args = x.asCode(x.payload(call.Args, params, owner, callRef(call)))
}

// looseArgs checks arguments of work that is not known, for the names in them.
func (c *checker) looseArgs(s *state, call *grammar.Call, cl *grammar.Clauses) {
	if call == nil {
		return
	}
	x := c.eachCoder(s, cl)
	x.looseArgs(call.Args)
}

func (x *coder) looseArgs(args *grammar.Args) {
	for _, a := range args.List() {
		if a != nil && a.Value != nil {
			x.expr(a.Value, value.TypeInvalid)
		}
	}
}

// eachCoder begins code that sees the item of `each`.
func (c *checker) eachCoder(s *state, cl *grammar.Clauses) *coder {
	x := c.coder(s.env, s.fl, s, inPart)
	if cl.Each != nil {
		x.declare(cl.Each.Var, c.itemType(s, cl.Each.List), DefLocal, cl.Each)
	}
	return x
}

// itemType is the type of a list's elements; what is wrong with the list is reported where the list itself is checked.
func (c *checker) itemType(s *state, list grammar.Expr) *value.Type {
	mark, types := len(c.findings), len(c.info.Types)
	x := c.coder(s.env, s.fl, s, inPart)
	t := x.expr(list, nil).Type()
	c.findings, c.info.Types = c.findings[:mark], c.info.Types[:types]
	if t.Kind == value.List && !t.Optional {
		return t.Elem
	}
	return value.TypeInvalid
}

// listOf checks an expression that must be a list; nil when it is none.
func (x *coder) listOf(e grammar.Expr, what string) model.Expr {
	m := x.expr(e, nil)
	t := m.Type()
	switch {
	case isBad(m):
		return nil
	case t.Kind != value.List:
		n := x.c.report(x.env.of(e), diag.TypeMismatch, "%s goes through a list, and this is `%s`", what, t)
		if t.Kind == value.Map {
			n.help("write `keys(…)` or `values(…)`")
		} else if t.Kind == value.Int {
			n.help("write `range(%s)`", x.text(e))
		}
		return nil
	case t.Optional:
		x.notTested(e, what+" goes through a list, and %s may be null")
		return nil
	}
	return m
}

// eachClauses checks `concurrency` and `join`.
func (c *checker) eachClauses(s *state, w *work, cl *grammar.Clauses) {
	x := c.coder(s.env, s.fl, s, inPart)
	if cl.Concurrency != nil && cl.Concurrency.N != nil {
		m := x.need(cl.Concurrency.N, value.TypeInt, "the number after `concurrency`")
		x.atLeastOne(cl.Concurrency.N, m, "the number after `concurrency`")
		w.m.Concurrency = x.asCode(m)
	}
	if cl.Join != nil {
		w.m.Join = c.joinOf(s, cl.Join, -1)
	}
}

func (x *coder) atLeastOne(e grammar.Expr, m model.Expr, what string) {
	if k, ok := m.(*model.Const); ok && !isBad(k) && k.Value.Int() < 1 {
		x.c.report(x.env.of(e), diag.TypeMismatch, "%s is at least 1, and this is %d", what, k.Value.Int())
	}
}

// joinOf checks a join; most is how many ends there can be, -1 when that is not known.
func (c *checker) joinOf(s *state, n *grammar.Join, most int) model.Join {
	switch n.Kind {
	case "any":
		return model.Join{Kind: model.JoinAny}
	case "race":
		return model.Join{Kind: model.JoinRace}
	case "all":
		return model.Join{Kind: model.JoinAll}
	}
	if n.N == nil {
		return model.Join{}
	}
	x := c.coder(s.env, s.fl, s, inPart)
	m := x.need(n.N, value.TypeInt, "the number after `join`")
	if k, ok := m.(*model.Const); ok && !isBad(k) {
		switch count := k.Value.Int(); {
		case count < 1:
			c.report(s.env.of(n.N), diag.JoinImpossible, "`join %d` waits for nothing", count).help("write at least `join 1`, which is `join any`")
		case most >= 0 && count > int64(most):
			c.report(s.env.of(n.N), diag.JoinImpossible, "`join %d` waits for more successes than there are regions, which are %d", count, most).
				help("write at most `join %d`, which is all of them", most)
		}
	}
	return model.Join{Kind: model.JoinCount, Count: x.asCode(m)}
}

func (c *checker) runItem(s *state, n *grammar.Run) {
	w := s.work
	if w == nil || w.node != grammar.StateItem(n) {
		return
	}
	x := c.coder(s.env, s.fl, s, inRoutine)
	w.m.Routine = x.blockCode(n.Block)
	w.effects = x.effects
}

func (c *checker) deferItem(s *state, n *grammar.Defer) {
	for _, p := range n.Events {
		if ev := c.findDeclaredEvent(s.env, pathRef(p)); ev != nil {
			s.m.Defer = append(s.m.Defer, ev.event)
			s.defers = append(s.defers, deferred{ev, s.env.ofRef(pathRef(p))})
		}
	}
}

// A deferred is an event that a state defers.
type deferred struct {
	sym *symbol
	at  place
}
