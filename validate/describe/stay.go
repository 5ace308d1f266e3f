package describe

import (
	"slices"
	"strings"

	"flowc/validate/model"
	"flowc/validate/value"
)

// A describer answers for one flow. Flows that it invokes are described by describers of their own, which it keeps.
type describer struct {
	flow    *model.Flow
	source  Source
	flows   map[*model.Flow]*describer
	busy    bool                 // its end is being computed: the flow invokes itself
	own     map[int]Bound        // by state, without what the states around it add
	rearmed map[[2]int]bool      // timers that some statement starts over
	clocked map[*model.Event]int // how many statements schedule an event, stop it or start it over
	moves   []move
	onError []int // the states with a handler of `error`
	end     *Bound
}

func newDescriber(f *model.Flow, source Source, flows map[*model.Flow]*describer) *describer {
	if d := flows[f]; d != nil {
		return d
	}
	d := &describer{flow: f, source: source, flows: flows, own: map[int]Bound{}, rearmed: map[[2]int]bool{}, clocked: map[*model.Event]int{}}
	flows[f] = d
	d.moves = transitions(f, source)
	for _, s := range f.States {
		if slices.ContainsFunc(s.Handlers, func(h *model.Handler) bool { return takes(h, model.OnError) }) {
			d.onError = append(d.onError, s.Index)
		}
		for _, c := range blocks(s) {
			statements(c.Stmts, func(n model.Stmt) {
				d.clockEvent(n)
				if r, ok := n.(*model.Rearm); ok && r.Timer >= 0 {
					d.rearmed[[2]int{r.State, r.Timer}] = true
				}
			})
		}
	}
	return d
}

// stay is the longest visit of a state: its own bound, or that of a state around it, which cannot be stayed in for less. A region, and
// a final state in it, last as long as their parallel.
func (d *describer) stay(state int) Bound {
	s := d.flow.States[state]
	switch {
	case state == 0:
		return d.latestEnd()
	case s.Kind == model.Region, s.Kind == model.Final && d.flow.States[s.Parent].Kind == model.Region:
		return d.stay(s.Parent)
	}
	b := d.ownStay(state)
	for p := s.Parent; p > 0; p = d.flow.States[p].Parent {
		if d.flow.States[p].Kind != model.Region {
			b = least(b, d.ownStay(p))
		}
	}
	return least(b, d.latestEnd())
}

// latestEnd is how long after its start a token ends at the latest.
func (d *describer) latestEnd() Bound {
	if d.end != nil {
		return *d.end
	}
	if d.busy {
		return Bound{Waits: []Wait{{State: "the flow", Events: []string{}, Why: "invokes itself"}}}
	}
	d.busy = true
	b := d.ownStay(0)
	d.busy, d.end = false, &b
	return b
}

// ownStay is how long a visit of a state lasts at most by what stands in the state itself and inside it.
func (d *describer) ownStay(state int) Bound {
	if b, ok := d.own[state]; ok {
		return b
	}
	d.own[state] = waiting(d.flow.States[state], nil, "is inside itself") // never seen: states do not hold themselves
	b := least(d.course(state), d.clock(state))                           // the reasons of what is inside say more
	if len(d.flow.States[state].Children) > 0 && d.flow.States[state].Kind != model.Parallel {
		b = least(b, d.clockInside(state))
	}
	switch {
	case d.noWait(state):
		b = known(0)
	case !b.Known && len(d.flow.States[state].Children) > 0:
		b = d.withClock(state, b)
	}
	d.own[state] = b
	return b
}

// withClock adds to the reasons of what is inside a state why its own timeout does not bound it.
func (d *describer) withClock(state int, b Bound) Bound {
	why, ok := strings.CutPrefix(d.clockLacks(state), "with ")
	if !ok {
		return b
	}
	return both(b, waiting(d.flow.States[state], []string{}, "has "+why))
}

// noWait reports whether an automatic transition without a guard leaves the state as soon as it is entered.
func (d *describer) noWait(state int) bool {
	for at := state; at >= 0; at = d.flow.States[at].Parent {
		for _, a := range d.flow.States[at].Always {
			if a.Guard == nil && leaves(d.flow, at, a.Target, state) {
				return true
			}
		}
	}
	return false
}

// course is how long it takes until what a state does has come to its end and that has been taken: work, the states inside, regions.
func (d *describer) course(state int) Bound {
	s := d.flow.States[state]
	switch s.Kind {
	case model.Final:
		return d.finalStay(s)
	case model.Parallel:
		return d.parallelStay(s)
	case model.Composite, model.Region:
		return d.pathThrough(state)
	}
	if state == 0 && len(s.Children) > 0 {
		return d.pathThrough(state)
	}
	return d.workStay(s)
}

// finalStay: a final state lasts until its composite is left by the `completed` that it makes; one of a region as long as the
// parallel does, which does not count as a wait of its own.
func (d *describer) finalStay(s *model.State) Bound {
	if s.Parent <= 0 || d.flow.States[s.Parent].Kind == model.Region || d.leaving(s.Parent, model.OnCompleted) {
		return known(0)
	}
	return waiting(s, nil, "has ended, and nothing surely takes the `completed` of "+d.flow.States[s.Parent].Path)
}

