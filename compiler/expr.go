package compiler

import (
	"math"

	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// expr compiles an expression, which leaves its value on the stack.
func (k *coder) expr(e model.Expr) {
	pos := e.Position()
	switch e := e.(type) {
	case *model.Const:
		k.constant(pos, e.Value)
	case *model.InputRef:
		k.emit(pos, program.OpInput, e.Index, 0)
	case *model.DataRef:
		k.emit(pos, program.OpData, e.Index, 0)
		if e.Unset {
			k.emit(pos, program.OpMust, program.MustSet, 0)
		}
	case *model.LocalRef:
		k.emit(pos, program.OpLocal, e.Index, 0)
	case *model.EventField:
		k.emit(pos, program.OpEvent, k.text(e.Name), 0)
	case *model.Active:
		k.emit(pos, program.OpActive, e.State, 0)
	case *model.FieldRef:
		k.expr(e.X)
		k.emit(pos, program.OpField, e.Index, 0)
	case *model.IndexRef:
		k.exprs(e.X, e.I)
		k.emit(pos, program.OpIndex, 0, 0)
	case *model.Must:
		k.expr(e.X)
		k.emit(pos, program.OpMust, program.MustKnow, 0)
	case *model.In:
		k.exprs(e.X, e.L)
		k.emit(pos, program.OpIn, 0, 0)
		if e.Not {
			k.emit(pos, program.OpNot, 0, 0)
		}
	default:
		k.operation(pos, e)
	}
}

// operation compiles what computes.
func (k *coder) operation(pos model.Pos, e model.Expr) {
	switch e := e.(type) {
	case *model.Unary:
		k.expr(e.X)
		if e.Op == model.Neg {
			k.emit(pos, program.OpNeg, 0, 0)
		} else {
			k.emit(pos, program.OpNot, 0, 0)
		}
	case *model.Binary:
		k.exprs(e.X, e.Y)
		k.emit(pos, program.OpBinary, int(operators[e.Op]), 0)
	case *model.Logic:
		k.logic(pos, e)
	case *model.Cond:
		k.cond(pos, e)
	case *model.CallFunc:
		k.exprs(e.Args...)
		k.emit(pos, program.OpCall, k.function(e.Func), 0)
	case *model.CallBuiltin:
		k.call(pos, e)
	case *model.Convert:
		k.expr(e.X)
		k.convert(pos, e.X.Type(), e.Type())
	case *model.Interp:
		k.exprs(e.Parts...)
		k.emit(pos, program.OpInterp, len(e.Parts), 0)
	default:
		k.literal(pos, e)
	}
}

// literal compiles lists, records and maps. One that stands for json is made as what it looks like and then turned into json.
func (k *coder) literal(pos model.Pos, e model.Expr) {
	switch e := e.(type) {
	case *model.ListLit:
		k.exprs(e.Items...)
		k.emit(pos, program.OpList, len(e.Items), 0)
	case *model.RecordLit:
		k.exprs(e.Fields...)
		k.emit(pos, program.OpRecord, k.typ(e.Type().Decl), len(e.Fields))
	case *model.MapLit:
		for i := range e.Keys {
			k.exprs(e.Keys[i], e.Values[i])
		}
		k.emit(pos, program.OpMap, len(e.Keys), 0)
	default:
		k.fail("an expression of type %T is not known to the compiler", e)
		return
	}
	if e.Type().Kind == value.JSON {
		k.emit(pos, program.OpJSON, 0, 0)
	}
}

func (k *coder) exprs(es ...model.Expr) {
	for _, e := range es {
		k.expr(e)
	}
}

// constant pushes a value, small ones without an entry in the table.
func (k *coder) constant(pos model.Pos, v value.Value) {
	switch n := v.Int(); {
	case v.IsNull():
		k.emit(pos, program.OpNull, 0, 0)
	case v.Kind() == value.Bool && v.Bool():
		k.emit(pos, program.OpBool, 1, 0)
	case v.Kind() == value.Bool:
		k.emit(pos, program.OpBool, 0, 0)
	case v.Kind() == value.Int && n >= math.MinInt32 && n <= math.MaxInt32:
		k.emit(pos, program.OpInt, int(n), 0)
	default:
		k.emit(pos, program.OpConst, k.compiler.constant(v), 0)
	}
}

var operators = [...]value.Op{
	model.Add: value.OpAdd, model.Sub: value.OpSub, model.Mul: value.OpMul, model.Div: value.OpDiv, model.Rem: value.OpRem,
	model.Eq: value.OpEq, model.Ne: value.OpNe, model.Lt: value.OpLt, model.Le: value.OpLe, model.Gt: value.OpGt, model.Ge: value.OpGe,
}

var logic = [...]program.Op{model.And: program.OpAnd, model.Or: program.OpOr, model.Coalesce: program.OpElse}

func (k *coder) logic(pos model.Pos, e *model.Logic) {
	k.expr(e.X)
	jump := k.emit(pos, logic[e.Op], 0, 0)
	k.expr(e.Y)
	k.land(jump)
}

func (k *coder) cond(pos model.Pos, e *model.Cond) {
	k.expr(e.If)
	otherwise := k.emit(pos, program.OpJumpNot, 0, 0)
	k.expr(e.X)
	end := k.emit(pos, program.OpJump, 0, 0)
	k.land(otherwise)
	k.expr(e.Y)
	k.land(end)
}

func (k *coder) call(pos model.Pos, e *model.CallBuiltin) {
	k.exprs(e.Args...)
	if e.Lambda != nil {
		k.lambda(pos, e.Name, len(e.Args), e.Lambda.Param, e.Lambda.Body)
		return
	}
	k.emit(pos, program.OpBuiltin, k.builtin(e.Name), len(e.Args))
}

// lambda calls a built-in on the arguments on the stack, with an expression over a local.
func (k *coder) lambda(pos model.Pos, name string, args, param int, body model.Expr) {
	l := program.Lambda{Code: k.piece(body), Param: param, Args: args}
	k.out.Lambdas = append(k.out.Lambdas, l)
	k.emit(pos, program.OpLambda, k.builtin(name), len(k.out.Lambdas)-1)
}

// convert makes an int a decimal and anything json; T for T? needs nothing.
func (k *coder) convert(pos model.Pos, from, to *value.Type) {
	switch {
	case to.Kind == value.JSON && from.Kind != value.JSON:
		k.emit(pos, program.OpJSON, 0, 0)
	case to.Kind == value.Decimal && from.Kind != value.Decimal:
		k.emit(pos, program.OpDecimal, 0, 0)
	}
}
