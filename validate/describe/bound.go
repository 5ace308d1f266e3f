package describe

import (
	"slices"
	"strings"

	"flowc/validate/model"
)

// A Bound is how long something takes at most, in microseconds, or why there is no such number.
//
// It is a true bound of the time in which servers run, for a token that nobody pauses and nobody retries: time in a pause, the
// lateness of servers that were stopped, and what an operator moves by hand come on top. A token that fails has ended.
type Bound struct {
	Known  bool
	Micros int64
	// Waits and Loop say why it is not known; they are empty when it is.
	Waits []Wait
	Loop  *Loop
}

// A Wait is a state that a token may stay in for ever.
type Wait struct {
	State string `json:"state"` // its path
	// Events are the events that can end the wait; none when nothing can.
	Events []string `json:"events"`
	// Why says what the state's clock lacks.
	Why string `json:"why"`
}

// A Loop is a circle of states that a token may go round for ever.
type Loop struct {
	States []string `json:"states"` // the first is the last again
	// Events lead from each state to the next.
	Events []string `json:"events"`
}

// String says a loop as `a → b → a through EVENT`.
func (l Loop) String() string {
	var names []string
	for _, e := range l.Events {
		if e != "" && !slices.Contains(names, e) {
			names = append(names, e)
		}
	}
	text := "loop " + strings.Join(l.States, " → ")
	if len(names) > 0 {
		text += " through " + strings.Join(names, ", ")
	}
	return text
}

// String says a wait as `STATE waits for EVENT without a timeout`.
func (w Wait) String() string {
	if len(w.Events) == 0 {
		return w.State + " " + w.Why
	}
	return w.State + " waits for " + strings.Join(w.Events, " or ") + " " + w.Why
}

// String is the duration, or `unbounded: …`.
func (b Bound) String() string {
	if b.Known {
		return Duration(b.Micros)
	}
	var parts []string
	for _, w := range b.Waits {
		parts = append(parts, w.String())
	}
	if b.Loop != nil {
		parts = append(parts, b.Loop.String())
	}
	return "unbounded: " + strings.Join(parts, "; ")
}

func known(micros int64) Bound { return Bound{Known: true, Micros: micros} }

func waiting(s *model.State, events []string, why string) Bound {
	if events == nil {
		events = []string{}
	}
	return Bound{Waits: []Wait{{State: nameOf(s), Events: events, Why: why}}}
}

// nameOf is a state's path; the flow's body is called so.
func nameOf(s *model.State) string {
	if s.Path == "" {
		return "the flow"
	}
	return s.Path
}

// least is the smaller of two bounds that both hold; when neither is known, the reasons of the first.
func least(a, b Bound) Bound {
	switch {
	case !a.Known:
		if b.Known {
			return b
		}
		return a
	case !b.Known || a.Micros <= b.Micros:
		return a
	}
	return b
}

// most is the bound of what takes as long as the longer of two.
func most(a, b Bound) Bound {
	switch {
	case a.Known && b.Known:
		if a.Micros >= b.Micros {
			return a
		}
		return b
	case a.Known:
		return b
	case b.Known:
		return a
	}
	return both(a, b)
}

// sum is the bound of two things one after the other.
func sum(a, b Bound) Bound {
	switch {
	case a.Known && b.Known:
		return known(plus(a.Micros, b.Micros))
	case a.Known:
		return b
	case b.Known:
		return a
	}
	return both(a, b)
}

// both has the reasons of two unknown bounds, each wait once.
func both(a, b Bound) Bound {
	out := Bound{Waits: slices.Clone(a.Waits), Loop: a.Loop}
	for _, w := range b.Waits {
		if !slices.ContainsFunc(out.Waits, func(x Wait) bool { return x.State == w.State }) {
			out.Waits = append(out.Waits, w)
		}
	}
	if out.Loop == nil {
		out.Loop = b.Loop
	}
	return out
}
