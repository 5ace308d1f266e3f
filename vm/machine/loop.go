package machine

import (
	"errors"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// exec runs a code from pc on until it ends, suspends or fails. A value that it ends with is left on top of the stack.
func (r *run) exec(code int, locals []value.Value, pc int) status {
	c := &r.p.Codes[code]
	base := len(r.stack)
	for {
		var err error
		at := pc
		in := c.Ins[pc]
		pc++
		if r.budget.Instructions--; r.budget.Instructions < 0 {
			err = tooManyInstructions()
		} else {
			switch in.Op {
			case program.OpConst:
				r.push(r.p.Consts[in.A])
			case program.OpNull:
				r.push(value.Value{})
			case program.OpBool:
				r.push(value.OfBool(in.A != 0))
			case program.OpInt:
				r.push(value.OfInt(int64(in.A)))
			case program.OpInput:
				r.push(r.host.Input(int(in.A)))
			case program.OpData:
				r.push(r.host.Data(int(in.A)))
			case program.OpLocal:
				r.push(locals[in.A])
			case program.OpEvent:
				r.push(r.eventField(in.A))
			case program.OpPop:
				r.pop()
			case program.OpBinary:
				err = r.binary(value.Op(in.A))
			case program.OpNot:
				top := len(r.stack) - 1
				r.stack[top] = value.Not(r.stack[top])
			case program.OpJump:
				pc = int(in.A)
			case program.OpJumpNot:
				if !r.pop().Bool() {
					pc = int(in.A)
				}
			case program.OpAnd, program.OpOr, program.OpElse:
				if r.decides(in.Op) {
					pc = int(in.A)
				} else {
					r.pop()
				}
			case program.OpNext:
				r.next(locals, in)
			case program.OpCall:
				if !r.call(int(in.A)) {
					err = r.err
				}
			case program.OpLambda:
				err = r.lambda(&c.Lambdas[in.B], in.A, locals)
			case program.OpReturn:
				return finished
			case program.OpEnd, program.OpRefuse, program.OpFail, program.OpGo:
				r.stop(in, code, at)
				return stopped
			case program.OpSetData:
				r.host.SetData(int(in.A), r.pop())
			case program.OpSetLocal:
				locals[in.A] = r.pop()
			case program.OpClear:
				locals[in.A] = value.Value{}
			case program.OpCallTask, program.OpCallTasks, program.OpCallFlow, program.OpSleep, program.OpWait, program.OpWaitCases:
				var parked bool
				if parked, err = r.suspend(c, in); parked {
					r.park(code, at)
					return stopped
				}
			case program.OpUnwind:
				r.frame.unwind(int(in.A))
			default:
				err = r.other(in)
			}
		}
		if err != nil {
			if pc = r.caught(code, at, asError(err), locals); pc < 0 {
				return failed
			}
			r.stack = r.stack[:base]
		}
	}
}

// other does what neither moves the pc nor touches locals: operations on values, and effects.
func (r *run) other(in program.Ins) error {
	if in.Op >= program.OpRaise {
		return r.effect(in)
	}
	return r.operate(in)
}

func asError(err error) *value.Error {
	var e *value.Error
	if errors.As(err, &e) {
		return e
	}
	return value.Errorf(CodeInternal, "%s", err)
}

// eventField is `event.NAME`: of the case's event in a routine, otherwise of the one that the step handles.
func (r *run) eventField(name int32) value.Value {
	field := r.p.Consts[name].Str()
	if t, ok := r.frame.taken(); ok {
		return t.field(r.p, field)
	}
	return r.host.EventField(field)
}

// decides says whether the left side, on top of the stack, is the result of `and`, `or` or `??`.
func (r *run) decides(op program.Op) bool {
	left := r.stack[len(r.stack)-1]
	switch op {
	case program.OpAnd:
		return !left.Bool()
	case program.OpOr:
		return left.Bool()
	}
	return !left.IsNull()
}

// next steps a `for`: the list and the position are locals, so that the routine may be saved in the loop.
func (r *run) next(locals []value.Value, in program.Ins) {
	list, i := locals[in.A], int(locals[in.B].Int())
	if i < 0 || i >= list.Len() {
		r.push(value.Value{})
		r.push(value.OfBool(false))
		return
	}
	locals[in.B] = value.OfInt(int64(i) + 1)
	r.push(list.At(i))
	r.push(value.OfBool(true))
}

// call runs a function on its arguments, which become the first of its locals, and leaves its value in their place.
func (r *run) call(code int) bool {
	c := &r.p.Codes[code]
	base := len(r.stack) - c.Params
	if r.exec(code, r.locals(code, c.Params), 0) != finished {
		r.stack = r.stack[:base]
		return false
	}
	r.stack[base] = r.pop()
	r.stack = r.stack[:base+1]
	return true
}

// stop notes how a block or a routine ended.
func (r *run) stop(in program.Ins, code, pc int) {
	r.end = Ending{Kind: Done, Code: code, PC: pc}
	switch in.Op {
	case program.OpRefuse:
		r.end.Kind, r.end.Text = Refused, r.pop().Str()
	case program.OpFail:
		r.end.Kind, r.end.Text = Failed, r.pop().Str()
	case program.OpGo:
		r.end.Kind = Gone
		r.end.Target = program.Target{Kind: program.TargetKind(in.A), State: int(in.B)}
	}
}
