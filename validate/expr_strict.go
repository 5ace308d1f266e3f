package validate

import (
	"slices"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// strict is an operator that needs both operands.
func (x *coder) strict(e *grammar.BinaryExpr, op value.Op, want *value.Type) result {
	if left, ok := e.X.(*grammar.BinaryExpr); ok && op >= value.OpEq && compares(left) {
		x.operands(left, op, nil) // the parser has reported the chain
		x.expr(e.Y, nil)
		return result{m: x.badBool(e.Span())}
	}
	if x.stateTest(e) {
		return result{m: x.badBool(e.Span())}
	}
	a, b := x.operands(e, op, want)
	ta, tb := a.Type(), b.Type()
	result0 := result{m: x.bad(e.Span())}
	if op >= value.OpEq {
		result0.m = x.badBool(e.Span())
	}
	if isBad(a) || isBad(b) {
		return result0
	}
	if r, ok := x.nullTest(e, op, a, b); ok {
		return r
	}
	if compares := op == value.OpEq || op == value.OpNe; compares && ta.Optional != tb.Optional && !isNull(ta) && !isNull(tb) {
		if _, _, _, ok, _ := value.OperandTypes(op, ta.Base(), tb.Base()); ok {
			side := e.X
			if tb.Optional {
				side = e.Y
			}
			x.notTested(side, "%s may be null, and is compared with a value that is never null")
			return result0
		}
	}
	t, toX, toY, ok, nullable := value.OperandTypes(op, ta, tb)
	if !ok {
		x.badOperands(e, op, a, b, nullable)
		return result0
	}
	a, b = x.toOperand(e.X, a, toX), x.toOperand(e.Y, b, toY)
	x.checkCode(e, op, a, b)
	if m := x.foldStrict(e, op, t, a, b); m != nil {
		return result{m: m}
	}
	return result{m: &model.Binary{Typed: x.typed(t, e.Span()), Op: model.BinaryOp(op), X: a, Y: b}}
}

func compares(e *grammar.BinaryExpr) bool {
	switch e.Op {
	case "==", "!=", "<", "<=", ">", ">=", "in", "not in":
		return true
	}
	return false
}

// badBool stands for a comparison that has its finding: it is known to be a bool all the same, but nothing more.
func (x *coder) badBool(span grammar.Span) model.Expr { return x.bad(span) }

func isNull(t *value.Type) bool { return t.Kind == value.Null }

// operands checks both sides; a literal takes its type from the other side.
func (x *coder) operands(e *grammar.BinaryExpr, op value.Op, want *value.Type) (a, b model.Expr) {
	if op >= value.OpEq {
		want = nil
	}
	if isLiteral(e.X) && !isLiteral(e.Y) {
		b = x.expr(e.Y, want)
		a = x.expr(e.X, hint(b, want))
		return x.literalAs(e.X, a, b), b
	}
	a = x.expr(e.X, want)
	b = x.expr(e.Y, hint(a, want))
	return a, x.literalAs(e.Y, b, a)
}

func hint(other model.Expr, want *value.Type) *value.Type {
	switch t := other.Type(); {
	case isBad(other):
		return value.TypeInvalid
	case hollow(t):
		return want
	case t.Kind == value.Record, t.Kind == value.List, t.Kind == value.Map, t.Kind == value.JSON:
		return t.Base()
	}
	return want
}

// literalAs makes a literal beside json json.
func (x *coder) literalAs(e grammar.Expr, m, other model.Expr) model.Expr {
	if other.Type().Kind == value.JSON && isLiteral(e) && m.Type().Kind != value.Null {
		return x.coerce(e, m, value.TypeJSON, "the other side")
	}
	return m
}

func (x *coder) toOperand(e grammar.Expr, m model.Expr, t *value.Type) model.Expr {
	if t == nil || t.Kind == value.Invalid {
		return m
	}
	return x.coerce(e, m, t, "an operand")
}

// nullTest is a comparison with null, which shows something about the other side.
func (x *coder) nullTest(e *grammar.BinaryExpr, op value.Op, a, b model.Expr) (result, bool) {
	if op != value.OpEq && op != value.OpNe || !isNull(a.Type()) && !isNull(b.Type()) {
		return result{}, false
	}
	if isNull(a.Type()) {
		a, b = b, a
	}
	if isNull(a.Type()) {
		return result{m: x.constant(value.TypeBool, value.OfBool(op == value.OpEq), e.Span())}, true
	}
	r := result{m: &model.Binary{Typed: x.typed(value.TypeBool, e.Span()), Op: model.BinaryOp(op), X: a, Y: x.retyped(b, value.Opt(a.Type()))}}
	if k := key(a); k != "" {
		if op == value.OpNe {
			r.yes = []string{k}
		} else {
			r.no = []string{k}
		}
	}
	return r, true
}

// badOperands reports operands that the operator does not take.
func (x *coder) badOperands(e *grammar.BinaryExpr, op value.Op, a, b model.Expr, nullable bool) {
	ta, tb := a.Type(), b.Type()
	if nullable {
		side := e.X
		if !ta.Optional {
			side = e.Y
		}
		x.notTested(side, "`"+op.String()+"` takes values, and %s may be null")
		return
	}
	for _, p := range []struct {
		number, other model.Expr
		at            grammar.Expr
	}{{a, b, e.X}, {b, a, e.Y}} {
		with := p.other.Type().Base().Kind
		adds := op == value.OpAdd || op == value.OpSub || op >= value.OpEq && with == value.Duration
		if adds && (with == value.Duration || with == value.Time) && p.number.Type().Numeric() && isConst(p.number) {
			x.missingUnit(p.at, "what stands beside a `"+with.String()+"`")
			return
		}
	}
	if op >= value.OpEq {
		n := x.c.report(x.env.of(e), diag.TypeMismatch, "`%s` and `%s` cannot be compared with `%s`", ta, tb, op)
		switch {
		case ta.Equal(tb):
			n.help("values of this type have no order; only numbers, strings, durations, times and enums do")
		case ta.Base().Kind == value.Enum && tb.Base().Kind == value.String || tb.Base().Kind == value.Enum && ta.Base().Kind == value.String:
			x.helpEnum(n, e, a, b)
		default:
			n.help("values of different types are never equal; compare values of one type")
		}
		return
	}
	n := x.c.report(x.env.of(e), diag.TypeMismatch, "`%s` does not take `%s` and `%s`", op, ta, tb)
	switch {
	case op == value.OpAdd && (ta.Kind == value.String || tb.Kind == value.String):
		n.help("write the value into the string: `\"… {%s}\"`", x.text(pick(ta.Kind == value.String, e.Y, e.X)))
	case op == value.OpAdd && ta.Kind == value.List && value.Assignable(tb, ta.Elem):
		n.help("add a list: `[%s]`", x.text(e.Y))
	case op == value.OpAdd && ta.Kind == value.Time && tb.Kind == value.Time:
		n.help("a duration is added to an instant; the time between two instants is `a - b`")
	case op == value.OpMul && ta.Kind == value.Duration && tb.Kind == value.Decimal:
		n.help("a duration is multiplied by an int")
	}
}

func pick(first bool, a, b grammar.Expr) grammar.Expr {
	if first {
		return a
	}
	return b
}

// foldStrict computes an operator on two constants, nil when it must be left to the run.
func (x *coder) foldStrict(e *grammar.BinaryExpr, op value.Op, t *value.Type, a, b model.Expr) model.Expr {
	ka, ok := a.(*model.Const)
	if !ok {
		return nil
	}
	kb, ok := b.(*model.Const)
	if !ok {
		return nil
	}
	v, err := value.Binary(op, ka.Value, kb.Value)
	if t.Kind == value.Duration && (err != nil && op != value.OpDiv || err == nil && abs(v.Micros()) > value.MaxWait) {
		text := "`" + x.text(e) + "`"
		if err == nil {
			text += " (" + v.String() + ")"
		}
		x.tooLong(e.Span(), text)
		return x.bad(e.Span())
	}
	if err != nil {
		if x.where == inConstant {
			x.c.report(x.env.of(e), diag.TypeMismatch, "this has no value: %s", errorText(err))
			return x.bad(e.Span())
		}
		return nil
	}
	return x.constant(t, v, e.Span())
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

func errorText(err error) string {
	if e, ok := err.(*value.Error); ok {
		return e.Message
	}
	return err.Error()
}

// helpEnum says how the value of an enum is written which a string is compared with.
func (x *coder) helpEnum(n *note, e *grammar.BinaryExpr, a, b model.Expr) {
	at, text, typed := e.Y, b, a
	if a.Type().Base().Kind == value.String {
		at, text, typed = e.X, a, b
	}
	enum := typed.Type().Base()
	if k, ok := text.(*model.Const); ok && slices.Contains(enum.Decl.Members, k.Value.Str()) {
		meant := enum.String() + "." + k.Value.Str()
		n.help("write `%s`", meant).fix("Write `"+meant+"`", at.Span(), meant)
		return
	}
	n.help("write the enum's value as `%s.%s`", enum, enum.Decl.Members[0])
}
