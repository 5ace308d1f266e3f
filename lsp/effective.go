package lsp

import (
	"fmt"
	"slices"
	"strings"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/model"
	"flowc/validate/value"
)

// numbers are the lines that say what a declaration means in effect.
func (c *checked) numbers(d *validate.Def) []string {
	var out []string
	add := func(line string) {
		if line != "" {
			out = append(out, line)
		}
	}
	switch n := d.Node.(type) {
	case *grammar.ConstDecl:
		add(c.constant(d, n))
	case *grammar.TaskDecl:
		for _, t := range c.Partial.Tasks {
			if declaredAt(t.Pos, d) {
				add(attempts(t.Policy))
			}
		}
	case *grammar.FlowDecl:
		for _, f := range c.Partial.Flows {
			if declaredAt(f.Pos, d) && len(f.States) > 0 {
				add(latestEnd(f))
			}
		}
	case *grammar.State, *grammar.Parallel, *grammar.Region, *grammar.Use:
		if f, s := c.stateAt(d); s != nil {
			out = append(out, c.state(f, s)...)
		}
	}
	return out
}

func declaredAt(p model.Pos, d *validate.Def) bool {
	return p.File == d.File && p.Start == d.Span.Start
}

// stateAt finds the state that a name declares.
func (c *checked) stateAt(d *validate.Def) (*model.Flow, *model.State) {
	for _, f := range c.Partial.Flows {
		for _, s := range f.States {
			if declaredAt(s.Pos, d) {
				return f, s
			}
		}
	}
	return nil, nil
}

// state says how long a state lasts, which timers it has and how its work goes.
func (c *checked) state(f *model.Flow, s *model.State) []string {
	var out []string
	if n := longestStay(f, s); n > 0 {
		out = append(out, fmt.Sprintf("Left at the latest %s after it was entered.", lasting(n)))
	} else if s.Never {
		out = append(out, "May wait without end.")
	}
	for _, t := range s.Timers {
		if line := c.timer(t); line != "" {
			out = append(out, line)
		}
	}
	if w := s.Work; w != nil && w.Kind == model.Do && w.Task != nil {
		out = append(out, fmt.Sprintf("Work `%s`: %s", w.Task.Name, lower(attempts(effective(w)))))
	}
	return out
}

func (c *checked) timer(t *model.Timer) string {
	name := "A timer"
	if t.Name != "" {
		name = "Timer `" + t.Name + "`:"
	}
	switch n := micros(t.Dur); {
	case n <= 0 || t.Kind == model.Timeout && t.Time == nil:
		return ""
	case t.Kind == model.Every:
		return fmt.Sprintf("%s every %s.", name, lasting(n))
	default:
		return fmt.Sprintf("%s after %s.", name, lasting(n))
	}
}

func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// lasting is a duration in the language and in seconds.
func lasting(micros int64) string {
	seconds := micros / 1_000_000
	return fmt.Sprintf("%s (%s)", grammar.FormatSeconds(seconds), inSeconds(seconds))
}

// attempts says how often work is tried and when it is given up.
func attempts(p model.Policy) string {
	limit := "without a limit but the lease"
	if p.Within > 0 {
		limit = "each within " + grammar.FormatSeconds(p.Within/1_000_000)
	}
	if p.Retries == 0 {
		return fmt.Sprintf("One attempt, %s.", limit)
	}
	least, most := waits(p)
	if p.Within > 0 {
		most += p.Within * int64(p.Retries+1)
	}
	out := fmt.Sprintf("At most %d attempts, %s", p.Retries+1, limit)
	switch {
	case least == most:
		return fmt.Sprintf("%s; gives up %s after the first.", out, grammar.FormatSeconds(most/1_000_000))
	case p.Within > 0:
		return fmt.Sprintf("%s; gives up between %s and %s after the first was taken.", out, rounded(least), rounded(most))
	}
	return fmt.Sprintf("%s; the waits between them add up to between %s and %s.", out, rounded(least), rounded(most))
}

// rounded is a duration that jitter may leave with a fraction of a second.
func rounded(micros int64) string { return grammar.FormatSeconds((micros + 500_000) / 1_000_000) }

// waits adds up the waits between attempts, with all the jitter there may be and with none: a doubling wait loses up to half.
func waits(p model.Policy) (least, most int64) {
	if p.BackoffMax <= 0 {
		sum := p.Backoff * int64(p.Retries)
		return sum, sum
	}
	wait := p.Backoff
	for range p.Retries {
		least += wait / 2
		most += wait
		wait = min(2*wait, p.BackoffMax)
	}
	return least, most
}

// effective is a task's policy with what its use overrides.
func effective(w *model.Work) model.Policy {
	p := w.Task.Policy
	if o := w.Policy; o != nil {
		set(&p.Within, o.Within)
		set(&p.Retries, o.Retries)
		set(&p.Backoff, o.Backoff)
		set(&p.BackoffMax, o.BackoffMax)
	}
	return p
}

func set[T any](field, over *T) {
	if over != nil {
		*field = *over
	}
}

// micros is a constant duration, 0 for any other expression.
func micros(c *model.Code) int64 {
	if c == nil || c.Result == nil {
		return 0
	}
	if k, ok := c.Result.(*model.Const); ok && k.Value.Kind() == value.Duration {
		return k.Value.Micros()
	}
	return 0
}

func latestEnd(f *model.Flow) string {
	if n := stay(f, 0); n > 0 {
		return fmt.Sprintf("Latest end %s after the start.", lasting(n))
	}
	return ""
}

// longestStay is the shortest constant timeout of a state and those around it, 0 for none.
func longestStay(f *model.Flow, s *model.State) int64 {
	var least int64
	for i := s.Index; i >= 0 && i < len(f.States); i = f.States[i].Parent {
		if own := stay(f, i); own > 0 && (least == 0 || own < least) {
			least = own
		}
	}
	return least
}

// stay is the constant timeout of one state, 0 when there is none or a guard or a handler without a target may keep the state.
func stay(f *model.Flow, state int) int64 {
	for _, t := range f.States[state].Timers {
		if t.Kind == model.Timeout && t.Time == nil && leaves(f, state) {
			return micros(t.Dur)
		}
	}
	return 0
}

func leaves(f *model.Flow, state int) bool {
	for i := state; i >= 0; i = f.States[i].Parent {
		for _, h := range f.States[i].Handlers {
			if slices.ContainsFunc(h.Triggers, func(t model.Trigger) bool { return t.Reserved == model.OnTimeout }) {
				return h.Guard == nil && h.Target.Kind != model.Stay && !inside(f, h.Target, state)
			}
		}
	}
	return true
}

// inside says whether a target lies inside a state, so that the transition does not leave it.
func inside(f *model.Flow, t model.Target, state int) bool {
	if t.Kind != model.ToState || t.State < 0 || t.State >= len(f.States) {
		return false
	}
	if state == 0 {
		return f.States[t.State].Kind != model.Final || f.States[t.State].Parent != 0
	}
	for i := f.States[t.State].Parent; i >= 0; i = f.States[i].Parent {
		if i == state {
			return true
		}
	}
	return false
}
