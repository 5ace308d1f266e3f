// Package graph draws flows: the checked model becomes a graph of states and transitions, and that becomes a Mermaid
// stateDiagram-v2, a DOT file, JSON, or an SVG with a layout of our own.
//
// All of it is pure: the same model and the same text give the same bytes. Guards and other expressions are shown as they are
// written, constant durations as they work out. Everything that comes from a file is escaped, and no drawing holds a script.
package graph

import (
	"strings"

	"flowc/validate/describe"
	"flowc/validate/model"
)

// A Graph is one flow as it is drawn.
type Graph struct {
	Flow        string        `json:"flow"`
	Doc         string        `json:"doc,omitempty"`
	States      []*State      `json:"states"` // in pre-order of the file; the first is the flow's body
	Transitions []*Transition `json:"transitions"`
}

// A State is a state with what stands in its box.
type State struct {
	Index    int      `json:"-"`
	Path     string   `json:"path"` // "" for the flow's body
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`              // flow, state, composite, parallel, region, final
	Parent   *State   `json:"-"`                 // nil for the flow's body
	In       string   `json:"in"`                // the path of the state around it
	Initial  string   `json:"initial,omitempty"` // the path of the child in which it begins
	Outcome  string   `json:"outcome,omitempty"` // of a final state: success, failure, cancelled
	Join     string   `json:"join,omitempty"`    // of a parallel: all, any, race or a number
	History  string   `json:"history,omitempty"` // shallow, deep
	Doc      string   `json:"doc,omitempty"`
	Lines    []Line   `json:"lines,omitempty"`
	Children []*State `json:"-"`

	initial *State
}

// LineKind says what a line of a box is about.
type LineKind string

// The kinds of lines.
const (
	EntryLine   LineKind = "entry"
	ExitLine    LineKind = "exit"
	WorkLine    LineKind = "work"    // do, run, invoke
	TimerLine   LineKind = "timer"   // a timer that is no transition
	HandlerLine LineKind = "handler" // a handler that keeps the state
	DeferLine   LineKind = "defer"
)

// A Line is one thing that a state does without leaving it.
type Line struct {
	Kind LineKind `json:"kind"`
	Text string   `json:"text"`
}

// TransitionKind says what makes a transition.
type TransitionKind string

// The kinds of transitions.
const (
	ByEvent  TransitionKind = "event"
	ByTimer  TransitionKind = "timer" // `after` and `at`; a `timeout` is an event
	ByAlways TransitionKind = "always"
	ByGo     TransitionKind = "go" // a routine's
)

// A Transition is a handler, a timer, an `always` or a `go` with a target.
type Transition struct {
	From    *State         `json:"-"`
	To      *State         `json:"-"`
	Source  string         `json:"from"` // paths; "" is the flow's body
	Target  string         `json:"to"`
	Kind    TransitionKind `json:"kind"`
	Events  []string       `json:"events,omitempty"` // the names of the handler's events
	Timer   string         `json:"timer,omitempty"`  // what an `after` or an `at` says
	Guard   string         `json:"guard,omitempty"`
	Effects []string       `json:"effects,omitempty"` // what its block does to the outside: dispatch, start, send, schedule, raise, fail
	Inside  bool           `json:"inside,omitempty"`  // to a state inside the source, which is not left
	Clock   bool           `json:"clock,omitempty"`   // time makes it, or may: a timer, `timeout` or `expired`
	order   int
}

// timed reports whether only time makes the transition.
func (t *Transition) timed() bool {
	for _, e := range t.Events {
		if e != "timeout" && e != "expired" {
			return false
		}
	}
	return t.Clock
}

// Label is what stands at a transition's arrow: `event [guard] / effects`.
func (t *Transition) Label() string {
	parts := []string{t.trigger()}
	if t.Guard != "" {
		parts = append(parts, "["+t.Guard+"]")
	}
	if len(t.Effects) > 0 {
		parts = append(parts, "/ "+strings.Join(t.Effects, ", "))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

func (t *Transition) trigger() string {
	switch {
	case t.Kind == ByTimer:
		return t.Timer
	case t.Kind == ByEvent:
		return strings.Join(t.Events, ", ")
	case t.Kind == ByGo:
		return "go"
	case t.Guard == "":
		return "always"
	}
	return "" // a guard alone says it
}

// Build makes the graph of a flow of a model without errors. Expressions are shown as the source has them.
func Build(f *model.Flow, source describe.Source) *Graph {
	b := &builder{source: source, flow: f, graph: &Graph{Flow: f.Name, Doc: f.Doc, Transitions: []*Transition{}}}
	for _, s := range f.States {
		b.state(s)
	}
	for _, s := range f.States {
		b.transitions(s)
	}
	b.sort()
	return b.graph
}
