package describe

import (
	"fmt"
	"strings"

	"flowc/validate/model"
)

var timerKinds = map[model.TimerKind]string{
	model.Timeout: "timeout", model.After: "after", model.At: "at", model.Every: "every", model.Calendar: "calendar", model.Idle: "idle",
}

func (d *describer) timer(t *model.Timer) Timer {
	out := Timer{Name: t.Name, Kind: timerKinds[t.Kind]}
	switch {
	case t.Kind == model.Calendar:
		out.When = d.calendar(t)
	case t.Dur != nil && t.Time != nil:
		out.When = d.span(t.Dur) + " from " + d.text(t.Time)
	case t.Time != nil:
		out.When = "at " + d.text(t.Time)
	default:
		out.When = d.span(t.Dur)
	}
	if t.For != nil {
		out.When += " for " + d.span(t.For)
	}
	if t.Times != nil {
		out.When += " times " + d.text(t.Times)
	}
	return out
}

var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

func (d *describer) calendar(t *model.Timer) string {
	days := "every day"
	if len(t.Days) < len(weekdays) {
		var names []string
		for _, day := range t.Days {
			names = append(names, weekdays[day])
		}
		days = "every " + strings.Join(names, ", ")
	}
	const hour, minute = 3600, 60
	return fmt.Sprintf("%s at %02d:%02d in %s", days, t.Clock/hour, t.Clock%hour/minute, d.text(t.Zone))
}

// span is a duration: as it works out when it is constant, otherwise as it is written.
func (d *describer) span(c *model.Code) string {
	if n := micros(c); n != 0 {
		return duration(n)
	}
	return d.text(c)
}

// text is what stands in the file.
func (d *describer) text(c *model.Code) string {
	if c == nil || c.Result == nil {
		return ""
	}
	pos := c.Result.Position()
	src := d.result.Sources[pos.File].AST.Src
	if pos.Start < 0 || pos.End > len(src) || pos.Start > pos.End {
		return ""
	}
	return string(src[pos.Start:pos.End])
}

func (d *describer) work(s *model.State) *Work {
	w := s.Work
	switch {
	case w == nil:
		return nil
	case w.Kind == model.Invoke:
		return &Work{Kind: "invoke", Name: w.Flow.Name}
	case w.Kind == model.Run:
		return &Work{Kind: "run"}
	}
	p := effective(w)
	return &Work{Kind: "do", Name: w.Task.Name, Attempts: p.Retries + 1, Within: optional(p.Within), Longest: optional(longest(p))}
}

// effective is a task's policy with what its use overrides.
func effective(w *model.Work) model.Policy {
	p := w.Task.Policy
	if o := w.Policy; o != nil {
		set(&p.Within, o.Within)
		set(&p.Retries, o.Retries)
		set(&p.Backoff, o.Backoff)
		set(&p.BackoffMax, o.BackoffMax)
		set(&p.Queue, o.Queue)
	}
	return p
}

func set[T any](field, over *T) {
	if over != nil {
		*field = *over
	}
}

// longest is how long all attempts and the waits between them take at most; 0 when an attempt has no limit.
func longest(p model.Policy) int64 {
	if p.Within == 0 {
		return 0
	}
	total, wait := p.Within*int64(p.Retries+1), p.Backoff
	for range p.Retries {
		total += wait
		if p.BackoffMax > 0 {
			wait = min(2*wait, p.BackoffMax)
		}
	}
	return total
}
