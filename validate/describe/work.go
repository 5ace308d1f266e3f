package describe

import (
	"strings"

	"flowc/validate/model"
)

// workStay is how long a leaf stays at most because its work comes to an end that leaves it. A task never bounds a stay, since no
// worker may ever take it; a child does when its end is bounded, a routine when all that it waits for is.
func (d *describer) workStay(s *model.State) Bound {
	w := s.Work
	if w == nil {
		return waiting(s, d.awaited(s.Index), d.clockLacks(s.Index))
	}
	open := waiting(s, d.awaited(s.Index), d.clockLacks(s.Index))
	switch w.Kind {
	case model.Invoke:
		done := model.OnCompleted
		if w.Each != nil {
			done = model.OnJoined
		}
		if w.Concurrency != nil || !d.leaving(s.Index, done) || !d.leaving(s.Index, model.OnError) {
			return open
		}
		child := newDescriber(w.Flow, d.source, d.flows)
		if end := child.latestEnd(); end.Known {
			return end
		}
	case model.Run:
		stmts := w.Routine.Stmts
		if !goesOn(stmts) && !d.leaving(s.Index, model.OnCompleted) || !d.leaving(s.Index, model.OnError) || d.goesInside(s.Index, w.Routine) {
			return open
		}
		if micros, endless := d.routine(stmts); endless == "" {
			return known(micros)
		}
	}
	return open
}

// goesOn reports whether a routine never falls off its end, since it ends in a `go` or a `fail` on every way.
func goesOn(stmts []model.Stmt) bool {
	if len(stmts) == 0 {
		return false
	}
	switch n := stmts[len(stmts)-1].(type) {
	case *model.Go, *model.Fail:
		return true
	case *model.If:
		return goesOn(n.Then) && goesOn(n.Else)
	}
	return false
}

// goesInside reports whether a routine's `go` leads to a place that does not leave its state.
func (d *describer) goesInside(state int, c *model.Code) bool {
	found := false
	statements(c.Stmts, func(s model.Stmt) {
		if g, ok := s.(*model.Go); ok && !leaves(d.flow, state, g.Target, state) {
			found = true
		}
	})
	return found
}

// routine adds up how long statements wait at most; open names the first that may wait without end, or for as long as data say.
func (d *describer) routine(stmts []model.Stmt) (total int64, open string) {
	for _, s := range stmts {
		micros, open := d.statement(s)
		if open != "" {
			return 0, open
		}
		total = plus(total, micros)
	}
	return total, ""
}

func (d *describer) statement(s model.Stmt) (int64, string) {
	switch n := s.(type) {
	case *model.Sleep:
		return limited(n.For, "sleep")
	case *model.Wait:
		return limited(n.For, "wait "+n.Event.Name)
	case *model.CallTask:
		return 0, "call " + n.Task.Name
	case *model.CallFlow:
		if end := newDescriber(n.Flow, d.source, d.flows).latestEnd(); end.Known {
			return end.Micros, ""
		}
		return 0, "call " + n.Flow.Name
	case *model.WaitBlock:
		return d.waitBlock(n)
	case *model.If:
		return d.longest(n.Then, n.Else)
	case *model.For:
		return d.repeated("for", n.Body)
	case *model.While:
		return d.repeated("while", n.Body)
	case *model.Try:
		return d.try(n)
	}
	return 0, ""
}

func limited(limit model.Expr, what string) (int64, string) {
	if micros, ok := constantExpr(limit); ok {
		return micros, ""
	}
	return 0, what
}

// repeated: what is in a loop may be repeated without end, so a loop that waits has no bound.
func (d *describer) repeated(loop string, body []model.Stmt) (int64, string) {
	micros, open := d.routine(body)
	switch {
	case open != "":
		return 0, open
	case micros > 0:
		return 0, "a " + loop + " loop that waits"
	}
	return 0, ""
}

// longest is how long the longest of some ways takes.
func (d *describer) longest(ways ...[]model.Stmt) (most int64, open string) {
	for _, w := range ways {
		micros, open := d.routine(w)
		if open != "" {
			return 0, open
		}
		most = max(most, micros)
	}
	return most, ""
}

func (d *describer) waitBlock(n *model.WaitBlock) (int64, string) {
	var names []string
	ways := [][]model.Stmt{n.Else}
	for _, c := range n.Cases {
		for _, e := range c.Events {
			names = append(names, e.Name)
		}
		ways = append(ways, c.Body)
	}
	limit, open := limited(n.After, "wait "+strings.Join(names, ", "))
	if open != "" {
		return 0, open
	}
	most, open := d.longest(ways...)
	return plus(limit, most), open
}

// try takes as long as its body and the longest of what catches.
func (d *describer) try(n *model.Try) (int64, string) {
	body, open := d.routine(n.Body)
	if open != "" {
		return 0, open
	}
	ways := make([][]model.Stmt, len(n.Catches))
	for i, c := range n.Catches {
		ways[i] = c.Body
	}
	most, open := d.longest(ways...)
	return plus(body, most), open
}

// blocks lists the code of a state that holds statements.
func blocks(s *model.State) []*model.Code {
	var out []*model.Code
	add := func(c *model.Code) {
		if c != nil {
			out = append(out, c)
		}
	}
	add(s.Entry)
	add(s.Exit)
	for _, h := range s.Handlers {
		add(h.Block)
	}
	for _, a := range s.Always {
		add(a.Block)
	}
	for _, t := range s.Timers {
		add(t.Block)
	}
	if s.Work != nil {
		add(s.Work.Routine)
	}
	return out
}

// statements visits statements and those inside them.
func statements(stmts []model.Stmt, visit func(model.Stmt)) {
	for _, s := range stmts {
		visit(s)
		switch n := s.(type) {
		case *model.If:
			statements(n.Then, visit)
			statements(n.Else, visit)
		case *model.For:
			statements(n.Body, visit)
		case *model.While:
			statements(n.Body, visit)
		case *model.Try:
			statements(n.Body, visit)
			for _, c := range n.Catches {
				statements(c.Body, visit)
			}
		case *model.WaitBlock:
			for _, c := range n.Cases {
				statements(c.Body, visit)
			}
			statements(n.Else, visit)
		}
	}
}
