package program

import (
	"fmt"
	"strings"

	"flowc/validate/value"
)

// Disassemble returns the program for people: its flows with the codes that they use, by number, and every code with what its
// operands mean. With a source each line says where it stands; without one (nil) nothing does.
func Disassemble(p *Program, s *Source) string {
	d := &disassembler{p: p, s: s}
	d.line("program %s, version %d", p.Flow, Version)
	for i := range p.Events {
		d.line("event %d %s%s%s", i, p.Events[i].Name, fields(p.Events[i].Payload), mark(p.Events[i].Internal, " internal"))
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		d.line("task %d %s%s -> %s%s%s", i, t.Name, fields(t.Params), fields(t.Result), codesOf(t.Fails), t.Policy)
	}
	for i := range p.Flows {
		d.flow(i)
	}
	for i := range p.Codes {
		d.code(i)
	}
	return d.b.String()
}

type disassembler struct {
	p    *Program
	s    *Source
	b    strings.Builder
	last string // the place written last, of this code
}

func (d *disassembler) line(format string, args ...any) {
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func mark(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func fields(d *value.Decl) string {
	parts := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		parts[i] = f.Name + ": " + f.Type.String()
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func codesOf(codes []string) string {
	if len(codes) == 0 {
		return ""
	}
	return fmt.Sprintf(" fails %q", codes)
}

// String returns the parts of the policy that are given, as the language has them.
func (q Policy) String() string {
	var b strings.Builder
	if q.Within > 0 {
		fmt.Fprintf(&b, " within %s", value.OfDuration(q.Within))
	}
	if q.Retries > 0 {
		fmt.Fprintf(&b, " retry %d", q.Retries)
	}
	if q.Backoff > 0 {
		fmt.Fprintf(&b, " backoff %s", value.OfDuration(q.Backoff))
	}
	if q.BackoffMax > 0 {
		fmt.Fprintf(&b, "..%s", value.OfDuration(q.BackoffMax))
	}
	if q.Queue != "" {
		fmt.Fprintf(&b, " queue %s", q.Queue)
	}
	return b.String()
}

func (d *disassembler) code(i int) {
	c := &d.p.Codes[i]
	d.last = ""
	d.b.WriteByte('\n')
	d.line("code %d%s%s", i, d.home(c), d.place(i, -1))
	for n, l := range c.Locals {
		name := l.Name
		if name == "" {
			name = "(hidden)"
		}
		d.line("  local %d %s: %s%s", n, name, l.Type, mark(n < c.Params, " parameter"))
	}
	for _, t := range c.Tries {
		d.line("  try %d to %d%s, handler %d%s", t.From, t.To-1, codesOf(t.Codes), t.Handler, mark(t.Var >= 0, fmt.Sprintf(" local %d", t.Var)))
	}
	for n, w := range c.Waits {
		d.wait(n, &w)
	}
	for n, l := range c.Lambdas {
		d.line("  lambda %d local %d => code %d", n, l.Param, l.Code)
	}
	for pc, in := range c.Ins {
		text := strings.TrimRight(fmt.Sprintf("  %4d  %-11s %s", pc, in.Op, d.operands(c, in)), " ")
		if place := d.place(i, pc); place != "" {
			text = fmt.Sprintf("%-52s%s", text, place)
		}
		d.line("%s", text)
	}
}

// home says which flow and state a code belongs to.
func (d *disassembler) home(c *Code) string {
	if c.Flow < 0 {
		return ""
	}
	f := d.p.Flows[c.Flow]
	if path := f.States[c.State].Path; path != "" {
		return " of " + f.Name + "." + path
	}
	return " of " + f.Name
}

// place is where an instruction stands (pc -1: the code), unless that was written for the one before.
func (d *disassembler) place(code, pc int) string {
	if d.s == nil || code >= len(d.s.Codes) {
		return ""
	}
	span := d.s.Codes[code].Span
	if pc >= 0 {
		span, _ = d.s.SpanOf(code, pc)
	}
	place, ok := d.s.Place(span)
	if text := place.String(); ok && text != d.last {
		d.last = text
		return " // " + text
	}
	return ""
}

func (d *disassembler) wait(n int, w *Wait) {
	limit := ""
	if w.Limit != NoLimit {
		limit = fmt.Sprintf(", limit %d", w.Target)
	}
	var cases []string
	for _, c := range w.Cases {
		guard := ""
		if c.Guard >= 0 {
			guard = fmt.Sprintf(" when code %d", c.Guard)
		}
		cases = append(cases, fmt.Sprintf("%s%s: %d", d.events(c.Events), guard, c.Target))
	}
	d.line("  wait %d %s%s", n, strings.Join(cases, "; "), limit)
}

func (d *disassembler) events(is []int) string {
	names := make([]string, len(is))
	for i, e := range is {
		names[i] = d.p.Events[e].Name
	}
	return strings.Join(names, ", ")
}
