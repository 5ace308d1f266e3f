package sim

import (
	"cmp"
	"fmt"
	"slices"

	"flowc/validate/model"
	"flowc/vm"
)

// Taken is what the tokens of a test went through.
type Taken struct {
	states map[string]map[string]bool // by flow: paths of states that were entered
	moves  map[string]map[int]bool    // by flow: the order of handlers, timers and automatic transitions that ran
}

func newTaken() *Taken {
	return &Taken{states: map[string]map[string]bool{}, moves: map[string]map[int]bool{}}
}

// add takes in what one token went through.
func (k *Taken) add(t *Token) {
	if t.mocked {
		return
	}
	states, moves := k.of(t.vm.Flow)
	for i := range t.entered {
		states[i] = true
	}
	for i := range t.moves {
		moves[i] = true
	}
}

// took notes what a step went through.
func (t *Token) took(r *vm.Result) {
	if t.entered == nil {
		t.entered, t.moves = map[string]bool{}, map[int]bool{}
	}
	for _, s := range r.Steps {
		for _, l := range s.Lines {
			if l.Kind == "entered" {
				t.entered[l.State] = true
			}
		}
	}
	for _, m := range r.Taken {
		t.moves[m] = true
	}
}

func (k *Taken) of(flow string) (states map[string]bool, moves map[int]bool) {
	if k.states[flow] == nil {
		k.states[flow], k.moves[flow] = map[string]bool{}, map[int]bool{}
	}
	return k.states[flow], k.moves[flow]
}

// merge takes in what another test went through.
func (k *Taken) merge(o *Taken) {
	for flow, states := range o.states {
		mine, moves := k.of(flow)
		for i := range states {
			mine[i] = true
		}
		for i := range o.moves[flow] {
			moves[i] = true
		}
	}
}

// A Miss is a state, transition or timer that no test took.
type Miss struct {
	Kind string // state, transition, action or timer
	Name string // of the state that it is or stands in, with the flow in front
	File string
	Pos  model.Pos
}

// A Coverage says how much of the flows the tests went through.
type Coverage struct {
	States, StatesTaken int
	Moves, MovesTaken   int
	Timers, TimersTaken int
	Missed              []Miss // in the order of the files
}

// Cover adds up what the tests went through of the flows of a file.
func (s *Suite) Cover(cases []Case, file string) Coverage {
	all := newTaken()
	for _, c := range cases {
		all.merge(c.Taken)
	}
	var c Coverage
	for _, f := range s.model.Flows {
		if s.model.Files[f.Pos.File] == file {
			states, moves := all.of(f.Name)
			for _, st := range f.States {
				c.state(s.model.Files, f, st, states, moves)
			}
		}
	}
	slices.SortStableFunc(c.Missed, func(a, b Miss) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Start, b.Pos.Start))
	})
	return c
}

// state adds up a state and what it holds. What a fragment brings in may stand in another file than the flow.
func (c *Coverage) state(files []string, f *model.Flow, st *model.State, states map[string]bool, moves map[int]bool) {
	name := f.Name
	miss := func(kind string, p model.Pos) Miss { return Miss{kind, name, files[p.File], p} }
	if st.Path != "" {
		name += "." + st.Path
		c.count(&c.States, &c.StatesTaken, states[st.Path], miss("state", st.Pos))
	}
	for _, h := range st.Handlers {
		c.count(&c.Moves, &c.MovesTaken, moves[h.Order], miss(kindOf(h.Target), h.Pos))
	}
	for _, a := range st.Always {
		c.count(&c.Moves, &c.MovesTaken, moves[a.Order], miss("transition", a.Pos))
	}
	for _, t := range st.Timers {
		if t.Kind == model.Timeout || t.Kind == model.Idle {
			continue // what takes them is a handler
		}
		c.count(&c.Timers, &c.TimersTaken, moves[t.Order], miss("timer", t.Pos))
	}
}

func kindOf(t model.Target) string {
	if t.Kind == model.Stay {
		return "action"
	}
	return "transition"
}

func (c *Coverage) count(all, taken *int, was bool, m Miss) {
	*all++
	if was {
		*taken++
		return
	}
	c.Missed = append(c.Missed, m)
}

// add adds up the coverage of another file.
func (c *Coverage) add(o Coverage) {
	c.States, c.StatesTaken = c.States+o.States, c.StatesTaken+o.StatesTaken
	c.Moves, c.MovesTaken = c.Moves+o.Moves, c.MovesTaken+o.MovesTaken
	c.Timers, c.TimersTaken = c.Timers+o.Timers, c.TimersTaken+o.TimersTaken
	c.Missed = append(c.Missed, o.Missed...)
}

// String sums up the coverage in a line.
func (c Coverage) String() string {
	return fmt.Sprintf("coverage: %d of %d states, %d of %d transitions and actions, %d of %d timers",
		c.StatesTaken, c.States, c.MovesTaken, c.Moves, c.TimersTaken, c.Timers)
}
