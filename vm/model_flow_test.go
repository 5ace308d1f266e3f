package vm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The property test: random flows are driven with random operations, and after each of them the token is compared with a small
// model of runtime.md §2 that knows nothing of the step. This file makes the flows; model_test.go is the model, model_run_test.go
// drives both.

// A mState is a state of a random flow.
type mState struct {
	name   string
	kind   string // composite (the flow and regions too), parallel, leaf, final
	parent *mState
	kids   []*mState // of a composite the first is the initial one
	order  int       // in the file
	decls  []*mDecl  // in the order of the file, a timeout last
	on     []*mHandler
	run    []*mSegment
	defers string
}

// A mDecl is a timer of a state: timeout, after, at, every, calendar, idle, or schedule from the entry block.
type mDecl struct {
	kind   string
	name   string
	dur    int64
	limit  int64 // of `every … for`
	times  int
	event  string  // of schedule
	target *mState // of after: nil is an action
}

// A mHandler takes an event. Without target it keeps the state; with its own state it is entered again.
type mHandler struct {
	event  string
	target *mState
	fails  bool
	sets   bool
}

// A mSegment is a sleep, or a wait with a limit.
type mSegment struct {
	event string // "": a sleep
	dur   int64
}

// mMaker makes a flow.
type mMaker struct {
	r   *rand.Rand
	n   int
	all []*mState
}

var mEvents = []string{"a", "b", "c"}

func (m *mMaker) chance(percent int) bool { return m.r.IntN(100) < percent }

// minutesOf picks a span from few, so that many timers are due at one instant.
func (m *mMaker) minutesOf(spans ...int64) int64 { return spans[m.r.IntN(len(spans))] * minutes }

func (m *mMaker) state(kind string, parent *mState) *mState {
	m.n++
	s := &mState{name: fmt.Sprintf("s%d", m.n), kind: kind, parent: parent, order: len(m.all)}
	m.all = append(m.all, s)
	return s
}

// randomFlow makes a flow of a few levels.
func randomFlow(r *rand.Rand) *mState {
	m := &mMaker{r: r}
	root := m.state("composite", nil)
	m.fill(root, 2+r.IntN(3), 0)
	end := &mState{name: "over", kind: "final", parent: root, order: len(m.all)}
	gone := &mState{name: "gone", kind: "final", parent: root, order: len(m.all) + 1}
	m.all = append(m.all, end, gone)
	for _, s := range m.all {
		if s.kind != "final" {
			m.furnish(s)
		}
	}
	root.kids = append(root.kids, end, gone)
	root.decls = append(root.decls, &mDecl{kind: "idle", name: "idle", dur: 200 * hours}, &mDecl{kind: "timeout", name: "timeout", dur: 400 * hours})
	root.on = append([]*mHandler{{event: "timeout", target: end}, {event: "expired", target: gone}, {event: "boom", fails: true}, {event: "due_is", sets: true}}, root.on...)
	return root
}

// fill gives a composite its states.
func (m *mMaker) fill(s *mState, n, depth int) {
	for range n {
		kind := "leaf"
		if depth < 2 && m.chance(45) {
			kind = []string{"composite", "parallel"}[m.r.IntN(2)]
		}
		kid := m.state(kind, s)
		s.kids = append(s.kids, kid)
		switch kind {
		case "composite":
			m.fill(kid, 1+m.r.IntN(3), depth+1)
		case "parallel":
			for range 2 {
				region := m.state("composite", kid)
				kid.kids = append(kid.kids, region)
				m.fill(region, 1+m.r.IntN(2), depth+1)
				region.kids = append(region.kids, m.state("final", region))
			}
		}
	}
}

// sibling is a state beside one, or itself.
func (m *mMaker) sibling(s *mState) *mState {
	for {
		t := s.parent.kids[m.r.IntN(len(s.parent.kids))]
		if t.kind != "final" || s.parent.parent != nil { // the flow's own finals end it too soon
			return t
		}
	}
}

// furnish gives a state timers, handlers, and a leaf a routine.
func (m *mMaker) furnish(s *mState) {
	inRegion := s.parent != nil && s.parent.kind == "parallel"
	if m.chance(40) {
		s.decls = append(s.decls, &mDecl{kind: "every", name: "beat" + s.name, dur: m.minutesOf(10, 20, 30), limit: m.minutesOf(0, 0, 60, 90)})
		if m.chance(30) {
			s.decls[0].times = 1 + m.r.IntN(3)
		}
	}
	if m.chance(40) {
		d := &mDecl{kind: "after", name: "nag" + s.name, dur: m.minutesOf(10, 20, 40, 60)}
		if s.parent != nil && !inRegion && m.chance(40) {
			d.target = m.sibling(s)
		}
		s.decls = append(s.decls, d)
	}
	if m.chance(25) {
		s.decls = append(s.decls, &mDecl{kind: "at", name: "near" + s.name, dur: m.minutesOf(0, 10, 60)})
	}
	if m.chance(20) {
		s.decls = append(s.decls, &mDecl{kind: "calendar", name: "daily" + s.name})
	}
	for _, e := range mEvents {
		if m.chance(35) {
			h := &mHandler{event: e}
			if s.parent != nil && !inRegion && m.chance(70) {
				h.target = m.sibling(s)
			}
			s.on = append(s.on, h)
		}
	}
	if s.kind == "parallel" {
		s.on = append(s.on, &mHandler{event: "joined", target: m.sibling(s)})
	}
	if s.kind == "leaf" {
		m.furnishLeaf(s)
	}
	if s.parent != nil && !inRegion && (s.kind == "leaf" || m.chance(30)) {
		s.decls = append(s.decls, &mDecl{kind: "timeout", name: "timeout", dur: m.minutesOf(120, 180, 240)})
		s.on = append(s.on, &mHandler{event: "timeout", target: m.sibling(s)})
	}
}

