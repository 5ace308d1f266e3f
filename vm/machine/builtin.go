package machine

import (
	"flowc/compiler/program"
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// builtin calls a built-in with n plain arguments.
func (r *run) builtin(index int32, n int) error {
	return r.apply(r.p.Builtin(index), r.take(n), nil)
}

// apply calls a built-in, within what is left of the budget, and leaves its value on the stack.
func (r *run) apply(f *builtin.Func, args []value.Value, lambda builtin.Lambda) error {
	r.budget.Instructions -= int64(f.Cost(args) / bytesPerStep)
	v, err := f.Call(r.host, args, lambda)
	if err != nil {
		return err
	}
	if e := r.budget.take(v.Own()); e != nil {
		return e
	}
	r.push(v)
	return nil
}

// lambda calls a built-in whose lambda runs on the locals of the code that holds it. The arguments are copied, since the lambda
// runs on the same stack.
func (r *run) lambda(l *program.Lambda, index int32, locals []value.Value) error {
	args := r.copied(l.Args)
	at := len(r.stack)
	return r.apply(r.p.Builtin(index), args, func(x value.Value) (value.Value, error) {
		locals[l.Param] = x
		if r.exec(l.Code, locals, 0) != finished {
			r.stack = r.stack[:at]
			return value.Value{}, r.err
		}
		return r.pop(), nil
	})
}
