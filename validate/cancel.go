package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// checkCancel checks that a handler of `cancel` leads to a final state of the flow, or to a clean-up that work and time alone bring
// to one.
func (c *checker) checkCancel(h *handler, ev eventRef) {
	if h.m.Target.Kind == model.Stay {
		c.report(ev.at, diag.CancelNotFinal, "a cancelled token must end, and this handler keeps it where it is").
			help("write `on cancel -> STATE` with a final state, or with a state that cleans up and then leads to one")
		return
	}
	if h.target == nil {
		return
	}
	if s := neverEnds(h.target); s != nil {
		n := c.report(ev.at, diag.CancelNotFinal, "a cancelled token must end, and from %s work and time alone do not lead to a final state of the flow", s.title())
		if s != h.target {
			n.related(s.named, "here it would stay")
		}
		n.help("lead to a final state, or give that state a timeout or work that does; the flow's own timeout does not count")
	}
}

// A cleanup explores what work and time make of a token after a cancel.
type cleanup struct {
	next map[*state][]*state
	ends map[*state]bool
	todo []*state
}

// neverEnds finds a state that a token can come to from target by work and time, and from which they do not lead to an end.
func neverEnds(target *state) *state {
	g := &cleanup{next: map[*state][]*state{}, ends: map[*state]bool{}}
	g.enter(nil, target)
	var order []*state
	for len(g.todo) > 0 {
		s := g.todo[0]
		g.todo = g.todo[1:]
		order = append(order, s)
		g.explore(s)
	}
	for changed := true; changed; {
		changed = false
		for _, s := range order {
			if g.ends[s] {
				continue
			}
			for _, n := range g.next[s] {
				if g.ends[n] {
					g.ends[s], changed = true, true
					break
				}
			}
		}
	}
	for _, s := range order {
		if !g.ends[s] {
			return s
		}
	}
	return nil
}

// enter adds the states in which a token stands after it has entered a state.
func (g *cleanup) enter(from, target *state) {
	for _, leaf := range target.landing(nil) {
		if from != nil {
			g.next[from] = append(g.next[from], leaf)
		}
		if _, seen := g.next[leaf]; !seen {
			g.next[leaf] = nil
			g.todo = append(g.todo, leaf)
		}
	}
}

// landing lists the leaves and final states in which entering a state ends.
func (s *state) landing(out []*state) []*state {
	switch {
	case len(s.kids) == 0:
		return append(out, s)
	case s.m.Kind == model.Parallel:
		for _, r := range s.kids {
			out = r.landing(out)
		}
		return out
	case s.initial == nil:
		return append(out, s)
	}
	return s.initial.landing(out)
}

func (g *cleanup) explore(s *state) {
	if s.endsFlow() || s.damaged() || len(s.kids) > 0 {
		g.ends[s] = true // the last two have findings of their own
		return
	}
	for _, e := range s.exits() {
		if e.kind == byOutside || e.root {
			continue
		}
		if e.ends || e.target == nil {
			g.ends[s] = true
			continue
		}
		g.enter(s, e.target)
	}
	if s.isFinal() {
		g.afterFinal(s)
	}
}

// afterFinal follows the end of the composite or of the parallel that a final state belongs to.
func (g *cleanup) afterFinal(s *state) {
	p, kind := s.parent, model.OnCompleted
	if p.m.Kind == model.Region {
		p, kind = p.parent, model.OnJoined
	}
	for _, h := range p.search(kind) {
		if h.target != nil {
			g.enter(s, h.target)
		} else if h.m.Target.Kind != model.Stay {
			g.ends[s] = true
		}
	}
}
