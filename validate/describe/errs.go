package describe

import (
	"flowc/validate/model"
	"flowc/validate/value"
)

// moveMayErr reports whether a run-time error may happen in the step of a transition outside of its own block: in exit and entry
// blocks, in what arms timers and offers work, in the automatic transitions that follow.
func (d *describer) moveMayErr(from int, t model.Target) bool {
	target := from
	if t.Kind == model.ToState {
		target = t.State
	}
	top := d.around(from, target)
	left := from // of what may be left: all that is below the common state around both
	if top != from {
		left = d.childOf(top, from)
	}
	for i, s := range d.flow.States {
		if within(d.flow, i, left) && codeMayErr(s.Exit) {
			return true
		}
	}
	return d.entryMayErr(top, target, map[int]bool{})
}

// around is the innermost state that a transition does not leave: what it is inside of, or the composite around both ends. The
// flow's body when there is no other.
func (d *describer) around(from, target int) int {
	if target != from && within(d.flow, target, from) {
		return from
	}
	at := max(d.flow.States[from].Parent, 0)
	for at > 0 && (at == target || !within(d.flow, target, at) || d.flow.States[at].Kind == model.Parallel) {
		at = d.flow.States[at].Parent
	}
	return at
}

// entryMayErr looks at what entering a state from one around it may run, with the automatic transitions from there on. What has been
// looked at is in seen.
func (d *describer) entryMayErr(top, target int, seen map[int]bool) bool {
	for at := target; at != top && at >= 0; at = d.flow.States[at].Parent {
		if d.enteredMayErr(at, seen) {
			return true
		}
		if d.flow.States[at].Kind == model.Parallel && d.descentMayErr(at, seen) {
			return true
		}
	}
	if d.descentMayErr(target, seen) {
		return true
	}
	for at := target; at >= 0; at = d.flow.States[at].Parent { // after every move those of all active states are tried
		if d.flow.States[at].Kind == model.Parallel {
			for i := range d.flow.States {
				if within(d.flow, i, at) && d.alwaysMayErr(i, seen) {
					return true
				}
			}
		}
		if d.alwaysMayErr(at, seen) {
			return true
		}
	}
	return false
}

// descentMayErr looks at the states in which a state begins: the initial one, those of all regions, all that a history may resume.
func (d *describer) descentMayErr(state int, seen map[int]bool) bool {
	s := d.flow.States[state]
	for _, c := range s.Children {
		if s.Kind != model.Parallel && c != s.Initial && !d.resumes(state) {
			continue
		}
		if d.enteredMayErr(c, seen) || d.descentMayErr(c, seen) || d.alwaysMayErr(c, seen) {
			return true
		}
	}
	return false
}

func (d *describer) enteredMayErr(state int, seen map[int]bool) bool {
	if seen[state] {
		return false
	}
	seen[state] = true
	for _, f := range d.flow.Data {
		if f.Owner == state && state > 0 && codeMayErr(f.Default) {
			return true
		}
	}
	return stateMayErr(d.flow.States[state]) || d.endMayErr(state, seen)
}

// endMayErr looks at what takes the `completed` or `joined` that entering a final state may make: it runs in the same step.
func (d *describer) endMayErr(final int, seen map[int]bool) bool {
	s := d.flow.States[final]
	if s.Kind != model.Final || s.Parent <= 0 {
		return false
	}
	owner, kind := s.Parent, model.OnCompleted
	if d.flow.States[owner].Kind == model.Region {
		owner, kind = d.flow.States[owner].Parent, model.OnJoined
	}
	found, _ := search(d.flow, owner, kind)
	for _, x := range found {
		if codeMayErr(x.h.Guard) || codeMayErr(x.h.Block) {
			return true
		}
		if x.h.Target.Kind != model.Stay && d.moveMayErrAgain(x.at, x.h.Target, seen) {
			return true
		}
	}
	return false
}

func (d *describer) alwaysMayErr(state int, seen map[int]bool) bool {
	always := -1 - state // its automatic transitions are looked at once
	if seen[always] {
		return false
	}
	seen[always] = true
	for _, a := range d.flow.States[state].Always {
		if codeMayErr(a.Guard) || codeMayErr(a.Block) || d.moveMayErrAgain(state, a.Target, seen) {
			return true
		}
	}
	return false
}

func (d *describer) moveMayErrAgain(from int, t model.Target, seen map[int]bool) bool {
	target := from
	if t.Kind == model.ToState {
		target = t.State
	}
	top := d.around(from, target)
	for i, s := range d.flow.States {
		if within(d.flow, i, top) && i != top && codeMayErr(s.Exit) {
			return true
		}
	}
	return d.entryMayErr(top, target, seen)
}

