package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// runStarts runs the first segments of the routines whose states were entered.
func (s *step) runStarts() {
	for len(s.starts) > 0 && s.halt == going {
		v := s.starts[0]
		s.starts = s.starts[1:]
		if s.visiting(v) {
			s.segment(v, machine.NewFrame(s.p, s.f.States[v.State].Work.Routine), s.first, nil)
		}
	}
}

// goOn is how a frame goes on: from its start, behind what it waited for, or with an error.
type goOn func(f *machine.Frame) machine.Ending

func (s *step) first(f *machine.Frame) machine.Ending {
	return machine.Run(s.p, f, s, s.budget)
}

func (s *step) with(v value.Value) goOn {
	return func(f *machine.Frame) machine.Ending { return machine.Resume(s.p, f, v, s, s.budget) }
}

func (s *step) withError(err *value.Error) goOn {
	return func(f *machine.Frame) machine.Ending { return machine.ResumeError(s.p, f, err, s, s.budget) }
}

func (s *step) atLimit(f *machine.Frame) machine.Ending {
	return machine.ResumeLimit(s.p, f, s, s.budget)
}

// segment runs a routine up to its next suspension or its end. An error that it does not catch undoes the segment and ends the
// routine; the state is told in a step of its own (R8). cause is the failure behind the error with which it goes on, if any.
func (s *step) segment(v Visit, f *machine.Frame, run goOn, cause *Failure) {
	for run != nil && s.move() {
		before := s.mark()
		s.here = s.at(v.State, nil)
		end := run(f)
		if s.halt != going {
			return
		}
		run = nil
		switch end.Kind {
		case machine.Suspended:
			if run = s.park(v, f, end.Suspend); run != nil {
				f = f.Clone()
			}
		case machine.Done:
			s.endRoutine(v)
			s.line(Line{Kind: "completed", State: s.path(v.State), Visit: v.Visit})
			s.happen(happening{owner: v, payload: reservedEvent(program.OnCompleted)})
		case machine.Gone:
			s.endRoutine(v)
			s.perform(choice{source: v, order: -1, target: end.Target, block: -1, wait: -1}, nil)
		case machine.Failed:
			s.fail(s.failed(end))
		case machine.Raised:
			s.uncaught(v, end, &before, cause)
		}
	}
}

// uncaught undoes a segment at an error that the routine did not catch.
func (s *step) uncaught(v Visit, end machine.Ending, before *mark, cause *Failure) {
	if end.Limit() {
		s.raise(end)
		return
	}
	fault := s.failure(end)
	fault.State, fault.Visit = v.State, v.Visit
	if cause != nil && cause.Code == fault.Code && cause.Message == fault.Message {
		fault.Attempts, fault.Source = cause.Attempts, cause.Source
	}
	s.undo(before)
	s.endRoutine(v)
	s.errorLine(fault)
	s.failures = append(s.failures, *fault)
}

// park saves the frame and begins what it waits for. What is there already lets it go on at once.
func (s *step) park(v Visit, f *machine.Frame, wait *machine.Suspension) goOn {
	kept := *wait
	kept.Args = nil
	s.setFrame(Frame{State: v.State, Visit: v.Visit, Frame: *f, Wait: &kept})
	switch wait.Kind {
	case machine.CallTask:
		s.offer(v, wait.Task, wait.Args[0], wait.Policy, nil)
	case machine.CallTasks:
		s.callEach(v, wait)
	case machine.CallFlow:
		s.startChild(v, wait.Flow, FanItem{Input: encode(wait.Args[0]), Key: wait.Key, Keyed: wait.Keyed}, s.id(), 0)
	case machine.Sleep:
		s.sleepUntil(v, SleepTimer, wait)
	case machine.Wait:
		if next := s.takeDeferred(v); next != nil {
			return next
		}
		if wait.Timed && s.limitOf(wait) <= s.now {
			return s.atLimit
		}
		if wait.Timed {
			s.sleepUntil(v, WaitTimer, wait)
		}
	}
	return nil
}

func (s *step) limitOf(wait *machine.Suspension) int64 {
	if wait.At {
		return wait.When
	}
	return later(s.now, wait.When)
}

func (s *step) sleepUntil(v Visit, kind TimerKind, wait *machine.Suspension) {
	t := Timer{State: v.State, Visit: v.Visit, Decl: -1, Kind: kind, Event: -1, Instant: wait.At, Due: s.limitOf(wait)}
	s.t.Timers = append(s.t.Timers, t)
	s.armed(&t)
}

