// Package describe says what a checked file means in effect: its flows with their states, events and timers, and the numbers
// that follow from them: how many attempts a task gets, how long a state can be stayed in, when a token ends at the latest.
package describe

import (
	"slices"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A Flow is a flow as it works out. Durations are written as in the language; one that depends on data is the expression's text.
type Flow struct {
	Name      string  `json:"name"`
	File      string  `json:"file"`
	Input     []Field `json:"input"`
	Result    []Field `json:"result"`
	Events    []Event `json:"events"`    // from outside, that some handler takes
	LatestEnd *string `json:"latestEnd"` // after the start, when a timeout of the flow's body says so
	States    []State `json:"states"`
}

// A Field is a name with its type.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// An Event is an event with the states whose handlers take it; "" is the flow's body.
type Event struct {
	Name   string   `json:"name"`
	Fields []Field  `json:"fields"`
	States []string `json:"states"`
}

// A State is a state. LongestStay is when its own timeout or one around it ends it, null when nothing does.
type State struct {
	Path        string  `json:"path"`
	Kind        string  `json:"kind"`
	Outcome     *string `json:"outcome"` // of a final state
	LongestStay *string `json:"longestStay"`
	Timers      []Timer `json:"timers"`
	Work        *Work   `json:"work"`
}

// A Timer is a declared timer: its id is `STATE_PATH.NAME`.
type Timer struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	When string `json:"when"`
}

// A Work is what a leaf waits for. Longest is how long all attempts and the waits between them can take, without jitter, from
// the claim of each; null without a limit.
type Work struct {
	Kind     string  `json:"kind"`
	Name     string  `json:"name"`
	Attempts int     `json:"attempts,omitempty"`
	Within   *string `json:"within,omitempty"`
	Longest  *string `json:"longest,omitempty"`
}

// Flows describes the flows of a check without errors that the named files declare.
func Flows(result *validate.Result, files []string) []Flow {
	d := describer{result: result}
	out := []Flow{}
	for _, f := range result.Model.Flows {
		if slices.Contains(files, result.Model.Files[f.Pos.File]) {
			out = append(out, d.flow(f))
		}
	}
	return out
}

type describer struct{ result *validate.Result }

func (d *describer) flow(f *model.Flow) Flow {
	out := Flow{Name: f.Name, File: d.result.Model.Files[f.Pos.File], Input: fields(f.Input), Result: []Field{}, Events: events(f), States: []State{}}
	for _, i := range f.Result {
		out.Result = append(out.Result, Field{f.Data[i].Name, f.Data[i].Type.String()})
	}
	out.LatestEnd = optional(stay(f, 0))
	for _, s := range f.States[1:] {
		out.States = append(out.States, d.state(f, s))
	}
	return out
}

func fields(decl *value.Decl) []Field {
	out := []Field{}
	if decl == nil {
		return out
	}
	for _, f := range decl.Fields {
		out = append(out, Field{f.Name, f.Type.String()})
	}
	return out
}

// events lists what outsiders can send, in the order in which the file first handles it.
func events(f *model.Flow) []Event {
	out := []Event{}
	at := map[*model.Event]int{}
	for _, s := range f.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Event == nil || t.Event.Internal {
					continue
				}
				i, ok := at[t.Event]
				if !ok {
					i = len(out)
					at[t.Event] = i
					out = append(out, Event{Name: t.Event.Name, Fields: fields(t.Event.Payload), States: []string{}})
				}
				if !slices.Contains(out[i].States, s.Path) {
					out[i].States = append(out[i].States, s.Path)
				}
			}
		}
	}
	return out
}

var kinds = map[model.StateKind]string{
	model.Leaf: "state", model.Composite: "composite", model.Parallel: "parallel", model.Region: "region", model.Final: "final",
}

var outcomes = map[model.Outcome]string{model.Success: "success", model.Failure: "failure", model.Cancelled: "cancelled"}

func (d *describer) state(f *model.Flow, s *model.State) State {
	out := State{Path: s.Path, Kind: kinds[s.Kind], Timers: []Timer{}, Work: d.work(s)}
	if s.Kind == model.Final {
		outcome := outcomes[s.Outcome]
		out.Outcome = &outcome
		return out
	}
	out.LongestStay = optional(shortest(f, s))
	for _, t := range s.Timers {
		out.Timers = append(out.Timers, d.timer(t))
	}
	return out
}

// shortest is the shortest constant timeout of a state and those around it, 0 for none: whichever ends the stay.
func shortest(f *model.Flow, s *model.State) int64 {
	var least int64
	for i := s.Index; i >= 0; i = f.States[i].Parent {
		if own := stay(f, i); own > 0 && (least == 0 || own < least) {
			least = own
		}
	}
	return least
}

// stay is the constant timeout of one state in microseconds, 0 for none. It counts when the handler that would take it has no
// guard and leaves the state, or when nothing handles it, so that the token fails.
func stay(f *model.Flow, state int) int64 {
	s := f.States[state]
	for _, t := range s.Timers {
		if t.Kind == model.Timeout && t.Time == nil && leaves(f, state) {
			return micros(t.Dur)
		}
	}
	return 0
}

func leaves(f *model.Flow, state int) bool {
	for i := state; i >= 0; i = f.States[i].Parent {
		for _, h := range f.States[i].Handlers {
			for _, t := range h.Triggers {
				if t.Reserved == model.OnTimeout {
					return h.Guard == nil && exits(f, h.Target, i, state)
				}
			}
		}
	}
	return true
}

// exits says whether a transition of a handler of one state leaves another one, which is the same or inside.
func exits(f *model.Flow, t model.Target, handler, state int) bool {
	switch {
	case t.Kind != model.ToState:
		return t.Kind == model.ToSelf
	case state == 0:
		return f.States[t.State].Kind == model.Final && f.States[t.State].Parent == 0
	case handler != state:
		return true
	}
	for i := f.States[t.State].Parent; i >= 0; i = f.States[i].Parent {
		if i == state {
			return false // a transition inwards stays
		}
	}
	return true
}

// micros is a constant duration, 0 for any other expression.
func micros(c *model.Code) int64 {
	if c == nil {
		return 0
	}
	if k, ok := c.Result.(*model.Const); ok && k.Value.Kind() == value.Duration {
		return k.Value.Micros()
	}
	return 0
}

func optional(micros int64) *string {
	if micros == 0 {
		return nil
	}
	s := duration(micros)
	return &s
}

func duration(micros int64) string { return grammar.FormatSeconds(micros / 1_000_000) }
