package vm

import (
	"cmp"

	"flowc/compiler/program"
	"flowc/validate/calendar"
)

// NextDue returns when the token's next timer is due. There is none while it is paused, failed or ended.
func NextDue(t *Token) (due int64, ok bool) {
	if t.Status != Running && t.Status != Scheduled {
		return 0, false
	}
	for i := range t.Timers {
		if tm := &t.Timers[i]; !tm.Off && (!ok || tm.Due < due) {
			due, ok = tm.Due, true
		}
	}
	return due, ok
}

// nextTimer returns the timer that fires first of those due at an instant (R16), -1 for none.
func nextTimer(f *program.Flow, t *Token, now int64) int {
	best := -1
	for i := range t.Timers {
		if tm := &t.Timers[i]; !tm.Off && tm.Due <= now && (best < 0 || before(f, tm, &t.Timers[best])) {
			best = i
		}
	}
	return best
}

// before orders timers by R16: by due time, then inner states before outer ones and unrelated ones in post-order of the file, then
// in the order of the file with a state's timeout last.
func before(f *program.Flow, a, b *Timer) bool {
	if a.Due != b.Due {
		return a.Due < b.Due
	}
	if a.State != b.State {
		if inside(f, a.State, b.State) {
			return true
		}
		return !inside(f, b.State, a.State) && a.State < b.State
	}
	ga, oa := rank(f, a)
	gb, ob := rank(f, b)
	if c := cmp.Compare(ga, gb); c != 0 {
		return c < 0
	}
	return oa < ob
}

// rank orders the timers of one state: those of the file, then scheduled events, then a routine's, then the timeout.
func rank(f *program.Flow, t *Timer) (group, order int) {
	if t.Decl < 0 {
		return 1 + int(t.Kind), 0
	}
	d := &f.States[t.State].Timers[t.Decl]
	if d.Kind == program.Timeout {
		return 100, d.Order
	}
	return 0, d.Order
}

// timerName is the NAME of a timer's id.
func (s *step) timerName(t *Timer) string { return timerName(s.p, s.f, t) }

func timerName(p *program.Program, f *program.Flow, t *Timer) string {
	if t.Decl >= 0 {
		return f.States[t.State].Timers[t.Decl].Name
	}
	switch t.Kind {
	case ScheduledEvent:
		return p.Events[t.Event].Name
	case SleepTimer:
		return "sleep"
	case WaitTimer:
		return "wait"
	}
	return "start"
}

// timerID is `STATE_PATH.NAME`, of the flow's own timers just NAME.
func timerID(p *program.Program, f *program.Flow, t *Timer) string {
	name := timerName(p, f, t)
	if path := f.States[t.State].Path; path != "" {
		return path + "." + name
	}
	return name
}

// findTimer returns the position of an armed timer by its reference; of several of one name that which fires first. A visit or a
// due time of 0 goes with any.
func findTimer(p *program.Program, f *program.Flow, t *Token, ref *TimerRef) int {
	best := -1
	for i := range t.Timers {
		tm := &t.Timers[i]
		if tm.Off || ref.Visit != 0 && tm.Visit != ref.Visit || ref.Due != 0 && tm.Due != ref.Due {
			continue
		}
		if timerID(p, f, tm) == ref.ID && (best < 0 || before(f, tm, &t.Timers[best])) {
			best = i
		}
	}
	return best
}

// stopTimers stops the timers of a visit (R10).
func (s *step) stopTimers(v Visit, why string) {
	mine := 0
	for i := range s.t.Timers {
		if t := &s.t.Timers[i]; t.State == v.State && t.Visit == v.Visit {
			mine++
		}
	}
	if mine == 0 {
		return
	}
	kept := make([]Timer, 0, len(s.t.Timers)-mine+4)
	for i := range s.t.Timers {
		t := &s.t.Timers[i]
		if t.State != v.State || t.Visit != v.Visit {
			kept = append(kept, *t)
			continue
		}
		s.stopped(t, why)
	}
	s.t.Timers = kept
}

func (s *step) stopped(t *Timer, why string) {
	if !t.Off {
		s.line(Line{Kind: "timer-stopped", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(t), Due: t.Due, Text: why})
	}
}

// removeTimer takes a timer away without a line.
func (s *step) removeTimer(i int) {
	timers := make([]Timer, 0, len(s.t.Timers)+2)
	s.t.Timers = append(append(timers, s.t.Timers[:i]...), s.t.Timers[i+1:]...)
}

// missed counts the periods after a due time that have passed as well and collapse into one fire (R17).
func (s *step) missed(t *Timer, due int64) int {
	if t.Decl < 0 {
		return 0
	}
	d := &s.f.States[t.State].Timers[t.Decl]
	switch d.Kind {
	case program.Every:
		last := s.now
		if t.Until != 0 {
			last = min(last, t.Until-1)
		}
		if last <= due {
			return 0
		}
		return int((last - due) / t.Period)
	case program.Calendar:
		if z, err := calendar.Load(t.Zone); err == nil && s.now > due {
			return z.Count(d.Clock, calendar.Days(d.Days), max(due, s.enteredAt(t.State)-1), s.now)
		}
	}
	return 0
}

// useUp takes a fire from a timer: it happens once for each due time, also when its step fails (R8). It returns how many periods
// collapsed into it.
func (s *step) useUp(i int) (missed int) {
	t := s.t.Timers[i]
	missed = s.missed(&t, t.Due)
	s.line(Line{Kind: "timer-fired", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(&t), Due: t.Due, LateMicros: s.now - t.Due, Missed: missed})
	t.Fires++
	t.Fired = t.deadline()
	switch {
	case t.Decl < 0 && t.Kind != ScheduledEvent:
		s.removeTimer(i)
		return missed
	case t.Decl < 0:
		t.Off = true
	default:
		s.advance(&t, missed)
	}
	s.setTimer(i, &t)
	if !t.Off {
		s.armed(&t)
	}
	return missed
}

// advance moves a timer that fires again to its next due time, and disarms one that does not.
func (s *step) advance(t *Timer, missed int) {
	d := &s.f.States[t.State].Timers[t.Decl]
	switch d.Kind {
	case program.Every:
		t.Due, t.Instant = later(t.Due, t.Period*int64(missed+1)), false
		t.Off = t.over()
	case program.Calendar:
		z, err := calendar.Load(t.Zone)
		if t.Off = err != nil; err == nil {
			s.next(t, d, z, max(t.Due, s.now))
		}
	default:
		t.Off = true
	}
}
