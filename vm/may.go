package vm

import (
	"fmt"
	"strconv"

	"flowc/validate/value"
)

// checkOutcome checks a result, or an event and what is scheduled, against their types (R43, R45).
func (s *step) checkOutcome(v Visit, st *Stimulus) *Answer {
	may := s.may(v)
	if st.Event != "" {
		if _, bad := s.mayEvent(may, st.Event, st.Payload, ""); bad != nil {
			return bad
		}
	} else if st.Task.Code == "" {
		if bad := s.checkResult(st.Task); bad != nil {
			return bad
		}
	}
	for i := range st.Tasks {
		if st.Tasks[i].Code != "" {
			continue
		}
		if bad := s.checkResult(&st.Tasks[i]); bad != nil {
			return bad
		}
	}
	for i := range st.Task.Schedule {
		sc := &st.Task.Schedule[i]
		at := "/schedule/" + strconv.Itoa(i)
		if _, bad := s.mayEvent(may, sc.Event, sc.Payload, at); bad != nil {
			return bad
		}
		if detail := sc.fault(); detail != "" {
			a := s.invalid(PayloadInvalid, detail, FieldError{at, detail})
			return &a
		}
	}
	return nil
}

func (sc *TaskSchedule) fault() string {
	switch {
	case (sc.After == nil) == (sc.At == nil):
		return "needs one of `after` and `at`"
	case sc.After != nil && *sc.After > value.MaxWait:
		return "is later than 3650d"
	case sc.At != nil && (*sc.At < value.MinTime || *sc.At > value.MaxTime):
		return "is not between the years 1 and 9999"
	}
	return ""
}

func (s *step) checkResult(o *TaskOutcome) *Answer {
	i := taskIndex(s, o.Task)
	if i < 0 {
		a := s.invalid(PayloadInvalid, fmt.Sprintf("there is no task `%s`", o.Task))
		return &a
	}
	if _, errs := decodeRecord(s.p.Tasks[i].Result, o.Result); len(errs) > 0 {
		a := s.invalid(PayloadInvalid, fmt.Sprintf("the result does not fit `%s`: %s", o.Task, errs[0].text()), errs...)
		return &a
	}
	return nil
}

func taskIndex(s *step, name string) int {
	for i := range s.p.Tasks {
		if s.p.Tasks[i].Name == name {
			return i
		}
	}
	return -1
}

// may returns the events with which a worker may end the task of a visit. A routine's call has none.
func (s *step) may(v Visit) []int {
	w := s.f.States[v.State].Work
	if w == nil || s.frameAt(v) >= 0 {
		return nil
	}
	return w.May
}

// mayEvent checks an event that a worker sends or schedules.
func (s *step) mayEvent(may []int, name string, raw []byte, at string) (*payload, *Answer) {
	event := eventIndex(s.p, name)
	if event < 0 || !holds(may, event) {
		detail := fmt.Sprintf("`%s` is not among the events that the task's `may` names", name)
		a := s.invalid(NotInMay, detail, FieldError{at + "/event", detail})
		return nil, &a
	}
	record, errs := decodePayload(s.p, event, raw)
	if len(errs) > 0 {
		for i := range errs {
			errs[i].Pointer = at + "/payload" + errs[i].Pointer
		}
		a := s.invalid(PayloadInvalid, fmt.Sprintf("the payload does not fit `%s`: %s", name, errs[0].text()), errs...)
		return nil, &a
	}
	return &payload{event: event, record: record}, nil
}
