package vm

import "strings"

// The codes of answers that are no acceptance. They are stable.
const (
	EventRefused   = "event-refused"   // 409: nothing takes it now, or its handler says `refuse`
	TokenEnded     = "token-ended"     // 409
	TokenFailed    = "token-failed"    // 409: until a retry (R9)
	TokenPaused    = "token-paused"    // 409: a command that needs a token that runs
	TokenRunning   = "token-running"   // 409: a retry of what has not failed
	NotStarted     = "not-started"     // 409: the token is scheduled (R56)
	NotPausable    = "cancelling"      // 409: it is being cancelled (R51)
	ParentMovedOn  = "parent-moved-on" // 409: R53
	UnknownEvent   = "unknown-event"   // 422
	ReservedEvent  = "reserved-event"  // 422
	InternalEvent  = "internal-event"  // 422
	PayloadInvalid = "payload-invalid"
	InputInvalid   = "input-invalid"
	NotInMay       = "event-not-in-may" // 422: R45
	UnknownState   = "unknown-state"    // 422
	StateInRegion  = "state-in-region"  // 422: `retry at` leads into a parallel region
	UnknownTimer   = "unknown-timer"    // 404
	UnknownField   = "unknown-field"    // 422
	UnknownFlow    = "unknown-flow"     // 422
	QueueFull      = "queue-full"       // 429
	Withdrawn      = "task-withdrawn"   // 409: lease lost
)

// refuse answers a stimulus that changes nothing.
func (s *step) refuse(code, reason string) Answer {
	s.same = true
	return Answer{Outcome: Refused, Code: code, Reason: reason, State: leavesOf(s.f, s.t)}
}

func (s *step) invalid(code, reason string, errs ...FieldError) Answer {
	s.same = true
	return Answer{Outcome: Invalid, Code: code, Reason: reason, Errors: errs}
}

// refuseEvent answers an event that nothing takes, with what would be taken.
func (s *step) refuseEvent(name, reason string) Answer {
	accepts := Accepts(s.p, s.t, s.now)
	if reason == "" {
		reason = s.explain(name, accepts)
	}
	a := s.refuse(EventRefused, reason)
	a.Accepts = accepts
	return a
}

// explain says why an event is refused: "`draft` does not take `approve`; it takes submit".
func (s *step) explain(name string, accepts []Accept) string {
	names := make([]string, len(accepts))
	for i, a := range accepts {
		names[i] = a.Event
	}
	where := strings.Join(leavesOf(s.f, s.t), "`, `")
	text := "`" + where + "` does not take `" + name + "`"
	if where == "" {
		text = "the flow does not take `" + name + "`"
	}
	if len(names) == 0 {
		return text + " now, nor any other event"
	}
	return text + " now; it takes " + strings.Join(names, ", ")
}

// refuseLine is the history's line of an event that is refused, with what would have been accepted (R70).
func (s *step) refuseLine(name, reason string) {
	l := Line{Kind: "event-refused", Name: name, Text: reason}
	if accepts := Accepts(s.p, s.t, s.now); len(accepts) > 0 {
		l.More = map[string]any{"accepts": accepts}
	}
	s.line(l)
}

func (s *step) errorLine(f *Failure) {
	s.line(Line{Kind: "error", State: s.path(f.State), Name: f.Code, Text: f.Message, Code: f.place()})
}

func (f *Failure) place() *Place {
	if f.CodeRef < 0 {
		return nil
	}
	return &Place{f.CodeRef, f.PC}
}
