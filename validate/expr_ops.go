package validate

import (
	"math"
	"strconv"
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

var strictOps = map[string]value.Op{
	"+": value.OpAdd, "-": value.OpSub, "*": value.OpMul, "/": value.OpDiv, "%": value.OpRem,
	"==": value.OpEq, "!=": value.OpNe, "<": value.OpLt, "<=": value.OpLe, ">": value.OpGt, ">=": value.OpGe,
}

func (x *coder) unary(e *grammar.UnaryExpr, want *value.Type) result {
	if e.Op == "not" {
		r := x.needBool(e.X, "the operand of `not`")
		if k, ok := r.m.(*model.Const); ok && !isBad(k) {
			return result{m: x.constant(value.TypeBool, value.Not(k.Value), e.Span())}
		}
		if isBad(r.m) {
			return result{m: x.bad(e.Span())}
		}
		return result{m: &model.Unary{Typed: x.typed(value.TypeBool, e.Span()), Op: model.Not, X: r.m}, yes: r.no, no: r.yes}
	}
	if least, ok := leastInt(e.X); ok {
		return result{m: x.constant(value.TypeInt, least, e.Span())}
	}
	m := x.expr(e.X, want)
	t := m.Type()
	switch {
	case isBad(m):
		return result{m: x.bad(e.Span())}
	case t.Kind != value.Int && t.Kind != value.Decimal && t.Kind != value.Duration:
		x.c.report(x.env.of(e), diag.TypeMismatch, "`-` takes a number or a duration, and this is `%s`", t)
		return result{m: x.bad(e.Span())}
	case t.Optional:
		x.notTested(e.X, "`-` takes a value, and %s may be null")
		return result{m: x.bad(e.Span())}
	}
	if k, ok := m.(*model.Const); ok {
		if v, err := value.Neg(k.Value); err == nil {
			return result{m: x.constant(t, v, e.Span())}
		}
	}
	return result{m: &model.Unary{Typed: x.typed(t, e.Span()), Op: model.Neg, X: m}}
}

// leastInt is the one int that a `-` brings into reach: 64 bits hold -9223372036854775808 and not its opposite.
func leastInt(operand grammar.Expr) (value.Value, bool) {
	l, ok := operand.(*grammar.Literal)
	if !ok || l.Kind != grammar.Int || strings.ReplaceAll(l.Text, "_", "") != strings.TrimPrefix(strconv.FormatInt(math.MinInt64, 10), "-") {
		return value.Value{}, false
	}
	return value.OfInt(math.MinInt64), true
}

func (x *coder) binary(e *grammar.BinaryExpr, want *value.Type) result {
	switch e.Op {
	case "and", "or":
		return x.logic(e)
	case "??":
		return result{m: x.coalesce(e, want)}
	case "in", "not in":
		return result{m: x.in(e)}
	}
	op, ok := strictOps[e.Op]
	if !ok {
		x.expr(e.X, nil)
		x.expr(e.Y, nil)
		return result{m: x.bad(e.Span())}
	}
	return x.strict(e, op, want)
}

// logic is `and` and `or`; the right side is checked with what the left side has shown by then.
func (x *coder) logic(e *grammar.BinaryExpr) result {
	what := "an operand of `" + e.Op + "`"
	a := x.needBool(e.X, what)
	seen := a.yes
	if e.Op == "or" {
		seen = a.no
	}
	var b result
	x.under(seen, func() { b = x.needBool(e.Y, what) })
	r := result{yes: join(a.yes, b.yes), no: both(a.no, b.no)}
	op := model.And
	if e.Op == "or" {
		op = model.Or
		r.yes, r.no = both(a.yes, b.yes), join(a.no, b.no)
	}
	r.m = x.foldLogic(e, op, a.m, b.m)
	return r
}

func (x *coder) foldLogic(e *grammar.BinaryExpr, op model.LogicOp, a, b model.Expr) model.Expr {
	if isBad(a) || isBad(b) {
		return x.bad(e.Span())
	}
	if k, ok := a.(*model.Const); ok {
		if k.Value.Bool() == (op == model.Or) {
			return x.constant(value.TypeBool, k.Value, e.Span())
		}
		return b
	}
	return &model.Logic{Typed: x.typed(value.TypeBool, e.Span()), Op: op, X: a, Y: b}
}

// coalesce is `x ?? y`.
func (x *coder) coalesce(e *grammar.BinaryExpr, want *value.Type) model.Expr {
	a := x.expr(e.X, want)
	ta := a.Type()
	hint := want
	if ta.Kind != value.Invalid && ta.Kind != value.Null && !hollow(ta) {
		hint = ta.Base()
	}
	b := x.expr(e.Y, hint)
	if isBad(a) || isBad(b) {
		return x.bad(e.Span())
	}
	t, ok := value.Common(ta.Base(), b.Type())
	if ta.Kind == value.Null {
		t, ok = b.Type(), true
	}
	if !ok {
		x.c.report(x.env.of(e.Y), diag.TypeMismatch, "the value for null is `%s`, and the one before `??` is `%s`", b.Type(), ta.Base())
		return x.bad(e.Span())
	}
	if !ta.Optional {
		return x.coerce(e.X, a, t, "the value")
	}
	a = x.coerce(e.X, a, value.Opt(t), "the value before `??`")
	b = x.coerce(e.Y, b, t, "the value after `??`")
	if k, ok := a.(*model.Const); ok {
		if k.Value.IsNull() {
			return b
		}
		return x.constant(t, k.Value, e.Span())
	}
	return &model.Logic{Typed: x.typed(t, e.Span()), Op: model.Coalesce, X: a, Y: b}
}

// in is `x in l` and `x not in l`.
func (x *coder) in(e *grammar.BinaryExpr) model.Expr {
	a, l := x.expr(e.X, nil), x.expr(e.Y, nil)
	t := l.Type()
	if isBad(l) {
		return x.bad(e.Span())
	}
	if t.Optional {
		x.notTested(e.Y, "`in` looks into a list or a map, and %s may be null")
		return x.bad(e.Span())
	}
	switch t.Kind {
	case value.List:
		a = x.coerce(e.X, a, t.Elem, "what is looked for in `"+t.String()+"`")
	case value.Map:
		a = x.coerce(e.X, a, value.TypeString, "a map's key")
	default:
		n := x.c.report(x.env.of(e.Y), diag.TypeMismatch, "`in` looks into a list or a map, and this is `%s`", t)
		if t.Kind == value.String {
			n.help("write `contains(%s, %s)`", x.text(e.Y), x.text(e.X))
		}
		return x.bad(e.Span())
	}
	if isBad(a) {
		return x.bad(e.Span())
	}
	not := e.Op == "not in"
	if ka, ok := a.(*model.Const); ok {
		if kl, ok := l.(*model.Const); ok {
			return x.constant(value.TypeBool, value.OfBool(value.In(ka.Value, kl.Value) != not), e.Span())
		}
	}
	return &model.In{Typed: x.typed(value.TypeBool, e.Span()), X: a, L: l, Not: not}
}

// conditional is `c ? a : b`.
func (x *coder) conditional(e *grammar.CondExpr, want *value.Type) result {
	c := x.needBool(e.Cond, "the condition of `? :`")
	var a, b result
	x.under(c.yes, func() { a = x.eval(e.Then, want) })
	x.under(c.no, func() { b = x.eval(e.Else, want) })
	if isBad(c.m) || isBad(a.m) || isBad(b.m) {
		return result{m: x.bad(e.Span())}
	}
	t, ok := value.Common(a.m.Type(), b.m.Type())
	if want != nil && want.Kind == value.JSON && isLiteral(e.Then) && isLiteral(e.Else) {
		t, ok = want, true
	}
	if !ok {
		x.c.report(x.env.of(e), diag.TypeMismatch, "the two values are `%s` and `%s`, and must be of one type", a.m.Type(), b.m.Type())
		return result{m: x.bad(e.Span())}
	}
	am := x.coerce(e.Then, a.m, t, "the first value")
	bm := x.coerce(e.Else, b.m, t, "the second value")
	r := result{yes: both(join(c.yes, a.yes), join(c.no, b.yes)), no: both(join(c.yes, a.no), join(c.no, b.no))}
	if k, ok := c.m.(*model.Const); ok {
		r.m = bm
		if k.Value.Bool() {
			r.m = am
		}
		return r
	}
	r.m = &model.Cond{Typed: x.typed(t, e.Span()), If: c.m, X: am, Y: bm}
	return r
}
