package validate

import (
	"flowc/grammar"
	"flowc/validate/builtin"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

func isBuiltin(name string) bool {
	f, ok := builtin.Lookup(name)
	return ok && !f.Bare
}

// call is the call of a function: a declared one, one behind an import, a fragment's parameter, or a built-in.
func (x *coder) call(e *grammar.CallExpr, want *value.Type) model.Expr {
	ids := ref(chain(e.Fun))
	if ids == nil {
		x.c.report(x.env.of(e.Fun), diag.UnknownFunction, "only functions are called, and this is a value")
		x.anyArgs(e)
		return x.bad(e.Span())
	}
	if s, ok := x.c.functionParam(x.env, ids); ok {
		x.param = true
		return x.callFunction(e, s)
	}
	if s := x.c.find(x.env, symFunc, ids); s != nil {
		return x.callFunction(e, s)
	}
	if f, ok := builtin.Lookup(ids.String()); ok && !f.Bare {
		if f.State {
			return x.active(e)
		}
		return x.callBuiltin(e, f, want)
	}
	if x.methodCall(e, ids) {
		for _, a := range e.Args.List() {
			if a != nil && a.Value != nil {
				x.quietly(a.Value)
			}
		}
		return x.bad(e.Span())
	}
	x.unknownFunction(e, ids)
	return x.bad(e.Span())
}

// findFunction resolves the name of a declared function.
func (c *checker) findFunction(e *env, r ref) *symbol {
	if s, ok := c.functionParam(e, r); ok {
		return s
	}
	return c.resolve(e, symFunc, r)
}

// functionParam is what a fragment's parameter of kind fn stands for, nil when that is not known; it reports false for other names.
func (c *checker) functionParam(e *env, r ref) (*symbol, bool) {
	if e.use == nil || len(r) != 1 || e.use.kinds[r[0].Text] != "fn" {
		return nil, false
	}
	c.info.refer(e.file, r.span(), e.use.defs[r[0].Text])
	return e.use.fns[r[0].Text], true
}

func (x *coder) unknownFunction(e *grammar.CallExpr, ids ref) {
	if len(ids) == 1 && x.env.file.partial || len(ids) > 1 && x.c.unknownAlias(x.env, ids) {
		x.anyArgs(e)
		return
	}
	names := x.env.file.names(symFunc)
	for _, f := range builtin.All() {
		if !f.Bare {
			names = append(names, f.Name)
		}
	}
	n := x.c.report(x.env.ofRef(ids), diag.UnknownFunction, "there is no function `%s`", ids)
	if !x.otherFunctionName(n, e, ids.String(), ids.span()) {
		n.didYouMean(ids.span(), ids.String(), names)
	}
	if diag.Nearest(ids.String(), names) == "active" { // its argument is a state, no value
		return
	}
	x.anyArgs(e)
	if n.f.Help == "" {
		n.help("declare it: `fn %s(…) -> TYPE = …`", ids.last().Text)
	}
}

// anyArgs checks arguments for their own sake.
func (x *coder) anyArgs(e *grammar.CallExpr) {
	for _, a := range e.Args.List() {
		if a != nil && a.Value != nil {
			if _, ok := a.Value.(*grammar.LambdaExpr); !ok {
				x.expr(a.Value, value.TypeInvalid)
			}
		}
	}
}

// callFunction is the call of a declared function.
func (x *coder) callFunction(e *grammar.CallExpr, s *symbol) model.Expr {
	if s == nil || s.fn == nil {
		x.anyArgs(e)
		return x.bad(e.Span())
	}
	fn, args := s.fn, e.Args.List()
	if x.fn != nil {
		x.fn.calls = append(x.fn.calls, funcCall{fn, x.env.of(e.Fun)})
	}
	x.clock = x.clock || fn.clock
	out := &model.CallFunc{Typed: x.typed(fn.m.Result, e.Span()), Func: fn.m}
	broken := false
	for i, a := range args {
		if a == nil || a.Value == nil {
			broken = true
			continue
		}
		if i >= len(fn.m.Params) {
			x.c.report(x.env.of(a), diag.UnknownArgument, "`%s` takes %s", s.name, arguments(len(fn.m.Params)))
			x.expr(a.Value, value.TypeInvalid)
			broken = true
			break
		}
		m := x.need(a.Value, fn.m.Params[i].Type, "the argument `"+fn.m.Params[i].Name+"`")
		broken = broken || isBad(m)
		out.Args = append(out.Args, m)
	}
	if len(args) < len(fn.m.Params) {
		x.c.report(x.env.of(e.Fun), diag.MissingArgument, "`%s` takes %s, and `%s` is missing", s.name, arguments(len(fn.m.Params)), fn.m.Params[len(args)].Name)
		broken = true
	}
	if broken || fn.m.Result.Kind == value.Invalid {
		return x.bad(e.Span())
	}
	return out
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "1 argument"
	}
	return itoa(n) + " arguments"
}

// active is `active(STATE)`.
func (x *coder) active(e *grammar.CallExpr) model.Expr {
	args := e.Args.List()
	if len(args) != 1 || args[0] == nil || chain(args[0].Value) == nil {
		x.activeArgs(e, args)
		return x.bad(e.Span())
	}
	if x.st == nil {
		x.c.report(x.env.of(e.Fun), diag.UnknownFunction, "`active` looks at the states of a flow, and there is none here")
		return x.bad(e.Span())
	}
	s := x.c.findState(x.env, x.st, chain(args[0].Value))
	if s == nil {
		return x.bad(e.Span())
	}
	return &model.Active{Typed: x.typed(value.TypeBool, e.Span()), State: s.m.Index}
}

