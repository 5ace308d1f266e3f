package describe

import "flowc/validate/model"

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
		if !d.leaving(s.Index, model.OnCompleted) || !d.leaving(s.Index, model.OnError) || d.goesInside(s.Index, w.Routine) {
			return open
		}
		if micros, ok := d.routine(w.Routine.Stmts); ok {
			return known(micros)
		}
	}
	return open
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

// routine adds up how long statements wait at most; ok is false when one may wait without end, or for as long as data say. What is
// in a loop may be repeated, so a loop that waits has no bound.
func (d *describer) routine(stmts []model.Stmt) (int64, bool) {
	total := int64(0)
	for _, s := range stmts {
		micros, ok := d.statement(s)
		if !ok {
			return 0, false
		}
		total = plus(total, micros)
	}
	return total, true
}

func (d *describer) statement(s model.Stmt) (int64, bool) {
	switch n := s.(type) {
	case *model.Sleep:
		return constantExpr(n.For)
	case *model.Wait:
		return constantExpr(n.For)
	case *model.CallTask:
		return 0, false
	case *model.CallFlow:
		end := newDescriber(n.Flow, d.source, d.flows).latestEnd()
		return end.Micros, end.Known
	case *model.WaitBlock:
		return d.waitBlock(n)
	case *model.If:
		return d.longer(n.Then, n.Else)
	case *model.For:
		micros, ok := d.routine(n.Body)
		return 0, ok && micros == 0
	case *model.While:
		micros, ok := d.routine(n.Body)
		return 0, ok && micros == 0
	case *model.Try:
		return d.try(n)
	}
	return 0, true
}

func (d *describer) longer(a, b []model.Stmt) (int64, bool) {
	x, ok := d.routine(a)
	y, ok2 := d.routine(b)
	return max(x, y), ok && ok2
}

func (d *describer) waitBlock(n *model.WaitBlock) (int64, bool) {
	if n.After == nil {
		return 0, false
	}
	limit, ok := constantExpr(n.After)
	longest, ok2 := d.routine(n.Else)
	for _, c := range n.Cases {
		micros, fine := d.routine(c.Body)
		longest, ok2 = max(longest, micros), ok2 && fine
	}
	return plus(limit, longest), ok && ok2
}

// try takes as long as its body and the longest of what catches.
func (d *describer) try(n *model.Try) (int64, bool) {
	body, ok := d.routine(n.Body)
	longest := int64(0)
	for _, c := range n.Catches {
		micros, fine := d.routine(c.Body)
		longest, ok = max(longest, micros), ok && fine
	}
	return plus(body, longest), ok
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
