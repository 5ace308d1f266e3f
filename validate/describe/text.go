package describe

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"flowc/validate/model"
)

// WriteText writes flows for a person.
func WriteText(w io.Writer, flows []Flow) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, f := range flows {
		if i > 0 {
			fmt.Fprintln(t)
		}
		writeFlow(t, f)
	}
	return t.Flush()
}

func writeFlow(w io.Writer, f Flow) {
	fmt.Fprintf(w, "flow %s(%s) -> (%s)\n", f.Name, signature(f.Input), signature(f.Result))
	if f.LatestEnd != nil {
		fmt.Fprintf(w, "  ends %s after its start at the latest\n", *f.LatestEnd)
	} else {
		fmt.Fprintf(w, "  %s\n", shorten(*f.Unbounded))
	}
	for _, t := range f.Timers {
		fmt.Fprintf(w, "  %s\t%s\n", timerHead(t), timerText(t))
	}
	for _, e := range f.Events {
		kind := "event"
		if e.Internal {
			kind = "internal event"
		}
		fmt.Fprintf(w, "  %s %s(%s)\tin %s\n", kind, e.Name, signature(e.Fields), strings.Join(everywhere(e.States), ", "))
	}
	for _, t := range f.Tasks {
		fmt.Fprintf(w, "  %s %s\t%s\n", t.Kind, t.Name, t.Text)
	}
	for _, s := range f.States {
		fmt.Fprintf(w, "  %s %s\t%s\n", s.Kind, s.Path, stateText(s))
		for _, t := range s.Timers {
			fmt.Fprintf(w, "    %s\t%s\n", timerHead(t), timerText(t))
		}
		if s.Work != nil {
			fmt.Fprintf(w, "    %s\t%s\n", strings.TrimSpace(s.Work.Kind+" "+s.Work.Name), s.Work.Text)
		}
	}
}

func signature(list []Field) string {
	parts := make([]string, len(list))
	for i, f := range list {
		parts[i] = f.Name + ": " + f.Type
	}
	return strings.Join(parts, ", ")
}

func everywhere(states []string) []string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = s
		if s == "" {
			out[i] = "every state"
		}
	}
	return out
}

func stateText(s State) string {
	switch {
	case s.Outcome != nil:
		return *s.Outcome
	case s.LongestStayMs != nil && *s.LongestStayMs == 0:
		return "left at once"
	case s.LongestStay != nil:
		return "at most " + *s.LongestStay
	}
	return shorten(*s.Unbounded)
}

// shorten names the first waits only; JSON has all.
func shorten(r Reason) string {
	const shown = 3
	var parts []string
	for i, w := range r.Waits {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(r.Waits)-shown))
			break
		}
		parts = append(parts, w.String())
	}
	if r.Loop != nil {
		parts = append(parts, r.Loop.String())
	}
	return "unbounded: " + strings.Join(parts, "; ")
}

// timerHead leaves a name out that only repeats the kind.
func timerHead(t Timer) string {
	if t.Name == "" || t.Name == t.Kind {
		return t.Kind
	}
	return t.Kind + " " + t.Name
}

func timerText(t Timer) string {
	if t.Fires != nil && (t.Kind == "every" || t.Kind == "calendar") && !strings.HasSuffix(t.When, fmt.Sprintf(" times %d", *t.Fires)) {
		if *t.Fires == 1 {
			return t.When + ", once at most"
		}
		return fmt.Sprintf("%s, at most %d times", t.When, *t.Fires)
	}
	return t.When
}

// StateText says of a state, by its index, what its visit comes to, one thing a line: for a hover.
func StateText(f *model.Flow, state int, source Source) string {
	d := newDescriber(f, source, map[*model.Flow]*describer{})
	s := d.flow.States[state]
	var lines []string
	if s.Kind == model.Final {
		return Outcome(s.Outcome)
	}
	switch b := d.stay(state); {
	case b.Known && b.Micros == 0:
		lines = append(lines, "left at once")
	case b.Known:
		lines = append(lines, "stays at most "+Duration(b.Micros))
	default:
		lines = append(lines, b.String())
	}
	for _, t := range d.timers(state) {
		lines = append(lines, timerHead(t)+": "+timerText(t))
	}
	if w := d.work(s); w != nil && w.Text != "" {
		lines = append(lines, w.Kind+" "+w.Name+": "+w.Text)
	}
	return strings.Join(lines, "\n")
}
