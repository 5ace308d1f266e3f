package oracle

import (
	"fmt"
	"strings"
)

// Text writes the flow, and that of its children, in the language.
func (f *Flow) Text() string {
	var b strings.Builder
	b.WriteString("event a\nevent b(k: int)\nevent c\nevent boom\nevent due_is(t: time?)\n")
	if f.Kid != nil {
		b.WriteString("task job() -> (k: int) fails \"bad\"\n")
		f.Kid.write(&b)
	}
	f.write(&b)
	return b.String()
}

func (f *Flow) write(b *strings.Builder) {
	fmt.Fprintf(b, "flow %s() {\n  data {\n    n: int = 0\n    due: time?\n  }\n", f.Name)
	w := &writer{b: b, in: "  "}
	w.body(f.Root)
	b.WriteString("}\n")
}

// A writer writes states, indented.
type writer struct {
	b  *strings.Builder
	in string
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w.b, w.in+format+"\n", args...) }

func block(acts []act) string {
	text := " {"
	for _, a := range acts {
		text += " " + a.String()
	}
	return text + " }"
}

func arrow(from, to *State) string {
	switch to {
	case nil:
		return ""
	case from:
		return " -> self"
	}
	return " -> " + to.Name
}

func (w *writer) body(s *State) {
	if s.history != "" {
		w.line("%s", s.history)
	}
	for i := range s.clocks {
		w.clock(s, &s.clocks[i])
	}
	if len(s.entry) > 0 {
		w.line("entry%s", block(s.entry))
	}
	if s.defers != "" {
		w.line("defer %s", s.defers)
	}
	w.work(s)
	for _, h := range s.on {
		w.line("on %s%s%s%s", h.event, h.when, arrow(s, h.target), block(h.acts))
	}
	if s.Kind == Composite {
		w.line("initial %s", s.Kids[0].Name)
	}
	for _, k := range s.Kids {
		w.state(s, k)
	}
}

func (w *writer) clock(s *State, c *clock) {
	switch c.kind {
	case "timeout", "idle":
		w.line("%s %s", c.kind, span(c.dur))
	case "after":
		w.line("after %s as %s%s%s%s", span(c.dur), c.name, c.when, arrow(s, c.target), block(c.acts))
	case "at":
		w.line("at due + %s as %s%s", span(c.dur), c.name, block(c.acts))
	case "calendar":
		w.line("every day at \"%02d:%02d\" in %q as %s%s", c.minute/60, c.minute%60, c.zone, c.name, block(c.acts))
	case "every":
		more := ""
		if c.limit > 0 {
			more += " for " + span(c.limit)
		}
		if c.times > 0 {
			more += fmt.Sprintf(" times %d", c.times)
		}
		w.line("every %s%s as %s%s", span(c.dur), more, c.name, block(c.acts))
	}
}

func (w *writer) work(s *State) {
	switch {
	case len(s.run) > 0:
		w.line("run {")
		for _, g := range s.run {
			if g.event == "" {
				w.line("  sleep %s", span(g.dur))
			} else {
				w.line("  wait %s for %s", g.event, span(g.dur))
			}
		}
		w.line("}")
	case s.work != nil:
		text := fmt.Sprintf("do job() retry %d backoff %s", s.work.retries, span(s.work.backoff))
		if s.work.may != "" {
			text += " may " + s.work.may
		}
		w.line("%s", text)
	case s.child:
		w.line("invoke kid()")
	}
}

func (w *writer) state(parent, s *State) {
	if s.Kind == Final {
		w.line("final %s as %s", s.Name, s.outcome)
		return
	}
	word := "state " + s.Name
	switch {
	case parent.Kind == Parallel:
		word = "region " + s.Name
	case s.Kind == Parallel:
		word = "parallel " + s.Name + " join " + s.join
	}
	w.line("%s {", word)
	inner := &writer{b: w.b, in: w.in + "  "}
	inner.body(s)
	w.line("}")
}
