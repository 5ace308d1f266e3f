package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

// name is how people know a token: by its key where it has one.
func name(t engine.TokenView) string { return nameOf(t.ID, t.Flow, t.Key) }

func nameOf(id, flow string, key *string) string {
	if key != nil {
		return flow + ":" + *key
	}
	return id
}

// where says where a token is or how it ended.
func where(t engine.TokenView) string {
	if t.Final != nil {
		return *t.Final
	}
	return strings.Join(t.States, ", ")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// span shows a duration in its two largest units.
func span(d time.Duration) string {
	if d < 0 {
		return "overdue by " + span(-d)
	}
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%dd %dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh %dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm %ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

// showToken prints all that a token's view says of it, each on a line of its own.
func showToken(w io.Writer, t engine.TokenView, now time.Time) {
	line := func(label, format string, args ...any) {
		if s := fmt.Sprintf(format, args...); s != "" {
			fmt.Fprintf(w, "%s\t%s\n", label, s)
		}
	}
	line("token", "%s", name(t))
	line("id", "%s", t.ID)
	line("flow", "%s", t.Flow)
	line("status", "%s", statusOf(t))
	line("state", "%s", where(t))
	line("outcome", "%s", text(t.Outcome))
	line("reason", "%s", text(t.Reason))
	if t.Error != nil {
		line("error", "%s: %s%s", t.Error.Code, t.Error.Message, place(t.Error))
	}
	line("quarantined", "%s", text(t.Quarantine))
	line("version", "%d", t.Version)
	line("created", "%s", stamp(&t.CreatedAt))
	line("starts", "%s", stamp(t.StartAt))
	line("ended", "%s", stamp(t.EndedAt))
	line("paused", "%s", stamp(t.PausedAt))
	line("input", "%s", t.Input)
	line("data", "%s", t.Data)
	line("result", "%s", nonNull(t.Result))
	for _, timer := range t.Timers {
		line("timer", "%s", timerLine(timer, now))
	}
	for _, task := range t.Tasks {
		line("task", "%s: %s", task.Task, taskLine(task, t.PausedAt != nil, now))
	}
	if more := t.TaskCount - len(t.Tasks); more > 0 {
		line("task", "and %d more: flowc tasks --token %s", more, t.ID)
	}
	line("takes", "%s", takes(t.Accepts))
	for _, what := range t.WaitingFor {
		line("waits for", "%s", what)
	}
	if t.Queued+t.Deferred > 0 {
		line("kept", "%d queued, %d deferred", t.Queued, t.Deferred)
	}
	if n := t.Children.Running; n > 0 {
		line("children", "%d running", n)
	}
}

func statusOf(t engine.TokenView) string {
	if t.Cancelling {
		return "cancelling"
	}
	return t.Status
}

func nonNull(raw []byte) string {
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

func at(before string, t *time.Time) string {
	if t == nil {
		return ""
	}
	return before + stamp(t)
}

func place(e *engine.ErrorView) string {
	if e.File == nil || e.Line == nil {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", *e.File, *e.Line)
}

func timerLine(t engine.TimerView, now time.Time) string {
	switch {
	case t.Due != nil:
		return fmt.Sprintf("%s at %s, in %s", t.ID, stamp(t.Due), span(t.Due.Sub(now)))
	case t.RemainingMs != nil:
		return fmt.Sprintf("%s stopped, %s left", t.ID, span(time.Duration(*t.RemainingMs)*time.Millisecond))
	}
	return t.ID
}

// taskLine says where a task stands in the words of `flowc why`. Work whose backoff is over is on offer, whatever its status was.
func taskLine(t engine.TokenTaskView, paused bool, now time.Time) string {
	next := fmt.Sprintf("attempt %d of %d", t.Used+1, t.MaxAttempts)
	switch {
	case t.NextAt == nil:
		return t.Status
	case t.Status == "claimed":
		return fmt.Sprintf("attempt %d of %d runs, until %s without a heartbeat", t.Attempt, t.MaxAttempts, stamp(t.NextAt))
	case paused:
		return next + " is on offer when the token is resumed"
	case t.NextAt.After(now):
		return fmt.Sprintf("attempt %d of %d failed; the next one is offered at %s", t.Used, t.MaxAttempts, stamp(t.NextAt))
	}
	return next + " is on offer since " + stamp(t.NextAt)
}

func takes(accepts []vm.Accept) string {
	words := make([]string, len(accepts))
	for i, a := range accepts {
		words[i] = a.Event
		if a.Conditional {
			words[i] += " (depends on the payload)"
		}
		if a.Deferred {
			words[i] += " (would wait)"
		}
	}
	return strings.Join(words, ", ")
}
