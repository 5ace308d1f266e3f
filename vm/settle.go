package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// A happening waits in the step's queue: a raised event, or a reserved one of a visit.
type happening struct {
	owner   Visit // of a reserved event; a visit that has ended gets it no more
	payload *payload
}

func (s *step) happen(h happening) { s.queue = append(s.queue, h) }

// Raise queues an event for this token.
func (s *step) Raise(event int, record value.Value) {
	s.line(Line{Kind: "raised", State: s.path(s.here.state), Name: s.p.Events[event].Name})
	s.happen(happening{payload: &payload{event: event, record: record}})
}

// settle goes on until nothing moves (R7): after every move the first segments of routines, the timers of changed fields, `always`,
// then what was raised, `completed` and `joined` in their order.
func (s *step) settle() {
	for s.halt == going {
		s.runStarts()
		s.rearmChanged()
		if s.halt != going || s.always() {
			continue
		}
		if len(s.queue) == 0 {
			return
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.handle(next)
	}
}

// always carries out the automatic transitions that are enabled.
func (s *step) always() bool {
	found := s.pickAlways()
	if len(found) == 0 || s.halt != going {
		return false
	}
	s.carryOut(found, nil)
	return true
}

func (s *step) handle(h happening) {
	if h.payload.reserved != program.NotReserved {
		if s.visiting(h.owner) {
			s.reserved(h)
		}
		return
	}
	before := s.mark()
	found, ok := s.pick(h.payload)
	if !ok {
		return
	}
	name := s.name(h.payload)
	if len(found) == 0 {
		s.line(Line{Kind: "raised-unhandled", Name: name})
		return
	}
	s.carryOut(found, h.payload)
	if s.halt == refusing {
		s.undo(&before)
		s.line(Line{Kind: "event-refused", Name: name, Text: s.reason})
	}
}

// reserved hands a reserved event to the first handler from its state outwards; without one it does what the rules say of it.
func (s *step) reserved(h happening) {
	if h.payload.reserved == program.OnError {
		s.errors = true
	}
	c, ok := s.pickFrom(h.owner.State, h.payload)
	if ok {
		s.carryOut([]choice{c}, h.payload)
		return
	}
	if s.halt == going {
		s.unhandled(h)
	}
}

func (s *step) unhandled(h happening) {
	state := h.owner.State
	switch h.payload.reserved {
	case program.OnError:
		s.fail(s.failureOf(h.payload, state))
	case program.OnTimeout:
		s.fail(&Failure{Code: CodeTimeout, Message: "nothing takes the timeout of " + s.label(state), State: state, CodeRef: -1, PC: -1, At: s.now})
	case program.OnExpired:
		s.endCancelled("expired")
	}
}

// failureOf turns the payload of an `error` that nothing takes back into what the token fails of.
func (s *step) failureOf(e *payload, state int) *Failure {
	if s.cause.Kind == OnError && s.cause.Failure != nil && e.field("code").Str() == s.cause.Failure.Code {
		f := *s.cause.Failure
		return &f
	}
	return &Failure{
		Code: e.field("code").Str(), Message: e.field("message").Str(), Attempts: int(e.field("attempts").Int()),
		Source: e.field("source").Str(), State: state, CodeRef: -1, PC: -1, At: s.now,
	}
}

// label names a state for people.
func (s *step) label(state int) string {
	if state <= 0 {
		return "the flow"
	}
	return "`" + s.f.States[state].Path + "`"
}
