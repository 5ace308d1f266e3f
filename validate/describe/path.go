package describe

import (
	"slices"

	"flowc/validate/model"
)

// A way is a transition from one child of a state to another, or to itself in a new visit.
type way struct {
	to    int
	label string
}

// paths are the ways between the children of a state, and where a visit of it may begin.
type paths struct {
	d        *describer
	in       int
	children []int
	starts   []int
	ways     map[int][]way
	once     []int // targets that a visit enters once at most, from wherever it is
	longest  map[int]Bound
}

// pathThrough is how long the states inside a state take at most until it has ended or has been left: the longest way through them,
// each for as long as it can be stayed in. What may be entered at any time, but once only, is added.
func (d *describer) pathThrough(state int) Bound {
	p := d.pathsOf(state)
	b := known(0)
	for _, s := range p.starts {
		b = most(b, p.longest[s])
	}
	for _, s := range p.once {
		b = sum(b, p.longest[s])
	}
	return b
}

// clockInside is the bound by a timer of a state that leads to a place inside it: its time and the longest way from there.
func (d *describer) clockInside(state int) Bound {
	s := d.flow.States[state]
	out := Bound{}
	for i, t := range s.Timers {
		due, ok := d.fires(state, i)
		if !ok || d.timerLeaves(state, t) {
			continue
		}
		if b := sum(known(due), d.afterTimer(state, t)); b.Known {
			out = least(out, b)
		}
	}
	return out
}

// afterTimer is how long a state lasts at most once one of its timers has fired.
func (d *describer) afterTimer(state int, t *model.Timer) Bound {
	unknown := Bound{}
	targets := []handling{{state, &model.Handler{Target: t.Target, Block: t.Block, Guard: t.Guard}}}
	if t.Kind == model.Timeout {
		found, _ := search(d.flow, state, model.OnTimeout) // one that is not taken fails the token
		targets = found
	} else if t.Guard != nil {
		return unknown
	}
	p := d.pathsOf(state)
	b, once := known(0), slices.Clone(p.once)
	for _, x := range targets {
		inner := x.h.Target
		switch {
		case d.mayStay(state, x.at, x.h.Guard, inner, x.h.Block):
			return unknown
		case failsFirst(x.h.Block) || leaves(d.flow, x.at, inner, state):
		case x.at == state && inner.Kind == model.ToState:
			to := d.childOf(state, inner.State)
			b = most(b, p.longest[to])
			if i := slices.Index(once, to); i >= 0 { // it is what happens once
				once = slices.Delete(once, i, i+1)
			}
		default:
			return unknown
		}
	}
	for _, s := range once {
		b = sum(b, p.longest[s])
	}
	return b
}

// childOf is the child of a state that another one is or is inside of.
func (d *describer) childOf(state, inner int) int {
	for d.flow.States[inner].Parent != state {
		inner = d.flow.States[inner].Parent
	}
	return inner
}

func (d *describer) pathsOf(state int) *paths {
	p := &paths{d: d, in: state, children: d.flow.States[state].Children, ways: map[int][]way{}, longest: map[int]Bound{}}
	if i := d.flow.States[state].Initial; i >= 0 {
		p.starts = append(p.starts, i)
	}
	if d.resumes(state) {
		p.starts = slices.Clone(p.children)
	}
	for _, t := range d.moves {
		p.add(t)
	}
	p.measure()
	return p
}

// resumes reports whether entering a state may resume any of its children.
func (d *describer) resumes(state int) bool {
	if d.flow.States[state].History != model.NoHistory {
		return true
	}
	for at := state; at >= 0; at = d.flow.States[at].Parent {
		if d.flow.States[at].History == model.DeepHistory {
			return true
		}
	}
	return false
}

// A move is a transition of a flow.
type move struct {
	from, to int
	label    string
	triggers []model.Trigger // of a handler
	timer    int             // in the state's Timers, -1 of what is none
}

