package program

import (
	"fmt"
	"strings"

	"flowc/validate/value"
)

var (
	kindWords     = [...]string{"leaf", "composite", "parallel", "region", "final"}
	outcomeWords  = [...]string{"success", "failure", "cancelled"}
	joinWords     = [...]string{"all", "any", "race", "count"}
	historyWords  = [...]string{"", " history", " history deep"}
	timerWords    = [...]string{"timeout", "after", "at", "every", "calendar", "idle"}
	workWords     = [...]string{"do", "run", "invoke"}
	reservedWords = [...]string{"", "timeout", "error", "completed", "joined", "expired", "cancel"}
)

func (d *disassembler) flow(i int) {
	f := d.p.Flows[i]
	d.b.WriteByte('\n')
	d.line("flow %d %s%s", i, f.Name, fields(f.Input))
	for n, x := range f.Data {
		d.line("  data %d %s: %s%s%s", n, x.Name, x.Type, ref(" default", x.Default), mark(x.Owner != 0, fmt.Sprintf(" of state %d", x.Owner)))
	}
	for n := range f.States {
		d.state(f, n)
	}
}

// ref is a code by its number, nothing for none.
func ref(what string, code int) string {
	if code < 0 {
		return ""
	}
	return fmt.Sprintf("%s #%d", what, code)
}

func (d *disassembler) state(f *Flow, n int) {
	s := &f.States[n]
	name := s.Path
	if name == "" {
		name = "(root)"
	}
	more := historyWords[s.History]
	switch s.Kind {
	case Final:
		more += " as " + outcomeWords[s.Outcome]
	case Parallel:
		more += " join " + joinWords[s.Join] + ref("", s.JoinN)
	}
	if s.Initial >= 0 {
		more += fmt.Sprintf(" initial %d", s.Initial)
	}
	d.line("  state %d %s %s%s%s%s%s", n, name, kindWords[s.Kind], more, ref(" entry", s.Entry), ref(" exit", s.Exit), mark(s.Never, " never"))
	for i := range s.Handlers {
		d.handler(f, &s.Handlers[i])
	}
	for _, a := range s.Always {
		d.line("    always%s%s%s, order %d", ref(" when", a.Guard), d.target(f, a.Target), ref(" block", a.Block), a.Order)
	}
	for i := range s.Timers {
		d.timer(f, &s.Timers[i])
	}
	if s.Work != nil {
		d.work(s.Work)
	}
	if len(s.Defer) > 0 {
		d.line("    defer %s", d.events(s.Defer))
	}
}

func (d *disassembler) target(f *Flow, t Target) string {
	switch t.Kind {
	case ToState:
		return " -> " + f.States[t.State].Path
	case ToSelf:
		return " -> self"
	}
	return ""
}

func (d *disassembler) handler(f *Flow, h *Handler) {
	var names []string
	for _, t := range h.Triggers {
		if t.Reserved == NotReserved {
			names = append(names, d.p.Events[t.Event].Name)
		} else {
			names = append(names, reservedWords[t.Reserved])
		}
	}
	d.line("    on %s%s%s%s%s%s, order %d", strings.Join(names, ", "), ref(" when", h.Guard), mark(h.PayloadGuard, " (payload)"),
		d.target(f, h.Target), ref(" block", h.Block), mark(h.RefuseOnly, " (refuses)"), h.Order)
}

func (d *disassembler) timer(f *Flow, t *Timer) {
	text := timerWords[t.Kind] + " " + t.Name
	for _, part := range []string{
		ref(" dur", t.Dur), ref(" time", t.Time), ref(" for", t.For), ref(" times", t.Times), ref(" zone", t.Zone), ref(" when", t.Guard),
	} {
		text += part
	}
	if t.Kind == Calendar {
		text += fmt.Sprintf(" days %07b clock %d", t.Days, t.Clock)
	}
	if len(t.ReadsData) > 0 {
		text += fmt.Sprintf(" reads %v", t.ReadsData)
	}
	d.line("    %s%s%s, order %d", text, d.target(f, t.Target), ref(" block", t.Block), t.Order)
}

func (d *disassembler) work(w *Work) {
	text := workWords[w.Kind]
	switch w.Kind {
	case Do:
		text += " " + d.p.Tasks[w.Task].Name
	case Invoke:
		text += " " + d.p.Flows[w.Flow].Name
	}
	for _, part := range []string{
		ref(" args", w.Args), ref(" key", w.Key), ref(" each", w.Each), ref(" concurrency", w.Concurrency), ref(" routine", w.Routine),
	} {
		text += part
	}
	if w.Each >= 0 {
		text += " join " + joinWords[w.Join] + ref("", w.JoinN)
	}
	if len(w.May) > 0 {
		text += " may " + d.events(w.May)
	}
	d.line("    %s%s", text, w.Policy)
}

// operands says what the operands of an instruction mean.
func (d *disassembler) operands(c *Code, in Ins) string {
	o := &ops[in.Op]
	a, b := d.operand(c, in, o.a, int(in.A)), d.operand(c, in, o.b, int(in.B))
	if b == "" {
		return a
	}
	return a + ", " + b
}

func (d *disassembler) operand(c *Code, in Ins, kind operand, x int) string {
	p := d.p
	f := &Flow{}
	if c.Flow >= 0 {
		f = p.Flows[c.Flow]
	}
	switch kind {
	case none:
		return ""
	case aConst, aText:
		return fmt.Sprint(p.Consts[x])
	case anInput:
		return f.Input.Fields[x].Name
	case aDataField:
		return f.Data[x].Name
	case aLocal:
		return fmt.Sprintf("%d %s", x, c.Locals[x].Name)
	case anEvent:
		return p.Events[x].Name
	case aState:
		return f.States[x].Path
	case aTimer:
		return f.States[in.A].Timers[x].Name
	case aType:
		return p.Types[x].Name
	case anOperator:
		return value.Op(x).String()
	case aFunction:
		return fmt.Sprintf("code %d", x)
	case aBuiltin:
		return p.Builtins[x]
	case aLambda:
		return fmt.Sprintf("lambda %d", x)
	case aTask:
		return p.Tasks[x].Name
	case aFlow:
		return p.Flows[x].Name
	case aPolicy:
		return strings.TrimSpace(p.Policies[x].String())
	case aCall:
		return d.call(&c.Calls[x])
	case aWait:
		return fmt.Sprintf("wait %d", x)
	case aTargetKind:
		return [...]string{"stay", "to", "self"}[x]
	case aStartFlags:
		return fmt.Sprintf("flags %d", x)
	case aParentOrText:
		if x < 0 {
			return "parent"
		}
		return fmt.Sprint(p.Consts[x])
	}
	return fmt.Sprint(x)
}

func (d *disassembler) call(c *Call) string {
	if c.Task >= 0 {
		return d.p.Tasks[c.Task].Name + c.Policy.String()
	}
	return d.p.Flows[c.Flow].Name + mark(c.Keyed, " keyed")
}
