package graph

import (
	"slices"
	"strings"

	"flowc/validate/model"
)

// walk visits statements and those inside them, in the order of the file.
func walk(stmts []model.Stmt, visit func(model.Stmt)) {
	for _, s := range stmts {
		visit(s)
		switch n := s.(type) {
		case *model.If:
			walk(n.Then, visit)
			walk(n.Else, visit)
		case *model.For:
			walk(n.Body, visit)
		case *model.While:
			walk(n.Body, visit)
		case *model.Try:
			walk(n.Body, visit)
			for _, c := range n.Catches {
				walk(c.Body, visit)
			}
		case *model.WaitBlock:
			for _, c := range n.Cases {
				walk(c.Body, visit)
			}
			walk(n.Else, visit)
		}
	}
}

// outward lists what a block does beyond the token's data, each thing once.
func (b *builder) outward(c *model.Code) []string {
	if c == nil {
		return nil
	}
	return b.list(c, false)
}

// effects is a head with what its block does: `entry / dispatch page, pages = …`. Without a block it is the head alone, and an
// entry without a block is nothing.
func (b *builder) effects(head string, c *model.Code) string {
	if c == nil {
		if head == "entry" || head == "exit" {
			return ""
		}
		return head
	}
	parts := b.list(c, true)
	if len(parts) == 0 {
		return head
	}
	return head + " / " + strings.Join(parts, ", ")
}

// list names what a block does, each thing once, with the fields that it sets when data counts too.
func (b *builder) list(c *model.Code, data bool) []string {
	var out []string
	walk(c.Stmts, func(s model.Stmt) {
		text := b.statement(s, data)
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	})
	return out
}

func (b *builder) statement(s model.Stmt, data bool) string {
	switch n := s.(type) {
	case *model.Dispatch:
		return "dispatch " + n.Task.Name
	case *model.Start:
		return "start " + n.Flow.Name
	case *model.Send:
		return "send " + n.Event.Name
	case *model.Raise:
		return "raise " + n.Event.Name
	case *model.Schedule:
		if n.At != nil {
			return "schedule " + n.Event.Name + " at " + b.source.Value(n.At)
		}
		return "schedule " + n.Event.Name + " after " + b.source.Value(n.After)
	case *model.Unschedule:
		return "unschedule " + n.Event.Name
	case *model.Rearm:
		return "rearm " + b.rearmed(n)
	case *model.Refuse:
		return "refuse"
	case *model.Fail:
		return "fail"
	case *model.Assign:
		if data && n.Place.Data >= 0 {
			return "set " + b.flow.Data[n.Place.Data].Name
		}
	case *model.Unset:
		if data && n.Place.Data >= 0 {
			return "unset " + b.flow.Data[n.Place.Data].Name
		}
	}
	return ""
}

func (b *builder) rearmed(n *model.Rearm) string {
	if n.Timer < 0 {
		return n.Event.Name
	}
	t := b.flow.States[n.State].Timers[n.Timer]
	if t.Name != "" {
		return t.Name
	}
	return b.source.Timer(t)
}

// work is a leaf's work: `do charge`, `invoke order each x`, `run: call pay, sleep 2d`.
func (b *builder) work(w *model.Work) string {
	if w == nil {
		return ""
	}
	var text string
	switch w.Kind {
	case model.Do:
		text = "do " + w.Task.Name
	case model.Invoke:
		text = "invoke " + w.Flow.Name
	default:
		return b.routine(w.Routine)
	}
	if w.Each != nil {
		text += " for each of " + b.source.Text(w.Each.Result.Position())
	}
	if w.Each != nil && w.Join.Kind != model.JoinAll {
		text += " join " + b.source.Join(w.Join)
	}
	var may []string
	for _, e := range w.May {
		may = append(may, e.Name)
	}
	if len(may) > 0 {
		text += " may " + strings.Join(may, ", ")
	}
	return text
}

// routine is what a routine waits for, in the order of the file.
func (b *builder) routine(c *model.Code) string {
	var out []string
	add := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	walk(c.Stmts, func(s model.Stmt) {
		switch n := s.(type) {
		case *model.CallTask:
			add("call " + n.Task.Name)
		case *model.CallFlow:
			add("call " + n.Flow.Name)
		case *model.Sleep:
			add("sleep" + b.limit("", n.For, n.Until))
		case *model.Wait:
			add("wait " + n.Event.Name + b.limit(" for", n.For, n.Until))
		case *model.WaitBlock:
			add(b.waitBlock(n))
		}
	})
	if len(out) == 0 {
		return "run"
	}
	return "run: " + strings.Join(out, ", ")
}

func (b *builder) limit(word string, span, until model.Expr) string {
	switch {
	case span != nil:
		return word + " " + b.source.Value(span)
	case until != nil:
		return " until " + b.source.Value(until)
	}
	return ""
}

func (b *builder) waitBlock(n *model.WaitBlock) string {
	var names []string
	for _, c := range n.Cases {
		for _, e := range c.Events {
			if !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return "wait " + strings.Join(names, " or ") + b.limit(" for", n.After, nil)
}