// activeArgs reports arguments of `active` that are not the name of one state.
func (x *coder) activeArgs(e *grammar.CallExpr, args []*grammar.Arg) {
	if e.Args.Broken() || len(args) == 1 && args[0] != nil && args[0].Broken() {
		return // the parser has reported it
	}
	n := x.c.report(x.env.of(e.Fun), diag.MissingArgument, "`active` takes the name of one state")
	switch {
	case len(args) > 1:
		n.help("for several states write `active(a) or active(b)`")
	case len(args) == 1 && args[0] != nil:
		if s, ok := args[0].Value.(*grammar.StringLit); ok && x.st != nil && x.c.mayBeState(x.env, x.st, plainText(s)) != nil {
			n.help("names stand without quotes: `active(%s)`", plainText(s)).fix("Write `"+plainText(s)+"`", s.Span(), plainText(s))
		}
	default:
		n.help("write `active(STATE)`")
	}
}

// callBuiltin is the call of a built-in function, folded when its arguments are.
func (x *coder) callBuiltin(e *grammar.CallExpr, f *builtin.Func, want *value.Type) model.Expr {
	out := &model.CallBuiltin{Name: f.Name}
	var args []builtin.Arg
	var values []grammar.Expr
	broken, first := false, value.TypeInvalid
	for _, a := range e.Args.List() {
		if a == nil || a.Value == nil {
			broken = true
			continue
		}
		values = append(values, a.Value)
		if l, ok := a.Value.(*grammar.LambdaExpr); ok {
			args = append(args, builtin.Arg{Lambda: func(param *value.Type) *value.Type { return x.lambda(l, param, out) }})
			continue
		}
		m := x.expr(a.Value, argHint(first, want))
		if len(out.Args) == 0 {
			first = m.Type()
		}
		out.Args = append(out.Args, m)
		arg := builtin.Arg{Type: m.Type()}
		if k, ok := m.(*model.Const); ok && !isBad(k) {
			v := k.Value
			arg.Const = &v
		}
		broken = broken || isBad(m)
		args = append(args, arg)
	}
	sig, problem := f.Check(args)
	x.lambdaLeft(args, out, values)
	if problem != nil && !(broken && problem.Arg < 0) {
		x.builtinProblem(e, values, problem)
	}
	if broken || problem != nil || sig.Result.Kind == value.Invalid {
		return x.bad(e.Span())
	}
	for i := range out.Args {
		out.Args[i] = x.toOperand(values[i], out.Args[i], sig.Args[i])
	}
	for _, v := range sig.Fill {
		out.Args = append(out.Args, x.constant(sig.Result, v, e.Span()))
	}
	if !f.Foldable && f.Lambda == builtin.NoLambda {
		x.clock = x.clock || f.Name == "now" || f.Name == "next"
	}
	out.Typed = x.typed(sig.Result, e.Span())
	return x.foldBuiltin(e, f, out)
}

// argHint is the type that a literal argument takes: that of the first argument, as in `max(total, 0)`.
func argHint(first, want *value.Type) *value.Type {
	if first.Kind != value.Invalid && !hollow(first) {
		return first
	}
	return nil
}

// lambdaLeft types the body of a lambda that the signature did not come to, for the names in it; the parameter goes with everything.
func (x *coder) lambdaLeft(args []builtin.Arg, out *model.CallBuiltin, values []grammar.Expr) {
	for i, a := range args {
		if a.Lambda != nil && out.Lambda == nil {
			if l, ok := values[i].(*grammar.LambdaExpr); ok && l.Body != nil {
				x.lambda(l, value.TypeInvalid, out)
			}
		}
	}
}

func (x *coder) lambda(l *grammar.LambdaExpr, param *value.Type, out *model.CallBuiltin) *value.Type {
	x.open()
	defer x.close()
	p := x.declare(l.Param, param, DefParam, l)
	body := x.expr(l.Body, nil)
	out.Lambda = &model.Lambda{Param: p, Body: body}
	return body.Type()
}

// builtinProblem turns what the table of built-ins says into a finding.
func (x *coder) builtinProblem(e *grammar.CallExpr, values []grammar.Expr, p *builtin.Problem) {
	at := e.Fun
	if p.Arg >= 0 && p.Arg < len(values) {
		at = values[p.Arg]
	}
	if at.Broken() {
		return // the parser has reported it
	}
	n := x.c.report(x.env.of(at), diag.ID(p.ID), "%s", p.Message)
	if p.Fix != "" {
		n.help("did you mean `%s`?", p.Fix).fix("Write `"+p.Fix+"`", at.Span(), `"`+p.Fix+`"`)
	}
}

func (x *coder) foldBuiltin(e *grammar.CallExpr, f *builtin.Func, out *model.CallBuiltin) model.Expr {
	if !f.Foldable || out.Lambda != nil || f.Name == "range" {
		return out
	}
	values := make([]value.Value, len(out.Args))
	for i, a := range out.Args {
		k, ok := a.(*model.Const)
		if !ok {
			return out
		}
		values[i] = k.Value
	}
	v, err := f.Call(nil, values, nil)
	if err == nil {
		return x.constant(out.T, v, e.Span())
	}
	if x.where == inConstant {
		x.c.report(x.env.of(e), diag.TypeMismatch, "this has no value: %s", errorText(err))
		return x.bad(e.Span())
	}
	return out
}
