package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A result is an expression with what is known when it is true and when it is false.
type result struct {
	m       model.Expr
	yes, no []string
}

// expr checks an expression. want is the type of the place, for literals that need one; the result may have another type.
func (x *coder) expr(e grammar.Expr, want *value.Type) model.Expr { return x.eval(e, want).m }

func (x *coder) eval(e grammar.Expr, want *value.Type) result {
	if x.depth++; x.depth > 2*grammar.MaxExprNodes {
		x.depth--
		return result{m: x.bad(e.Span())} // the parser has reported it
	}
	r := x.evalKind(e, want)
	x.depth--
	if e != nil && (x.env.use == nil || x.env.use.first) {
		x.c.info.typed(x.env.file, e.Span(), r.m)
	}
	return r
}

func (x *coder) evalKind(e grammar.Expr, want *value.Type) result {
	if e != nil && e.Broken() && !x.quiet {
		return x.cutShort(e)
	}
	switch e := e.(type) {
	case *grammar.Literal:
		return result{m: x.literal(e)}
	case *grammar.NameExpr:
		return result{m: x.name(e)}
	case *grammar.SelectExpr:
		return result{m: x.selected(e)}
	case *grammar.IndexExpr:
		return result{m: x.index(e)}
	case *grammar.CallExpr:
		return result{m: x.call(e, want)}
	case *grammar.NonNullExpr:
		return result{m: x.nonNull(e, want)}
	case *grammar.UnaryExpr:
		return x.unary(e, want)
	case *grammar.BinaryExpr:
		return x.binary(e, want)
	case *grammar.CondExpr:
		return x.conditional(e, want)
	case *grammar.ParenExpr:
		return x.eval(e.X, want)
	case *grammar.ListLit:
		return result{m: x.list(e, want)}
	case *grammar.RecordLit:
		return result{m: x.braces(e, want)}
	case *grammar.StringLit:
		return result{m: x.stringLit(e)}
	case *grammar.LambdaExpr:
		x.c.report(x.env.of(e), diag.TypeMismatch, "a function written with `=>` stands only as a whole argument of a built-in function")
		return result{m: x.bad(e.Span())}
	case nil:
		return result{m: x.bad(grammar.Span{})}
	}
	return result{m: x.bad(e.Span())}
}

// cutShort is an expression whose rest could not be read, and has its finding: what stands there is mentioned, and nothing more is
// said of it.
func (x *coder) cutShort(e grammar.Expr) result {
	x.quietly(e)
	return result{m: x.bad(e.Span())}
}

// need checks an expression that must have the type; what says what it is for, in the message.
func (x *coder) need(e grammar.Expr, want *value.Type, what string) model.Expr {
	return x.coerce(e, x.expr(e, want), want, what)
}

// needBool checks a condition.
func (x *coder) needBool(e grammar.Expr, what string) result {
	r := x.eval(e, value.TypeBool)
	r.m = x.coerce(e, r.m, value.TypeBool, what)
	return r
}

// coerce makes an expression one of the type, or reports why it is none.
func (x *coder) coerce(e grammar.Expr, m model.Expr, want *value.Type, what string) model.Expr {
	got := m.Type()
	if isBad(m) || want == nil || want.Kind == value.Invalid {
		return m
	}
	if want.Kind == value.JSON && got.Kind != value.JSON {
		if got.Kind == value.Null && want.Optional {
			return x.retyped(m, want)
		}
		if isLiteral(e) {
			return x.convert(m, want.Base())
		}
	}
	if !value.Assignable(got, want) {
		x.mismatch(e, m, want, what)
		return x.bad(e.Span())
	}
	if got.Kind == value.Int && want.Kind == value.Decimal {
		t := value.TypeDecimal
		if got.Optional {
			t = value.Opt(t)
		}
		return x.convert(m, t)
	}
	return x.retyped(m, want)
}

// retyped gives a constant the type of its place: null and empty lists have none of their own.
func (x *coder) retyped(m model.Expr, want *value.Type) model.Expr {
	switch m := m.(type) {
	case *model.Const:
		if m.T.Kind == value.Null || m.T.Kind == value.List || m.T.Kind == value.Map {
			k := *m
			k.T = want
			return &k
		}
	case *model.ListLit:
		m.T = want.Base()
	case *model.MapLit:
		m.T = want.Base()
	}
	return m
}

func (x *coder) convert(m model.Expr, to *value.Type) model.Expr {
	t := model.Typed{T: to, Pos: m.Position()}
	if k, ok := m.(*model.Const); ok {
		if v, err := value.Convert(k.Value, to); err == nil {
			return &model.Const{Typed: t, Value: v}
		}
	}
	return &model.Convert{Typed: t, X: m}
}

