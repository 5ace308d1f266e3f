package describe

import (
	"fmt"
	"strings"

	"flowc/grammar"
	"flowc/validate/calendar"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A Source gives the text of a file by the index that model.Pos.File has; nil for a file that is not there. A nil Source has no
// file, and what it would show is an ellipsis.
type Source func(file int) []byte

// Text is what stands at a place, on one line with single spaces.
func (s Source) Text(pos model.Pos) string {
	const unknown = "…"
	if s == nil {
		return unknown
	}
	src := s(pos.File)
	if pos.Start < 0 || pos.End > len(src) || pos.Start >= pos.End {
		return unknown
	}
	return strings.Join(strings.Fields(string(src[pos.Start:pos.End])), " ")
}

// Value is an expression as it works out when it is a constant duration or number, otherwise as it is written.
func (s Source) Value(e model.Expr) string {
	if k, ok := e.(*model.Const); ok {
		switch k.Value.Kind() {
		case value.Duration:
			return Duration(k.Value.Micros())
		case value.Int:
			return k.Value.String()
		}
	}
	if e == nil {
		return ""
	}
	return s.Text(e.Position())
}

func (s Source) code(c *model.Code) string {
	if c == nil {
		return ""
	}
	return s.Value(c.Result)
}

// Duration writes microseconds as the language does: a whole number of the largest unit that leaves no rest, rounded up to a
// second.
func Duration(micros int64) string { return grammar.FormatSeconds((micros + second - 1) / second) }

const second = 1_000_000 // microseconds

// When says when a timer of a state is due: `2d`, `1h from due`, `at 09:00 on mon in Europe/Berlin`.
func (s Source) When(t *model.Timer) string {
	var b strings.Builder
	switch {
	case t.Kind == model.Calendar:
		b.WriteString(s.calendar(t))
	case t.Dur != nil && t.Time != nil:
		fmt.Fprintf(&b, "%s from %s", s.code(t.Dur), s.code(t.Time))
	case t.Time != nil:
		fmt.Fprintf(&b, "at %s", s.code(t.Time))
	default:
		b.WriteString(s.code(t.Dur))
	}
	if t.For != nil {
		fmt.Fprintf(&b, " for %s", s.code(t.For))
	}
	if t.Times != nil {
		fmt.Fprintf(&b, " times %s", s.code(t.Times))
	}
	return b.String()
}

// Timer is a timer as a person would write it: `timeout 2d`, `every 12h for 2d`, `at paid_until`.
func (s Source) Timer(t *model.Timer) string {
	when := s.When(t)
	switch t.Kind {
	case model.Calendar, model.At:
		return when
	}
	return TimerKind(t.Kind) + " " + when
}

func (s Source) calendar(t *model.Timer) string {
	days := "day"
	if len(t.Days) < len(calendar.WeekdayNames) {
		var names []string
		for _, d := range t.Days {
			names = append(names, calendar.WeekdayNames[d])
		}
		days = strings.Join(names, ", ")
	}
	const hour, minute = 3600, 60
	zone := s.code(t.Zone)
	if k, ok := zoneName(t.Zone); ok {
		zone = k
	}
	return fmt.Sprintf("every %s at %02d:%02d in %s", days, t.Clock/hour, t.Clock%hour/minute, zone)
}

func zoneName(c *model.Code) (string, bool) {
	if c == nil {
		return "", false
	}
	k, ok := c.Result.(*model.Const)
	if !ok || k.Value.Kind() != value.String {
		return "", false
	}
	return k.Value.Str(), true
}

// TimerKind is the word with which a kind of timer begins.
func TimerKind(k model.TimerKind) string {
	return [...]string{model.Timeout: "timeout", model.After: "after", model.At: "at", model.Every: "every", model.Calendar: "every", model.Idle: "idle"}[k]
}

// Outcome is the name of an outcome.
func Outcome(o model.Outcome) string { return model.OutcomeDecl.Members[o] }

// StateKind is the word for a kind of state.
func StateKind(k model.StateKind) string {
	return [...]string{model.Leaf: "state", model.Composite: "composite", model.Parallel: "parallel", model.Region: "region", model.Final: "final"}[k]
}

// Join is a join's condition as it is written: `all`, `any`, `race` or the number.
func (s Source) Join(j model.Join) string {
	if j.Kind == model.JoinCount {
		return s.code(j.Count)
	}
	return [...]string{model.JoinAll: "all", model.JoinAny: "any", model.JoinRace: "race"}[j.Kind]
}

// Trigger is the name of an event that a handler names.
func Trigger(t model.Trigger) string {
	if t.Event != nil {
		return t.Event.Name
	}
	return reservedNames[t.Reserved]
}

var reservedNames = [...]string{
	model.NotReserved: "", model.OnTimeout: "timeout", model.OnError: "error", model.OnCompleted: "completed",
	model.OnJoined: "joined", model.OnExpired: "expired", model.OnCancel: "cancel",
}
