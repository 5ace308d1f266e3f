package validate

import (
	"flowc/grammar"
	"flowc/validate/model"
	"flowc/validate/value"
)

// where says what kind of code is being checked: which statements may stand in it and what `event` is.
type where uint8

const (
	inConstant where = iota
	inFunction
	inData   // a data field's default
	inPart   // an expression of an item: a duration, an argument, a list
	inGuard  // of a handler
	inAlways // the guard of an automatic transition
	inEntry
	inExit
	inHandler // the block of a handler, an automatic transition or a timer
	inRoutine
	inTest
)

// A coder checks one piece of code and makes its model in the same pass. Its locals are those of one model.Code or model.Func.
type coder struct {
	c     *checker
	env   *env
	fl    *flow  // nil outside flows
	st    *state // the state that holds the code, nil outside
	where where

	locals []model.Local
	block  *block                    // the names of the enclosing blocks
	ended  map[string]*grammar.Ident // the names of blocks that have ended
	facts  []string
	event  *shape // nil where there is no event

	ready   int          // in a data field's default: the data fields that it may read come before this one
	depth   int          // of the expression that is being checked
	reads   map[int]bool // the data fields that were read
	quiet   bool         // the expression has a finding already, and no more is said of it
	clock   bool         // the code reads the clock
	param   bool         // the code reads a parameter of its fragment
	lives   *state       // where the timers of `schedule` live: st, or the state that a transition enters
	takes   bool         // `refuse` may stand here: the block of a handler of declared events
	loops   int          // how many loops of this routine are open
	broke   bool         // a `break` was seen in the loop that is being checked
	safe    int          // how many `try` around here catch every error
	called  []*symbol    // the tasks and flows that the routine has called so far, nil for one that is not known
	fn      *function    // the function whose body this is
	effects *effects     // what the statements may do, for the checks of the graph
}

// A block is a level of names.
type block struct {
	outer *block
	names map[string]*local
}

type local struct {
	index int
	def   *Def
	node  *grammar.Ident
}

func (c *checker) coder(e *env, fl *flow, st *state, w where) *coder {
	return &coder{c: c, env: e, fl: fl, st: st, where: w, block: &block{}, lives: st}
}

func (x *coder) typed(t *value.Type, span grammar.Span) model.Typed {
	return model.Typed{T: t, Pos: x.env.pos(span)}
}

// bad is an expression that has its finding already; it goes with everything.
func (x *coder) bad(span grammar.Span) *model.Const {
	return &model.Const{Typed: x.typed(value.TypeInvalid, span)}
}

func (x *coder) constant(t *value.Type, v value.Value, span grammar.Span) *model.Const {
	return &model.Const{Typed: x.typed(t, span), Value: v}
}

func isBad(m model.Expr) bool { return m == nil || m.Type().Kind == value.Invalid }

// open and close begin and end a level of names.
func (x *coder) open() { x.block = &block{outer: x.block} }
func (x *coder) close() {
	for name, l := range x.block.names {
		if x.ended == nil {
			x.ended = map[string]*grammar.Ident{}
		}
		x.ended[name] = l.node
	}
	x.block = x.block.outer
}

// hidden makes a local that no name reaches.
func (x *coder) hidden(name string, t *value.Type) int {
	x.locals = append(x.locals, model.Local{Name: name, Type: t})
	return len(x.locals) - 1
}

// declare makes a local with a name, which hides one of an outer block and a data field.
func (x *coder) declare(id *grammar.Ident, t *value.Type, kind DefKind, node grammar.Node) int {
	if id == nil {
		return x.hidden("", t)
	}
	x.c.checkStyle(x.env, id)
	def := x.c.info.define(x.env.file, kind, id, node)
	def.Type = t
	index := x.hidden(id.Text, t)
	if x.block.names == nil {
		x.block.names = map[string]*local{}
	}
	x.block.names[id.Text] = &local{index: index, def: def, node: id}
	return index
}

func (x *coder) local(name string) *local {
	for b := x.block; b != nil; b = b.outer {
		if l := b.names[name]; l != nil {
			return l
		}
	}
	return nil
}

func (x *coder) state() int {
	if x.st == nil {
		return 0
	}
	return x.st.m.Index
}

// asCode makes the code of an expression.
func (x *coder) asCode(m model.Expr) *model.Code {
	return &model.Code{State: x.state(), Locals: x.locals, Result: m, Pos: m.Position()}
}

// visibleNames lists the names of values in reach, for the nearest name.
func (x *coder) visibleNames() []string {
	var out []string
	for b := x.block; b != nil; b = b.outer {
		out = append(out, sortedKeys(b.names)...)
	}
	switch {
	case x.env.use != nil:
		out = append(out, sortedKeys(x.env.use.values)...)
		out = append(out, sortedKeys(x.env.use.data)...)
	case x.fl != nil:
		out = append(out, sortedKeys(x.fl.dataByName)...)
		for _, f := range x.fl.m.Input.Fields {
			out = append(out, f.Name)
		}
	}
	return append(out, x.env.file.names(symConst)...)
}
