package vm

import (
	"flowc/validate/value"
	"flowc/vm/machine"
)

// at is the place of code that stands in an active state and schedules for it.
func (s *step) at(state int, event *payload) place {
	return place{state: state, entered: s.enteredAt(state), owner: state, event: event}
}

// eval evaluates an expression. It reports false when the step cannot go on: an error was raised.
func (s *step) eval(code int, in place, params ...value.Value) (value.Value, bool) {
	if s.halt != going {
		return value.Value{}, false
	}
	s.here = in
	end := machine.Eval(s.p, code, s, s.budget, params...)
	if end.Kind == machine.Raised {
		s.raise(end)
		return value.Value{}, false
	}
	return end.Value, true
}

// guard evaluates a guard; without one it is true.
func (s *step) guard(code int, in place) bool {
	if code < 0 {
		return s.halt == going
	}
	v, ok := s.eval(code, in)
	return ok && v.Bool()
}

// block runs a block, -1 for none, and reports whether the step goes on.
func (s *step) block(code int, in place) bool {
	if code < 0 || s.halt != going {
		return s.halt == going
	}
	s.here = in
	end := machine.Eval(s.p, code, s, s.budget)
	switch end.Kind {
	case machine.Raised:
		s.raise(end)
	case machine.Refused:
		s.halt, s.reason = refusing, end.Text
	case machine.Failed:
		s.fail(s.failed(end))
	}
	return s.halt == going
}

// failed is the failure that `fail "…"` makes.
func (s *step) failed(end machine.Ending) *Failure {
	return &Failure{Code: CodeFail, Message: end.Text, State: s.here.state, CodeRef: end.Code, PC: end.PC, At: s.now}
}

// raise halts the step at a run-time error of the code in s.here.
func (s *step) raise(end machine.Ending) {
	if s.halt != going {
		return
	}
	s.fault = s.failure(end)
	s.halt = raised
	if end.Limit() {
		s.halt = limited
	}
}

func (s *step) failure(end machine.Ending) *Failure {
	return &Failure{Code: end.Err.Code, Message: end.Err.Message, State: s.here.state, CodeRef: end.Code, PC: end.PC, At: s.now}
}

// raiseErr halts the step at an error of what a state declares rather than of an instruction.
func (s *step) raiseErr(err *value.Error, in place, code int) {
	s.here = in
	s.raise(machine.Ending{Kind: machine.Raised, Err: err, Code: code, PC: 0})
}

// Now returns the step's instant; in a timer's TIME that of the entry (language.md 4).
func (s *step) Now() int64 { return s.clock }

// EnteredAt returns when the state that holds the running code was entered.
func (s *step) EnteredAt() int64 { return s.here.entered }

// StartedAt returns when the token was started.
func (s *step) StartedAt() int64 { return s.t.StartedAt }

// TokenID returns the token's id.
func (s *step) TokenID() string { return s.t.ID }

// TokenKey returns the token's key, if it has one.
func (s *step) TokenKey() (string, bool) { return s.t.Key, s.t.Key != "" }

// Input returns an input by its index.
func (s *step) Input(i int) value.Value { return s.t.Input.At(i) }

// Data returns a data field by its index.
func (s *step) Data(i int) value.Value { return s.t.Data[i] }

// SetData changes a data field.
func (s *step) SetData(i int, v value.Value) {
	if !s.owned {
		s.t.Data = append([]value.Value(nil), s.t.Data...)
		s.owned = true
	}
	s.t.Data[i] = v
	s.dirty.add(i)
	s.data = true
}

// EventField returns a field of the event being handled.
func (s *step) EventField(name string) value.Value {
	if s.here.event == nil {
		return value.Value{}
	}
	return s.here.event.field(name)
}

// Active reports whether a state is active.
func (s *step) Active(state int) bool { return s.visitOf(state) >= 0 }

// Note writes a line into the history.
func (s *step) Note(text string) {
	s.line(Line{Kind: "note", State: s.path(s.here.state), Text: text})
}
