package describe

import (
	"slices"

	"flowc/validate/model"
	"flowc/validate/value"
)

func (d *describer) timers(state int) []Timer {
	out := []Timer{}
	for i, t := range d.flow.States[state].Timers {
		timer := Timer{Name: t.Name, Kind: TimerKind(t.Kind), When: d.source.When(t), Fires: d.times(state, t)}
		if t.Kind == model.Calendar {
			timer.Kind = "calendar"
		}
		if due, ok := constant(t.Dur); ok && t.Time == nil {
			ms := millis(due)
			timer.DueMs = &ms
		}
		if timer.Fires != nil && d.rearmed[[2]int{state, i}] {
			timer.Fires = nil
		}
		out = append(out, timer)
	}
	return out
}

// times is how often a timer fires in one visit at most: once, or as its `times`, its `for` and the longest stay have it. What is due
// at the very instant of the state's timeout still fires before it (R16).
func (d *describer) times(state int, t *model.Timer) *int64 {
	one := int64(1)
	switch t.Kind {
	case model.Timeout, model.After:
		if len(t.ReadsData) == 0 {
			return &one
		}
		return nil
	case model.At:
		if len(t.ReadsData) == 0 {
			return &one
		}
		return nil
	case model.Idle:
		return nil
	}
	var limits []int64
	if t.Times != nil {
		if k, ok := t.Times.Result.(*model.Const); ok && k.Value.Kind() == value.Int {
			limits = append(limits, k.Value.Int())
		}
	}
	if period, ok := constant(t.Dur); ok && period > 0 {
		if span, ok := constant(t.For); ok {
			limits = append(limits, (span-1)/period) // strictly within it
		}
		if stay := d.stay(state); stay.Known {
			limits = append(limits, stay.Micros/period)
		}
	}
	if len(limits) == 0 {
		return nil
	}
	n := slices.Min(limits)
	return &n
}

func (d *describer) work(s *model.State) *Work {
	w := s.Work
	switch {
	case w == nil:
		return nil
	case w.Kind == model.Invoke:
		return &Work{Kind: "invoke", Name: w.Flow.Name}
	case w.Kind == model.Run:
		return &Work{Kind: "run"}
	}
	out := taskWork("do", w.Task, w.Policy)
	return &out
}

func taskWork(kind string, t *model.Task, over *model.PolicyOverride) Work {
	p := Effective(t.Policy, over)
	e := EffortOf(p)
	out := Work{Kind: kind, Name: t.Name, Attempts: e.Attempts, Within: optional(p.Within), Queue: p.Queue, Fails: t.Fails, Text: Task(p)}
	if e.WaitsMost > 0 {
		least, longest := Duration(e.WaitsLeast/second*second), Duration(e.WaitsMost)
		out.WaitsLeast, out.WaitsMost = &least, &longest
	}
	if longest, ok := e.Longest(); ok {
		out.Longest = optional(longest)
	}
	return out
}

func optional(micros int64) *string {
	if micros == 0 {
		return nil
	}
	s := Duration(micros)
	return &s
}

// tasks lists the tasks that the flow uses, in the order of the file, once for each kind of use and policy.
func (d *describer) tasks() []Work {
	out := []Work{}
	add := func(kind string, t *model.Task, over *model.PolicyOverride) {
		w := taskWork(kind, t, over)
		if !slices.ContainsFunc(out, func(x Work) bool { return x.Kind == kind && x.Name == w.Name && x.Text == w.Text && x.Queue == w.Queue }) {
			out = append(out, w)
		}
	}
	for _, s := range d.flow.States {
		if s.Work != nil && s.Work.Kind == model.Do {
			add("do", s.Work.Task, s.Work.Policy)
		}
		for _, c := range blocks(s) {
			statements(c.Stmts, func(n model.Stmt) {
				switch x := n.(type) {
				case *model.CallTask:
					add("call", x.Task, x.Policy)
				case *model.Dispatch:
					add("dispatch", x.Task, x.Policy)
				}
			})
		}
	}
	return out
}
