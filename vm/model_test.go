package vm_test

import (
	"fmt"
	"slices"

	"flowc/vm"
)

// A mTimer is an armed timer of one visit.
type mTimer struct {
	state   *mState
	decl    *mDecl // nil of a routine's
	seg     int    // of a routine's: which segment
	due     int64
	left    int64 // while the token stands still
	instant bool
	until   int64 // of `every … for`
	fires   int
	fired   int64
	off     bool
}

func (t *mTimer) name() string {
	switch {
	case t.decl != nil:
		return t.decl.name
	case t.state.run[t.seg].event == "":
		return "sleep"
	}
	return "wait"
}

func (t *mTimer) id() string {
	if p := t.state.path(); p != "" {
		return p + "." + t.name()
	}
	return t.name()
}

// mToken is the model of one token: what runtime.md says that it does.
type mToken struct {
	root     *mState
	now      int64
	status   vm.Status
	active   []*mState // in the order of the file
	timers   []*mTimer
	visits   map[*mState]int // how often a state was entered
	segment  map[*mState]int // running routines
	joined   map[*mState]bool
	due      int64 // the data field; 0: null
	kept     []mOp
	deferred []string
	fired    []string
	startAt  int64
	loops    int
}

// A mOp is an event with its payload.
type mOp struct {
	event string
	due   int64
}

func (m *mToken) isActive(s *mState) bool { return slices.Contains(m.active, s) }

// enter enters a state and what is below it: a new visit, with its timers armed (R10).
func (m *mToken) enter(s *mState) {
	m.active = append(m.active, s)
	m.visits[s]++
	slices.SortFunc(m.active, func(a, b *mState) int { return a.order - b.order })
	for _, d := range s.decls {
		t := &mTimer{state: s, decl: d}
		switch d.kind {
		case "at":
			t.instant = true
			m.aim(t)
		case "calendar":
			t.instant = true
			t.due = nextHalfPastSix(m.now)
		case "idle":
			t.instant, t.due = true, m.now+d.dur
		default:
			t.due = m.now + d.dur
		}
		if d.limit > 0 {
			t.until = m.now + d.limit
			t.off = t.due >= t.until
		}
		m.timers = append(m.timers, t)
	}
	if len(s.run) > 0 {
		m.segment[s] = -1
		m.proceed(s)
	}
	switch s.kind {
	case "composite":
		m.enter(s.kids[0])
	case "parallel":
		for _, k := range s.kids {
			m.enter(k)
		}
	}
}

// aim gives a data-driven timer its instant: not armed when null, and not again at the one that fired last (R18).
func (m *mToken) aim(t *mTimer) {
	t.due = m.due + t.decl.dur
	t.off = m.due == 0 || t.fires > 0 && t.fired == t.due
}

func nextHalfPastSix(after int64) int64 {
	at := after/days*days + 6*hours + 30*minutes
	if at <= after {
		at += days
	}
	return at
}

// proceed begins the next segment of a routine; after the last it has completed, which is told later.
func (m *mToken) proceed(s *mState) {
	m.segment[s]++
	i := m.segment[s]
	m.timers = slices.DeleteFunc(m.timers, func(t *mTimer) bool { return t.state == s && t.decl == nil })
	if i < len(s.run) {
		m.timers = append(m.timers, &mTimer{state: s, seg: i, due: m.now + s.run[i].dur})
	}
}

// leave leaves a state and what is below it: its timers stop (R10).
func (m *mToken) leave(s *mState) {
	m.active = slices.DeleteFunc(m.active, func(x *mState) bool { return x.inside(s) })
	m.timers = slices.DeleteFunc(m.timers, func(t *mTimer) bool { return t.state.inside(s) })
	for x := range m.segment {
		if x.inside(s) {
			delete(m.segment, x)
		}
	}
	for x := range m.joined {
		if x.inside(s) {
			delete(m.joined, x)
		}
	}
}

// move takes a transition. A target inside the source does not leave the source.
func (m *mToken) move(from, to *mState) {
	if to != from && to.inside(from) {
		for _, k := range from.kids {
			m.leave(k)
		}
		m.enter(to)
	} else { // targets are siblings
		m.leave(from)
		m.enter(to)
	}
	if to.kind == "final" && to.parent == m.root {
		m.end(to)
	}
}

func (m *mToken) end(final *mState) {
	m.status = vm.Completed
	if final.name == "gone" {
		m.status = vm.Cancelled
	}
	m.active = []*mState{m.root, final}
	m.timers, m.kept, m.deferred = nil, nil, nil
}

// A mTaken is a handler that was selected.
type mTaken struct {
	source  *mState
	handler *mHandler
	wait    bool
	visit   int
}

func (m *mToken) leaves() []*mState {
	var out []*mState
	for _, s := range m.active {
		if s.kind == "leaf" || s.kind == "final" {
			out = append(out, s)
		}
	}
	return out
}

