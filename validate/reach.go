package validate

import (
	"slices"

	"flowc/validate/diag"
	"flowc/validate/model"
)

// checkReachable warns of states that nothing leads to.
func (c *checker) checkReachable(fl *flow) {
	if fl.unclear || fl.env.file.faulty || fl.tooLarge {
		return
	}
	r := &reach{seen: map[*state]bool{}, begun: map[*state]bool{}}
	r.enter(fl.states[0])
	for _, s := range fl.meant {
		r.enter(s)
	}
	r.follow()
	for _, s := range r.lostFirst(fl) {
		if r.seen[s] {
			continue
		}
		if s.m.Kind != model.Region {
			c.report(s.named, diag.UnreachableState, "nothing leads to %s, so no token ever comes here", s.title()).
				help("add a transition to it, or remove it")
		}
		r.enter(s)
		r.follow()
	}
}

// A reach is the set of states that a token may come to.
type reach struct {
	seen  map[*state]bool
	begun map[*state]bool // entered by their own names, so that they begin where they say
	todo  []*state
}

func (r *reach) mark(s *state) {
	if !r.seen[s] {
		r.seen[s] = true
		r.todo = append(r.todo, s)
	}
}

// enter marks a state, the states around it, the regions beside it, and those in which it begins.
func (r *reach) enter(s *state) {
	for u, below := s, s; u != nil; u, below = u.parent, u {
		r.mark(u)
		if u.m.Kind == model.Parallel && u != s {
			r.beginAll(u, below)
		}
	}
	r.begin(s)
}

func (r *reach) begin(s *state) {
	if r.begun[s] {
		return
	}
	r.begun[s] = true
	r.mark(s)
	if s.m.Kind == model.Parallel || s.initial == nil && len(s.kids) > 0 { // without `initial` it may begin anywhere
		r.beginAll(s, nil)
	} else if s.initial != nil {
		r.begin(s.initial)
	}
}

// beginAll begins the states inside, except for one that is entered on another way.
func (r *reach) beginAll(s, except *state) {
	for _, k := range s.kids {
		if k != except {
			r.begin(k)
		}
	}
}

func (r *reach) follow() {
	for len(r.todo) > 0 {
		s := r.todo[0]
		r.todo = r.todo[1:]
		for _, t := range s.targets() {
			if !r.begun[t] {
				r.enter(t)
			}
		}
	}
}

// targets lists where the transitions of a state lead.
func (s *state) targets() []*state {
	var out []*state
	add := func(t *state) {
		if t != nil {
			out = append(out, t)
		}
	}
	for _, h := range s.handlers {
		add(h.target)
	}
	for _, a := range s.always {
		add(a.target)
	}
	for _, t := range s.timers {
		add(t.target)
	}
	if s.work != nil && s.work.effects != nil {
		for _, t := range s.work.effects.goes {
			add(t)
		}
	}
	return out
}

// lostFirst orders the states that were not reached so that one that leads to another comes before it, and of a circle the first in
// the file, and a state before those inside: reported in this order, what only follows from the one before is reached by then.
func (r *reach) lostFirst(fl *flow) []*state {
	var order []*state
	done := map[*state]bool{}
	var visit func(s *state)
	visit = func(s *state) {
		if s == nil || done[s] || r.seen[s] {
			return
		}
		done[s] = true
		for _, t := range s.targets() {
			for ; t != nil; t = t.parent { // who leads into a state leads to those around it
				visit(t)
			}
		}
		for _, k := range s.kids {
			visit(k)
		}
		order = append(order, s)
	}
	for _, s := range fl.states {
		visit(s)
	}
	slices.Reverse(order)
	return order
}

// checkCycle reports unguarded automatic transitions that lead back to where they began.
func (c *checker) checkCycle(fl *flow) {
	next := map[*state]*always{}
	for _, s := range fl.states {
		if len(s.kids) > 0 || s.isFinal() || s.damaged() {
			continue
		}
		if a := s.firstAlways(); a != nil && !a.guarded && a.target != nil {
			next[s] = a
		}
	}
	done := map[*state]bool{}
	for _, s := range fl.states {
		c.followAlways(s, next, done)
	}
}

// firstAlways is the automatic transition that is tried first in a leaf.
func (s *state) firstAlways() *always {
	for u := s; u != nil; u = u.parent {
		if len(u.always) > 0 {
			return u.always[0]
		}
	}
	return nil
}

func (c *checker) followAlways(s *state, next map[*state]*always, done map[*state]bool) {
	on := map[*state]bool{}
	for at := s; next[at] != nil && !done[at]; {
		if on[at] {
			a := next[at]
			c.report(a.at, diag.AlwaysCycle, "this leads back to %s by automatic transitions alone, without end: the step would be undone and the token fail", at.title()).
				help("give one of them a guard, or let the token wait for something on the way")
			break
		}
		on[at] = true
		landing := next[at].target.landing(nil)
		if len(landing) != 1 {
			break
		}
		at = landing[0]
	}
	for at := range on {
		done[at] = true
	}
}
