package vm

import (
	"fmt"

	"flowc/compiler/program"
)

// retry lets a failed token go on where it failed, or a failed or running one at a named state (R53).
func (s *step) retry(st *Stimulus) Answer {
	switch {
	case s.t.Status.Ended() && s.t.ParentGone:
		return s.refuse(ParentMovedOn, "its parent waits for it no more")
	case s.t.Status.Ended():
		return s.refuse(TokenEnded, "the token has ended, and only one that failed can be retried; `flowc restart` starts a new token of the same input")
	case s.t.Status == Paused:
		return s.refuse(TokenPaused, "the token is paused; resume it first")
	case s.t.Status == Failed && s.t.PausedByParent:
		return s.refuse(TokenPaused, "its parent is paused; resume that one first")
	case s.t.ParentGone && s.t.Status == Failed:
		return s.refuse(ParentMovedOn, "its parent waits for it no more")
	case s.t.Cancelling:
		return s.refuse(NotPausable, "the token is being cancelled")
	case s.t.Status == Scheduled:
		return s.refuse(NotStarted, "the token is not started yet")
	}
	goal := -1
	if st.State != "" {
		var bad *Answer
		if goal, bad = s.retryAt(st.State); bad != nil {
			return *bad
		}
	} else if s.t.Status != Failed {
		return s.refuse(TokenRunning, "the token has not failed; `flowc retry TOKEN --state STATE` moves one that runs")
	}
	s.controlLine(st)
	if st.State != "" {
		s.lines[len(s.lines)-1].State = st.State
	}
	s.goAgain(goal)
	return Answer{Outcome: Accepted}
}

// retryAt looks up the state of `retry at STATE`: a path, or a name that only one state has.
func (s *step) retryAt(name string) (int, *Answer) {
	found := stateNamed(s.f, name)
	if found <= 0 {
		a := s.invalid(UnknownState, fmt.Sprintf("there is no one state `%s`; name it by its path", name))
		return -1, &a
	}
	for p := found; p >= 0; p = s.f.States[p].Parent {
		if s.f.States[p].Kind == program.Region {
			a := s.invalid(StateInRegion, fmt.Sprintf("`%s` is inside a parallel region", name))
			return -1, &a
		}
	}
	return found, nil
}

// stateNamed returns the state of a path, or of a name that only one state has; -1 for none.
func stateNamed(f *program.Flow, name string) int {
	found := -1
	for i := range f.States {
		switch {
		case f.States[i].Path == name:
			return i
		case f.States[i].Name != name:
		case found >= 0:
			found = len(f.States) // not one
		default:
			found = i
		}
	}
	if found == len(f.States) {
		return -1
	}
	return found
}

// goAgain enters the failed leaves again, or a goal below the nearest active state around it, without exit blocks.
func (s *step) goAgain(goal int) {
	if s.t.Status == Failed {
		s.t.Status, s.t.Error = Running, nil
		s.startClock()
	}
	s.taken()
	if len(s.t.Active) == 0 {
		s.begin(goal)
		return
	}
	if goal >= 0 {
		s.goTo(goal)
		s.settle()
		return
	}
	var leaves []int
	for i := range s.t.Active {
		if v := s.t.Active[i].State; isLeaf(s.f, s.t, i) && s.f.States[v].Kind != program.Final {
			leaves = append(leaves, v)
		}
	}
	for _, leaf := range leaves {
		if s.trail = append(s.trail, leaf); s.halt != going {
			break
		}
		s.drop(leaf, leaf)
		s.enter(leaf, nil)
	}
	s.settle()
}

func (s *step) goTo(goal int) {
	below := s.f.States[goal].Parent
	for below > 0 && s.visitOf(below) < 0 {
		below = s.f.States[below].Parent
	}
	s.trail = append(s.trail, below)
	s.drop(below+1, s.f.States[below].Last)
	s.enterBelow(below, goal)
}
