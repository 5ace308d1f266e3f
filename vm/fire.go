package vm

import "flowc/compiler/program"

// fire does what a timer that has been used up is for.
func (s *step) fire(t Timer) {
	v := Visit{State: t.State, Visit: t.Visit}
	if i := s.visitOf(t.State); i >= 0 {
		v = s.t.Active[i]
	}
	switch {
	case t.Kind == StartTimer:
		s.begin(-1)
	case t.Kind == ScheduledEvent:
		s.fireEvent(t)
	case t.Kind != Declared:
		s.wake(v)
	default:
		s.fireDeclared(t, v, &s.f.States[t.State].Timers[t.Decl])
	}
}

func (s *step) fireDeclared(t Timer, v Visit, d *program.Timer) {
	switch d.Kind {
	case program.Timeout:
		s.reserved(happening{owner: v, payload: timeoutEvent(t.Due, s.path(t.State))})
	case program.Idle:
		s.reserved(happening{owner: v, payload: reservedEvent(program.OnExpired, extra{"due", timeValue(t.Due)})})
	default:
		if !s.guard(d.Guard, s.at(t.State, nil)) {
			return // that fire is lost
		}
		s.carryOut([]choice{{source: v, order: d.Order, target: d.Target, block: d.Block, wait: -1}}, nil)
	}
}

// fireEvent hands a scheduled event to whoever takes it; nobody is no error (R20).
func (s *step) fireEvent(t Timer) {
	e := &payload{event: t.Event, record: t.Payload}
	found, ok := s.pick(e)
	if !ok {
		return
	}
	if len(found) == 0 {
		s.refuseLine(s.name(e), "nothing takes it now")
		return
	}
	s.carryOut(found, e)
}
