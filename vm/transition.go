package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// carryOut runs what was selected, in its order. What was selected in a state that has since been left does not run.
func (s *step) carryOut(found []choice, e *payload) {
	for _, c := range found {
		if !s.visiting(c.source) {
			continue
		}
		if !s.move() {
			return
		}
		s.perform(c, e)
		if s.halt != going {
			return
		}
	}
}

func (s *step) perform(c choice, e *payload) {
	s.trail = append(s.trail, c.source.State)
	if c.wait < 0 && c.order >= 0 {
		s.ran = append(s.ran, c.order)
	}
	switch {
	case c.wait >= 0:
		s.resumeWait(c, e)
	case c.target.Kind == program.Stay:
		s.block(c.block, s.at(c.source.State, e))
	default:
		s.transition(c, e)
	}
}

// transition leaves, runs the transition's block and enters.
func (s *step) transition(c choice, e *payload) {
	target := c.target.State
	if c.target.Kind == program.ToSelf {
		target = c.source.State
	}
	around := s.spanOf(c.source.State, c.target)
	before := s.mark()
	s.exit(around.from, around.to)
	s.block(c.block, place{state: c.source.State, entered: c.source.EnteredAt, owner: target, later: true, event: e})
	if s.halt == failing {
		s.keepPlace(&before)
	}
	if s.halt != going {
		return
	}
	s.enterAround(around, target)
	s.entered = target
}

// keepPlace puts the token back where it was before a transition whose block said `fail`: what the blocks did stays, but a token
// that fails keeps its place, so that a retry goes on there.
func (s *step) keepPlace(before *mark) {
	s.t.Active, s.t.Memories, s.t.Timers = before.t.Active, before.t.Memories, before.t.Timers
	s.t.Work, s.t.Frames, s.t.Children, s.t.Fans = before.t.Work, before.t.Frames, before.t.Children, before.t.Fans
	s.withdraw, s.over = before.e.withdraw, before.e.over
	kept := s.lines[:len(before.e.lines):len(before.e.lines)]
	for _, l := range s.lines[len(before.e.lines):] {
		switch l.Kind {
		case "left", "timer-stopped", "task-withdrawn", "child-cancelled":
		default:
			kept = append(kept, l)
		}
	}
	s.lines = kept
}

// exit leaves the active states from one to another of the file's pre-order, innermost first and sibling regions in reverse.
func (s *step) exit(from, to int) {
	s.remember(from, to)
	for i := len(s.t.Active) - 1; i >= 0 && s.halt == going; i-- {
		v := s.t.Active[i]
		if v.State < from || v.State > to {
			continue
		}
		if s.block(s.f.States[v.State].Exit, s.at(v.State, nil)) {
			s.leave(v, "left")
		}
	}
}

// drop leaves the active states from one to another without their exit blocks (R53).
func (s *step) drop(from, to int) {
	s.remember(from, to)
	for i := len(s.t.Active) - 1; i >= 0; i-- {
		if v := s.t.Active[i]; v.State >= from && v.State <= to {
			s.leave(v, "left")
		}
	}
}

// leave ends a visit: its timers stop, its work is withdrawn, its routine ends, its children are cancelled (R10, R33, R46).
func (s *step) leave(v Visit, why string) {
	s.stopTimers(v, why)
	s.stopWork(v, true)
	s.dropVisit(s.visitOf(v.State))
	s.line(Line{Kind: "left", State: s.path(v.State), Visit: v.Visit})
}

// enterAround enters a transition's target. A parallel's own transition into one of its regions has left the others too, and they
// begin anew.
func (s *step) enterAround(around span, target int) {
	i := s.visitOf(around.below)
	if i >= 0 && s.f.States[around.below].Kind == program.Parallel && around.from == around.below+1 && around.to == s.f.States[around.below].Last {
		s.enterRegions(s.t.Active[i], []int{target})
		return
	}
	s.enterBelow(around.below, target)
}

// enterBelow enters a target from the state below which it is entered.
func (s *step) enterBelow(below, target int) {
	first := target
	for s.f.States[first].Parent != below {
		first = s.f.States[first].Parent
	}
	s.enter(first, []int{target})
}

// enter makes a new visit of a state, and of the states inside it: those that lead to the goals, otherwise what its history
// remembers, otherwise the initial ones. The entry block runs first, then timers are armed and work is offered.
func (s *step) enter(state int, goals []int) {
	if s.halt != going {
		return
	}
	st := &s.f.States[state]
	s.t.Visits++
	v := Visit{State: state, Visit: s.t.Visits, EnteredAt: s.now}
	s.addVisit(v)
	s.line(Line{Kind: "entered", State: st.Path, Visit: v.Visit})
	s.scheduled(state)
	if !s.resetData(state) || !s.block(st.Entry, s.at(state, nil)) || !s.armAll(v) {
		return
	}
	switch st.Kind {
	case program.Leaf:
		s.beginWork(v)
	case program.Final:
		s.reached(state)
	case program.Parallel:
		s.enterRegions(v, goals)
	default:
		s.descend(state, goals)
	}
}

// descend enters the substate of a composite.
func (s *step) descend(state int, goals []int) {
	within := s.within(state, goals)
	if len(within) == 0 {
		within = s.remembered(state)
	}
	next := s.f.States[state].Initial
	if len(within) > 0 {
		next = within[0]
		for s.f.States[next].Parent != state {
			next = s.f.States[next].Parent
		}
	}
	if next >= 0 {
		s.enter(next, within)
	}
}

// within returns the goals that lie inside a state, itself not counted.
func (s *step) within(state int, goals []int) []int {
	var found []int
	for _, g := range goals {
		if g != state && inside(s.f, g, state) {
			found = append(found, g)
		}
	}
	return found
}

// resetData sets the data of a fragment to its defaults when its state is entered; the flow's own is set at the start.
func (s *step) resetData(state int) bool {
	for i := range s.f.Data {
		if d := &s.f.Data[i]; d.Owner == state && state > 0 && !s.setDefault(i) {
			return false
		}
	}
	return s.halt == going
}

func (s *step) setDefault(i int) bool {
	d := &s.f.Data[i]
	if d.Default < 0 {
		s.SetData(i, value.Value{})
		return true
	}
	v, ok := s.eval(d.Default, s.at(d.Owner, nil))
	if ok {
		s.SetData(i, v)
	}
	return ok
}
