package vm

import (
	"encoding/json"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// end ends the token in a final state of the flow's body. The flow's own exit block runs; the final state stays active, so that
// one can see where it ended.
func (s *step) end(final int) {
	root := s.t.Active[0]
	if !s.block(s.f.States[0].Exit, s.at(0, nil)) {
		return
	}
	s.stopTimers(root, "the token has ended")
	s.stopTimers(s.t.Active[len(s.t.Active)-1], "the token has ended")
	s.t.Final = final
	s.finished(outcomeName(s.f.States[final].Outcome))
}

// finished makes the token ended, with an outcome (R52).
func (s *step) finished(outcome string) {
	s.halt = ended
	s.t.Outcome = outcome
	s.t.Status = Completed
	if outcome == "cancelled" {
		s.t.Status = Cancelled
	}
	s.t.EndedAt = s.now
	s.unpause()
	s.starts, s.queue, s.failures, s.pending = nil, nil, nil, nil
	s.t.Timers, s.t.Memories, s.t.Work, s.t.Frames, s.t.Children, s.t.Fans = nil, nil, nil, nil, nil, nil
	s.dropWaiting("the token has ended")
	l := Line{Kind: "ended", Text: outcome}
	if s.t.Final >= 0 {
		l.Name = s.f.States[s.t.Final].Name
	}
	s.line(l)
	s.tellParent()
}

func (s *step) unpause() { s.t.PausedAt, s.t.PausedSelf, s.t.PausedByParent = 0, false, false }

// endCancelled leaves all states, with their exit blocks, and ends the token as cancelled.
func (s *step) endCancelled(reason string) {
	if s.halt != going {
		return
	}
	if s.exit(0, len(s.f.States)-1); s.halt != going {
		return
	}
	s.t.Reason = reason
	s.finished("cancelled")
}

// fail fails the token: what the step did stays, no exit block runs, and the step ends.
func (s *step) fail(f *Failure) {
	s.halt = failing
	own := *f
	own.At = s.now
	s.fault = &own
}

// close does what failing does (R9): timers stop with what remains of their durations, work is withdrawn, children are cancelled.
// A token that is being cancelled ends instead, with the error kept (R51).
func (s *step) close() {
	s.t.Error = s.fault
	s.starts, s.queue, s.failures, s.pending = nil, nil, nil, nil
	for i := len(s.t.Active) - 1; i >= 0; i-- {
		s.stopWork(s.t.Active[i], true)
	}
	if s.t.Cancelling || s.cause.Kind == OnCancel {
		s.cancelled()
		return
	}
	s.followChanges()
	s.stopClock()
	s.t.Status = Failed
	s.line(Line{Kind: "failed", State: s.path(s.fault.State), Name: s.fault.Code, Text: s.fault.Message, Code: s.fault.place()})
	s.tellParent()
}

// followChanges lets the timers that read data follow what the step changed before it failed, so that a retry has no reason to look
// at them again: that would undo a move by hand. One whose instant cannot be evaluated any more does not fire.
func (s *step) followChanges() {
	fault, dirty := s.fault, s.dirty
	s.dirty = 0
	for i := range s.t.Timers {
		s.halt = going
		if !s.follow(i, dirty) {
			before := s.t.Timers[i]
			t := before
			t.Off = true
			s.replaceTimer(i, &before, &t, "its instant cannot be evaluated")
		}
	}
	s.halt, s.fault = failing, fault
}

// cancelled ends a token whose cancellation met an error: without exit blocks.
func (s *step) cancelled() {
	if s.cause.Kind == OnCancel && s.t.Reason == "" {
		s.t.Reason = s.cause.Reason
	}
	for i := len(s.t.Active) - 1; i >= 0; i-- {
		s.stopTimers(s.t.Active[i], "the token has ended")
	}
	s.t.Active = nil
	s.finished("cancelled")
}

// stopClock keeps what remains of the durations (R9, R15), and of the `for` of a repetition whose next fire a hand has moved.
func (s *step) stopClock() {
	timers := append([]Timer(nil), s.t.Timers...)
	for i := range timers {
		switch t := &timers[i]; {
		case t.Off:
		case t.Instant:
			t.Left = t.leftOfFor(s.now)
		default:
			t.Left = max(t.Due-s.now, 0)
		}
	}
	s.t.Timers = timers
}

// startClock gives the durations the time back during which the token stood still, since an instant. `every … for` gets it too.
func (s *step) startClock() {
	timers := append([]Timer(nil), s.t.Timers...)
	for i := range timers {
		t := &timers[i]
		if t.Off {
			continue
		}
		if t.Instant {
			if t.Until != 0 {
				t.Until = later(s.now, t.Left)
			}
			t.Left = 0
			continue
		}
		was := t.Due
		t.Due = later(s.now, t.Left)
		if t.Until != 0 {
			t.Until = later(t.Until, t.Due-was)
		}
		t.Left = 0
		if t.Due != was {
			s.line(Line{Kind: "timer-moved", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(t), Due: t.Due, Was: was})
		}
	}
	s.t.Timers = timers
}

// leftOfFor is what remains at an instant of the `for` of an `every`, 0 without one.
func (t *Timer) leftOfFor(at int64) int64 {
	if t.Until == 0 {
		return 0
	}
	return max(t.Until-at, 0)
}

// ResultOf returns the flow's result, a JSON object of the data fields that `-> (…)` names; null before the token has ended.
func ResultOf(p *program.Program, t *Token) json.RawMessage {
	f := flowOf(p, t.Flow)
	if f == nil || !t.Status.Ended() || len(t.Data) != len(f.Data) {
		return json.RawMessage("null")
	}
	d := resultOf(f)
	fields := make([]value.Value, len(f.Result))
	for i, k := range f.Result {
		fields[i] = t.Data[k]
	}
	return encode(value.OfRecord(d, fields))
}

// resultOf is the record of a flow's results. A child that was cancelled before it set them may have nulls, so all are optional.
func resultOf(f *program.Flow) *value.Decl {
	d := &value.Decl{Name: f.Name}
	for _, k := range f.Result {
		d.Fields = append(d.Fields, value.Field{Name: f.Data[k].Name, Type: value.Opt(f.Data[k].Type)})
	}
	return d
}

var _ machine.Host = (*step)(nil)
