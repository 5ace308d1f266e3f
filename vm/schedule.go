package vm

import (
	"flowc/compiler/program"
	"flowc/validate/calendar"
	"flowc/validate/value"
)

func timeValue(us int64) value.Value { return value.OfTime(us) }

// Schedule arms the timer of an event: of the state that holds the block, in a transition's block of the state that is entered.
func (s *step) Schedule(event int, record value.Value, when int64, at bool) *value.Error {
	if !at {
		if err := tooLong(when); err != nil {
			return err
		}
	}
	p := pending{owner: s.here.owner, event: event, payload: record, when: when, at: at}
	if s.here.later {
		s.pending = append(s.pending, p)
		return nil
	}
	s.scheduleFor(p)
	return nil
}

// scheduled arms what was scheduled for a state that has now been entered.
func (s *step) scheduled(state int) {
	if len(s.pending) == 0 {
		return
	}
	waiting := s.pending
	s.pending = nil
	for _, p := range waiting {
		if p.owner == state {
			s.scheduleFor(p)
		} else {
			s.pending = append(s.pending, p)
		}
	}
}

// scheduleFor arms the timer for an active state; the same event again replaces it.
func (s *step) scheduleFor(p pending) {
	i := s.visitOf(p.owner)
	if i < 0 {
		return
	}
	t := Timer{State: p.owner, Visit: s.t.Active[i].Visit, Decl: -1, Kind: ScheduledEvent, Event: p.event, Payload: p.payload, Instant: p.at}
	if p.at {
		t.Due = p.when
	} else {
		t.Period = p.when
		t.Due = later(s.now, max(p.when, 0))
	}
	if k := s.scheduledAt(t.State, t.Event); k >= 0 {
		before := s.t.Timers[k]
		s.setTimer(k, &t)
		if !before.Off {
			s.line(Line{Kind: "timer-moved", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(&t), Due: t.Due, Was: before.Due})
			return
		}
	} else {
		s.t.Timers = append(s.t.Timers, t)
	}
	s.armed(&t)
}

// scheduledAt returns the position of a state's timer of an event, fired or not, -1 for none.
func (s *step) scheduledAt(state, event int) int {
	for i := range s.t.Timers {
		if t := &s.t.Timers[i]; t.Kind == ScheduledEvent && t.Decl < 0 && t.State == state && t.Event == event {
			return i
		}
	}
	return -1
}

// scheduledFrom looks for an event's timer from a state outwards.
func (s *step) scheduledFrom(state, event int) int {
	for ; state >= 0; state = s.f.States[state].Parent {
		if i := s.scheduledAt(state, event); i >= 0 {
			return i
		}
	}
	return -1
}

// Unschedule stops the event's timer, found from the block's state outwards; there may be none.
func (s *step) Unschedule(event int) {
	for k := len(s.pending) - 1; k >= 0; k-- {
		if s.here.later && s.pending[k].event == event {
			s.pending = append(s.pending[:k:k], s.pending[k+1:]...)
			return
		}
	}
	if i := s.scheduledFrom(s.here.state, event); i >= 0 {
		s.stopped(&s.t.Timers[i], "unscheduled")
		s.removeTimer(i)
	}
}

// Rearm starts a timer over from now, also one that has fired; `times` and `for` still count from the entry.
func (s *step) Rearm(state, timer, event int) *value.Error {
	i := -1
	if timer < 0 {
		i = s.scheduledFrom(s.here.state, event)
	} else {
		i = s.declaredAt(state, timer)
	}
	if i < 0 {
		return nil
	}
	was := s.t.Timers[i]
	t := was
	if err := s.startOver(&t); err != nil {
		return err
	}
	s.replaceTimer(i, &was, &t, "rearmed, and over")
	return nil
}

func (s *step) declaredAt(state, decl int) int {
	for i := range s.t.Timers {
		if t := &s.t.Timers[i]; t.Decl == decl && t.State == state {
			return i
		}
	}
	return -1
}

func (s *step) startOver(t *Timer) *value.Error {
	if t.Decl < 0 {
		t.Off = false
		if !t.Instant || t.Period != 0 { // what was scheduled `after` is a duration again, whoever moved it
			t.Due, t.Instant = later(s.now, max(t.Period, 0)), false
		}
		return nil
	}
	d := &s.f.States[t.State].Timers[t.Decl]
	switch {
	case d.Kind == program.Calendar:
		if z, err := calendar.Load(t.Zone); err == nil {
			s.next(t, d, z, s.now)
		}
	case d.Time >= 0:
		return s.startInstantOver(t, d)
	default:
		t.Due, t.Instant = later(s.now, max(t.Period, 0)), d.Kind == program.Idle
		t.Off = d.Kind == program.Every && t.over()
	}
	return nil
}

// startInstantOver arms an instant again, also when it was the last to fire. Its TIME is evaluated while a block runs, so the
// block's place is kept.
func (s *step) startInstantOver(t *Timer, d *program.Timer) *value.Error {
	i := s.visitOf(t.State)
	if i < 0 {
		return nil
	}
	here, fires := s.here, t.Fires
	t.Fires, t.Dated = 0, false
	ok := s.armInstant(t, d, s.t.Active[i])
	t.Fires = fires
	if !ok {
		fault := s.fault
		s.halt, s.fault, s.here = going, nil, here
		return value.Errorf(fault.Code, "%s", fault.Message)
	}
	s.here = here
	return nil
}
