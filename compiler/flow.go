package compiler

import (
	"slices"

	"flowc/compiler/program"
	"flowc/validate/model"
)

// A flowCompiler compiles the tables of one flow.
type flowCompiler struct {
	*compiler
	at    int
	model *model.Flow
	rank  map[int]int // the model's Order → 0, 1, 2 …, whatever stands between them
}

func (c *compiler) compileFlow(at int, f *model.Flow) {
	fc := &flowCompiler{compiler: c, at: at, model: f, rank: ranks(f)}
	out := c.p.Flows[at]
	out.Result = slices.Clone(f.Result)
	places := program.FlowPlaces{Span: c.span(f.Pos)}
	for _, d := range f.Data {
		field := program.DataField{Name: d.Name, Type: d.Type, Default: fc.code(d.Default, 0), Owner: d.Owner}
		out.Data = append(out.Data, field)
		places.Data = append(places.Data, c.span(d.Pos))
	}
	out.States = make([]program.State, len(f.States))
	for i, s := range f.States {
		out.States[i] = fc.state(s)
		places.States = append(places.States, c.places(s))
	}
	setLast(out.States)
	c.src.Flows = append(c.src.Flows, places)
}

// ranks numbers handlers, timers and `always` anew, so that the program does not depend on how the model counts.
func ranks(f *model.Flow) map[int]int {
	var orders []int
	for _, s := range f.States {
		for _, h := range s.Handlers {
			orders = append(orders, h.Order)
		}
		for _, a := range s.Always {
			orders = append(orders, a.Order)
		}
		for _, t := range s.Timers {
			orders = append(orders, t.Order)
		}
	}
	slices.Sort(orders)
	rank := map[int]int{}
	for i, o := range slices.Compact(orders) {
		rank[o] = i
	}
	return rank
}

// setLast finds the last state of each subtree: states are in pre-order.
func setLast(states []program.State) {
	for i := range states {
		states[i].Last = i
	}
	for i := len(states) - 1; i > 0; i-- {
		if p := states[i].Parent; p >= 0 {
			states[p].Last = max(states[p].Last, states[i].Last)
		}
	}
}

func (c *flowCompiler) state(s *model.State) program.State {
	out := program.State{
		Name:     s.Name,
		Path:     s.Path,
		Kind:     program.StateKind(s.Kind),
		Parent:   s.Parent,
		Children: slices.Clone(s.Children),
		Initial:  s.Initial,
		Outcome:  program.Outcome(s.Outcome),
		Join:     program.JoinKind(s.Join.Kind),
		JoinN:    c.code(s.Join.Count, 0),
		History:  program.HistoryKind(s.History),
		Entry:    c.code(s.Entry, 0),
		Exit:     c.code(s.Exit, 0),
		Never:    s.Never,
	}
	for _, h := range s.Handlers {
		out.Handlers = append(out.Handlers, c.handler(h))
	}
	for _, a := range s.Always {
		out.Always = append(out.Always, program.Always{
			Order: c.rank[a.Order], Guard: c.code(a.Guard, 0), Target: target(a.Target), Block: c.code(a.Block, 0),
		})
	}
	names := timerNames(s)
	for i, t := range s.Timers {
		out.Timers = append(out.Timers, c.timer(t, names[i]))
	}
	if s.Work != nil {
		out.Work = c.work(s.Work)
	}
	out.Defer = c.events(s.Defer)
	return out
}

func target(t model.Target) program.Target {
	if t.Kind != model.ToState {
		return program.Target{Kind: program.TargetKind(t.Kind), State: none}
	}
	return program.Target{Kind: program.ToState, State: t.State}
}

func (c *flowCompiler) handler(h *model.Handler) program.Handler {
	out := program.Handler{
		Order:        c.rank[h.Order],
		Guard:        c.code(h.Guard, 0),
		PayloadGuard: h.Guard != nil && readsEvent(h.Guard.Result),
		RefuseOnly:   h.Block != nil && refuses(h.Block.Stmts),
		Target:       target(h.Target),
		Block:        c.code(h.Block, 0),
	}
	for _, t := range h.Triggers {
		event := none
		if t.Reserved == model.NotReserved {
			event = c.event(t.Event)
		}
		out.Triggers = append(out.Triggers, program.Trigger{Reserved: program.Reserved(t.Reserved), Event: event})
	}
	return out
}

func (c *flowCompiler) timer(t *model.Timer, name string) program.Timer {
	out := program.Timer{
		Kind:      program.TimerKind(t.Kind),
		Order:     c.rank[t.Order],
		Name:      name,
		Dur:       c.code(t.Dur, 0),
		Time:      c.code(t.Time, 0),
		ReadsData: slices.Clone(t.ReadsData),
		For:       c.code(t.For, 0),
		Times:     c.code(t.Times, 0),
		Clock:     t.Clock,
		Zone:      c.code(t.Zone, 0),
		Guard:     c.code(t.Guard, 0),
		Target:    target(t.Target),
		Block:     c.code(t.Block, 0),
	}
	for _, d := range t.Days {
		out.Days |= 1 << d
	}
	return out
}

func (c *flowCompiler) work(w *model.Work) *program.Work {
	out := &program.Work{Kind: program.WorkKind(w.Kind), Task: none, Flow: none, Join: program.JoinKind(w.Join.Kind)}
	items := 0
	if w.Each != nil {
		items = 1
	}
	switch w.Kind {
	case model.Do:
		out.Task, out.Policy = c.task(w.Task), policyOf(w.Task, w.Policy)
	case model.Invoke:
		out.Flow = c.flow(w.Flow)
	}
	out.Args = c.code(w.Args, items)
	out.May = c.events(w.May)
	out.Each = c.code(w.Each, 0)
	out.Concurrency = c.code(w.Concurrency, 0)
	out.JoinN = c.code(w.Join.Count, 0)
	out.Key = c.code(w.Key, items)
	out.Routine = c.code(w.Routine, 0)
	return out
}

func (c *compiler) places(s *model.State) program.StatePlaces {
	places := program.StatePlaces{Span: c.span(s.Pos)}
	for _, h := range s.Handlers {
		places.Handlers = append(places.Handlers, c.span(h.Pos))
	}
	for _, a := range s.Always {
		places.Always = append(places.Always, c.span(a.Pos))
	}
	for _, t := range s.Timers {
		places.Timers = append(places.Timers, c.span(t.Pos))
	}
	if s.Work != nil {
		span := c.span(s.Work.Pos)
		places.Work = &span
	}
	return places
}
