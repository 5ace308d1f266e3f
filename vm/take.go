package vm

import (
	"fmt"

	"flowc/compiler/program"
)

// outcome is what one step led to.
type outcome struct {
	token    *Token
	data     bool
	step     *Step
	offers   []Offer
	withdraw []string
	messages []Message
	rows     []FanRow
	over     []FanRef
	seen     []SeenEvent
	taken    []int
	failures []Failure // each is a step of its own, next
	answer   Answer
}

// take makes one step of one stimulus. It depends on nothing else, so replay is a fold over it.
func take(p *program.Program, f *program.Flow, t *Token, st *Stimulus, now int64) (*outcome, error) {
	if t == nil {
		return takeStart(p, f, st, now)
	}
	s := newStep(p, f, t, st, now)
	s.basis = s.mark()
	answer, err := s.take(st)
	if err != nil {
		return nil, err
	}
	if s.missing != nil {
		return nil, s.missing
	}
	return s.finish(t, answer), nil
}

func (s *step) take(st *Stimulus) (Answer, error) {
	switch st.Kind {
	case OnEvent, OnMessage:
		return s.takeEvent(st), nil
	case OnTimer:
		return s.takeTimer(st)
	case OnTask:
		return s.takeTask(st), nil
	case OnChild:
		return s.takeChild(st), nil
	case OnError:
		return s.takeError(st)
	case OnDeferred:
		return s.takeDeferredEvent(st)
	case OnKept:
		return s.takeKept()
	case OnUndeliverable:
		return s.takeUndeliverable(st), nil
	}
	return s.control(st)
}

func (s *step) control(st *Stimulus) (Answer, error) {
	switch st.Kind {
	case OnPause:
		return s.pause(st), nil
	case OnResume:
		return s.resumeToken(st), nil
	case OnCancel:
		return s.cancel(st), nil
	case OnRetry:
		return s.retry(st), nil
	case OnFire, OnMove:
		return s.timerByHand(st), nil
	case OnSet:
		return s.setField(st), nil
	case OnStart:
		return s.refuse(TokenRunning, "the token has been started already"), nil
	}
	return Answer{}, fmt.Errorf("no such stimulus: %q", st.Kind)
}

// taken notes that the stimulus is taken from the token for good: what follows may be undone up to here.
func (s *step) taken() {
	s.basis = s.mark()
}

func (s *step) takeTimer(st *Stimulus) (Answer, error) {
	if st.Timer == nil {
		return Answer{}, fmt.Errorf("a timer stimulus without a timer")
	}
	i := findTimer(s.p, s.f, s.t, st.Timer)
	if i < 0 {
		return Answer{}, fmt.Errorf("no timer %s of visit %d is due at %d", st.Timer.ID, st.Timer.Visit, st.Timer.Due)
	}
	s.fireAt(i, st)
	return Answer{Outcome: Accepted}, nil
}

// fireAt uses a timer up and does what it is for.
func (s *step) fireAt(i int, st *Stimulus) {
	t := s.t.Timers[i]
	if missed := s.useUp(i); missed > 0 {
		ref := *st.Timer
		ref.Missed = missed
		own := *st
		own.Timer = &ref
		s.cause = &own
	}
	s.taken()
	s.fire(t)
	s.settle()
}

func (s *step) takeError(st *Stimulus) (Answer, error) {
	f := st.Failure
	if f == nil || f.State >= len(s.f.States) {
		return Answer{}, fmt.Errorf("an error stimulus without an error of this flow")
	}
	if f.Code == CodeSteps || f.State < 0 || s.visitOf(f.State) < 0 {
		s.fail(f)
		return Answer{Outcome: ErrorOutcome}, nil
	}
	s.errors = true
	s.reserved(happening{owner: s.t.Active[s.visitOf(f.State)], payload: errorEvent(f)})
	s.settle()
	return Answer{Outcome: Accepted}, nil
}

func (s *step) takeUndeliverable(st *Stimulus) Answer {
	s.same = true
	s.line(Line{Kind: "undeliverable", Name: st.Event, Text: st.Reason})
	return Answer{Outcome: Accepted}
}