// mismatch reports a value that does not fit, with the id that says most.
func (x *coder) mismatch(e grammar.Expr, m model.Expr, want *value.Type, what string) {
	got := m.Type()
	at := x.env.of(e)
	switch {
	case got.Kind == value.Null:
		x.c.report(at, diag.TypeMismatch, "%s is `%s`, which is never null", what, want).
			help("where it may be null, declare it as `%s?`", want)
	case got.Optional && value.Assignable(got.Base(), want):
		x.notTested(e, what+" is `"+want.String()+"`, and %s may be null")
	case want.Kind == value.Duration && got.Numeric() && isConst(m):
		x.missingUnit(e, what)
	case want.Kind == value.JSON:
		x.c.report(at, diag.TypeMismatch, "%s is json, and this is `%s`", what, got).
			help("only a literal becomes json by itself: write `{\"key\": …}` or `[…]` around it")
	default:
		n := x.c.report(at, diag.TypeMismatch, "%s is `%s`, and this is `%s`", what, want, got)
		switch {
		case want.Kind == value.Duration && x.helpQuoted(n, e, m):
		case want.Base().Kind == value.Time && got.Kind == value.String && x.helpInstant(n, e, m):
		case want.Base().Numeric() && x.helpNumber(n, e, m):
		default:
			n.helpConvert(got, want)
		}
	}
}

// needTime checks an expression where the language asks for an instant.
func (x *coder) needTime(e grammar.Expr, want *value.Type, what string) model.Expr {
	m := x.expr(e, want)
	t := m.Type()
	if isBad(m) || value.Assignable(t, want) || t.Kind == value.Time || t.Kind == value.Null {
		return x.coerce(e, m, want, what)
	}
	x.notATime(e, m, what)
	return x.bad(e.Span())
}

func (x *coder) notATime(e grammar.Expr, m model.Expr, what string) {
	n := x.c.report(x.env.of(e), diag.NotATime, "%s is an instant (`time`), and this is `%s`", what, m.Type())
	switch m.Type().Kind {
	case value.Duration:
		n.help("a duration stands without `at`, as in `after %s` or `timeout %s`; an instant is `now() + %s`", x.text(e), x.text(e), x.text(e))
	case value.String:
		if !x.helpInstant(n, e, m) {
			n.help("write `time(\"2026-03-29T01:00:00Z\")`")
		}
	}
}

// notTested reports a value that may be null where it must not be.
// why holds what is done with it, with %s for the value.
func (x *coder) notTested(e grammar.Expr, why string) {
	text, named := x.text(e), "this"
	if len(text) <= 40 {
		named = "`" + text + "`"
	} else {
		text = "…"
	}
	n := x.c.report(x.env.of(e), diag.NullNotTested, "%s", strings.Replace(why, "%s", named, 1))
	switch {
	case x.where == inTest:
		n.help("`%s!` says that there is a value, and the test fails where there is none; another value for null is `(%s ?? …)`", text, text)
	case strings.Contains(why, "a field of it"):
		n.help("test it first: `if %s != null { … }`, or in the guard", text)
	default:
		n.help("test it first (`if %s != null { … }`, or in the guard), or give a value for null: `(%s ?? …)`", text, text)
	}
}

func (x *coder) missingUnit(e grammar.Expr, what string) {
	text := x.text(e)
	n := x.c.report(x.env.of(e), diag.DurationMissingUnit, "%s is a duration, and `%s` has no unit", what, text)
	if l, ok := e.(*grammar.Literal); ok && l.Kind == grammar.Int {
		n.help("write `%ss`, `%sm`, `%sh` or `%sd`", text, text, text, text)
		return
	}
	n.help("multiply it with a unit: `1m * …`")
}

// helpConvert says how to come from one type to another where there is a way.
func (n *note) helpConvert(got, want *value.Type) {
	switch {
	case want.Kind == value.String && got.Kind != value.Invalid:
		n.help("write it into a string: `\"{…}\"`")
	case want.Kind == value.Int && got.Kind == value.Decimal:
		n.help("a decimal does not become an int by itself; declare the place as `decimal`")
	case want.Kind == value.Duration && got.Kind == value.Int:
		n.help("multiply it with a unit: `1h * …`")
	case want.Kind == value.Duration && got.Kind == value.Time:
		n.help("an instant stands behind `at` or `until`")
	case want.Kind == value.Duration:
		n.help("write a whole number and one unit: `30s`, `10m`, `6h` or `2d`")
	case want.Base().Kind == value.Time && got.Kind == value.String:
		n.help("an instant is `time(\"2026-03-29T01:00:00Z\")`, or `now()` and a duration")
	case want.Base().Numeric() && got.Kind == value.String:
		n.help("a text does not become a number; declare where it comes from as `%s`", want.Base())
	case want.Kind == value.Bool && got.Kind == value.String:
		n.help("write `true` or `false`, or compare it with something: `… == …`")
	case want.Kind == value.Bool:
		n.help("compare it with something: `… == …`, `… > …`")
	case (want.Kind == value.List) && value.Assignable(got, want.Elem):
		n.help("write a list: `[…]`")
	}
}

// text is the expression as written.
func (x *coder) text(e grammar.Node) string {
	s := e.Span()
	return string(x.env.file.ast.Src[s.Start:s.End])
}

func isConst(m model.Expr) bool {
	_, ok := m.(*model.Const)
	return ok
}

// isLiteral reports whether an expression is written as a literal, which takes its type from its place.
func isLiteral(e grammar.Expr) bool {
	switch e := e.(type) {
	case *grammar.Literal, *grammar.StringLit, *grammar.ListLit, *grammar.RecordLit:
		return true
	case *grammar.UnaryExpr:
		return e.Op == "-" && isLiteral(e.X)
	case *grammar.ParenExpr:
		return isLiteral(e.X)
	}
	return false
}
