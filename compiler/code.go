package compiler

import (
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A coder makes one code. Shared pieces (lambdas, guards of wait cases) are coders of their own that run on the locals of the
// one they stand in.
type coder struct {
	*compiler
	at     int // in Program.Codes
	flow   int // -1 in functions
	model  *model.Flow
	out    program.Code
	places program.CodePlaces
	owner  *coder // whose locals these are; nil for its own
	pieces []int  // shared pieces, in Program.Codes
	loops  []loop
	depth  int // cases of waits around the statement
	cases  int // waits with cases compiled so far
}

// A loop is where `break` and `continue` lead.
type loop struct {
	depth  int   // of wait cases around it
	again  int   // where `continue` goes
	breaks []int // jumps to what follows the loop
}

// code compiles a code of the flow and returns its index, -1 for none. The caller sets its first params locals.
func (c *flowCompiler) code(m *model.Code, params int) int {
	if m == nil {
		return none
	}
	return c.compiler.code(m, c.model, c.at, m.State, params)
}

// code compiles a code. flow and state are -1 where it reads no token.
func (c *compiler) code(m *model.Code, f *model.Flow, flow, state, params int) int {
	k := c.coder(flow, state, m.Locals, m.Pos)
	k.model = f
	k.out.Params = params
	if m.Result != nil {
		k.expr(m.Result)
		k.emit(m.Result.Position(), program.OpReturn, 0, 0)
	} else {
		k.stmts(m.Stmts)
		k.emit(m.Pos, program.OpEnd, 0, 0)
	}
	return k.done()
}

// coder begins a code; its index is fixed at once, since codes refer to one another.
func (c *compiler) coder(flow, state int, locals []model.Local, pos model.Pos) *coder {
	k := &coder{compiler: c, at: len(c.p.Codes), flow: flow}
	k.out.Flow, k.out.State = flow, state
	for _, l := range locals {
		k.out.Locals = append(k.out.Locals, program.Local{Name: l.Name, Type: l.Type})
	}
	k.places.Span = c.span(pos)
	c.p.Codes = append(c.p.Codes, program.Code{})
	c.src.Codes = append(c.src.Codes, program.CodePlaces{})
	return k
}

// done puts the code into the program. Its pieces get its locals, of which there may be more now than when they were compiled.
func (k *coder) done() int {
	if k.owner != nil {
		k.owner.pieces = append(append(k.owner.pieces, k.at), k.pieces...)
	} else {
		for _, piece := range k.pieces {
			k.p.Codes[piece].Locals = k.out.Locals
		}
	}
	k.p.Codes[k.at] = k.out
	k.src.Codes[k.at] = k.places
	return k.at
}

// piece compiles an expression that runs on this code's locals, and returns its index.
func (k *coder) piece(e model.Expr) int {
	p := k.coder(k.flow, k.out.State, nil, e.Position())
	p.owner, p.model = k, k.model
	p.expr(e)
	p.emit(e.Position(), program.OpReturn, 0, 0)
	return p.done()
}

// function returns the code of a declared function, compiled when it is first called.
func (c *compiler) function(f *model.Func) int {
	if i, ok := c.pools.funcs[f]; ok {
		return i
	}
	k := c.coder(none, none, f.Locals, f.Pos)
	c.pools.funcs[f] = k.at
	k.out.Params = len(f.Params)
	c.p.Codes[k.at].Params = k.out.Params
	k.expr(f.Body)
	k.emit(f.Body.Position(), program.OpReturn, 0, 0)
	return k.done()
}

// emit appends an instruction and returns its pc.
func (k *coder) emit(pos model.Pos, op program.Op, a, b int) int {
	pc := len(k.out.Ins)
	k.out.Ins = append(k.out.Ins, program.Ins{Op: op, A: int32(a), B: int32(b)})
	span := k.span(pos)
	if n := len(k.places.PCs); n == 0 || k.places.PCs[n-1].Span != span {
		k.places.PCs = append(k.places.PCs, program.PCPlace{PC: pc, Span: span})
	}
	return pc
}

// here is the pc of the next instruction.
func (k *coder) here() int { return len(k.out.Ins) }

// land makes a jump lead to the next instruction.
func (k *coder) land(jump int) { k.out.Ins[jump].A = int32(k.here()) }

// hidden adds a local that the source does not name.
func (k *coder) hidden(t *value.Type) int {
	k.out.Locals = append(k.out.Locals, program.Local{Type: t})
	return len(k.out.Locals) - 1
}
