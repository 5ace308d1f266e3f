package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// checkFlow checks all code of a flow, in the order of the file.
func (c *checker) checkFlow(fl *flow) {
	for _, s := range fl.states {
		c.prepare(s)
	}
	c.collectExits(fl)
	root := fl.states[0]
	for i := range len(fl.dataByName) {
		c.dataDefault(root, i)
	}
	c.checkBody(root)
}

// checkBody checks the items of a state and, where they stand, the states in it.
func (c *checker) checkBody(s *state) {
	next := 0
	for _, item := range s.items {
		switch n := item.(type) {
		case *grammar.State, *grammar.Parallel, *grammar.Region, *grammar.Final, *grammar.Use:
			if next < len(s.kids) && s.kids[next].from == item {
				c.checkBody(s.kids[next])
				next++
			}
		case *grammar.Entry:
			c.entry(s, n)
		default:
			if s.isFinal() {
				c.inFinal(s, item)
				continue
			}
			c.checkItem(s, item)
		}
	}
	c.checkShadows(s)
	c.checkTimerNames(s)
}

func (c *checker) inFinal(s *state, item grammar.StateItem) {
	if item.Broken() {
		return
	}
	word := firstWord(s.env, item)
	c.mentionAll(s.env.file, item)
	c.report(s.env.at(wordSpan(item, word)), diag.TransitionFromFinal, "`%s` is final: nothing leaves it, so `%s` could never do anything", s.m.Name, word).
		help("make it a `state` if something is to follow; a final state may hold an `entry` block")
}

func firstWord(e *env, n grammar.Node) string {
	text := e.file.ast.Src[n.Span().Start:n.Span().End]
	i := 0
	for i < len(text) && (text[i] == '_' || 'a' <= text[i] && text[i] <= 'z' || 'A' <= text[i] && text[i] <= 'Z') {
		i++
	}
	return string(text[:i])
}

func (c *checker) checkItem(s *state, item grammar.StateItem) {
	switch n := item.(type) {
	case *grammar.Timeout:
		c.timeoutItem(s, n)
	case *grammar.After:
		c.afterItem(s, n)
	case *grammar.At:
		c.atItem(s, n)
	case *grammar.Every:
		c.everyItem(s, n)
	case *grammar.Idle:
		c.idleItem(s, n)
	case *grammar.On:
		c.onItem(s, n)
	case *grammar.Always:
		c.alwaysItem(s, n)
	case *grammar.Exit:
		c.exit(s, n)
	case *grammar.Do:
		c.doItem(s, n)
	case *grammar.Invoke:
		c.invokeItem(s, n)
	case *grammar.Run:
		c.runItem(s, n)
	case *grammar.Defer:
		c.deferItem(s, n)
	}
}

// entry adds an entry block; a state may have several, which run one after the other.
func (c *checker) entry(s *state, n *grammar.Entry) {
	x := c.coder(s.env, s.fl, s, inEntry)
	s.m.Entry = c.addBlock(s, x, n.Block, s.m.Entry)
}

func (c *checker) exit(s *state, n *grammar.Exit) {
	x := c.coder(s.env, s.fl, s, inExit)
	s.m.Exit = c.addBlock(s, x, n.Block, s.m.Exit)
}

func (c *checker) addBlock(s *state, x *coder, b *grammar.Block, before *model.Code) *model.Code {
	if before != nil {
		x.locals = before.Locals
	}
	code := x.blockCode(b)
	s.blocks = append(s.blocks, x.effects)
	if before != nil {
		code.Stmts = append(before.Stmts[:len(before.Stmts):len(before.Stmts)], code.Stmts...)
		code.Pos = before.Pos
	}
	return code
}

// dataDefault checks the default of a data field.
func (c *checker) dataDefault(s *state, i int) {
	d := s.fl.data[i]
	if d.decl == nil {
		return
	}
	if d.decl.Default == nil {
		if !d.m.Type.Optional && d.m.Type.Kind != value.Invalid && !d.decl.Broken() {
			c.report(d.env.of(d.decl.Name), diag.MissingArgument, "the data field `%s` has no value to begin with", d.decl.Name.Text).
				help("give it a default (`%s: %s = …`), or let it be null (`%s?`)", d.decl.Name.Text, d.m.Type, d.m.Type)
		}
		return
	}
	x := c.coder(d.env, s.fl, s, inData)
	x.ready = i
	d.m.Default = x.asCode(x.need(d.decl.Default, d.m.Type, "the data field `"+d.decl.Name.Text+"`"))
}

// onItem is a handler.
func (c *checker) onItem(s *state, n *grammar.On) {
	h := &handler{node: n, st: s, events: c.handled(s.env, n.Events), m: &model.Handler{Order: s.fl.nextOrder(), Pos: s.env.pos(eventsSpan(n))}}
	for _, ev := range h.events {
		if ev.unknown {
			continue
		}
		t := model.Trigger{Reserved: ev.reserved}
		if ev.sym != nil {
			t.Event = ev.sym.event
			ev.sym.handled = true
		}
		h.m.Triggers = append(h.m.Triggers, t)
	}
	h.shape = c.shapeOf(s, h.events)
	h.at = s.env.at(eventsSpan(n))
	h.target, h.m.Target = c.target(s, n.Target)
	var facts []string
	if n.When != nil {
		h.m.Guard, facts = c.guard(s, n.When.Cond, h.shape, inGuard)
	}
	if n.Block != nil {
		x := c.blockCoder(s, h.m.Target.Kind, h.target, facts)
		c.forgetBeside(x, h)
		x.event, x.takes = h.shape, h.declaredOnly()
		h.m.Block = x.blockCode(n.Block)
		h.effects = x.effects
	}
	s.handlers = append(s.handlers, h)
	s.m.Handlers = append(s.m.Handlers, h.m)
}