// selected selects from every leaf outwards the first that takes the event, a running wait before any handler; one shared by several
// once; of two whose exits intersect the inner one, otherwise the earlier (R7).
func (m *mToken) selected(event string) []mTaken {
	var found []mTaken
	for _, leaf := range m.leaves() {
		t, ok := m.outwards(leaf, event)
		if !ok || slices.Contains(found, t) {
			continue
		}
		keep := true
		for i := 0; i < len(found); i++ {
			if !m.intersect(found[i], t) {
				continue
			}
			if t.source != found[i].source && t.source.inside(found[i].source) {
				found = slices.Delete(found, i, i+1)
				i--
			} else {
				keep = false
			}
		}
		if keep {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(a, b mTaken) int { return a.source.order - b.source.order })
	return found
}

// outwards looks for who takes an event, from a state outwards.
func (m *mToken) outwards(s *mState, event string) (mTaken, bool) {
	if i, runs := m.segment[s]; runs && i < len(s.run) && s.run[i].event == event {
		return mTaken{source: s, wait: true, visit: m.visits[s]}, true
	}
	for ; s != nil; s = s.parent {
		for _, h := range s.on {
			if h.event == event {
				return mTaken{source: s, handler: h, visit: m.visits[s]}, true
			}
		}
	}
	return mTaken{}, false
}

// exits is the state that a transition leaves, with all below it; nil when it leaves none, or leaves what is below its source.
func (t mTaken) exits() (top *mState, below bool) {
	switch {
	case t.wait || t.handler.target == nil:
		return nil, false
	case t.handler.target != t.source && t.handler.target.inside(t.source):
		return t.source, true
	}
	return t.source, false
}

func (m *mToken) intersect(a, b mTaken) bool {
	x, xBelow := a.exits()
	y, yBelow := b.exits()
	if x == nil || y == nil {
		return false
	}
	for _, s := range m.active {
		if s.inside(x) && !(xBelow && s == x) && s.inside(y) && !(yBelow && s == y) {
			return true
		}
	}
	return false
}

// carry carries out what was selected; what is in a region that has since been left does not run.
func (m *mToken) carry(found []mTaken, op mOp) {
	for _, t := range found {
		if m.status != vm.Running || !m.isActive(t.source) || m.visits[t.source] != t.visit {
			continue
		}
		switch {
		case t.wait:
			m.proceed(t.source)
		case t.handler.fails:
			m.fail()
		case t.handler.sets:
			m.setDue(op.due)
		case t.handler.target != nil:
			m.move(t.source, t.handler.target)
		}
	}
}

func (m *mToken) setDue(due int64) {
	if due == m.due {
		return
	}
	m.due = due
	for _, t := range m.timers {
		if t.decl != nil && t.decl.kind == "at" {
			m.aim(t)
		}
	}
}

// settle tells states what has ended below them: routines, and parallels whose regions have all ended; then deferred events are
// looked at again.
func (m *mToken) settle() {
	for m.status == vm.Running {
		if m.loops++; m.loops > 10_000 {
			return
		}
		if !m.completed() && !m.join() {
			break
		}
	}
	for i := 0; m.status == vm.Running && i < len(m.deferred); i++ {
		if found := m.selected(m.deferred[i]); len(found) > 0 {
			op := mOp{event: m.deferred[i]}
			m.deferred = slices.Delete(slices.Clone(m.deferred), i, i+1)
			m.carry(found, op)
			m.settle()
			return
		}
	}
}

func (m *mToken) completed() bool {
	for _, s := range m.active {
		if i, runs := m.segment[s]; runs && i >= len(s.run) {
			delete(m.segment, s)
			m.tell(s, "completed")
			return true
		}
	}
	return false
}

// tell looks for a handler of a reserved event from the state that it belongs to outwards.
func (m *mToken) tell(s *mState, event string) {
	for x := s; x != nil; x = x.parent {
		for _, h := range x.on {
			if h.event == event {
				if h.target != nil {
					m.move(x, h.target)
				}
				return
			}
		}
	}
}

func (m *mToken) join() bool {
	for _, p := range m.active {
		if p.kind != "parallel" || m.joined[p] {
			continue
		}
		all := true
		for _, region := range p.kids {
			all = all && m.isActive(region.kids[len(region.kids)-1])
		}
		if all {
			m.joined[p] = true
			m.tell(p, "joined")
			return true
		}
	}
	return false
}

func (m *mToken) String() string {
	return fmt.Sprintf("%s at +%dm, in %v, %d kept, %d deferred", m.status, (m.now-testStart)/minutes, m.paths(), len(m.kept), len(m.deferred))
}

func (m *mToken) paths() []string {
	out := []string{}
	for _, s := range m.leaves() {
		out = append(out, s.path())
	}
	return out
}
