package validate

import (
	"flowc/validate/model"
)

// checkGraph checks what is true of a flow as a whole, once all its code is known.
func (c *checker) checkGraph(fl *flow) {
	c.markRearmed(fl)
	if fl.tooLarge {
		return
	}
	for _, s := range fl.states {
		if s.damaged() {
			continue
		}
		c.checkTimers(s)
		c.checkHandlers(s)
		c.checkJoin(s)
		c.checkWorkHandled(s)
	}
	c.checkLeaving(fl)
	if !fl.unclear && !fl.env.file.faulty {
		for _, s := range fl.states {
			c.checkUnreachable(s)
		}
	}
	c.checkSchedules(fl)
	c.checkDeferred(fl)
	c.checkCycle(fl)
	c.checkReachable(fl)
}

// damaged reports whether parts of the state, or of one around it, could not be read, so that nothing can be said of it as a whole.
func (s *state) damaged() bool {
	for ; s != nil; s = s.parent {
		if s.hurt {
			return true
		}
	}
	return false
}

func (c *checker) markRearmed(fl *flow) {
	for _, r := range c.rearms {
		if r.st.fl != fl {
			continue
		}
		for _, t := range r.st.timers {
			t.rearmed = t.rearmed || t.m.Name == r.name
		}
	}
}

// search lists the handlers that a reserved event of a state meets, from the state outwards: guarded ones, and at the end the
// first that takes it for certain, where there is one.
func (s *state) search(kind model.Reserved) []*handler {
	if out, ok := s.found[kind]; ok {
		return out
	}
	var out []*handler
	settled := false
	for _, h := range s.handlers {
		if !settled && h.takes(kind) {
			out = append(out, h)
			settled = !h.guarded()
		}
	}
	if s.parent != nil && !settled {
		if above := s.parent.search(kind); len(out) == 0 {
			out = above
		} else {
			out = append(out, above...)
		}
	}
	if s.found == nil {
		s.found = map[model.Reserved][]*handler{}
	}
	s.found[kind] = out
	return out
}

// leaves reports whether a transition of a state leaves another one that is active inside it (or is the same). What a composite
// does inside itself does not leave it; a final state of the flow ends even the flow.
func leaves(owner *state, kind model.TargetKind, target, s *state) bool {
	switch {
	case kind == model.Stay:
		return false
	case owner != s, kind == model.ToSelf, target == nil:
		return true
	}
	return target == s || !target.within(s) || s.parent == nil && target.endsFlow()
}

// A wayKind says what makes a token leave a state.
type wayKind uint8

const (
	byOutside wayKind = iota // an event from outside
	byTime
	byWork
	byError
	byGuess  // a guarded automatic transition
	byItself // an unguarded one
	byOwn    // an event that the flow itself makes
)

// An exit is one way out of a state; target is nil when it ends the token or is not known.
type exit struct {
	kind   wayKind
	target *state
	ends   bool // it fails or ends the token
	root   bool // it is the flow's own timeout
}

// exits lists the ways out of a state that is active: its own, those of the states around it, and those of regions beside it; of a
// state with states in it also those that lead out of it from inside.
func (s *state) exits() []exit {
	out := s.exitsOf(s)
	for u := s; u.parent != nil; u = u.parent {
		p := u.parent
		out = p.inherited(s, out)
		if p.m.Kind == model.Parallel {
			out = p.beside(u, out)
			if p.m.Join.Kind != model.JoinAll {
				out = append(out, p.taken(s, model.OnJoined, byWork)...)
			}
		}
	}
	for _, k := range s.kids {
		out = append(out, k.outward(s)...)
	}
	if s.isFinal() {
		return out
	}
	return append(out, s.workExits()...)
}

// outward lists the ways from a state and the states in it that lead out of another state around it.
func (s *state) outward(of *state) []exit {
	var out []exit
	for _, e := range append(s.exitsOf(s), s.workExits()...) {
		if e.ends || e.target == nil || !e.target.within(of) {
			out = append(out, e)
		}
	}
	for _, k := range s.kids {
		out = append(out, k.outward(of)...)
	}
	return out
}

// exitsOf lists the ways by which the items of u leave s, which is u or inside it.
func (u *state) exitsOf(s *state) []exit {
	out := u.plainExits(s)
	for _, h := range u.handlers {
		out = append(out, u.handlerExits(s, h)...)
	}
	return out
}

// plainExits is exitsOf without the handlers of declared events.
func (u *state) plainExits(s *state) []exit {
	var out []exit
	for _, a := range u.always {
		if leaves(u, a.m.Target.Kind, a.target, s) {
			kind := byItself
			if a.guarded {
				kind = byGuess
			}
			out = append(out, exit{kind: kind, target: a.target})
		}
	}
	for _, t := range u.timers {
		out = append(out, u.timerExits(s, t)...)
	}
	return out
}

func (u *state) timerExits(s *state, t *timer) []exit {
	switch t.m.Kind {
	case model.Timeout:
		out := u.taken(s, model.OnTimeout, byTime)
		if len(u.search(model.OnTimeout)) == 0 {
			out = append(out, exit{kind: byTime, ends: true})
		}
		for i := range out {
			out[i].root = u.parent == nil
		}
		return out
	case model.Idle:
		if len(u.search(model.OnExpired)) == 0 {
			return []exit{{kind: byTime, ends: true}}
		}
		return u.taken(s, model.OnExpired, byTime)
	}
	if leaves(u, t.m.Target.Kind, t.target, s) {
		return []exit{{kind: byTime, target: t.target}}
	}
	if t.effects != nil && t.effects.fails {
		return []exit{{kind: byTime, ends: true}}
	}
	return nil
}

