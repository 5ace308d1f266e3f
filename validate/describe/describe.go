// Package describe says what a checked flow means in effect: its states, the events that they take, its timers with the numbers that
// they work out to, how many attempts a task gets and how long the waits between them are, how long each state can be stayed in, and
// when a token ends at the latest, or what makes that unbounded.
//
// All of it is a pure function of the model. A bound is a true bound (see Bound): whatever is not certain makes it unknown. Only
// timers bound a stay that surely leave, that no statement starts over, and whose duration is constant; work bounds it only where
// nobody has to take it, since no worker ever has to come.
package describe

import (
	"slices"

	"flowc/validate/model"
	"flowc/validate/value"
)

// A Flow is a flow as it works out. Durations are written as in the language, and besides in milliseconds, rounded up; null where
// there is no bound, and then Unbounded says why.
type Flow struct {
	Name        string  `json:"name"`
	File        string  `json:"file"`
	Doc         string  `json:"doc,omitempty"`
	Input       []Field `json:"input"`
	Result      []Field `json:"result"`
	LatestEnd   *string `json:"latestEnd"` // after the start
	LatestEndMs *int64  `json:"latestEndMs"`
	Unbounded   *Reason `json:"unbounded"`
	Events      []Event `json:"events"`
	States      []State `json:"states"` // without the flow's body
	Timers      []Timer `json:"timers"` // of the flow's body
	Tasks       []Work  `json:"tasks"`  // each task that the flow uses, once for each policy
}

// A Reason says why a bound is not known.
type Reason struct {
	Text  string `json:"text"`
	Waits []Wait `json:"waits"`
	Loop  *Loop  `json:"loop"`
}

// A Field is a name with its type.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// An Event is an event that the flow takes, with the paths of the states whose handlers or routines do; "" is the flow's body.
type Event struct {
	Name     string   `json:"name"`
	Internal bool     `json:"internal"`
	Fields   []Field  `json:"fields"`
	States   []string `json:"states"`
}

// A State is a state with its longest visit.
type State struct {
	Path          string  `json:"path"`
	Kind          string  `json:"kind"`
	Doc           string  `json:"doc,omitempty"`
	Outcome       *string `json:"outcome"` // of a final state
	LongestStay   *string `json:"longestStay"`
	LongestStayMs *int64  `json:"longestStayMs"`
	Unbounded     *Reason `json:"unbounded"`
	Timers        []Timer `json:"timers"`
	Work          *Work   `json:"work"`
}

// A Timer is a declared timer; its id is `STATE_PATH.NAME` where it has a name. When is the duration or the time, constants worked
// out. Fires is how often it fires in one visit at most, null without a limit; DueMs is when it does first, null where data decide.
type Timer struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	When  string `json:"when"`
	DueMs *int64 `json:"dueMs"`
	Fires *int64 `json:"fires"`
}

// A Work is what a leaf waits for, or a task with its policy. WaitsLeast and WaitsMost are the waits between all its attempts, with
// jitter; Longest is how long the attempts and the waits take at most when a worker takes each at once, null when an attempt has no
// limit.
type Work struct {
	Kind       string   `json:"kind"` // do, run, invoke; call and dispatch among a flow's tasks
	Name       string   `json:"name"`
	Attempts   int      `json:"attempts,omitempty"`
	Within     *string  `json:"within,omitempty"`
	WaitsLeast *string  `json:"waitsLeast,omitempty"`
	WaitsMost  *string  `json:"waitsMost,omitempty"`
	Longest    *string  `json:"longest,omitempty"`
	Queue      string   `json:"queue,omitempty"`
	Fails      []string `json:"fails,omitempty"`
	Text       string   `json:"text,omitempty"`
}

// Flows describes flows of one model; files are the names that model.Pos.File counts.
func Flows(flows []*model.Flow, files []string, source Source) []Flow {
	known := map[*model.Flow]*describer{}
	out := []Flow{}
	for _, f := range flows {
		d := newDescriber(f, source, known)
		out = append(out, d.describe(files))
	}
	return out
}

// LatestEnd is how long after its start a token of a flow ends at the latest.
func LatestEnd(f *model.Flow, source Source) Bound {
	return newDescriber(f, source, map[*model.Flow]*describer{}).latestEnd()
}

// Stay is the longest visit of a state of a flow, by its index.
func Stay(f *model.Flow, state int, source Source) Bound {
	return newDescriber(f, source, map[*model.Flow]*describer{}).stay(state)
}

func (d *describer) describe(files []string) Flow {
	f := d.flow
	out := Flow{Name: f.Name, Doc: f.Doc, Input: fields(f.Input), Result: []Field{}, Events: d.events(), States: []State{}, Timers: d.timers(0), Tasks: d.tasks()}
	if f.Pos.File >= 0 && f.Pos.File < len(files) {
		out.File = files[f.Pos.File]
	}
	for _, i := range f.Result {
		out.Result = append(out.Result, Field{f.Data[i].Name, f.Data[i].Type.String()})
	}
	out.LatestEnd, out.LatestEndMs, out.Unbounded = spread(d.latestEnd())
	for _, s := range f.States[1:] {
		out.States = append(out.States, d.state(s))
	}
	return out
}

// spread gives a bound as the fields of JSON have it.
func spread(b Bound) (text *string, ms *int64, why *Reason) {
	if b.Known {
		t, n := Duration(b.Micros), millis(b.Micros)
		return &t, &n, nil
	}
	waits := b.Waits
	if waits == nil {
		waits = []Wait{}
	}
	return nil, nil, &Reason{Text: b.String(), Waits: waits, Loop: b.Loop}
}

func millis(micros int64) int64 { return (micros + 999) / 1000 }

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

// events lists the declared events that the flow takes, in the order in which the file first does.
func (d *describer) events() []Event {
	out := []Event{}
	at := map[*model.Event]int{}
	add := func(e *model.Event, s *model.State) {
		i, ok := at[e]
		if !ok {
			i = len(out)
			at[e] = i
			out = append(out, Event{Name: e.Name, Internal: e.Internal, Fields: fields(e.Payload), States: []string{}})
		}
		if !slices.Contains(out[i].States, s.Path) {
			out[i].States = append(out[i].States, s.Path)
		}
	}
	for _, s := range d.flow.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Event != nil {
					add(t.Event, s)
				}
			}
		}
		if s.Work == nil || s.Work.Routine == nil {
			continue
		}
		statements(s.Work.Routine.Stmts, func(n model.Stmt) {
			switch w := n.(type) {
			case *model.Wait:
				add(w.Event, s)
			case *model.WaitBlock:
				for _, c := range w.Cases {
					for _, e := range c.Events {
						add(e, s)
					}
				}
			}
		})
	}
	return out
}

func (d *describer) state(s *model.State) State {
	out := State{Path: s.Path, Kind: StateKind(s.Kind), Doc: s.Doc, Timers: d.timers(s.Index), Work: d.work(s)}
	if s.Kind == model.Final {
		outcome := Outcome(s.Outcome)
		out.Outcome = &outcome
		return out
	}
	out.LongestStay, out.LongestStayMs, out.Unbounded = spread(d.stay(s.Index))
	return out
}