func (m *mMaker) furnishLeaf(s *mState) {
	if m.chance(30) {
		s.decls = append(s.decls, &mDecl{kind: "schedule", name: "a", event: "a", dur: m.minutesOf(10, 30, 60)})
	}
	if m.chance(25) {
		s.defers = "c"
	}
	if m.chance(35) {
		for range 1 + m.r.IntN(3) {
			g := &mSegment{dur: m.minutesOf(10, 20, 30)}
			if m.chance(50) {
				g.event = mEvents[m.r.IntN(2)]
			}
			s.run = append(s.run, g)
		}
		s.on = append(s.on, &mHandler{event: "completed", target: m.sibling(s)})
	}
}

// text writes the flow in the language.
func (root *mState) text() string {
	var b strings.Builder
	b.WriteString("event a\nevent b\nevent c\nevent boom\nevent due_is(t: time?)\nflow f() {\n  data {\n    n: int = 0\n    due: time?\n  }\n")
	root.write(&b, "  ")
	b.WriteString("}\n")
	return b.String()
}

func inMinutes(d int64) string { return fmt.Sprintf("%dm", d/minutes) }

func (s *mState) write(b *strings.Builder, in string) {
	line := func(format string, args ...any) { fmt.Fprintf(b, in+format+"\n", args...) }
	for _, d := range s.decls {
		switch d.kind {
		case "timeout", "idle":
			line("%s %s", d.kind, inMinutes(d.dur))
		case "after":
			if d.target != nil {
				line("after %s as %s -> %s", inMinutes(d.dur), d.name, s.refer(d.target))
			} else {
				line("after %s as %s { n = n + 1 }", inMinutes(d.dur), d.name)
			}
		case "at":
			line("at due + %s as %s { n = n + 1 }", inMinutes(d.dur), d.name)
		case "calendar":
			line("every day at \"06:30\" in \"UTC\" as %s { n = n + 1 }", d.name)
		case "every":
			more := ""
			if d.limit > 0 {
				more += " for " + inMinutes(d.limit)
			}
			if d.times > 0 {
				more += fmt.Sprintf(" times %d", d.times)
			}
			line("every %s%s as %s { n = n + 1 }", inMinutes(d.dur), more, d.name)
		case "schedule":
			line("entry { schedule %s after %s }", d.event, inMinutes(d.dur))
		}
	}
	if s.defers != "" {
		line("defer %s", s.defers)
	}
	for _, h := range s.on {
		switch {
		case h.fails:
			line("on %s { fail \"asked to\" }", h.event)
		case h.sets:
			line("on %s { due = event.t }", h.event)
		case h.target != nil:
			line("on %s -> %s", h.event, s.refer(h.target))
		default:
			line("on %s { n = n + 1 }", h.event)
		}
	}
	s.writeInside(b, in, line)
}

func (s *mState) writeInside(b *strings.Builder, in string, line func(string, ...any)) {
	if len(s.run) > 0 {
		line("run {")
		for _, g := range s.run {
			if g.event == "" {
				line("  sleep %s", inMinutes(g.dur))
			} else {
				line("  wait %s for %s", g.event, inMinutes(g.dur))
			}
		}
		line("}")
	}
	if s.kind == "composite" {
		line("initial %s", s.kids[0].name)
	}
	for _, k := range s.kids {
		word := map[string]string{"composite": "state", "leaf": "state", "parallel": "parallel", "final": "final"}[k.kind]
		if s.kind == "parallel" {
			word = "region"
		}
		switch {
		case k.kind == "final" && k.name == "gone":
			line("final %s as cancelled", k.name)
		case k.kind == "final":
			line("final %s", k.name)
		default:
			line("%s %s {", word, k.name)
			k.write(b, in+"  ")
			line("}")
		}
	}
}

func (s *mState) refer(t *mState) string {
	if s == t {
		return "self"
	}
	return t.name
}

func (s *mState) path() string {
	if s.parent == nil {
		return ""
	}
	if up := s.parent.path(); up != "" {
		return up + "." + s.name
	}
	return s.name
}

// inside says that s is t or below it.
func (s *mState) inside(t *mState) bool {
	for ; s != nil; s = s.parent {
		if s == t {
			return true
		}
	}
	return false
}