// finish undoes what has to be undone and closes the step.
func (s *step) finish(before *Token, answer Answer) *outcome {
	switch s.halt {
	case raised:
		answer = s.undoError()
	case limited:
		fault := s.fault
		s.undo(&s.basis)
		s.errorLine(fault)
		s.fail(fault)
		answer.Outcome = ErrorOutcome
	case refusing:
		answer = s.undoRefused(before)
	}
	if !s.same && s.halt != failing && oversized(s) {
		answer = s.undoOversized(answer)
	}
	if s.halt == failing {
		s.close()
	}
	if s.same {
		return s.unchanged(before, answer)
	}
	seen := s.noteSeen(answer.Outcome)
	return &outcome{
		token: s.t, data: s.data, seen: seen, offers: s.offers, withdraw: s.withdraw, messages: s.messages, rows: s.rows, over: s.over,
		failures: s.failures, answer: answer, taken: s.ran, step: &Step{Version: s.t.Version, Changed: true, At: s.now, Stimulus: *s.cause, Lines: s.lines},
	}
}

func (s *step) unchanged(before *Token, answer Answer) *outcome {
	o := &outcome{token: before, answer: answer, taken: s.ran}
	if answer.Outcome == Refused && len(s.lines) == 0 && s.cause.Event != "" {
		l := Line{Kind: "event-refused", Name: s.cause.Event, Text: answer.Reason}
		if len(answer.Accepts) > 0 {
			l.More = map[string]any{"accepts": answer.Accepts}
		}
		s.line(l)
	}
	if len(s.lines) > 0 {
		o.step = &Step{Version: before.Version, At: s.now, Stimulus: *s.cause, Lines: s.lines}
	}
	return o
}

// undoError undoes a step at a run-time error (R8). What was taken stays taken; the error is a step of its own, unless the step
// was itself one that handles `error`, or the one that starts the token.
func (s *step) undoError() Answer {
	fault := s.fault
	s.undo(&s.basis)
	fault.State = s.placeOf(fault.State)
	s.errorLine(fault)
	answer := Answer{Outcome: ErrorOutcome, Code: fault.Code, Reason: fault.Message}
	if s.errors || fault.State < 0 || s.cause.Kind == OnCancel {
		s.fail(fault)
		return answer
	}
	s.failures = append(s.failures, *fault)
	return answer
}

// placeOf returns the state from which an error is looked for: that whose block ran, if it is active after the undo, otherwise
// the source of the transition, or of one before it in the step.
func (s *step) placeOf(state int) int {
	if state >= 0 && s.visitOf(state) >= 0 {
		return state
	}
	for i := len(s.trail) - 1; i >= 0; i-- {
		if s.visitOf(s.trail[i]) >= 0 {
			return s.trail[i]
		}
	}
	if len(s.t.Active) > 0 {
		return 0
	}
	return -1
}

// undoOversized undoes a step that makes the snapshot too large. What only waits is not let in; anything else fails the token.
func (s *step) undoOversized(answer Answer) Answer {
	if s.inner == nil && (answer.Outcome == Queued || answer.Outcome == DeferredEvent) {
		s.same = true
		s.lines = nil
		return Answer{Outcome: Full, Code: QueueFull, Reason: "what waits for this token takes too much room already"}
	}
	s.undo(&s.basis)
	fault := &Failure{Code: CodeSnapshot, Message: "the token's data and timers take more than 1 MiB", State: s.t.innermost(), CodeRef: -1, PC: -1, At: s.now}
	s.errorLine(fault)
	s.fail(fault)
	return Answer{Outcome: ErrorOutcome, Code: fault.Code, Reason: fault.Message}
}

// undoRefused undoes what a handler refused. An event from outside leaves no trace but the answer; one that was let in before is
// used up.
func (s *step) undoRefused(before *Token) Answer {
	reason := s.reason
	if s.cause.Kind == OnEvent || s.cause.Kind == OnTask {
		s.same, s.lines = true, nil
		return Answer{
			Outcome: Refused, Code: EventRefused, Reason: reason, State: leavesOf(s.f, before), Accepts: Accepts(s.p, before, s.now),
		}
	}
	s.undo(&s.basis)
	s.line(Line{Kind: "event-refused", Name: s.refusedName(), Text: reason})
	s.bounce(s.delivered(), reason)
	return Answer{Outcome: Refused, Code: EventRefused, Reason: reason}
}

func (s *step) refusedName() string {
	if st := s.delivered(); st.Event != "" {
		return st.Event
	}
	if s.cause.Timer != nil {
		return s.cause.Timer.ID
	}
	return ""
}

// delivered is the stimulus that the step hands on: what was kept, or the step's own.
func (s *step) delivered() *Stimulus {
	if s.inner != nil {
		return s.inner
	}
	return s.cause
}