func stateMayErr(s *model.State) bool {
	if codeMayErr(s.Entry) || codeMayErr(s.Join.Count) {
		return true
	}
	for _, t := range s.Timers {
		if timerMayErr(t) {
			return true
		}
	}
	w := s.Work
	return w != nil && (w.Routine != nil || codeMayErr(w.Args) || codeMayErr(w.Each) || codeMayErr(w.Concurrency) || codeMayErr(w.Key) || codeMayErr(w.Join.Count))
}

// timerMayErr: a duration that is not constant may be null, negative or too long, a zone unknown.
func timerMayErr(t *model.Timer) bool {
	for _, c := range []*model.Code{t.Dur, t.For, t.Times, t.Zone} {
		if c == nil {
			continue
		}
		if _, ok := c.Result.(*model.Const); !ok {
			return true
		}
	}
	return codeMayErr(t.Time)
}

// codeMayErr reports whether code may end in a run-time error. It is true where that is not certain; whatever raises an event counts,
// since its handler runs in the same step.
func codeMayErr(c *model.Code) bool {
	if c == nil {
		return false
	}
	return c.Result != nil && exprMayErr(c.Result) || stmtsMayErr(c.Stmts)
}

func stmtsMayErr(stmts []model.Stmt) bool {
	for _, s := range stmts {
		if stmtMayErr(s) {
			return true
		}
	}
	return false
}

func stmtMayErr(s model.Stmt) bool {
	switch n := s.(type) {
	case *model.Assign:
		for _, step := range n.Place.Path {
			if step.Index != nil {
				return true
			}
		}
		return exprMayErr(n.Value)
	case *model.If:
		return exprMayErr(n.Cond) || stmtsMayErr(n.Then) || stmtsMayErr(n.Else)
	case *model.For:
		return exprMayErr(n.List) || stmtsMayErr(n.Body)
	case *model.Dispatch:
		return exprMayErr(n.Args)
	case *model.Note:
		return exprMayErr(n.Text)
	case *model.Refuse:
		return exprMayErr(n.Text)
	case *model.Fail:
		return exprMayErr(n.Text)
	case *model.Schedule:
		_, constant := n.After.(*model.Const)
		return !constant || exprMayErr(n.Args)
	case *model.Unschedule, *model.Rearm, *model.Break, *model.Continue:
		return false
	}
	return true
}

func anyMayErr(list ...model.Expr) bool {
	for _, e := range list {
		if e != nil && exprMayErr(e) {
			return true
		}
	}
	return false
}

func exprMayErr(e model.Expr) bool {
	switch n := e.(type) {
	case *model.DataRef:
		return n.Unset
	case *model.Const, *model.InputRef, *model.LocalRef, *model.EventField, *model.Active:
		return false
	case *model.FieldRef:
		return exprMayErr(n.X)
	case *model.IndexRef:
		return n.X.Type().Kind != value.Map || anyMayErr(n.X, n.I)
	case *model.Unary:
		return n.Op == model.Neg || exprMayErr(n.X)
	case *model.Binary:
		return arithmetic(n) || anyMayErr(n.X, n.Y)
	case *model.Logic:
		return anyMayErr(n.X, n.Y)
	case *model.Cond:
		return anyMayErr(n.If, n.X, n.Y)
	case *model.In:
		return anyMayErr(n.X, n.L)
	case *model.Interp:
		return anyMayErr(n.Parts...)
	case *model.ListLit:
		return anyMayErr(n.Items...)
	case *model.RecordLit:
		return anyMayErr(n.Fields...)
	case *model.MapLit:
		return anyMayErr(n.Keys...) || anyMayErr(n.Values...)
	case *model.CallFunc:
		return anyMayErr(n.Args...) || exprMayErr(n.Func.Body)
	case *model.Convert:
		return exprMayErr(n.X)
	case *model.CallBuiltin:
		return !harmless[n.Name] || anyMayErr(n.Args...)
	}
	return true
}

// arithmetic reports whether an operator may overflow or divide by zero; strings and lists only grow.
func arithmetic(n *model.Binary) bool {
	if n.Op >= model.Eq {
		return false
	}
	k := n.T.Kind
	return n.Op != model.Add || k != value.String && k != value.List
}

// harmless are the built-ins without an error of their own.
var harmless = map[string]bool{
	"now": true, "entered_at": true, "token.id": true, "token.key": true, "token.started_at": true, "len": true, "contains": true,
	"starts_with": true, "ends_with": true, "lower": true, "upper": true, "trim": true, "keys": true, "values": true,
}
