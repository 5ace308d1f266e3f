package vm

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/diag"
	"flowc/validate/value"
)

// takeEvent takes an event from outside or from another token.
func (s *step) takeEvent(st *Stimulus) Answer {
	if a, ok := s.repeated(st); ok {
		return a
	}
	e, bad := s.checkEvent(st)
	if bad != nil {
		return s.reject(st, *bad)
	}
	if code, reason := s.closed(); code != "" {
		return s.reject(st, s.refuse(code, reason))
	}
	if s.t.Status == Paused {
		return s.keep(st)
	}
	return s.deliver(st, e)
}

// reject answers an event that does not reach a handler. A message's sender gets a line in its history instead of an answer, and
// the message is used up.
func (s *step) reject(st *Stimulus, a Answer) Answer {
	if st.Kind == OnMessage {
		s.same = false
		s.line(Line{Kind: "event-refused", Name: st.Event, Text: a.Reason})
		s.bounce(st, a.Reason)
	}
	return a
}

// closed says why the token takes no events at all, "" when it does.
func (s *step) closed() (code, reason string) {
	switch {
	case s.t.Status.Ended():
		return TokenEnded, "the token has ended"
	case s.t.Status == Failed:
		return TokenFailed, "the token has failed; it takes no events until it is retried"
	case s.t.StartedAt == 0:
		return NotStarted, "the token is not started yet"
	}
	return "", ""
}

// checkEvent looks the event up and checks its payload.
func (s *step) checkEvent(st *Stimulus) (*payload, *Answer) {
	if _, ok := reservedNames[st.Event]; ok {
		a := s.invalid(ReservedEvent, fmt.Sprintf("`%s` is a reserved event: nobody can send it", st.Event))
		return nil, &a
	}
	i := eventIndex(s.p, st.Event)
	if i < 0 {
		a := s.invalid(UnknownEvent, s.unknownEvent(st.Event))
		return nil, &a
	}
	if s.p.Events[i].Internal && st.Kind == OnEvent {
		a := s.invalid(InternalEvent, fmt.Sprintf("`%s` is an internal event: it cannot come from outside", st.Event))
		return nil, &a
	}
	record, errs := decodePayload(s.p, i, st.Payload)
	if len(errs) > 0 {
		a := s.invalid(PayloadInvalid, fmt.Sprintf("the payload does not fit `%s`: %s", st.Event, errs[0].text()), errs...)
		return nil, &a
	}
	return &payload{event: i, record: record, actor: st.Actor}, nil
}

func (e FieldError) text() string {
	if e.Pointer == "" {
		return e.Detail
	}
	return e.Pointer + " " + e.Detail
}

func eventIndex(p *program.Program, name string) int {
	for i := range p.Events {
		if p.Events[i].Name == name {
			return i
		}
	}
	return -1
}

func (s *step) unknownEvent(name string) string {
	var names []string
	for i := range s.p.Events {
		if !s.p.Events[i].Internal {
			names = append(names, s.p.Events[i].Name)
		}
	}
	text := fmt.Sprintf("there is no event `%s`", name)
	if near := diag.Nearest(name, names); near != "" {
		text += fmt.Sprintf("; did you mean `%s`?", near)
	}
	return text
}

func decodePayload(p *program.Program, event int, raw []byte) (value.Value, []FieldError) {
	return decodeRecord(p.Events[event].Payload, raw)
}

// decodeRecord reads a JSON object from outside as a record; nothing at all is the empty object.
func decodeRecord(d *value.Decl, raw []byte) (value.Value, []FieldError) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	v, errs := value.DecodeJSON(raw, value.RecordOf(d))
	if len(errs) == 0 {
		return v, nil
	}
	out := make([]FieldError, len(errs))
	for i, e := range errs {
		out[i] = FieldError{Pointer: e.Path, Detail: e.Message}
	}
	return value.Value{}, out
}

// deliver hands an event to whoever takes it; otherwise it waits where a state defers it, or is refused.
func (s *step) deliver(st *Stimulus, e *payload) Answer {
	found, ok := s.pick(e)
	if ok && len(found) == 0 {
		return s.untaken(st)
	}
	s.active()
	s.line(Line{Kind: "event-accepted", Name: st.Event, Text: from(st)})
	if s.halt != going {
		s.keepLines()
		return Answer{Outcome: ErrorOutcome}
	}
	s.taken()
	s.carryOut(found, e)
	s.settle()
	return Answer{Outcome: Accepted}
}

// keepLines puts what was written before a guard raised an error beyond the undo: the event counts as taken (R8).
func (s *step) keepLines() {
	halt := s.halt
	s.halt = going
	s.taken()
	s.halt = halt
}

func from(st *Stimulus) string {
	switch {
	case st.From != "":
		return "from " + st.From
	case st.Actor != "":
		return "from " + st.Actor
	}
	return ""
}

// untaken is an event that no handler and no wait takes.
func (s *step) untaken(st *Stimulus) Answer {
	i := eventIndex(s.p, st.Event)
	if s.defers(i) {
		if len(s.t.Deferred) >= MaxKept {
			return s.full(st)
		}
		s.active()
		s.t.Deferred = append(s.t.Deferred, Kept{At: s.now, Stimulus: *st})
		s.line(Line{Kind: "event-deferred", Name: st.Event, Text: from(st)})
		return Answer{Outcome: DeferredEvent}
	}
	return s.reject(st, s.refuseEvent(st.Event, ""))
}

func (s *step) full(st *Stimulus) Answer {
	s.same = true
	return Answer{Outcome: Full, Code: QueueFull, Reason: fmt.Sprintf("%d events wait for this token already", MaxKept)}
}

// defers reports whether an active state defers an event.
func (s *step) defers(event int) bool {
	for i := range s.t.Active {
		if holds(s.f.States[s.t.Active[i].State].Defer, event) {
			return true
		}
	}
	return false
}

// active restarts the `idle` timers: an event was accepted (R23).
func (s *step) active() {
	for i := range s.t.Timers {
		t := s.t.Timers[i]
		if t.Decl < 0 || s.f.States[t.State].Timers[t.Decl].Kind != program.Idle {
			continue
		}
		was := t
		t.Due, t.Off = later(s.now, max(t.Period, 0)), false
		s.replaceTimer(i, &was, &t, "")
	}
}