func eventsSpan(n *grammar.On) grammar.Span {
	if len(n.Events) == 0 {
		return wordSpan(n, "on")
	}
	return grammar.Span{Start: n.Events[0].Span().Start, End: n.Events[len(n.Events)-1].Span().End}
}

// A handler is `on …`.
type handler struct {
	m       *model.Handler
	node    *grammar.On
	st      *state
	at      place
	events  []eventRef
	shape   *shape
	target  *state // nil for a handler that stays, and for a target that is not known
	effects *effects
}

// declaredOnly reports whether all events have a sender that can be refused.
func (h *handler) declaredOnly() bool {
	for _, ev := range h.events {
		if ev.reserved != model.NotReserved {
			return false
		}
	}
	return true
}

func (h *handler) guarded() bool { return h.node.When != nil }

func (h *handler) takes(kind model.Reserved) bool {
	for _, ev := range h.events {
		if ev.reserved == kind && !ev.unknown && ev.sym == nil {
			return true
		}
	}
	return false
}

func (fl *flow) nextOrder() int {
	fl.order++
	return fl.order - 1
}

// target resolves `-> STATE`.
func (c *checker) target(s *state, n *grammar.Target) (*state, model.Target) {
	if n == nil {
		return nil, model.Target{Kind: model.Stay}
	}
	r := pathRef(n.Path)
	m := model.Target{Kind: model.ToState, State: -1, Pos: s.env.pos(r.span())}
	if len(r) == 0 {
		s.fl.unclear = true
		return nil, m
	}
	if len(r) == 1 && r[0].Text == "self" {
		m.Kind, m.State = model.ToSelf, s.m.Index
		return s, m
	}
	t := c.findState(s.env, s, r)
	if t == nil {
		return nil, m
	}
	m.State = t.m.Index
	return t, m
}

// guard checks `when COND` and returns what is known when it holds.
func (c *checker) guard(s *state, cond grammar.Expr, sh *shape, w where) (*model.Code, []string) {
	x := c.coder(s.env, s.fl, s, w)
	x.event = sh
	r := x.needBool(cond, "a guard")
	if k, ok := r.m.(*model.Const); ok && !isBad(k) && !x.param { // a parameter is there to be constant in each use
		c.constantGuard(s, cond, k.Value.Bool(), w)
	}
	if w == inAlways && x.clock {
		c.report(s.env.of(cond), diag.GuardReadsClock, "the guard reads the clock, and time alone does not wake an automatic transition").
			help("write `at TIME -> STATE` or `after DUR -> STATE`")
	}
	return x.asCode(r.m), withoutLocals(r.yes)
}

func (c *checker) constantGuard(s *state, cond grammar.Expr, holds bool, w where) {
	if holds {
		c.report(s.env.of(cond), diag.GuardConstant, "this guard is always true, so it guards nothing").help("leave out the `when`")
		return
	}
	c.report(s.env.of(cond), diag.GuardConstant, "this guard is never true, so nothing happens here").help("correct the condition, or remove this")
}

func withoutLocals(facts []string) []string {
	var out []string
	for _, f := range facts {
		if f[0] != 'l' {
			out = append(out, f)
		}
	}
	return out
}

// blockCoder begins the block of a handler, a timer or an automatic transition; facts are what its guard has shown. The exit
// blocks of what a transition leaves run before its block and may have changed the data.
func (c *checker) blockCoder(s *state, kind model.TargetKind, target *state, facts []string) *coder {
	x := c.coder(s.env, s.fl, s, inHandler)
	x.facts = facts
	if kind == model.Stay {
		return x
	}
	for _, e := range s.fl.exits {
		if kind == model.ToState && target == nil || mayLeave(s, target, e.st) {
			forgetBlock(x, e.st, e.block)
		}
	}
	x.lives = target
	return x
}

// An exitBlock is the exit block of a state.
type exitBlock struct {
	st    *state
	block *grammar.Block
}

// collectExits finds the exit blocks of a flow.
func (c *checker) collectExits(fl *flow) {
	fl.exits = nil
	for _, s := range fl.states {
		for _, item := range s.items {
			if n, ok := item.(*grammar.Exit); ok {
				fl.exits = append(fl.exits, exitBlock{s, n.Block})
			}
		}
	}
}

// mayLeave reports whether a transition from s to a target (nil: itself) may leave t, which need not be active. A state's transition to one inside it leaves the
// state itself alone; one to another state leaves everything below the innermost composite around both.
func mayLeave(s, target, t *state) bool {
	if target == nil {
		target = s
	}
	if target != s && target.within(s) {
		return t != s && t.within(s)
	}
	top := s
	if s.within(target) {
		top = target
	} else {
		for p := top.parent; p != nil && (!target.within(p) || p.m.Kind == model.Parallel); p = top.parent {
			top = p
		}
	}
	return t.within(top)
}
