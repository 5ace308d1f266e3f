package vm

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/calendar"
	"flowc/validate/value"
)

// armAll arms the timers of a state that was just entered, in file order.
func (s *step) armAll(v Visit) bool {
	decls := s.f.States[v.State].Timers
	for d := range decls {
		t := Timer{State: v.State, Visit: v.Visit, Decl: d, Event: -1}
		if !s.arm(&t, &decls[d], v) {
			return false
		}
		s.t.Timers = append(s.t.Timers, t)
		s.armed(&t)
	}
	return s.halt == going
}

func (s *step) armed(t *Timer) {
	if !t.Off {
		s.line(Line{Kind: "timer-set", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(t), Due: t.Due})
	}
}

// arm works out when a timer of a state that is being entered is due.
func (s *step) arm(t *Timer, d *program.Timer, v Visit) bool {
	if d.Dur >= 0 && !s.duration(d.Dur, v, &t.Period) {
		return false
	}
	switch d.Kind {
	case program.Timeout, program.After, program.At:
		if d.Time >= 0 {
			t.Instant, t.Off = true, true
			return s.armInstant(t, d, v)
		}
		t.Due = later(s.now, max(t.Period, 0))
	case program.Every:
		return s.armEvery(t, d, v)
	case program.Calendar:
		return s.armCalendar(t, d, v)
	case program.Idle:
		t.Instant = true
		t.Due = later(s.now, max(t.Period, 0))
	}
	return true
}

// duration evaluates a duration, once for the visit: null is an error, and so is more than 3650d (R21).
func (s *step) duration(code int, v Visit, to *int64) bool {
	in := s.at(v.State, nil)
	d, ok := s.eval(code, in)
	if !ok {
		return false
	}
	if d.IsNull() {
		s.raiseErr(value.Errorf(value.CodeNull, "a timer's duration is null"), in, code)
		return false
	}
	if err := tooLong(d.Micros()); err != nil {
		s.raiseErr(err, in, code)
		return false
	}
	*to = d.Micros()
	return true
}

func tooLong(us int64) *value.Error {
	if us <= value.MaxWait {
		return nil
	}
	return value.Errorf(value.CodeTooLong, "a timer of more than 3650d")
}

// armInstant evaluates the TIME of a timer: null arms nothing, and the instant that fired last does not fire again (R18). As long as
// TIME comes to the same, the timer stays as it is: moved by hand, started over or fired. What now() and next() mean in it is the
// entry.
func (s *step) armInstant(t *Timer, d *program.Timer, v Visit) bool {
	s.clock = v.EnteredAt
	at, ok := s.eval(d.Time, s.at(v.State, nil))
	s.clock = s.now
	if !ok {
		return false
	}
	if at.IsNull() {
		t.Dated, t.Off = false, true
		return true
	}
	due := later(at.Micros(), t.Period)
	if t.Dated && due == t.Deadline {
		return true
	}
	t.Dated, t.Deadline, t.Due = true, due, due
	t.Off = t.Fires > 0 && due == t.Fired
	return true
}

// later adds a span to an instant and stays within what an instant can be.
func later(at, span int64) int64 {
	due := at + span
	switch {
	case span > 0 && (due < at || due > value.MaxTime):
		return value.MaxTime
	case span < 0 && (due > at || due < value.MinTime):
		return value.MinTime
	}
	return due
}

// armEvery arms `every DUR`: the first fire is one period after the entry (R17), strictly within `for`.
func (s *step) armEvery(t *Timer, d *program.Timer, v Visit) bool {
	in := s.at(v.State, nil)
	if t.Period <= 0 {
		s.raiseErr(value.Errorf(value.CodeNotPositive, "the period of an `every` is zero or negative"), in, d.Dur)
		return false
	}
	if d.For >= 0 {
		var within int64
		if !s.duration(d.For, v, &within) {
			return false
		}
		t.Until = later(s.now, within)
	}
	if d.Times >= 0 {
		times, ok := s.eval(d.Times, in)
		if !ok {
			return false
		}
		if t.Times = clampInt(times.Int()); t.Times <= 0 {
			t.Times, t.Off = -1, true
		}
	}
	t.Due = later(s.now, t.Period)
	t.Off = t.Off || t.over()
	return true
}

// over reports whether the `for` or the `times` of an `every` has come to its end.
func (t *Timer) over() bool {
	return t.Until != 0 && t.Due >= t.Until || t.Times != 0 && t.Fires >= t.Times
}

func (s *step) armCalendar(t *Timer, d *program.Timer, v Visit) bool {
	in := s.at(v.State, nil)
	zone, ok := s.eval(d.Zone, in)
	if !ok {
		return false
	}
	t.Zone, t.Instant = zone.Str(), true
	z, err := calendar.Load(t.Zone)
	if err != nil {
		s.raiseErr(value.Errorf(value.CodeRange, "%s", zoneText(t.Zone, err)), in, d.Zone)
		return false
	}
	s.next(t, d, z, s.now)
	return true
}

func zoneText(name string, err error) string {
	if name == "" {
		return "the time zone of a timer is null or empty"
	}
	return fmt.Sprint(err)
}

// next sets a calendar timer to its first fire after an instant.
func (s *step) next(t *Timer, d *program.Timer, z *calendar.Zone, after int64) {
	fire, ok := z.Next(d.Clock, calendar.Days(d.Days), after)
	t.Due, t.Off = fire.At, !ok
}

// rearmChanged evaluates the TIME of timers again that read a field which a move has changed (R18).
func (s *step) rearmChanged() {
	dirty := s.dirty
	s.dirty = 0
	if dirty == 0 || s.halt != going {
		return
	}
	for i := range s.t.Timers {
		if !s.follow(i, dirty) {
			return
		}
	}
}

// follow evaluates the TIME of a timer again that reads a field which has changed; false: it cannot be evaluated.
func (s *step) follow(i int, dirty fieldSet) bool {
	t := s.t.Timers[i]
	if t.Decl < 0 {
		return true
	}
	d := &s.f.States[t.State].Timers[t.Decl]
	if !dirty.holds(d.ReadsData) {
		return true
	}
	before := t
	if !s.armInstant(&t, d, s.t.Active[s.visitOf(t.State)]) {
		return false
	}
	s.replaceTimer(i, &before, &t, "its instant is null")
	return true
}

// deadline is the instant that a timer's TIME names, which its due time is not after a move by hand; the due time of other timers.
func (t *Timer) deadline() int64 {
	if t.Dated {
		return t.Deadline
	}
	return t.Due
}

// replaceTimer puts a timer in the place of what it was and says in the history what became of it.
func (s *step) replaceTimer(i int, before, t *Timer, why string) {
	if before.Off && t.Off {
		return
	}
	if !before.Off && !t.Off && before.Due == t.Due {
		if before.Instant != t.Instant { // it happens to be due when a hand had moved it to
			s.setTimer(i, t)
		}
		return
	}
	s.setTimer(i, t)
	l := Line{State: s.path(t.State), Visit: t.Visit, Name: s.timerName(t)}
	switch {
	case t.Off:
		l.Kind, l.Text, l.Due = "timer-stopped", why, before.Due
	case before.Off:
		l.Kind, l.Due = "timer-set", t.Due
	default:
		l.Kind, l.Due, l.Was = "timer-moved", t.Due, before.Due
	}
	s.line(l)
}

func (s *step) setTimer(i int, t *Timer) {
	timers := append(make([]Timer, 0, len(s.t.Timers)+2), s.t.Timers...)
	timers[i] = *t
	s.t.Timers = timers
}