// taken lists the ways by which a reserved event that u gets leaves s.
func (u *state) taken(s *state, kind model.Reserved, by wayKind) []exit {
	var out []exit
	for _, h := range u.search(kind) {
		switch {
		case leaves(h.st, h.m.Target.Kind, h.target, s):
			out = append(out, exit{kind: by, target: h.target})
		case h.effects != nil && h.effects.fails:
			out = append(out, exit{kind: by, ends: true})
		}
	}
	return out
}

// handlerExits lists the ways by which a handler of declared events leaves a state.
func (u *state) handlerExits(s *state, h *handler) []exit {
	ends := h.effects != nil && h.effects.fails
	if !leaves(u, h.m.Target.Kind, h.target, s) && !ends {
		return nil
	}
	var out []exit
	for _, ev := range h.events {
		switch {
		case ev.unknown:
			out = append(out, exit{kind: byOutside, target: h.target})
		case ev.sym == nil: // reserved events are looked at where they come from
		case ev.sym.event.Internal || s.makes(ev.sym):
			out = append(out, exit{kind: byOwn, target: h.target, ends: ends && h.target == nil})
		case s.mayEnd(ev.sym):
			out = append(out, exit{kind: byWork, target: h.target, ends: ends && h.target == nil})
		default:
			out = append(out, exit{kind: byOutside, target: h.target, ends: ends && h.target == nil})
		}
	}
	return out
}

func (s *state) mayEnd(ev *symbol) bool {
	if s.work != nil {
		for _, m := range s.work.may {
			if m == ev {
				return true
			}
		}
	}
	return false
}

// workExits lists the ways by which a state's own work, or its end, leaves it.
func (s *state) workExits() []exit {
	var out []exit
	for _, kind := range []model.Reserved{model.OnCompleted, model.OnJoined} {
		if s.ends(kind) && (s.work == nil || s.work.effects == nil || !s.work.effects.endless) {
			by := byWork
			if s.waitsForOutside() {
				by = byOutside
			}
			out = append(out, s.taken(s, kind, by)...)
		}
	}
	if w := s.work; w != nil && w.effects != nil {
		for _, t := range w.effects.goes {
			if leaves(s, model.ToState, t, s) {
				out = append(out, exit{kind: byWork, target: t})
			}
		}
		if w.effects.fails || w.effects.goesAway && len(w.effects.goes) == 0 {
			out = append(out, exit{kind: byWork, ends: true})
		}
	}
	if s.work != nil || s.mayErr() {
		out = append(out, s.taken(s, model.OnError, byError)...)
	}
	return out
}

// waitsForOutside reports whether the state's routine cannot end before an event from outside has come.
func (s *state) waitsForOutside() bool {
	if s.work == nil || s.work.effects == nil {
		return false
	}
	for _, events := range s.work.effects.mustWait {
		outside := len(events) > 0
		for _, ev := range events {
			outside = outside && !ev.event.Internal && !s.makes(ev)
		}
		if outside {
			return true
		}
	}
	return false
}

// mayErr reports whether something that runs while the state is active may end in a run-time error.
func (s *state) mayErr() bool {
	for u := s; u != nil; u = u.parent {
		for _, h := range u.handlers {
			if h.effects != nil && h.effects.mayErr || h.m.Guard != nil && mayErr(h.m.Guard.Result) {
				return true
			}
		}
		for _, t := range u.timers {
			if t.effects != nil && t.effects.mayErr || t.m.Guard != nil && mayErr(t.m.Guard.Result) {
				return true
			}
		}
		for _, a := range u.always {
			if a.m.Guard != nil && mayErr(a.m.Guard.Result) {
				return true
			}
		}
	}
	return false
}

// makes reports whether the flow itself makes the event while the state is active: a timer of the state or of one around it or
// inside it is scheduled with it, or what runs without an outside event raises it.
func (s *state) makes(ev *symbol) bool {
	for _, m := range s.fl.made[ev] {
		if m.lives == nil || s.within(m.lives) || m.lives.within(s) {
			return true
		}
	}
	return false
}

// collectMade notes where the flow makes events of its own.
func (fl *flow) collectMade() {
	fl.made = map[*symbol][]emission{}
	for _, s := range fl.states {
		own := s.blocks
		for _, t := range s.timers {
			own = append(own, t.effects)
		}
		for _, a := range s.always {
			own = append(own, a.effects)
		}
		if s.work != nil {
			own = append(own, s.work.effects)
		}
		for _, e := range own {
			fl.made.add(e, s, true)
		}
		for _, h := range s.handlers {
			fl.made.add(h.effects, s, !h.declaredOnly())
		}
	}
}

type madeEvents map[*symbol][]emission

func (m madeEvents) add(e *effects, s *state, raised bool) {
	if e == nil {
		return
	}
	for _, out := range e.schedules {
		m[out.sym] = append(m[out.sym], out)
	}
	if raised {
		for _, out := range e.raises {
			out.lives = s
			m[out.sym] = append(m[out.sym], out)
		}
	}
}

// allEffects lists the effects of every block of the flow.
func (fl *flow) allEffects(visit func(s *state, e *effects)) {
	for _, s := range fl.states {
		for _, e := range s.blocks {
			visit(s, e)
		}
		for _, t := range s.timers {
			visit(s, t.effects)
		}
		for _, a := range s.always {
			visit(s, a.effects)
		}
		for _, h := range s.handlers {
			visit(s, h.effects)
		}
		if s.work != nil {
			visit(s, s.work.effects)
		}
	}
}
