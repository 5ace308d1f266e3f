package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
)

// A work is what a leaf does, as far as its handlers need to know before it is checked itself.
type work struct {
	m       *model.Work
	node    grammar.StateItem
	at      place   // of the task's or flow's name, or of `run`
	task    *symbol // of do
	flow    *symbol // of invoke
	each    bool
	unknown bool
	policy  model.Policy
	may     []*symbol
	mayOpen bool     // one of the events behind `may` is not known
	effects *effects // of a routine
}

// prepare finds out, for one state, what the code of other states may ask: its initial state, its work and its own timers.
func (c *checker) prepare(s *state) {
	c.bindValues(s)
	var initial *grammar.Initial
	for _, item := range s.items {
		if s.isFinal() {
			break
		}
		switch n := item.(type) {
		case *grammar.Initial:
			if initial != nil {
				c.report(s.env.of(n), diag.Syntax, "a state has one `initial`, and there is one above").related(s.env.of(initial), "the first one")
				continue
			}
			initial = n
		case *grammar.Timeout:
			s.never = s.never || n.Never
		case *grammar.Do, *grammar.Run, *grammar.Invoke:
			c.prepareWork(s, item)
		case *grammar.History:
			c.setHistory(s, n)
		case *grammar.Data:
			if s.parent != nil && (s.use == nil) {
				break // the parser has reported it
			}
		}
	}
	c.setInitial(s, initial)
	if p, ok := s.from.(*grammar.Parallel); ok && p.Join != nil {
		s.m.Join = c.joinOf(s, p.Join, len(s.kids))
	}
}

func (c *checker) setHistory(s *state, n *grammar.History) {
	if s.m.Kind != model.Composite && s.m.Kind != model.Region {
		c.report(s.env.of(n), diag.Syntax, "`history` remembers which inner state was active, and %s has none", s.title())
		return
	}
	s.m.History = model.ShallowHistory
	if n.Deep {
		s.m.History = model.DeepHistory
	}
}

// setInitial resolves where a state with states in it begins.
func (c *checker) setInitial(s *state, n *grammar.Initial) {
	nested := s.m.Kind == model.Composite || s.m.Kind == model.Region
	if n == nil {
		if nested && !s.hurt {
			c.missingInitial(s)
		}
		return
	}
	r := pathRef(n.Target)
	if len(r) == 0 {
		return
	}
	if !nested {
		if s.m.Kind == model.Parallel {
			c.report(s.env.of(n), diag.InitialNotDirectChild, "a parallel enters all its regions, so it has no `initial`").
				help("write an `initial` in each region")
		} else if !s.hurt {
			c.report(s.env.ofRef(r), diag.InitialNotDirectChild, "%s has no states in it, so it cannot begin in `%s`", s.title(), r).
				help("remove the `initial`, or put the state inside")
		}
		return
	}
	if kid := s.child(r[0].Text); len(r) == 1 && kid != nil {
		c.referState(s.env, r[0], kid)
		s.initial, s.m.Initial = kid, kid.m.Index
		return
	}
	if s.hurt {
		return
	}
	var names []string
	for _, k := range s.kids {
		names = append(names, k.m.Name)
	}
	if !c.anyState(s.fl, r.last().Text) {
		c.report(s.env.ofRef(r), diag.UnknownState, "there is no state `%s` in %s", r, s.title()).didYouMean(r.span(), r.String(), names)
		return
	}
	note := c.report(s.env.ofRef(r), diag.InitialNotDirectChild, "`%s` is not directly inside %s, and a state begins in one of its own", r, s.title())
	if len(names) > 0 {
		note.help("write one of %s; what it contains begins with its own `initial`", quote(names, "or"))
	}
}

func (c *checker) anyState(fl *flow, name string) bool {
	for _, s := range fl.states {
		if s.m.Name == name {
			return true
		}
	}
	return false
}

