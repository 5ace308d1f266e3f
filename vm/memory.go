package vm

import "flowc/compiler/program"

// remember notes what composites with history were in, before they are left. A composite that has ended begins anew, as in UML:
// resuming its final state would end it at once.
func (s *step) remember(from, to int) {
	for i := range s.t.Active {
		v := s.t.Active[i]
		if v.State < from || v.State > to {
			continue
		}
		switch s.f.States[v.State].History {
		case program.ShallowHistory:
			if child := s.activeChild(v.State); child >= 0 {
				s.setMemory(v.State, []int{child})
			}
		case program.DeepHistory:
			s.setMemory(v.State, s.leavesInside(v.State))
		}
	}
}

func (s *step) leavesInside(state int) []int {
	var leaves []int
	for i := range s.t.Active {
		if v := s.t.Active[i].State; v != state && inside(s.f, v, state) && isLeaf(s.f, s.t, i) {
			leaves = append(leaves, v)
		}
	}
	return leaves
}

func (s *step) setMemory(state int, in []int) {
	memories := make([]Memory, 0, len(s.t.Memories)+1)
	for _, m := range s.t.Memories {
		if m.State != state {
			memories = append(memories, m)
		}
	}
	if !s.hasEnded(state) && len(in) > 0 {
		memories = append(memories, Memory{State: state, Inside: in})
	}
	s.t.Memories = memories
}

// hasEnded reports whether a composite is in one of its own final states.
func (s *step) hasEnded(state int) bool {
	child := s.activeChild(state)
	return child >= 0 && s.f.States[child].Kind == program.Final
}

// remembered returns what a composite's history says, nil when it says nothing.
func (s *step) remembered(state int) []int {
	for _, m := range s.t.Memories {
		if m.State == state {
			return m.Inside
		}
	}
	return nil
}