// takeDeferred looks at the deferred events first (language.md 6).
func (s *step) takeDeferred(v Visit) goOn {
	for i := range s.t.Deferred {
		e, err := s.deferredEvent(i)
		if err != nil {
			continue
		}
		c, ok := s.waiting(v, e)
		if s.halt != going {
			return nil
		}
		if ok {
			s.dropDeferred(i)
			s.line(Line{Kind: "event-accepted", Name: s.name(e), Text: "it had been deferred"})
			return s.taking(c.wait, e)
		}
	}
	return nil
}

func (s *step) taking(index int, e *payload) goOn {
	return func(f *machine.Frame) machine.Ending {
		return machine.ResumeWait(s.p, f, index, taken(e), s, s.budget)
	}
}

func taken(e *payload) machine.Taken {
	return machine.Taken{Event: e.event, Payload: e.record, Actor: optional(e.actor)}
}

// frameAt returns the position of a visit's routine, -1 when it has none that waits.
func (s *step) frameAt(v Visit) int { return s.t.frameAt(v) }

func (t *Token) frameAt(v Visit) int {
	for i := range t.Frames {
		if t.Frames[i].Visit == v.Visit && t.Frames[i].State == v.State {
			return i
		}
	}
	return -1
}

func (s *step) setFrame(f Frame) {
	frames := make([]Frame, 0, len(s.t.Frames)+1)
	for i := range s.t.Frames {
		if s.t.Frames[i].Visit != f.Visit {
			frames = append(frames, s.t.Frames[i])
		}
	}
	s.t.Frames = append(frames, f)
}

// endRoutine ends a visit's routine, with the timer of what it waits for.
func (s *step) endRoutine(v Visit) {
	i := s.frameAt(v)
	if i < 0 {
		return
	}
	frames := make([]Frame, 0, len(s.t.Frames))
	s.t.Frames = append(append(frames, s.t.Frames[:i]...), s.t.Frames[i+1:]...)
	s.stopWaitTimer(v, "the routine has ended")
}

func (s *step) stopWaitTimer(v Visit, why string) {
	for i := range s.t.Timers {
		t := &s.t.Timers[i]
		if t.Decl < 0 && t.Visit == v.Visit && t.State == v.State && (t.Kind == SleepTimer || t.Kind == WaitTimer) {
			s.stopped(t, why)
			s.removeTimer(i)
			return
		}
	}
}

// resume goes on with a visit's routine, if it has one that waits.
func (s *step) resume(v Visit, run goOn, cause *Failure) {
	if i := s.frameAt(v); i >= 0 {
		s.segment(v, s.t.Frames[i].Frame.Clone(), run, cause)
	}
}

// wake goes on with a routine whose sleep is over or whose wait came to its limit.
func (s *step) wake(v Visit) {
	i := s.frameAt(v)
	if i < 0 || s.t.Frames[i].Wait == nil {
		return
	}
	if s.t.Frames[i].Wait.Kind == machine.Sleep {
		s.resume(v, s.with(value.Value{}), nil)
		return
	}
	s.resume(v, s.atLimit, nil)
}

// waiting reports whether a leaf's routine waits for an event: it takes it before any handler.
func (s *step) waiting(leaf Visit, e *payload) (choice, bool) {
	if e.event < 0 || len(s.t.Frames) == 0 {
		return choice{}, false
	}
	i := s.frameAt(leaf)
	if i < 0 || s.t.Frames[i].Wait == nil || s.t.Frames[i].Wait.Kind != machine.Wait {
		return choice{}, false
	}
	for k, c := range s.t.Frames[i].Wait.Cases {
		if !holds(c.Events, e.event) {
			continue
		}
		s.here = s.at(leaf.State, nil)
		end := machine.Guard(s.p, &s.t.Frames[i].Frame, c.Guard, taken(e), s, s.budget)
		if end.Kind == machine.Raised {
			s.raise(end)
			return choice{}, false
		}
		if end.Value.Bool() {
			return choice{source: leaf, block: -1, wait: k}, true
		}
	}
	return choice{}, false
}

func holds(events []int, event int) bool {
	for _, e := range events {
		if e == event {
			return true
		}
	}
	return false
}

// resumeWait goes on with the event that the wait takes.
func (s *step) resumeWait(c choice, e *payload) {
	s.stopWaitTimer(c.source, "the event came first")
	s.resume(c.source, s.taking(c.wait, e), nil)
}
