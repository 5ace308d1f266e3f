package machine

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// operate does one operation on values, within the memory that is left.
func (r *run) operate(in program.Ins) error {
	switch in.Op {
	case program.OpActive:
		r.push(value.OfBool(r.host.Active(int(in.A))))
	case program.OpField:
		return r.field(int(in.A))
	case program.OpIndex:
		return r.index()
	case program.OpRecord:
		return r.made(value.OfRecord(r.p.Types[in.A], r.copied(int(in.B))))
	case program.OpList:
		return r.made(value.OfList(r.copied(int(in.A))))
	case program.OpMap:
		return r.mapOf(int(in.A))
	case program.OpInterp:
		return r.interp(int(in.A))
	case program.OpIn:
		list, x := r.pop(), r.pop()
		r.budget.walk(list)
		r.push(value.OfBool(value.In(x, list)))
	case program.OpBuiltin:
		return r.builtin(in.A, int(in.B))
	case program.OpWithField, program.OpWithIndex, program.OpWithout:
		return r.with(in)
	default:
		return r.unary(in)
	}
	return nil
}

// unary does an operation on the value on top of the stack.
func (r *run) unary(in program.Ins) (err error) {
	x := &r.stack[len(r.stack)-1]
	switch in.Op {
	case program.OpNeg:
		*x, err = value.Neg(*x)
	case program.OpMust:
		if *x, err = value.Must(*x); err != nil && in.A == program.MustSet {
			err = value.Errorf(value.CodeNull, "a fragment's field is read before it has a value: its state was not entered yet, and its default was an error at the start")
		}
	case program.OpDecimal:
		*x, err = value.Convert(*x, value.TypeDecimal)
	case program.OpJSON:
		if e := r.budget.take(x.Size()); e != nil {
			return e
		}
		r.budget.walk(*x)
		*x, err = value.Convert(*x, value.TypeJSON)
	}
	return err
}

func (r *run) binary(op value.Op) error {
	y := r.pop()
	x := &r.stack[len(r.stack)-1]
	switch op {
	case value.OpAdd:
		if n := value.CostAdd(*x, y); n > 0 {
			if e := r.budget.take(n); e != nil {
				return e
			}
		}
	case value.OpEq, value.OpNe, value.OpLt, value.OpLe, value.OpGt, value.OpGe:
		r.budget.walk(y)
	}
	var err error
	*x, err = value.Binary(op, *x, y)
	return err
}

func (r *run) field(i int) error {
	x := &r.stack[len(r.stack)-1]
	if x.IsNull() {
		return value.Errorf(value.CodeNull, "a field is read of what is null")
	}
	*x = x.At(i)
	return nil
}

// index is x[i]: out_of_range of a list, null when a map has no such key.
func (r *run) index() (err error) {
	i := r.pop()
	x := &r.stack[len(r.stack)-1]
	switch {
	case x.IsNull() || i.IsNull():
		return value.Errorf(value.CodeNull, "`[ ]` is applied to null or has null in it")
	case x.Kind() == value.Map:
		*x, _ = x.Get(i.Str())
	default:
		*x, err = x.Index(i.Int())
	}
	return err
}

// copied pops n operands into a slice of their own.
func (r *run) copied(n int) []value.Value {
	vs := make([]value.Value, n)
	copy(vs, r.take(n))
	return vs
}

// made pushes a new value after counting what it took.
func (r *run) made(v value.Value) error {
	if e := r.budget.take(v.Own()); e != nil {
		return e
	}
	if err := v.Check(); err != nil {
		return err
	}
	r.push(v)
	return nil
}

func (r *run) mapOf(n int) error {
	vs := r.take(2 * n)
	entries := make([]value.Entry, n)
	for i := range entries {
		if vs[2*i].IsNull() {
			return value.Errorf(value.CodeNull, "a key is null")
		}
		entries[i] = value.Entry{Key: vs[2*i].Str(), Value: vs[2*i+1]}
	}
	return r.made(value.OfMap(entries))
}

// interp joins the texts of n values. What they take is counted before they are written.
func (r *run) interp(n int) error {
	vs := r.take(n)
	size := 0
	for _, v := range vs {
		size += v.Size()
	}
	if e := r.budget.take(size); e != nil {
		return e
	}
	var room [128]byte
	text := room[:0]
	for _, v := range vs {
		if text = value.AppendText(text, v); len(text) > value.MaxSize {
			return value.Errorf(CodeMemory, "a string of more than %d MiB", value.MaxSize>>20)
		}
	}
	r.push(value.OfString(string(text)))
	return nil
}

// with changes a part of a value, which is another value.
func (r *run) with(in program.Ins) error {
	if in.Op == program.OpWithout {
		key := r.pop()
		return r.change(func(m value.Value) (value.Value, error) { return m.WithoutKey(key.Str()), nil })
	}
	x := r.pop()
	if in.Op == program.OpWithField {
		return r.change(func(v value.Value) (value.Value, error) { return v.WithField(int(in.A), x) })
	}
	i := r.pop()
	if i.IsNull() {
		return value.Errorf(value.CodeNull, "`[ ]` has null in it")
	}
	return r.change(func(v value.Value) (value.Value, error) {
		if v.Kind() == value.Map {
			return v.WithKey(i.Str(), x)
		}
		return v.WithIndex(i.Int(), x)
	})
}

// change replaces the value on top of the stack.
func (r *run) change(to func(value.Value) (value.Value, error)) (err error) {
	x := &r.stack[len(r.stack)-1]
	if e := r.budget.take(x.CostWith()); e != nil {
		return e
	}
	*x, err = to(*x)
	return err
}