// clock is the earliest of the timers of a state that leave it for certain.
func (d *describer) clock(state int) Bound {
	b := Bound{}
	s := d.flow.States[state]
	for i, t := range s.Timers {
		if micros, ok := d.fires(state, i); ok && d.timerLeaves(state, t) {
			b = least(b, known(micros))
		}
	}
	if micros, ok := d.scheduled(s); ok {
		b = least(b, known(micros))
	}
	if !b.Known {
		return waiting(s, d.awaited(state), d.clockLacks(state))
	}
	return b
}

// fires is how long after the entry a timer is due, when that is known and nothing starts it over.
func (d *describer) fires(state, timer int) (int64, bool) {
	t := d.flow.States[state].Timers[timer]
	switch t.Kind {
	case model.Timeout, model.After, model.At:
		k, ok := dueAfter(t)
		return k, ok && !d.rearmed[[2]int{state, timer}]
	}
	return 0, false
}

// dueAfter is how long after the entry of its state a timer is due, where that is constant, also when the entry stands in words:
// `1h from entered_at`, `at now() + 1h`.
func dueAfter(t *model.Timer) (int64, bool) {
	switch {
	case t.Time == nil:
		return constant(t.Dur)
	case t.Dur != nil:
		micros, ok := constant(t.Dur)
		return micros, ok && isEntry(t.Time.Result)
	}
	if sum, ok := t.Time.Result.(*model.Binary); ok && sum.Op == model.Add && isEntry(sum.X) {
		return constantExpr(sum.Y)
	}
	return 0, false
}

// isEntry reports whether an expression of a timer is the entry: `now()` in it means that.
func isEntry(e model.Expr) bool {
	b, ok := e.(*model.CallBuiltin)
	return ok && (b.Name == "now" || b.Name == "entered_at")
}

func isConst(e model.Expr) bool {
	_, ok := e.(*model.Const)
	return ok
}

func constant(c *model.Code) (int64, bool) {
	if c == nil {
		return 0, false
	}
	return constantExpr(c.Result)
}

func constantExpr(e model.Expr) (int64, bool) {
	k, ok := e.(*model.Const)
	if !ok || k.Value.Kind() != value.Duration {
		return 0, false
	}
	return max(k.Value.Micros(), 0), true // one that is negative is over at once
}

// timerLeaves reports whether a timer, once it fires, leaves its state for certain.
func (d *describer) timerLeaves(state int, t *model.Timer) bool {
	if t.Kind == model.Timeout {
		return d.leaving(state, model.OnTimeout)
	}
	return t.Guard == nil && (leaves(d.flow, state, t.Target, state) || failsFirst(t.Block)) &&
		!d.mayStay(state, state, nil, t.Target, t.Block)
}

// clockLacks says why no timer of a state bounds it.
func (d *describer) clockLacks(state int) string {
	s := d.flow.States[state]
	why := "without a timeout"
	for i, t := range s.Timers {
		what := "timer"
		switch t.Kind {
		case model.Timeout:
			what = "timeout"
		case model.After, model.At:
			if !leaves(d.flow, state, t.Target, state) {
				continue
			}
		default:
			continue
		}
		_, fixed := dueAfter(t)
		lacks := ""
		switch {
		case d.rearmed[[2]int{state, i}]:
			lacks = "that is started over"
		case !fixed && t.Time != nil && isConst(t.Time.Result):
			lacks = "at a fixed instant: " + d.source.When(t)
		case !fixed:
			lacks = "that data decide: " + d.source.When(t)
		case !d.timerLeaves(state, t):
			lacks = "that may not leave it"
		default:
			continue
		}
		why = "with a " + what + " " + lacks
		if t.Kind == model.Timeout {
			return why
		}
	}
	if why == "without a timeout" && len(schedules(s.Entry)) > 0 {
		return "with a scheduled event that may not leave it"
	}
	return why
}

// awaited lists what can end the visit of a state besides its clock, in the order of the file: events that lead out of it, also by
// handlers of the states around it, and work.
func (d *describer) awaited(state int) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if w := d.flow.States[state].Work; w != nil {
		add(d.workName(w))
	}
	for at := state; at >= 0; at = d.flow.States[at].Parent {
		for _, h := range d.flow.States[at].Handlers {
			if !leaves(d.flow, at, h.Target, state) && !failsFirst(h.Block) {
				continue
			}
			for _, t := range h.Triggers {
				if t.Event != nil {
					add(t.Event.Name)
				}
			}
		}
		for _, a := range d.flow.States[at].Always {
			if a.Guard != nil && leaves(d.flow, at, a.Target, state) {
				add("[" + d.source.Text(a.Guard.Result.Position()) + "]")
			}
		}
	}
	return names
}

func (d *describer) workName(w *model.Work) string {
	switch w.Kind {
	case model.Do:
		return "the work " + w.Task.Name
	case model.Invoke:
		return "the flow " + w.Flow.Name
	}
	if _, open := d.routine(w.Routine.Stmts); open != "" {
		return "its routine (" + open + ")"
	}
	return "its routine"
}
