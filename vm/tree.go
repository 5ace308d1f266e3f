package vm

import "flowc/compiler/program"

// The active states are a tree kept as a slice in pre-order of the file: a state's descendants follow it.

// visitOf returns the position of a state in Active, -1 when it is not active.
func (s *step) visitOf(state int) int { return activeAt(s.t, state) }

func activeAt(t *Token, state int) int {
	for i := range t.Active {
		if t.Active[i].State == state {
			return i
		}
	}
	return -1
}

// enteredAt returns when an active state was entered, the step's instant for another one.
func (s *step) enteredAt(state int) int64 {
	if i := s.visitOf(state); i >= 0 {
		return s.t.Active[i].EnteredAt
	}
	return s.now
}

// visiting reports whether a visit goes on.
func (s *step) visiting(v Visit) bool {
	i := s.visitOf(v.State)
	return i >= 0 && s.t.Active[i].Visit == v.Visit
}

// inside reports whether a state is another one or inside it.
func inside(f *program.Flow, state, of int) bool { return of <= state && state <= f.States[of].Last }

// isLeaf reports whether nothing is active inside Active[i].
func isLeaf(f *program.Flow, t *Token, i int) bool {
	return i+1 == len(t.Active) || t.Active[i+1].State > f.States[t.Active[i].State].Last
}

// activeChild returns the child of a composite that is active, -1 for none.
func (s *step) activeChild(state int) int {
	i := s.visitOf(state)
	if i < 0 || isLeaf(s.f, s.t, i) {
		return -1
	}
	return s.t.Active[i+1].State
}

// addVisit puts a new visit into its place.
func (s *step) addVisit(v Visit) {
	i := len(s.t.Active)
	for i > 0 && s.t.Active[i-1].State > v.State {
		i--
	}
	if i == len(s.t.Active) {
		s.t.Active = append(s.t.Active, v)
		return
	}
	active := make([]Visit, 0, len(s.t.Active)+4)
	active = append(append(active, s.t.Active[:i]...), v)
	s.t.Active = append(active, s.t.Active[i:]...)
}

// dropVisit takes Active[i] away.
func (s *step) dropVisit(i int) {
	if i == len(s.t.Active)-1 {
		s.t.Active = s.t.Active[:i:i]
		return
	}
	active := make([]Visit, 0, len(s.t.Active)+3)
	s.t.Active = append(append(active, s.t.Active[:i]...), s.t.Active[i+1:]...)
}

// setVisit replaces Active[i].
func (s *step) setVisit(i int, v Visit) {
	active := append(make([]Visit, 0, len(s.t.Active)+4), s.t.Active...)
	active[i] = v
	s.t.Active = active
}

// A span is what a transition leaves: the active states from one to another, both of the file's pre-order, and the state below
// which it enters.
type span struct{ from, to, below int }

// spanOf says what a transition leaves. A state's transition to one inside it leaves the state itself alone; one to another
// state leaves everything below the innermost composite around both, so that a region is left for another one only with the
// whole parallel.
func (s *step) spanOf(source int, target program.Target) span {
	states := s.f.States
	to := target.State
	if target.Kind == program.ToSelf {
		to = source
	}
	if to != source && inside(s.f, to, source) {
		return span{source + 1, states[source].Last, source}
	}
	top := source
	if inside(s.f, source, to) {
		top = to
	} else {
		for p := states[top].Parent; p >= 0 && (!inside(s.f, to, p) || states[p].Kind == program.Parallel); p = states[top].Parent {
			top = p
		}
	}
	return span{top, states[top].Last, states[top].Parent}
}

func (a span) meets(b span) bool { return a.from <= b.to && b.from <= a.to }