// transitions lists all transitions of a flow in the order of its states.
func transitions(f *model.Flow, source Source) []move {
	var out []move
	add := func(s *model.State, t model.Target, m move) {
		if t.Kind == model.Stay {
			return
		}
		m.from, m.to = s.Index, s.Index
		if t.Kind == model.ToState {
			m.to = t.State
		}
		out = append(out, m)
	}
	for _, s := range f.States {
		for _, h := range s.Handlers {
			add(s, h.Target, move{label: triggerNames(h), triggers: h.Triggers, timer: -1})
		}
		for _, a := range s.Always {
			label := ""
			if a.Guard != nil {
				label = "[" + source.Text(a.Guard.Result.Position()) + "]"
			}
			add(s, a.Target, move{label: label, timer: -1})
		}
		for i, t := range s.Timers {
			add(s, t.Target, move{label: source.Timer(t), timer: i})
		}
		if s.Work != nil && s.Work.Routine != nil {
			statements(s.Work.Routine.Stmts, func(n model.Stmt) {
				if g, ok := n.(*model.Go); ok {
					add(s, g.Target, move{label: "go", timer: -1})
				}
			})
		}
	}
	return out
}

func triggerNames(h *model.Handler) string {
	text := ""
	for i, t := range h.Triggers {
		if i > 0 {
			text += " or "
		}
		text += Trigger(t)
	}
	return text
}

// add sorts a transition in: between two children, from wherever the visit is, or into it from outside. One that leaves the state is
// an end of every way.
func (p *paths) add(m move) {
	f := p.d.flow
	inside := m.to != p.in && within(f, m.to, p.in)
	switch {
	case m.from == p.in && inside:
		p.fromAnywhere(m, p.d.childOf(p.in, m.to))
	case !within(f, m.from, p.in):
		if inside {
			p.starts = appendNew(p.starts, p.d.childOf(p.in, m.to))
		}
	case m.to == 0 && p.in == 0: // the flow begins again, in the same token
		for _, s := range slices.Clone(p.starts) {
			p.fromAnywhere(m, s)
		}
	case m.from == p.in:
	case inside:
		from, to := p.d.childOf(p.in, m.from), p.d.childOf(p.in, m.to)
		if from != to || m.to == to {
			p.ways[from] = append(p.ways[from], way{to, m.label})
		}
	case m.to == p.in && f.States[p.in].Kind == model.Region: // it begins anew, and its parallel is not left
		from := p.d.childOf(p.in, m.from)
		p.ways[from] = append(p.ways[from], way{from, m.label})
	}
}

func (p *paths) fromAnywhere(m move, to int) {
	if p.onlyOnce(m) {
		p.once = append(p.once, to) // twice when two lead there
		return
	}
	for _, c := range p.children {
		if p.d.flow.States[c].Kind != model.Final {
			p.ways[c] = append(p.ways[c], way{to, m.label})
		}
	}
}

// onlyOnce reports whether a transition of the state to a place inside it happens once in a visit at most: by a timer, by `cancel`,
// or by the state's own timeout when none of a state inside comes to the same handler.
func (p *paths) onlyOnce(m move) bool {
	f := p.d.flow
	if m.timer >= 0 {
		t := f.States[p.in].Timers[m.timer]
		return (t.Kind == model.After || t.Kind == model.At) && len(t.ReadsData) == 0 && !p.d.rearmed[[2]int{p.in, m.timer}]
	}
	for _, t := range m.triggers {
		switch t.Reserved {
		case model.OnCancel:
			if p.in != 0 {
				return false
			}
		case model.OnTimeout:
			if p.timeoutsInside() || p.timeoutRepeats() {
				return false
			}
		default:
			return false
		}
	}
	return len(m.triggers) == 1 // of two reserved events each comes once
}

// timeoutsInside reports whether a timeout of a state inside may be handled outside of that one.
func (p *paths) timeoutsInside() bool {
	f := p.d.flow
	for i, s := range f.States {
		if i == p.in || !within(f, i, p.in) {
			continue
		}
		for _, t := range s.Timers {
			if t.Kind != model.Timeout {
				continue
			}
			found, certain := search(f, i, model.OnTimeout)
			if !certain || found[len(found)-1].at == p.in || !within(f, found[len(found)-1].at, p.in) {
				return true
			}
		}
	}
	return false
}

// timeoutRepeats reports whether the state's own timeout may fire more than once in a visit.
func (p *paths) timeoutRepeats() bool {
	for i, t := range p.d.flow.States[p.in].Timers {
		if t.Kind == model.Timeout && (p.d.rearmed[[2]int{p.in, i}] || len(t.ReadsData) > 0) {
			return true
		}
	}
	return false
}

func appendNew(list []int, x int) []int {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}
