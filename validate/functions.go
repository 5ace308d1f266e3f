package validate

import (
	"strconv"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A function is a declared `fn`.
type function struct {
	sym   *symbol
	decl  *grammar.FnDecl
	m     *model.Func
	calls []funcCall // the functions that its body calls
	clock bool       // it reads the clock
	mark  uint8
}

type funcCall struct {
	fn *function
	at place
}

func itoa(n int) string { return strconv.Itoa(n) }

func (c *checker) declareFunction(s *symbol, d *grammar.FnDecl) {
	s.fn = &function{sym: s, decl: d, m: &model.Func{Name: s.full, Pos: s.env.pos(s.ident.Span())}}
	for _, f := range c.fields(s.env, d.Params.List(), DefParam, diag.DuplicateParameter) {
		s.fn.m.Params = append(s.fn.m.Params, model.Local{Name: f.Name, Type: f.Type})
	}
	s.fn.m.Result = value.TypeInvalid
	if d.Result != nil {
		s.fn.m.Result = c.typeOf(s.env, d.Result)
	}
	s.def.Type = s.fn.m.Result
	c.prog.Funcs = append(c.prog.Funcs, s.fn.m)
}

// checkFunction checks a function's body.
func (c *checker) checkFunction(fn *function) {
	x := c.coder(fn.sym.env, nil, nil, inFunction)
	x.fn = fn
	x.block.names = map[string]*local{}
	for i, p := range fn.m.Params {
		f := fieldNamed(fn.decl.Params.List(), p.Name)
		x.locals = append(x.locals, p)
		x.block.names[p.Name] = &local{index: i, def: c.info.defs[f.Name], node: f.Name}
		if f.Default != nil {
			c.report(fn.sym.env.of(f.Default), diag.TypeMismatch, "the parameters of a function have no defaults")
		}
	}
	fn.m.Body = x.need(fn.decl.Body, fn.m.Result, "the result of `"+fn.sym.name+"`")
	fn.m.Locals = x.locals
	fn.clock = x.clock
}

// checkRecursion reports functions that call themselves, directly or through others, and says which read the clock.
func (c *checker) checkRecursion() {
	c.eachSymbol(func(s *symbol) {
		if s.fn != nil && s.fn.mark == 0 {
			c.visitFunction(s.fn)
		}
	})
}

func (c *checker) visitFunction(fn *function) {
	const open, done = 1, 2
	fn.mark = open
	for _, call := range fn.calls {
		switch call.fn.mark {
		case open:
			c.report(call.at, diag.RecursiveFunction, "`%s` is called while it is being computed; functions do not call themselves, so that each ends", call.fn.sym.name).
				related(call.fn.sym.env.of(call.fn.sym.ident), "the function").
				help("use `map`, `filter` or `sum` over a list, or a `while` in a routine")
		case done:
		default:
			c.visitFunction(call.fn)
		}
		fn.clock = fn.clock || call.fn.clock
	}
	fn.mark = done
}
