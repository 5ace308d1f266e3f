package vm

import (
	"fmt"

	"flowc/compiler/program"
)

// keep puts a stimulus to those that wait for the resume, in their order of receipt (R50).
func (s *step) keep(st *Stimulus) Answer {
	if len(s.t.Kept) >= MaxKept {
		return s.full(st)
	}
	s.t.Kept = append(s.t.Kept, Kept{At: s.now, Stimulus: *st})
	s.line(Line{Kind: "event-queued", Name: keptName(st), Text: from(st)})
	return Answer{Outcome: Queued}
}

func keptName(st *Stimulus) string {
	switch {
	case st.Event != "":
		return st.Event
	case st.Task != nil:
		return st.Task.Task
	case st.Child != nil:
		return st.Child.Flow
	}
	return string(st.Kind)
}

// takeKept applies the first kept stimulus as if it came now, except that a refusal is a line in the history.
func (s *step) takeKept() (Answer, error) {
	if len(s.t.Kept) == 0 {
		return Answer{}, fmt.Errorf("nothing is kept")
	}
	st := s.t.Kept[0].Stimulus
	s.t.Kept = s.t.Kept[1:]
	if len(s.t.Kept) == 0 {
		s.t.Kept = nil
	}
	s.inner = &st
	s.taken()
	switch st.Kind {
	case OnTask:
		return s.takeKeptTask(&st), nil
	case OnChild:
		return s.takeChild(&st), nil
	}
	e, bad := s.checkEvent(&st)
	if bad != nil {
		return s.lapse(&st, bad.Reason), nil
	}
	if _, reason := s.closed(); reason != "" {
		return s.lapse(&st, reason), nil
	}
	if a := s.deliver(&st, e); a.Outcome != Refused && a.Outcome != Full {
		return a, nil
	}
	return s.lapse(&st, "nothing takes it now"), nil
}

// lapse records that a stimulus that was let in before is refused now.
func (s *step) lapse(st *Stimulus, reason string) Answer {
	if s.halt == going {
		s.undo(&s.basis)
	}
	s.same = false
	s.refuseLine(keptName(st), reason)
	s.bounce(st, reason)
	return Answer{Outcome: Refused, Code: EventRefused, Reason: reason}
}

// deferredEvent is the payload of Deferred[i].
func (s *step) deferredEvent(i int) (*payload, error) {
	st := &s.t.Deferred[i].Stimulus
	event := eventIndex(s.p, st.Event)
	if event < 0 {
		return nil, fmt.Errorf("a deferred event is unknown: %q", st.Event)
	}
	record, errs := decodePayload(s.p, event, st.Payload)
	if len(errs) > 0 {
		return nil, fmt.Errorf("the payload of a deferred %s does not fit: %s", st.Event, errs[0].text())
	}
	return &payload{event: event, record: record, actor: st.Actor}, nil
}

func (s *step) dropDeferred(i int) {
	if i == 0 {
		s.t.Deferred = s.t.Deferred[1:]
	} else {
		kept := make([]Kept, 0, len(s.t.Deferred))
		s.t.Deferred = append(append(kept, s.t.Deferred[:i]...), s.t.Deferred[i+1:]...)
	}
	if len(s.t.Deferred) == 0 {
		s.t.Deferred = nil
	}
}

// takeable returns the first deferred event that somebody takes now, -1 for none. A guard that raises an error counts: the step
// that takes the event will say so.
func takeable(p *program.Program, f *program.Flow, t *Token, now int64) int {
	s := newStep(p, f, t, &Stimulus{}, now)
	for i := range t.Deferred {
		e, err := s.deferredEvent(i)
		if err != nil {
			return i
		}
		found, ok := s.pick(e)
		if !ok || len(found) > 0 {
			return i
		}
	}
	return -1
}

// takeDeferredEvent hands a deferred event to whoever takes it now.
func (s *step) takeDeferredEvent(cause *Stimulus) (Answer, error) {
	i := cause.Index
	if i < 0 || i >= len(s.t.Deferred) {
		return Answer{}, fmt.Errorf("no event %d is deferred", i)
	}
	st := s.t.Deferred[i].Stimulus
	e, err := s.deferredEvent(i)
	if err != nil {
		return Answer{}, err
	}
	s.inner = &st
	s.dropDeferred(i)
	s.line(Line{Kind: "event-accepted", Name: st.Event, Text: "it had been deferred"})
	s.taken()
	found, ok := s.pick(e)
	if ok {
		s.carryOut(found, e)
		s.settle()
	}
	return Answer{Outcome: Accepted}, nil
}

// dropWaiting records that what still waits is dropped, at the end or at a cancel.
func (s *step) dropWaiting(why string) {
	for _, list := range [][]Kept{s.t.Deferred, s.t.Kept} {
		for i := range list {
			st := &list[i].Stimulus
			s.line(Line{Kind: "event-dropped", Name: keptName(st), Text: why})
			s.bounce(st, why)
		}
	}
	s.t.Deferred, s.t.Kept = nil, nil
}