func (c *checker) missingInitial(s *state) {
	if len(s.kids) == 0 {
		c.report(s.named, diag.MissingInitial, "the region `%s` has no states, so it could never end", s.m.Name).help("put states into it, and an `initial`")
		return
	}
	c.report(s.named, diag.MissingInitial, "%s has states inside and does not say in which it begins", s.title()).
		help("write `initial %s` in it, or another of its states", s.kids[0].m.Name)
}

// prepareWork resolves what a leaf does.
func (c *checker) prepareWork(s *state, item grammar.StateItem) {
	w := &work{node: item, at: s.env.at(wordSpan(item, firstWord(s.env, item)))}
	var call *grammar.Call
	var clauses *grammar.Clauses
	switch n := item.(type) {
	case *grammar.Do:
		call, clauses, w.m = n.Call, &n.Clauses, &model.Work{Kind: model.Do}
	case *grammar.Invoke:
		call, clauses, w.m = n.Call, &n.Clauses, &model.Work{Kind: model.Invoke}
	case *grammar.Run:
		w.m = &model.Work{Kind: model.Run}
	}
	if call != nil {
		if call.Name != nil {
			w.at = s.env.ofRef(pathRef(call.Name))
		}
		w.each = clauses.Each != nil
	}
	if !c.placeWork(s, w) {
		s.misfit = true
		c.mentionAll(s.env.file, item)
		return
	}
	switch w.m.Kind {
	case model.Do:
		if w.task = c.findTask(s.env, callRef(call)); w.task != nil {
			w.m.Task = w.task.task
		}
		w.unknown = w.task == nil
	case model.Invoke:
		if w.flow = c.findFlow(s.env, callRef(call)); w.flow != nil {
			w.m.Flow = w.flow.flow.m
		}
		w.unknown = w.flow == nil
	}
	w.m.Pos = s.env.pos(w.at.span)
	s.work, s.m.Work = w, w.m
}

// placeWork reports work where there cannot be any, or a second one.
func (c *checker) placeWork(s *state, w *work) bool {
	switch {
	case len(s.kids) > 0 || s.m.Kind == model.Region || s.m.Kind == model.Parallel:
		c.report(w.at, diag.DuplicateWork, "%s has states inside, which do the work; it has no work of its own", s.title()).
			help("put this into one of the states")
		return false
	case s.work != nil:
		c.report(w.at, diag.DuplicateWork, "%s has work already, and a state does one thing", s.title()).
			related(s.work.at, "the first one").
			help("make two states of it, or a `run { … }` that does one after the other")
		return false
	}
	return true
}

func callRef(call *grammar.Call) ref {
	if call == nil {
		return nil
	}
	return pathRef(call.Name)
}

// wordSpan is the first word of a node.
func wordSpan(n grammar.Node, word string) grammar.Span {
	s := n.Span()
	return grammar.Span{Start: s.Start, End: min(s.End, s.Start+len(word))}
}

// findTask resolves a task, or the one that a fragment's parameter stands for.
func (c *checker) findTask(e *env, r ref) *symbol {
	if e.use != nil && len(r) == 1 && e.use.kinds[r[0].Text] == "task" {
		c.info.refer(e.file, r.span(), e.use.defs[r[0].Text])
		return e.use.tasks[r[0].Text]
	}
	if s := c.find(e, symTask, r); s != nil {
		return s
	}
	if len(r) > 0 {
		if s := e.file.lookup(symFlow, r.names()); s != nil {
			c.report(e.ofRef(r), diag.UnknownTask, "`%s` is a flow, and a task belongs here", r).
				help("a flow is run with `invoke`, or with `call` in a routine")
			return nil
		}
	}
	return c.resolve(e, symTask, r)
}

// findFlow resolves a flow.
func (c *checker) findFlow(e *env, r ref) *symbol {
	if s := c.find(e, symFlow, r); s != nil {
		return s
	}
	if len(r) > 0 {
		if s := e.file.lookup(symTask, r.names()); s != nil {
			c.report(e.ofRef(r), diag.UnknownFlow, "`%s` is a task, and a flow belongs here", r).
				help("a task is done with `do`, or with `call` in a routine")
			return nil
		}
	}
	return c.resolve(e, symFlow, r)
}
