package program

import "fmt"

// Limits of a flow's states: more than the language allows is no program.
const (
	maxStates = 10_000
	maxNested = 1_000
)

func (v *verifier) flows() error {
	names := map[string]bool{}
	for i, f := range v.p.Flows {
		if err := first(unique(names, "flow "+f.Name), v.flow(i, f)); err != nil {
			return fmt.Errorf("flow %s: %w", f.Name, err)
		}
	}
	return nil
}

func (v *verifier) flow(at int, f *Flow) error {
	if err := first(v.record(f.Input), all("result field", f.Result, len(f.Data)), checkTree(f)); err != nil {
		return err
	}
	for i, d := range f.Data {
		err := first(
			checkType(d.Type, maxTypeDepth),
			inside("owner", d.Owner, len(f.States)),
			v.use(expression, d.Default, at, 0),
		)
		if err != nil {
			return fmt.Errorf("data field %d: %w", i, err)
		}
	}
	for i := range f.States {
		if err := v.state(at, f, i); err != nil {
			return fmt.Errorf("state %d %s: %w", i, f.States[i].Path, err)
		}
	}
	return nil
}

// checkTree checks that the states are one tree in pre-order, and that each kind has the children that it needs.
func checkTree(f *Flow) error {
	if len(f.States) == 0 || len(f.States) > maxStates {
		return fmt.Errorf("%d states", len(f.States))
	}
	open := []int{} // the states around the next one
	for i := range f.States {
		s := &f.States[i]
		for len(open) > 0 && f.States[open[len(open)-1]].Last < i {
			open = open[:len(open)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		err := first(
			when(s.Parent != parent || parent < 0 && i > 0, "state %d: parent %d, not %d", i, s.Parent, parent),
			when(s.Last < i || s.Last >= len(f.States) || parent >= 0 && s.Last > f.States[parent].Last, "state %d: last %d", i, s.Last),
			when(len(open) > maxNested, "states are nested deeper than %d", maxNested),
		)
		if err != nil {
			return err
		}
		open = append(open, i)
	}
	for i := range f.States {
		if err := checkChildren(f, i); err != nil {
			return fmt.Errorf("state %d: %w", i, err)
		}
	}
	return nil
}

func checkChildren(f *Flow, at int) error {
	s := &f.States[at]
	next := at + 1
	initial := s.Initial == -1
	for _, c := range s.Children {
		if c != next || c >= len(f.States) {
			return fmt.Errorf("child %d, not %d", c, next)
		}
		if region := f.States[c].Kind == Region; region != (s.Kind == Parallel) {
			return fmt.Errorf("child %d is a region outside a parallel, or none inside one", c)
		}
		initial = initial || c == s.Initial
		next = f.States[c].Last + 1
	}
	holds := len(s.Children) > 0
	return first(
		when(next != s.Last+1, "its children are not all that stand in it"),
		when(!initial, "initial %d is no child", s.Initial),
		when(s.Kind > Final, "unknown kind %d", s.Kind),
		when(holds && s.Initial == -1 && s.Kind != Parallel, "no initial state"),
		when(holds == (s.Kind == Leaf || s.Kind == Final), "its kind does not go with %d children", len(s.Children)),
		when(at == 0 && s.Kind != Leaf && s.Kind != Composite, "the root is neither a leaf nor a composite"),
		when(s.Work != nil && s.Kind != Leaf, "only a leaf has work"),
	)
}

func (v *verifier) state(at int, f *Flow, i int) error {
	s := &f.States[i]
	err := first(
		when(s.Outcome > Cancelled || s.Join > JoinCount || s.History > DeepHistory, "unknown outcome, join or history"),
		when(s.Kind == Parallel && s.Join == JoinCount && s.JoinN < 0, "a join without its number"),
		v.use(expression, s.JoinN, at, 0),
		v.use(block, s.Entry, at, 0),
		v.use(block, s.Exit, at, 0),
		all("deferred event", s.Defer, len(v.p.Events)),
	)
	if err != nil {
		return err
	}
	for k := range s.Handlers {
		if err := v.handler(at, f, &s.Handlers[k]); err != nil {
			return fmt.Errorf("handler %d: %w", k, err)
		}
	}
	for k, a := range s.Always {
		if err := first(v.use(expression, a.Guard, at, 0), checkTarget(f, a.Target), v.use(block, a.Block, at, 0)); err != nil {
			return fmt.Errorf("always %d: %w", k, err)
		}
	}
	names := map[string]bool{}
	for k := range s.Timers {
		if err := first(v.timer(at, f, &s.Timers[k]), unique(names, "timer "+s.Timers[k].Name)); err != nil {
			return fmt.Errorf("timer %d: %w", k, err)
		}
	}
	if s.Work != nil {
		if err := v.work(at, s.Work); err != nil {
			return fmt.Errorf("work: %w", err)
		}
	}
	return nil
}

func (v *verifier) handler(at int, f *Flow, h *Handler) error {
	for _, t := range h.Triggers {
		if t.Reserved == NotReserved {
			if err := inside("event", t.Event, len(v.p.Events)); err != nil {
				return err
			}
		} else if t.Reserved > OnCancel || t.Event != -1 {
			return fmt.Errorf("unknown trigger %d %d", t.Reserved, t.Event)
		}
	}
	return first(
		when(len(h.Triggers) == 0, "no trigger"),
		v.use(expression, h.Guard, at, 0),
		checkTarget(f, h.Target),
		v.use(block, h.Block, at, 0),
	)
}

func checkTarget(f *Flow, t Target) error {
	switch t.Kind {
	case Stay, ToSelf:
		return nil
	case ToState:
		if t.State == 0 {
			return fmt.Errorf("the root is no target")
		}
		return inside("target", t.State, len(f.States))
	}
	return fmt.Errorf("unknown kind of target %d", t.Kind)
}

func (v *verifier) timer(at int, f *Flow, t *Timer) error {
	return first(
		when(t.Kind > Idle, "unknown kind %d", t.Kind),
		when(t.Name == "", "no name"),
		when(t.Dur < 0 && (t.Kind == After || t.Kind == Every || t.Kind == Idle), "no duration"),
		when(t.Time < 0 && t.Kind == At, "no time"),
		when(t.Dur < 0 && t.Time < 0 && t.Kind == Timeout, "neither a duration nor a time"),
		when(t.Kind == Calendar && (t.Zone < 0 || t.Days == 0 || t.Days >= 1<<7), "no zone or no days"),
		when(t.Clock < 0 || t.Clock >= 24*60*60, "%d seconds are not within a day", t.Clock),
		v.use(expression, t.Dur, at, 0),
		v.use(expression, t.Time, at, 0),
		v.use(expression, t.For, at, 0),
		v.use(expression, t.Times, at, 0),
		v.use(expression, t.Zone, at, 0),
		v.use(expression, t.Guard, at, 0),
		v.use(block, t.Block, at, 0),
		checkTarget(f, t.Target),
		all("field that the time reads", t.ReadsData, len(f.Data)),
	)
}

func (v *verifier) work(at int, w *Work) error {
	items := 0 // set by the caller in arguments and keys
	if w.Each >= 0 {
		items = 1
	}
	err := first(
		when(w.Join > JoinCount || w.Each >= 0 && w.Join == JoinCount && w.JoinN < 0, "a join without its number"),
		v.use(expression, w.Each, at, 0),
		v.use(expression, w.Concurrency, at, 0),
		v.use(expression, w.JoinN, at, 0),
		all("event", w.May, len(v.p.Events)),
		checkPolicy(w.Policy),
	)
	if err != nil {
		return err
	}
	switch w.Kind {
	case Do:
		return first(inside("task", w.Task, len(v.p.Tasks)), v.need(w.Args), v.use(expression, w.Args, at, items))
	case Invoke:
		return first(
			inside("flow", w.Flow, len(v.p.Flows)),
			v.need(w.Args),
			v.use(expression, w.Args, at, items),
			v.use(expression, w.Key, at, items),
		)
	case Run:
		return first(v.need(w.Routine), v.use(routine, w.Routine, at, 0))
	}
	return fmt.Errorf("unknown kind %d", w.Kind)
}

func (v *verifier) need(code int) error { return inside("code", code, len(v.p.Codes)) }

// use notes that the flow refers to a code (-1: none) which takes so many parameters.
func (v *verifier) use(as role, code, flow, params int) error {
	if code == -1 {
		return nil
	}
	if err := v.need(code); err != nil {
		return err
	}
	c := &v.p.Codes[code]
	if c.Flow != flow || c.Params != params {
		return fmt.Errorf("code %d of flow %d with %d parameters is used in flow %d with %d", code, c.Flow, c.Params, flow, params)
	}
	return v.play(code, as)
}

// play gives a code its role; it has only one.
func (v *verifier) play(code int, as role) error {
	if was := v.roles[code]; was != unused && was != as {
		return fmt.Errorf("code %d is both %s and %s", code, was, as)
	}
	v.roles[code] = as
	return nil
}
