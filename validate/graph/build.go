package graph

import (
	"cmp"
	"slices"
	"strings"

	"flowc/validate/describe"
	"flowc/validate/model"
)

type builder struct {
	source describe.Source
	flow   *model.Flow
	graph  *Graph
}

func (b *builder) state(m *model.State) {
	s := &State{Index: m.Index, Path: m.Path, Name: m.Name, Kind: describe.StateKind(m.Kind), Doc: m.Doc}
	b.graph.States = append(b.graph.States, s)
	if m.Parent < 0 {
		s.Name, s.Kind, s.Doc = b.flow.Name, "flow", b.flow.Doc
	}
	if m.Parent >= 0 {
		s.Parent = b.graph.States[m.Parent]
		s.In = s.Parent.Path
		s.Parent.Children = append(s.Parent.Children, s)
		if b.flow.States[m.Parent].Initial == m.Index {
			s.Parent.initial, s.Parent.Initial = s, s.Path
		}
	}
	switch m.Kind {
	case model.Final:
		s.Outcome = describe.Outcome(m.Outcome)
	case model.Parallel:
		s.Join = b.source.Join(m.Join)
	}
	s.History = [...]string{model.NoHistory: "", model.ShallowHistory: "shallow", model.DeepHistory: "deep"}[m.History]
	b.lines(s, m)
}

// lines lists what a state does without leaving it, in the order of a visit: on the way in, its work, its clock, what it takes, on
// the way out.
func (b *builder) lines(s *State, m *model.State) {
	add := func(kind LineKind, text string) {
		if text != "" {
			s.Lines = append(s.Lines, Line{Kind: kind, Text: text})
		}
	}
	add(EntryLine, b.effects("entry", m.Entry))
	add(WorkLine, b.work(m.Work))
	if m.Never {
		add(TimerLine, "timeout never")
	}
	for _, t := range m.Timers {
		if t.Kind == model.Timeout || t.Kind == model.Idle || t.Target.Kind == model.Stay {
			add(TimerLine, b.effects(b.guarded(b.source.Timer(t), t.Guard), t.Block))
		}
	}
	for _, h := range m.Handlers {
		if h.Target.Kind == model.Stay {
			add(HandlerLine, b.effects(b.guarded("on "+names(h), h.Guard), h.Block))
		}
	}
	if len(m.Defer) > 0 {
		var names []string
		for _, e := range m.Defer {
			names = append(names, e.Name)
		}
		add(DeferLine, "defer "+strings.Join(names, ", "))
	}
	add(ExitLine, b.effects("exit", m.Exit))
}

func (b *builder) guarded(text string, guard *model.Code) string {
	if guard == nil {
		return text
	}
	return text + " [" + b.guard(guard) + "]"
}

func (b *builder) guard(c *model.Code) string {
	if c == nil {
		return ""
	}
	return b.source.Text(c.Result.Position())
}

func names(h *model.Handler) string { return strings.Join(triggers(h), ", ") }

func triggers(h *model.Handler) []string {
	var out []string
	for _, t := range h.Triggers {
		out = append(out, describe.Trigger(t))
	}
	return out
}

// transitions adds what leads from a state: handlers, timers, `always`, and the `go` of its routine.
func (b *builder) transitions(m *model.State) {
	for _, h := range m.Handlers {
		t := Transition{Kind: ByEvent, Events: triggers(h), Guard: b.guard(h.Guard), Effects: b.outward(h.Block), order: h.Order}
		for _, tr := range h.Triggers {
			t.Clock = t.Clock || tr.Reserved == model.OnTimeout || tr.Reserved == model.OnExpired
		}
		b.add(m, h.Target, t)
	}
	for _, a := range m.Always {
		b.add(m, a.Target, Transition{Kind: ByAlways, Guard: b.guard(a.Guard), Effects: b.outward(a.Block), order: a.Order})
	}
	for _, t := range m.Timers {
		b.add(m, t.Target, Transition{
			Kind: ByTimer, Timer: b.source.Timer(t), Guard: b.guard(t.Guard), Effects: b.outward(t.Block), Clock: true, order: t.Order,
		})
	}
	if w := m.Work; w != nil && w.Routine != nil {
		for _, to := range gos(w.Routine.Stmts) {
			b.add(m, to, Transition{Kind: ByGo, order: routineOrder})
		}
	}
}

// routineOrder puts a routine's transitions after those that the file numbers.
const routineOrder = 1 << 30

func (b *builder) add(m *model.State, target model.Target, t Transition) {
	if target.Kind == model.Stay {
		return
	}
	t.From, t.To = b.graph.States[m.Index], b.graph.States[m.Index]
	if target.Kind == model.ToState {
		t.To = b.graph.States[target.State]
	}
	t.Source, t.Target = t.From.Path, t.To.Path
	t.Inside = t.To != t.From && inside(t.To, t.From)
	b.graph.Transitions = append(b.graph.Transitions, &t)
}

func inside(s, around *State) bool {
	for ; s != nil; s = s.Parent {
		if s == around {
			return true
		}
	}
	return false
}

// sort puts the transitions of each state in the order of the file, and a fragment's states where they were spliced in.
func (b *builder) sort() {
	slices.SortStableFunc(b.graph.Transitions, func(x, y *Transition) int {
		if c := cmp.Compare(x.From.Index, y.From.Index); c != 0 {
			return c
		}
		return cmp.Compare(x.order, y.order)
	})
}

// gos lists the different targets of the `go` statements of a routine.
func gos(stmts []model.Stmt) []model.Target {
	var out []model.Target
	walk(stmts, func(s model.Stmt) {
		g, ok := s.(*model.Go)
		if !ok {
			return
		}
		for _, t := range out {
			if t.Kind == g.Target.Kind && t.State == g.Target.State {
				return
			}
		}
		out = append(out, g.Target)
	})
	return out
}
