package oracle

import (
	"fmt"
	"math/rand/v2"
)

// Options say what Generate makes.
type Options struct {
	Name  string  // of the flow; f when it is empty
	Tick  int64   // the shortest duration of a timer, a whole number of seconds; most others are small multiples of it
	Stays []int64 // the timeouts of states, in ticks; 12, 18 and 24 when there are none
	Work  bool    // tasks and children
	Zones bool    // calendar timers
}

// Zones are those of calendar timers: on the hour, by half an hour, at a quarter and without clock changes.
var Zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"}

// Events are those that anybody may send to any flow; b carries a whole number k. Besides there are `boom`, which fails the token, and
// `due_is`, which sets the deadline that its `at` timers follow.
var Events = []string{"a", "b", "c"}

// A maker makes a flow.
type maker struct {
	Options
	r   *rand.Rand
	n   int
	all []*State
}

// Generate makes a flow of a few levels. Not every one passes the checks of the language: the caller asks again.
func Generate(r *rand.Rand, o Options) *Flow {
	if o.Name == "" {
		o.Name = "f"
	}
	if o.Stays == nil {
		o.Stays = []int64{12, 18, 24}
	}
	m := &maker{Options: o, r: r}
	root := m.state(Composite, nil)
	m.fill(root, 2+r.IntN(3), 0)
	cleanUp := r.IntN(2) == 0
	plain := len(m.all)
	over, gone := m.final(root, "over", "success"), m.final(root, "gone", "cancelled")
	for _, s := range m.all[:plain] {
		if s.Kind != Final {
			m.furnish(s)
		}
	}
	if cleanUp {
		end := m.state(Leaf, root)
		end.Name = "ending"
		end.clocks = []clock{{kind: "timeout", name: "timeout", dur: m.ticks(1, 3)}}
		end.on = []handler{{event: "c", target: gone}, {event: "timeout", target: gone}}
		root.Kids = append(root.Kids, end)
		root.on = append(root.on, handler{event: "cancel", target: end, acts: []act{{verb: "add", n: 1000}}})
	}
	root.Kids = append(root.Kids, over, gone)
	root.clocks = append(root.clocks, clock{kind: "idle", name: "idle", dur: 1200 * o.Tick}, clock{kind: "timeout", name: "timeout", dur: 2400 * o.Tick})
	root.on = append(root.on, handler{event: "timeout", target: over}, handler{event: "expired", target: gone},
		handler{event: "boom", acts: []act{{verb: "add", n: 1}, {verb: "fail"}}}, handler{event: "due_is", acts: []act{{verb: "aim"}}})
	f := &Flow{Name: o.Name, Root: root, States: m.all}
	if o.Work {
		f.Kid = kid(m)
	}
	return f
}

// kid makes the flow of the children.
func kid(m *maker) *Flow {
	m = &maker{Options: m.Options, r: m.r}
	root := m.state(Composite, nil)
	k := m.state(Leaf, root)
	good, bad := m.final(root, "good", "success"), m.final(root, "bad", "failure")
	k.clocks = []clock{{kind: "every", name: "pulse", dur: m.ticks(1, 2), acts: []act{{verb: "add", n: 1}}}, {kind: "timeout", name: "timeout", dur: m.ticks(2, 5, 9) + m.Tick/2/Second*Second}}
	k.on = []handler{{event: "a", acts: []act{{verb: "add", n: 1}}}, {event: "c", target: bad}, {event: "boom", acts: []act{{verb: "fail"}}}, {event: "timeout", target: good}}
	if m.chance(30) {
		k.on = append(k.on, handler{event: "cancel", target: bad})
	}
	root.Kids = []*State{k, good, bad}
	return &Flow{Name: "kid", Root: root, States: m.all}
}

func (m *maker) chance(percent int) bool { return m.r.IntN(100) < percent }

// ticks picks a span from few, so that many timers are due at one instant.
func (m *maker) ticks(spans ...int64) int64 { return spans[m.r.IntN(len(spans))] * m.Tick }

func (m *maker) state(kind Kind, parent *State) *State {
	m.n++
	s := &State{Name: fmt.Sprintf("s%d", m.n), Kind: kind, Parent: parent, order: len(m.all)}
	m.all = append(m.all, s)
	return s
}

func (m *maker) final(parent *State, name, outcome string) *State {
	s := m.state(Final, parent)
	if s.outcome = outcome; name != "" {
		s.Name = name
	}
	return s
}

// fill gives a composite its states.
func (m *maker) fill(s *State, n, depth int) {
	for range n {
		kind := Leaf
		if depth < 2 && m.chance(45) {
			kind = []Kind{Composite, Parallel}[m.r.IntN(2)]
		}
		kid := m.state(kind, s)
		s.Kids = append(s.Kids, kid)
		switch kind {
		case Composite:
			m.fill(kid, 1+m.r.IntN(3), depth+1)
			if m.chance(40) {
				kid.Kids = append(kid.Kids, m.final(kid, "", "success"))
			}
		case Parallel:
			kid.join = []string{"all", "all", "any", "race"}[m.r.IntN(4)]
			for range 2 {
				region := m.state(Composite, kid)
				kid.Kids = append(kid.Kids, region)
				m.fill(region, 1+m.r.IntN(2), depth+1)
				region.Kids = append(region.Kids, m.final(region, "", []string{"success", "success", "failure"}[m.r.IntN(3)]))
			}
		}
	}
}

// sibling is a state beside one, or itself.
func (m *maker) sibling(s *State) *State {
	for {
		t := s.Parent.Kids[m.r.IntN(len(s.Parent.Kids))]
		if t.Kind != Final || s.Parent.Parent != nil { // the flow's own finals end it too soon
			return t
		}
	}
}

