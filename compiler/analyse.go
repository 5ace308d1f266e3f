package compiler

import "flowc/validate/model"

// refuses reports whether every way through the statements ends in `refuse`.
func refuses(stmts []model.Stmt) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *model.Refuse:
			return true
		case *model.Fail:
			return false
		case *model.If:
			if refuses(s.Then) && refuses(s.Else) {
				return true
			}
		}
	}
	return false
}

// readsEvent reports whether an expression reads the event's payload or its sender. Functions cannot.
func readsEvent(e model.Expr) bool {
	if _, ok := e.(*model.EventField); ok {
		return true
	}
	for _, part := range parts(e) {
		if readsEvent(part) {
			return true
		}
	}
	return false
}

// parts returns the expressions that stand directly in e.
func parts(e model.Expr) []model.Expr {
	switch e := e.(type) {
	case *model.FieldRef:
		return []model.Expr{e.X}
	case *model.IndexRef:
		return []model.Expr{e.X, e.I}
	case *model.Must:
		return []model.Expr{e.X}
	case *model.Unary:
		return []model.Expr{e.X}
	case *model.Binary:
		return []model.Expr{e.X, e.Y}
	case *model.Logic:
		return []model.Expr{e.X, e.Y}
	case *model.Cond:
		return []model.Expr{e.If, e.X, e.Y}
	case *model.In:
		return []model.Expr{e.X, e.L}
	case *model.Interp:
		return e.Parts
	case *model.ListLit:
		return e.Items
	case *model.RecordLit:
		return e.Fields
	case *model.MapLit:
		return append(append([]model.Expr(nil), e.Keys...), e.Values...)
	case *model.CallFunc:
		return e.Args
	case *model.CallBuiltin:
		if e.Lambda != nil {
			return append(append([]model.Expr(nil), e.Args...), e.Lambda.Body)
		}
		return e.Args
	case *model.Convert:
		return []model.Expr{e.X}
	}
	return nil
}
