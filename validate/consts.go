package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A constant is a `const`, folded when it is first asked for.
type constant struct {
	sym   *symbol
	decl  *grammar.ConstDecl
	state uint8 // folding: 0 not yet, 1 under way, 2 done
	typ   *value.Type
	val   value.Value
}

// fold computes a constant. What cannot be folded is reported once and has the type Invalid.
func (c *checker) fold(k *constant) {
	if k.state != 0 {
		return
	}
	k.state, k.typ = 1, value.TypeInvalid
	x := c.coder(k.sym.env, nil, nil, inConstant)
	got := x.expr(k.decl.Value, nil)
	k.state = 2
	lit, ok := got.(*model.Const)
	if !ok {
		x.notConstant(k.decl.Value, "a constant")
		return
	}
	k.typ, k.val = lit.T, lit.Value
	if k.sym.def != nil {
		k.sym.def.Type = k.typ
	}
}

// constRef is the use of a constant. One that is being folded is used in its own value.
func (x *coder) constRef(s *symbol, at grammar.Span) model.Expr {
	k := s.constant
	if k == nil {
		return x.bad(at)
	}
	if k.state == 1 {
		x.c.report(x.env.at(at), diag.RecursiveFunction, "the constant `%s` is defined by itself", s.name).
			related(s.env.of(s.ident), "declared here")
		return x.bad(at)
	}
	x.c.fold(k)
	return &model.Const{Typed: x.typed(k.typ, at), Value: k.val}
}

// notConstant reports an expression whose value is only known when a token runs; what is Invalid has its finding already.
func (x *coder) notConstant(e grammar.Expr, what string) {
	x.c.report(x.env.of(e), diag.TypeMismatch, "%s is computed when the file is checked, and this value is only known when a token runs", what).
		help("write literals, constants, operators and built-in functions that do not read the clock")
}

// literal is the expression of a literal.
func (x *coder) literal(l *grammar.Literal) model.Expr {
	span := l.Span()
	switch l.Kind {
	case grammar.True, grammar.False:
		return x.constant(value.TypeBool, value.OfBool(l.Kind == grammar.True), span)
	case grammar.Null:
		return x.constant(value.TypeNull, value.OfNull(), span)
	case grammar.Int:
		v, err := value.ParseInt(l.Text)
		if err != nil {
			n := x.c.report(x.env.at(span), diag.TypeMismatch, "`%s` does not fit an int, which has 64 bits", l.Text)
			if _, err := value.ParseDecimal(l.Text + ".0"); err == nil {
				n.help("write a decimal: `%s.0`", l.Text)
			}
			return x.bad(span)
		}
		return x.constant(value.TypeInt, v, span)
	case grammar.Decimal:
		v, err := value.ParseDecimal(l.Text)
		if err != nil {
			x.c.report(x.env.at(span), diag.TypeMismatch, "`%s` does not fit a decimal, which has 34 digits", l.Text)
			return x.bad(span)
		}
		return x.constant(value.TypeDecimal, v, span)
	case grammar.Duration, grammar.BadDuration:
		return x.duration(l)
	}
	return x.bad(span)
}

const second = 1_000_000

func (x *coder) duration(l *grammar.Literal) model.Expr {
	span := l.Span()
	if l.Meant == "" {
		return x.bad(span)
	}
	s, ok := l.Seconds()
	if !ok || s > grammar.MaxDurationSeconds {
		if l.Kind == grammar.Duration {
			x.tooLong(span, "`"+l.Text+"`")
		}
		return x.bad(span)
	}
	return x.constant(value.TypeDuration, value.OfDuration(s*second), span)
}

func (x *coder) tooLong(span grammar.Span, text string) {
	x.c.report(x.env.at(span), diag.DurationTooLong, "%s is longer than 3650d, the longest duration there is", text).
		help("write at most `3650d`, or compute the instant and use `at`")
}
