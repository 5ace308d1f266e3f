package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// checkHandlers checks the handlers of a state against what they handle.
func (c *checker) checkHandlers(s *state) {
	for _, h := range s.handlers {
		for _, ev := range h.events {
			switch {
			case ev.unknown || ev.sym != nil:
			case ev.reserved == model.OnExpired:
				c.checkExpired(s, h, ev)
			case ev.reserved == model.OnCancel:
				c.checkCancel(h, ev)
			}
		}
	}
}

// checkExpired checks a handler of `expired`.
func (c *checker) checkExpired(s *state, h *handler, ev eventRef) {
	if !s.idleInside() {
		c.report(ev.at, diag.ExpiredWithoutIdle, "`expired` comes from an `idle`, and neither %s nor a state in it has one", s.title()).
			help("add `idle DUR`, or handle `timeout`")
		return
	}
	if s.idle == nil || s.parent != nil {
		return
	}
	if h.m.Target.Kind == model.Stay || h.target != nil && !h.target.endsFlow() {
		c.report(ev.at, diag.ExpiredNotFinal, "an `idle` of the flow's body leads straight to a final state: a flow that nobody talks to any more ends").
			help("write `on expired -> STATE` with a final state of the flow; an inner state's `idle` may lead anywhere")
	}
}

func (s *state) idleInside() bool {
	if s.idle != nil {
		return true
	}
	for _, k := range s.kids {
		if k.idleInside() {
			return true
		}
	}
	return false
}

// endsFlow reports whether the state is a final state of the flow itself.
func (s *state) endsFlow() bool { return s.isFinal() && s.parent != nil && s.parent.parent == nil }

// checkShadows reports handlers that an earlier one of the same state leaves nothing for.
func (c *checker) checkShadows(s *state) {
	var before []eventRef
	for _, h := range s.handlers {
		for _, ev := range h.events {
			if ev.unknown {
				continue
			}
			for _, b := range before {
				if b.same(ev) {
					c.report(ev.at, diag.ShadowedHandler, "an earlier handler without a guard takes every `%s`, so this one never does anything", ev.name).
						related(b.at, "taken here").
						help("give the earlier one a guard, or put this one before it")
					break
				}
			}
			if !h.guarded() && !h.node.Broken() && s.env.file.faultsIn(h.node.Span()) == 0 {
				before = append(before, ev)
			}
		}
	}
	var taken *always
	for _, a := range s.always {
		if taken != nil {
			c.report(a.at, diag.ShadowedHandler, "an earlier `always` without a guard leaves the state, so this one never does anything").
				related(taken.at, "left here").
				help("give the earlier one a guard, or put this one before it")
		} else if !a.guarded {
			taken = a
		}
	}
}

// checkJoin checks that a parallel's join can come about.
func (c *checker) checkJoin(s *state) {
	if s.m.Kind != model.Parallel || len(s.kids) == 0 {
		return
	}
	var taker *handler
	for _, h := range s.handlers {
		if h.takes(model.OnJoined) {
			taker = h
		}
	}
	if taker == nil {
		return
	}
	ending, winning, failing := 0, 0, 0
	for _, r := range s.kids {
		if r.damaged() {
			return
		}
		if r.hasFinal() {
			ending++
		}
		success, failure := r.finalOutcomes()
		if success {
			winning++
		}
		if failure {
			failing++
		}
	}
	switch {
	case s.m.Join.Kind == model.JoinAll && ending < len(s.kids):
		for _, r := range s.kids {
			if !r.hasFinal() {
				c.report(s.named, diag.JoinImpossible, "all regions must end for `joined`, and the region `%s` has no final state", r.m.Name).
					related(r.named, "never ends").
					help("give the region a final state, or say `join any`")
				return
			}
		}
	case ending == 0:
		c.report(s.named, diag.JoinImpossible, "no region has a final state, so `joined` never comes").help("give the regions final states")
	default:
		c.checkSuccesses(s, winning, failing)
	}
}

