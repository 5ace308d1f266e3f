package vm_test

import (
	"fmt"
	"slices"

	"flowc/vm"
)

// The part of the model that is about time and control.

// order compares two timers by R16: due time, inner before outer, otherwise the order of the file, a state's timeout last.
func (t *mTimer) order(u *mTimer) int {
	switch {
	case t.due != u.due:
		return int(max(-1, min(1, t.due-u.due)))
	case t.state != u.state && t.state.inside(u.state):
		return -1
	case t.state != u.state && u.state.inside(t.state):
		return 1
	case t.state != u.state:
		return t.state.order - u.state.order
	}
	return t.rank() - u.rank()
}

func (t *mTimer) rank() int {
	switch {
	case t.decl == nil:
		return 600
	case t.decl.kind == "schedule":
		return 500
	case t.decl.kind == "timeout":
		return 900
	}
	return slices.Index(t.state.decls, t.decl)
}

func (m *mToken) armed() []*mTimer {
	var out []*mTimer
	for _, t := range m.timers {
		if !t.off {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, (*mTimer).order)
	return out
}

// fireDue fires all that is due, each followed by a new look at what still stands (R12, R16).
func (m *mToken) fireDue() {
	for m.loops = 0; m.loops < 10_000; m.loops++ {
		if m.status == vm.Scheduled && m.startAt <= m.now {
			m.fired = append(m.fired, fmt.Sprintf("start due %d at %d", m.startAt, m.now))
			m.begin()
			continue
		}
		if m.status != vm.Running {
			return
		}
		armed := m.armed()
		if len(armed) == 0 || armed[0].due > m.now {
			return
		}
		m.fire(armed[0])
	}
}

// begin is the start step.
func (m *mToken) begin() {
	m.status = vm.Running
	m.enter(m.root)
	m.settle()
}

func (m *mToken) fire(t *mTimer) {
	m.fired = append(m.fired, fmt.Sprintf("%s due %d at %d", t.id(), t.due, m.now))
	t.fires++
	t.fired = t.due
	if t.decl == nil {
		m.proceed(t.state)
		m.settle()
		return
	}
	switch t.decl.kind {
	case "every":
		m.again(t)
	case "calendar":
		t.due = nextHalfPastSix(max(t.due, m.now))
	default:
		t.off = true
	}
	switch t.decl.kind {
	case "timeout":
		m.tell(t.state, "timeout")
	case "idle":
		m.tell(t.state, "expired")
	case "schedule":
		m.carry(m.selected(t.decl.event), mOp{event: t.decl.event}) // what nothing takes is refused
	case "after":
		if t.decl.target != nil {
			m.move(t.state, t.decl.target)
		}
	}
	m.settle()
}

// again moves an `every`: the previous due time plus the period, missed periods collapse into one fire; strictly within `for` (R17).
func (m *mToken) again(t *mTimer) {
	for t.due += t.decl.dur; t.due <= m.now && (t.until == 0 || t.due < t.until); t.due += t.decl.dur {
	}
	t.off = t.until != 0 && t.due >= t.until || t.decl.times > 0 && t.fires >= t.decl.times
}

// stand stops the clock of durations; goOn gives them back what remained (R9, R15).
func (m *mToken) stand() {
	for _, t := range m.timers {
		t.left = max(t.due-m.now, 0)
	}
}

func (m *mToken) goOn() {
	for _, t := range m.timers {
		if t.instant || t.off {
			continue
		}
		if t.until != 0 {
			t.until += m.now + t.left - t.due
		}
		t.due = m.now + t.left
	}
}

// fail ends the work of the leaves, routines too: a retry begins it anew (R9, R53).
func (m *mToken) fail() {
	m.status = vm.Failed
	m.timers = slices.DeleteFunc(m.timers, func(t *mTimer) bool { return t.decl == nil })
	clear(m.segment)
	m.stand()
}

// event is an event from outside: deferred, refused or taken; an accepted one restarts `idle` (R23).
func (m *mToken) event(op mOp) vm.AnswerOutcome {
	switch m.status {
	case vm.Paused:
		if m.startAt > 0 && len(m.active) == 0 {
			return vm.Refused
		}
		m.kept = append(m.kept, op)
		return vm.Queued
	case vm.Running:
		return m.deliver(op)
	}
	return vm.Refused
}

func (m *mToken) deliver(op mOp) vm.AnswerOutcome {
	found := m.selected(op.event)
	defers := slices.ContainsFunc(m.active, func(s *mState) bool { return s.defers == op.event })
	if len(found) == 0 && !defers {
		return vm.Refused
	}
	for _, t := range m.timers {
		if t.decl != nil && t.decl.kind == "idle" {
			t.due = m.now + t.decl.dur
		}
	}
	if len(found) == 0 {
		m.deferred = append(m.deferred, op.event)
		return vm.DeferredEvent
	}
	m.carry(found, op)
	m.settle()
	return vm.Accepted
}

func (m *mToken) pause() bool {
	if m.status != vm.Running && m.status != vm.Scheduled {
		return m.status == vm.Paused
	}
	m.status = vm.Paused
	if len(m.active) == 0 {
		m.startAt -= m.now // what remains
	}
	m.stand()
	return true
}

// resume applies what was kept in the order of receipt; then fires what fell due meanwhile (R15, R50).
func (m *mToken) resume() bool {
	switch {
	case m.status == vm.Running || m.status == vm.Scheduled:
		return true
	case m.status != vm.Paused:
		return false
	case len(m.active) == 0:
		m.status = vm.Scheduled
		m.startAt += m.now
		return true
	}
	m.status = vm.Running
	m.goOn()
	m.settle()
	for len(m.kept) > 0 && m.status == vm.Running {
		op := m.kept[0]
		m.kept = m.kept[1:]
		m.deliver(op)
	}
	if m.status != vm.Paused {
		m.kept = nil
	}
	m.fireDue()
	return true
}

// retry enters every active leaf again; the states around them go on (R53).
func (m *mToken) retry() bool {
	if m.status != vm.Failed {
		return false
	}
	m.status = vm.Running
	m.goOn()
	for _, leaf := range m.leaves() {
		if leaf.kind == "leaf" {
			m.leave(leaf)
			m.enter(leaf)
		}
	}
	m.settle()
	m.fireDue()
	return true
}

// advance moves the clock with a server that runs: it stops wherever something is due.
func (m *mToken) advance(to int64) {
	for {
		next := to
		if armed := m.armed(); m.status == vm.Running && len(armed) > 0 {
			next = min(next, armed[0].due)
		} else if m.status == vm.Scheduled {
			next = min(next, m.startAt)
		}
		m.now = max(m.now, next)
		m.fireDue()
		if m.now >= to {
			return
		}
	}
}
