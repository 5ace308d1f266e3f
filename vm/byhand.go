package vm

import (
	"fmt"
	"slices"
	"strings"

	"flowc/validate/diag"
	"flowc/validate/value"
)

// timerByHand fires or moves an armed timer (OnFire, OnMove).
func (s *step) timerByHand(st *Stimulus) Answer {
	if code, reason := s.closed(); code == TokenEnded || code == TokenFailed {
		return s.refuse(code, reason)
	}
	if st.Timer == nil {
		return s.invalid(UnknownTimer, "no timer is named")
	}
	i := findTimer(s.p, s.f, s.t, &TimerRef{ID: st.Timer.ID, Visit: st.Timer.Visit})
	if i < 0 {
		return s.invalid(UnknownTimer, s.unknownTimer(st.Timer.ID))
	}
	if st.Kind == OnMove {
		return s.moveTimer(i, st)
	}
	if s.t.Status == Paused {
		return s.refuse(TokenPaused, "the token is paused; resume it first")
	}
	t := s.t.Timers[i]
	t.Due = s.now
	s.setTimer(i, &t)
	s.controlLine(st)
	s.fireAt(i, st)
	return Answer{Outcome: Accepted}
}

func (s *step) unknownTimer(id string) string {
	var names []string
	for i := range s.t.Timers {
		if !s.t.Timers[i].Off {
			names = append(names, timerID(s.p, s.f, &s.t.Timers[i]))
		}
	}
	text := fmt.Sprintf("no timer `%s` is armed", id)
	near := diag.Nearest(id, names)
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "."+id) }); i >= 0 {
		near = names[i] // named without its state
	}
	if near != "" {
		text += fmt.Sprintf("; did you mean `%s`?", near)
	}
	return text
}

// moveTimer gives a timer another due time. Who names an instant means it, so the timer is one from then on, also of a paused token:
// no pause moves it (R15) until it has fired or begins anew.
func (s *step) moveTimer(i int, st *Stimulus) Answer {
	if st.Due < value.MinTime || st.Due > value.MaxTime {
		return s.invalid(PayloadInvalid, "the due time is not between the years 1 and 9999", FieldError{"/due", "is not between the years 1 and 9999"})
	}
	t := s.t.Timers[i]
	was := t.Due
	if s.t.Status == Paused && !t.Instant {
		t.Left = t.leftOfFor(t.Due - t.Left)
	}
	t.Due, t.Instant = st.Due, true
	if t.Kind == StartTimer {
		s.t.StartAt = t.Due
	}
	s.setTimer(i, &t)
	s.controlLine(st)
	s.line(Line{Kind: "timer-moved", State: s.path(t.State), Visit: t.Visit, Name: s.timerName(&t), Due: t.Due, Was: was, Text: "by hand"})
	return Answer{Outcome: Accepted}
}

// setField gives a data field another value (OnSet).
func (s *step) setField(st *Stimulus) Answer {
	if s.t.Status.Ended() {
		return s.refuse(TokenEnded, "the token has ended")
	}
	i := -1
	var names []string
	for k := range s.f.Data {
		names = append(names, s.f.Data[k].Name)
		if s.f.Data[k].Name == st.Field {
			i = k
		}
	}
	if i < 0 {
		text := fmt.Sprintf("there is no data field `%s`", st.Field)
		if near := diag.Nearest(st.Field, names); near != "" {
			text += fmt.Sprintf("; did you mean `%s`?", near)
		}
		return s.invalid(UnknownField, text)
	}
	v, errs := value.DecodeJSON(st.Value, s.f.Data[i].Type)
	if len(errs) > 0 {
		out := make([]FieldError, len(errs))
		for k, e := range errs {
			out[k] = FieldError{Pointer: e.Path, Detail: e.Message}
		}
		return s.invalid(PayloadInvalid, fmt.Sprintf("the value does not fit `%s`: %s", st.Field, out[0].text()), out...)
	}
	s.SetData(i, v)
	s.controlLine(st)
	s.lines[len(s.lines)-1].Name = "set " + st.Field
	s.rearmChanged()
	if s.t.Status == Running {
		s.settle()
	}
	return Answer{Outcome: Accepted}
}