// checkSuccesses reports a join by successes that can neither come about nor be given up: fewer regions can succeed than it needs, and
// so few can fail that the others might, as far as the join knows, still succeed.
func (c *checker) checkSuccesses(s *state, winning, failing int) {
	need := 1
	switch s.m.Join.Kind {
	case model.JoinAny:
	case model.JoinCount:
		k, ok := s.m.Join.Count.Result.(*model.Const)
		if !ok || isBad(k) {
			return
		}
		need = int(k.Value.Int())
	default:
		return
	}
	if winning >= need || len(s.kids)-failing < need {
		return
	}
	able := "none"
	if winning > 0 {
		able = "only " + itoa(winning)
	}
	c.report(s.named, diag.JoinImpossible, "`joined` comes at a success of %s, and %s can end in one, so it never comes", counting(need, "region"), able).
		help("give a region a final state that is a success, or say `join race`, which takes any end")
}

func counting(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return itoa(n) + " " + what + "s"
}

// handlesUnknown reports whether a handler of the state names an event that does not exist, which may be meant as a reserved one.
func (s *state) handlesUnknown() bool {
	for _, h := range s.handlers {
		for _, ev := range h.events {
			if ev.unknown {
				return true
			}
		}
	}
	return false
}

// checkWorkHandled warns of work whose failure, or whose bad end, nobody looks at, and of timeouts that nobody handles.
func (c *checker) checkWorkHandled(s *state) {
	if t := s.timeout; t != nil {
		c.checkTimeoutHandled(s, t)
	}
	w := s.work
	if w == nil || w.each || w.unknown || s.handlesUnknown() {
		return
	}
	if (w.m.Kind != model.Run || w.effects != nil && w.effects.calls) && len(s.search(model.OnError)) == 0 {
		n := c.report(w.at, diag.UnhandledError, "nothing handles the `error` of this work, so the token fails when it does").
			help("add `on error -> STATE`; `on error { fail \"…\" }` says that this is meant")
		if w.m.Kind == model.Run {
			n.related(w.effects.callAt, "this may fail")
		}
	}
	if w.m.Kind == model.Invoke && w.flow != nil {
		c.checkOutcome(s, w)
	}
}

func (c *checker) checkTimeoutHandled(s *state, t *timer) {
	found := s.search(model.OnTimeout)
	switch {
	case len(found) == 0:
		c.report(t.at, diag.UnhandledTimeout, "nothing handles this timeout, so the token fails when it comes").
			help("add `on timeout -> STATE`; `on timeout { fail \"…\" }` says that this is meant")
	case found[0].st != s && len(s.kids) == 0 && s.parent != nil:
		c.report(t.at, diag.TimeoutBubbles, "%s takes this timeout, since %s does not", found[0].st.title(), s.title()).
			related(found[0].at, "taken here")
	}
}

// checkOutcome warns of a child that may end badly and is taken for a success.
func (c *checker) checkOutcome(s *state, w *work) {
	var bad *state
	for _, k := range w.flow.flow.states[0].kids {
		if k.isFinal() && k.m.Outcome != model.Success {
			bad = k
			break
		}
	}
	handlers := s.search(model.OnCompleted)
	if bad == nil || len(handlers) == 0 {
		return
	}
	for _, h := range handlers {
		if h.shape.seen["outcome"] || h.shape.seen["final"] {
			return
		}
	}
	c.report(w.at, diag.OutcomeIgnored, "`%s` may end in `%s`, which is no success, and no handler of `completed` looks at it", w.flow.name, bad.m.Name).
		related(bad.named, "ends as %s", model.OutcomeDecl.Members[bad.m.Outcome]).
		help("write `on completed when event.outcome == outcome.success -> …` and one more for the rest")
}

// checkDeferred warns of deferred events that the flow handles nowhere.
func (c *checker) checkDeferred(fl *flow) {
	takers := fl.takers()
	for _, s := range fl.states {
		for _, d := range s.defers {
			if len(takers[d.sym]) == 0 && !s.damaged() && !fl.env.file.faulty {
				c.report(d.at, diag.DeferredNeverHandled, "`%s` is deferred and handled nowhere in this flow, so it waits in vain", d.sym.name).
					help("handle it in a state that comes later, or do not defer it")
			}
		}
	}
}

// takers lists, for each event, the states that handle it or whose routine waits for it.
func (fl *flow) takers() map[*symbol][]*state {
	out := map[*symbol][]*state{}
	for _, s := range fl.states {
		for _, h := range s.handlers {
			for _, ev := range h.events {
				if ev.sym != nil {
					out[ev.sym] = append(out[ev.sym], s)
				}
			}
		}
		if s.work != nil && s.work.effects != nil {
			for _, ev := range s.work.effects.waits {
				out[ev] = append(out[ev], s)
			}
		}
	}
	return out
}
