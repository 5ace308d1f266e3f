package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
)

// checkBusy reports a `while` that can go round without anything waiting and without a change of what its condition reads.
func (x *coder) checkBusy(n *grammar.WhileStmt, never bool) {
	if never || n.Cond == nil || n.Body == nil || n.Broken() || n.Body.Broken() {
		return
	}
	reads := map[string]bool{}
	grammar.Walk(n.Cond, func(n grammar.Node) bool {
		if name, ok := n.(*grammar.NameExpr); ok && name.Name != nil {
			reads[name.Name.Text] = true
		}
		return true
	})
	if r := idleBlock(n.Body, reads); r.falls || r.again {
		span := wordSpan(n, "while")
		span.End = n.Cond.Span().End
		x.c.report(x.env.at(span), diag.BusyLoop, "this loop can go round without waiting and without changing what its condition reads: it would run until the step's budget is used up, and fail the token").
			help("wait in it (`sleep`, `wait`, `call`), change what the condition reads, or `break`")
	}
}

// A way says how a block can be passed without progress: to its end, or to the next round of the loop.
type way struct{ falls, again bool }

func idleBlock(b *grammar.Block, reads map[string]bool) way {
	if b == nil {
		return way{falls: true}
	}
	w := way{falls: true}
	for _, s := range b.Stmts {
		if !w.falls {
			break
		}
		r := idleStmt(s, reads)
		w.falls, w.again = r.falls, w.again || r.again
	}
	return w
}

func idleStmt(s grammar.Stmt, reads map[string]bool) way {
	switch n := s.(type) {
	case *grammar.CallWork, *grammar.WaitEvent, *grammar.WaitBlock, *grammar.SleepStmt,
		*grammar.BreakStmt, *grammar.GoStmt, *grammar.FailStmt, *grammar.RefuseStmt:
		return way{}
	case *grammar.ContinueStmt:
		return way{again: true}
	case *grammar.LetStmt:
		return way{falls: !isWorkExpr(n.Value)}
	case *grammar.AssignStmt:
		return way{falls: !isWorkExpr(n.Value) && !changes(n.Target, reads)}
	case *grammar.UnsetStmt:
		return way{falls: !changes(n.Target, reads)}
	case *grammar.IfStmt:
		return idleIf(n, reads)
	case *grammar.TryStmt:
		w := idleBlock(n.Body, reads)
		if !suspends(n.Body) {
			for _, c := range n.Catches {
				r := idleBlock(c.Body, reads)
				w = way{w.falls || r.falls, w.again || r.again}
			}
		}
		return w
	}
	return way{falls: true}
}

func idleIf(n *grammar.IfStmt, reads map[string]bool) way {
	w := idleBlock(n.Then, reads)
	last := false
	for _, e := range n.Else {
		r := idleBlock(e.Body, reads)
		w = way{w.falls || r.falls, w.again || r.again}
		last = last || e.Cond == nil
	}
	w.falls = w.falls || !last
	return w
}

func isWorkExpr(e grammar.Expr) bool {
	switch e.(type) {
	case *grammar.CallWork, *grammar.WaitEvent:
		return true
	}
	return false
}

func changes(target grammar.Expr, reads map[string]bool) bool {
	names := map[string]bool{}
	addRoot(names, target)
	for name := range names {
		if reads[name] {
			return true
		}
	}
	return false
}
