package validate

import (
	"flowc/grammar"
	"flowc/validate/model"
)

// effects are what a block may do that matters to the flow as a whole.
type effects struct {
	raises    []emission
	schedules []emission
	waits     []*symbol // events that a routine waits for
	goes      []*state  // where a routine may go
	goesAway  bool      // a routine may leave, to a state that is not known too
	fails     bool      // it may end the token by `fail`
	mayErr    bool      // it may end in a run-time error
	assigns   map[int]bool
	calls     bool // a routine calls work whose error nothing catches
	callAt    place
	callSites []callSite
	endless   bool        // a routine never falls off its end
	mustWait  [][]*symbol // the events of each wait without a limit that a routine cannot go round
}

// An emission is a `raise` or a `schedule`.
type emission struct {
	sym   *symbol
	at    place
	dur   int64  // constant delay of a schedule, 0 when not known
	lives *state // whose visit the timer belongs to; nil when that is not known
}

// A callSite is a `call` of a task in a routine.
type callSite struct {
	at     place
	policy model.Policy
	task   *symbol
}

// assignedNames lists the root names of what a block assigns to, without looking at what they mean.
func assignedNames(b *grammar.Block) map[string]bool {
	out := map[string]bool{}
	if b == nil {
		return out
	}
	grammar.Walk(b, func(n grammar.Node) bool {
		switch n := n.(type) {
		case *grammar.AssignStmt:
			addRoot(out, n.Target)
		case *grammar.UnsetStmt:
			addRoot(out, n.Target)
		}
		return true
	})
	return out
}

func addRoot(names map[string]bool, e grammar.Expr) {
	for {
		switch n := e.(type) {
		case *grammar.SelectExpr:
			e = n.X
		case *grammar.IndexExpr:
			e = n.X
		case *grammar.ParenExpr:
			e = n.X
		case *grammar.NameExpr:
			if n.Name != nil {
				names[n.Name.Text] = true
			}
			return
		default:
			return
		}
	}
}

// suspends reports whether a block may wait.
func suspends(b *grammar.Block) bool {
	found := false
	if b == nil {
		return false
	}
	grammar.Walk(b, func(n grammar.Node) bool {
		switch n.(type) {
		case *grammar.CallWork, *grammar.WaitEvent, *grammar.WaitBlock, *grammar.SleepStmt:
			found = true
		}
		return !found
	})
	return found
}

// mayErr reports whether evaluating an expression may end in a run-time error.
func mayErr(m model.Expr) bool {
	switch m := m.(type) {
	case *model.Must, *model.IndexRef, *model.CallBuiltin, *model.CallFunc:
		return true
	case *model.Binary:
		return m.Op < model.Eq || mayErr(m.X) || mayErr(m.Y)
	case *model.Unary:
		return m.Op == model.Neg || mayErr(m.X)
	case *model.Logic:
		return mayErr(m.X) || mayErr(m.Y)
	case *model.Cond:
		return mayErr(m.If) || mayErr(m.X) || mayErr(m.Y)
	case *model.In:
		return mayErr(m.X) || mayErr(m.L)
	case *model.FieldRef:
		return mayErr(m.X)
	case *model.Convert:
		return mayErr(m.X)
	case *model.Interp:
		return anyErr(m.Parts)
	case *model.ListLit:
		return anyErr(m.Items)
	case *model.RecordLit:
		return anyErr(m.Fields)
	case *model.MapLit:
		return anyErr(m.Keys) || anyErr(m.Values)
	}
	return false
}

func anyErr(list []model.Expr) bool {
	for _, m := range list {
		if m != nil && mayErr(m) {
			return true
		}
	}
	return false
}
