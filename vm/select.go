package vm

import (
	"cmp"
	"slices"

	"flowc/compiler/program"
)

// choice is a handler, an automatic transition, a timer's action or a waiting routine that was selected. It is carried out only
// if its source is still in the visit in which it was selected (R7).
type choice struct {
	source Visit
	order  int
	target program.Target
	block  int
	wait   int // of a routine: the case; -1
}

// selected remembers what was asked once, since several leaves may share an ancestor.
type selected struct {
	state, index int
	taken        bool
}

// pick selects for an event from each active leaf outwards (R7): all guards are evaluated before anything is done. It reports
// false when a guard raised an error.
func (s *step) pick(e *payload) ([]choice, bool) {
	var found []choice
	var asked []selected
	for i := range s.t.Active {
		if !isLeaf(s.f, s.t, i) {
			continue
		}
		if c, ok := s.waiting(s.t.Active[i], e); ok {
			found = append(found, c)
			continue
		}
		found, asked = s.outwards(s.t.Active[i].State, e, found, asked)
		if s.halt != going {
			return nil, false
		}
	}
	return s.resolve(found), s.halt == going
}

// outwards adds the first enabled handler from a state outwards, unless another leaf has led to it already.
func (s *step) outwards(state int, e *payload, found []choice, asked []selected) ([]choice, []selected) {
	for ; state >= 0; state = s.f.States[state].Parent {
		handlers := s.f.States[state].Handlers
		for h := range handlers {
			if !takes(&handlers[h], e) {
				continue
			}
			if k := recall(asked, state, h); k >= 0 {
				if asked[k].taken {
					return found, asked
				}
				continue
			}
			taken := s.guard(handlers[h].Guard, s.at(state, e))
			if s.halt != going {
				return nil, nil
			}
			asked = append(asked, selected{state, h, taken})
			if taken {
				return append(found, s.chosen(state, &handlers[h])), asked
			}
		}
	}
	return found, asked
}

func recall(asked []selected, state, index int) int {
	for k := range asked {
		if asked[k].state == state && asked[k].index == index {
			return k
		}
	}
	return -1
}

func takes(h *program.Handler, e *payload) bool {
	for i := range h.Triggers {
		if e.takes(h.Triggers[i]) {
			return true
		}
	}
	return false
}

func (s *step) chosen(state int, h *program.Handler) choice {
	return choice{source: s.t.Active[s.visitOf(state)], order: h.Order, target: h.Target, block: h.Block, wait: -1}
}

// pickFrom selects for a reserved event, from the state that it belongs to outwards.
func (s *step) pickFrom(state int, e *payload) (choice, bool) {
	found, _ := s.outwards(state, e, nil, nil)
	if s.halt != going || len(found) == 0 {
		return choice{}, false
	}
	return found[0], true
}

// pickAlways selects the automatic transitions, inner states first.
func (s *step) pickAlways() []choice {
	var found []choice
	var asked []selected
	for i := range s.t.Active {
		if !isLeaf(s.f, s.t, i) {
			continue
		}
		found, asked = s.alwaysOutwards(s.t.Active[i].State, found, asked)
		if s.halt != going {
			return nil
		}
	}
	return s.resolve(found)
}

func (s *step) alwaysOutwards(state int, found []choice, asked []selected) ([]choice, []selected) {
	for ; state >= 0; state = s.f.States[state].Parent {
		always := s.f.States[state].Always
		for a := range always {
			if k := recall(asked, state, a); k >= 0 {
				if asked[k].taken {
					return found, asked
				}
				continue
			}
			taken := s.guard(always[a].Guard, s.at(state, nil))
			if s.halt != going {
				return nil, nil
			}
			asked = append(asked, selected{state, a, taken})
			if taken {
				c := choice{source: s.t.Active[s.visitOf(state)], order: always[a].Order, target: always[a].Target, block: always[a].Block, wait: -1}
				return append(found, c), asked
			}
		}
	}
	return found, asked
}

// resolve drops, of two transitions whose exits intersect, the one whose source is the ancestor, otherwise the later one of the
// file, and puts what remains into file order with waiting routines first.
func (s *step) resolve(found []choice) []choice {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b choice) int {
		switch {
		case a.wait < 0 && b.wait < 0:
			return cmp.Compare(a.order, b.order)
		case a.wait < 0:
			return 1
		case b.wait < 0:
			return -1
		}
		return cmp.Compare(a.source.State, b.source.State)
	})
	var kept []choice
	for _, c := range found {
		kept = s.contend(kept, c)
	}
	return kept
}

// contend adds a choice to those before it in the file.
func (s *step) contend(kept []choice, c choice) []choice {
	if c.target.Kind == program.Stay {
		return append(kept, c)
	}
	leaves := s.spanOf(c.source.State, c.target)
	out := kept[:0:0]
	for _, k := range kept {
		if k.target.Kind == program.Stay || !leaves.meets(s.spanOf(k.source.State, k.target)) {
			out = append(out, k)
			continue
		}
		if c.source.State == k.source.State || !inside(s.f, c.source.State, k.source.State) {
			return kept // the earlier one stays
		}
	}
	return append(out, c)
}