// furnish gives a state timers, handlers, history and work.
func (m *maker) furnish(s *State) {
	moves := s.Parent != nil && !s.isRegion() // it may leave itself for a sibling
	if m.chance(40) {
		c := clock{kind: "every", name: "beat" + s.Name, dur: m.ticks(1, 2, 3), limit: m.ticks(0, 0, 6, 9)}
		if m.chance(30) {
			c.times = 1 + m.r.IntN(3)
		}
		s.clocks = append(s.clocks, c)
	}
	if m.chance(40) {
		c := clock{kind: "after", name: "nag" + s.Name, dur: m.ticks(1, 2, 4, 6), when: m.guard(30, false)}
		if moves && m.chance(40) {
			c.target = m.sibling(s)
		}
		s.clocks = append(s.clocks, c)
	}
	if m.chance(25) {
		s.clocks = append(s.clocks, clock{kind: "at", name: "near" + s.Name, dur: m.ticks(0, 1, 6)})
	}
	if m.Zones && m.chance(25) {
		s.clocks = append(s.clocks, clock{kind: "calendar", name: "daily" + s.Name, zone: Zones[m.r.IntN(len(Zones))], minute: []int{60, 105, 135, 150, 165, 390}[m.r.IntN(6)]})
	}
	if s.Kind == Composite && s.Parent != nil && m.chance(40) {
		s.history = []string{"history", "history deep"}[m.r.IntN(2)]
	}
	if s.Kind == Leaf {
		m.furnishLeaf(s)
	}
	for _, e := range Events {
		if m.chance(35) {
			h := handler{event: e, when: m.guard(30, e == "b")}
			if moves && m.chance(70) {
				h.target = m.sibling(s)
			}
			s.on = append(s.on, h)
			if h.when != nil && m.chance(50) {
				s.on = append(s.on, handler{event: e})
			}
		}
	}
	if s.Kind == Parallel {
		s.on = append(s.on, handler{event: "joined", target: m.sibling(s)})
	}
	if s.Kind == Composite && moves && s.Kids[len(s.Kids)-1].Kind == Final {
		s.on = append(s.on, handler{event: "completed", target: m.sibling(s)})
	}
	if moves && (s.Kind == Leaf || m.chance(30)) {
		s.clocks = append(s.clocks, clock{kind: "timeout", name: "timeout", dur: m.ticks(m.Stays...)})
		s.on = append(s.on, handler{event: "timeout", target: m.sibling(s)})
	}
	m.blocks(s)
}

func (m *maker) guard(percent int, payload bool) *guard {
	if !m.chance(percent) {
		return nil
	}
	g := &guard{mod: 2 + m.r.IntN(2), payload: payload && m.chance(50)}
	g.rest = m.r.IntN(g.mod)
	return g
}

// blocks writes what the blocks of a state do: most count, some move timers.
func (m *maker) blocks(s *State) {
	for i := range s.clocks {
		if c := &s.clocks[i]; c.kind != "timeout" {
			c.acts = m.block(s, c.target == nil, "a timer")
		}
	}
	for i := range s.on {
		h := &s.on[i]
		h.acts = append(h.acts, m.block(s, h.target == nil, h.event)...)
	}
}

// block makes a block of a state's; one that keeps the state may move its timers.
func (m *maker) block(s *State, stays bool, event string) []act {
	acts := []act{{verb: "add", n: 1 + m.r.IntN(2)}}
	if event == "b" && m.chance(40) {
		acts[0] = act{verb: "take"}
	}
	if !stays || !m.chance(35) {
		return acts
	}
	switch m.r.IntN(4) {
	case 0:
		acts = append(acts, act{verb: "schedule", name: "a", dur: m.ticks(1, 2, 5)})
	case 1:
		acts = append(acts, act{verb: "unschedule", name: "a"})
	default:
		acts = append(acts, act{verb: "rearm", name: m.timerOf(s, event != "a timer")})
	}
	return acts
}

// timerOf names a timer of a state or of one around it. A timer does not start one over whose instant may be past: the two would
// fire for ever.
func (m *maker) timerOf(s *State, instants bool) string {
	names := []string{"a"}
	for x := s; x != nil; x = x.Parent {
		for _, c := range x.clocks {
			if c.kind != "idle" && (instants || c.kind != "at") {
				names = append(names, c.name)
			}
		}
	}
	return names[m.r.IntN(len(names))]
}

func (m *maker) furnishLeaf(s *State) {
	if m.chance(30) {
		s.entry = []act{{verb: "add", n: 1}, {verb: "schedule", name: "a", dur: m.ticks(1, 3, 6)}}
	}
	if m.chance(25) {
		s.defers = "c"
	}
	switch {
	case m.chance(30):
		for range 1 + m.r.IntN(3) {
			g := segment{dur: m.ticks(1, 2, 3)}
			if m.chance(50) {
				g.event = Events[m.r.IntN(2)]
			}
			s.run = append(s.run, g)
		}
		s.on = append(s.on, handler{event: "completed", target: m.sibling(s)})
	case m.Work && m.chance(40):
		s.work = &work{retries: m.r.IntN(3), backoff: m.ticks(1, 2)}
		if m.chance(50) {
			s.work.may = "b"
		}
		m.ends(s)
	case m.Work && m.chance(40):
		s.child = true
		m.ends(s)
	}
}

// ends gives the handlers of a work's end; an error may be left to whoever is around, or to nobody.
func (m *maker) ends(s *State) {
	s.on = append(s.on, handler{event: "completed", target: m.sibling(s), when: m.guard(20, false)})
	if m.chance(70) {
		s.on = append(s.on, handler{event: "error", target: m.sibling(s), when: m.guard(20, false)})
	}
}
