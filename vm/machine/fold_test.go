package machine_test

import (
	"errors"
	"testing"

	"flowc/compiler"
	"flowc/validate/builtin"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm/machine"
	"pgregory.net/rapid"
)

// A folder evaluates expressions as the checker folds constants: with the operators of validate/value and the built-ins of
// validate/builtin, straight over the tree.
type folder struct {
	h      *host
	locals []value.Value
}

func (f *folder) fold(e model.Expr) (value.Value, error) {
	switch e := e.(type) {
	case *model.Const:
		return e.Value, nil
	case *model.DataRef:
		return f.h.data[e.Index], nil
	case *model.InputRef:
		return f.h.inputs[e.Index], nil
	case *model.LocalRef:
		return f.locals[e.Index], nil
	case *model.Logic:
		return f.logic(e)
	case *model.Cond:
		c, err := f.fold(e.If)
		if err != nil {
			return c, err
		}
		if c.Bool() {
			return f.fold(e.X)
		}
		return f.fold(e.Y)
	case *model.CallFunc:
		args, err := f.all(e.Args)
		if err != nil {
			return value.Value{}, err
		}
		callee := &folder{h: f.h, locals: append(args, make([]value.Value, len(e.Func.Locals))...)}
		return callee.fold(e.Func.Body)
	case *model.CallBuiltin:
		return f.builtin(e)
	}
	return f.strict(e)
}

func (f *folder) logic(e *model.Logic) (value.Value, error) {
	x, err := f.fold(e.X)
	decided := e.Op == model.And && !x.Bool() || e.Op == model.Or && x.Bool() || e.Op == model.Coalesce && !x.IsNull()
	if err != nil || decided {
		return x, err
	}
	return f.fold(e.Y)
}

func (f *folder) builtin(e *model.CallBuiltin) (value.Value, error) {
	args, err := f.all(e.Args)
	if err != nil {
		return value.Value{}, err
	}
	var lambda builtin.Lambda
	if e.Lambda != nil {
		lambda = func(x value.Value) (value.Value, error) {
			f.locals[e.Lambda.Param] = x
			return f.fold(e.Lambda.Body)
		}
	}
	b, _ := builtin.Lookup(e.Name)
	return b.Call(f.h, args, lambda)
}

func (f *folder) all(es []model.Expr) ([]value.Value, error) {
	var vs []value.Value
	for _, e := range es {
		v, err := f.fold(e)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// strict folds what evaluates all its parts.
func (f *folder) strict(e model.Expr) (value.Value, error) {
	parts := map[bool][]model.Expr{}
	switch e := e.(type) {
	case *model.Unary:
		parts[true] = []model.Expr{e.X}
	case *model.Must:
		parts[true] = []model.Expr{e.X}
	case *model.Convert:
		parts[true] = []model.Expr{e.X}
	case *model.FieldRef:
		parts[true] = []model.Expr{e.X}
	case *model.Binary:
		parts[true] = []model.Expr{e.X, e.Y}
	case *model.IndexRef:
		parts[true] = []model.Expr{e.X, e.I}
	case *model.In:
		parts[true] = []model.Expr{e.X, e.L}
	case *model.Interp:
		parts[true] = e.Parts
	case *model.ListLit:
		parts[true] = e.Items
	case *model.RecordLit:
		parts[true] = e.Fields
	}
	vs, err := f.all(parts[true])
	if err != nil {
		return value.Value{}, err
	}
	return apply(e, vs)
}

func apply(e model.Expr, vs []value.Value) (value.Value, error) {
	switch e := e.(type) {
	case *model.Unary:
		if e.Op == model.Not {
			return value.Not(vs[0]), nil
		}
		return value.Neg(vs[0])
	case *model.Must:
		return value.Must(vs[0])
	case *model.Convert:
		return value.Convert(vs[0], e.T)
	case *model.FieldRef:
		return vs[0].At(e.Index), nil
	case *model.Binary:
		return value.Binary(value.Op(e.Op), vs[0], vs[1])
	case *model.IndexRef:
		return vs[0].Index(vs[1].Int())
	case *model.In:
		return value.OfBool(value.In(vs[0], vs[1]) != e.Not), nil
	case *model.Interp:
		text := ""
		for _, v := range vs {
			text += string(value.AppendText(nil, v))
		}
		return value.OfString(text), nil
	case *model.ListLit:
		return value.OfList(vs), nil
	case *model.RecordLit:
		return value.OfRecord(e.T.Decl, vs), nil
	}
	return value.Value{}, errors.New("no such expression")
}

func TestTheMachineComputesWhatTheCheckerFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &grower{t: t, locals: []model.Local{{Name: "x", Type: value.TypeInt}}}
		kinds := []*value.Type{value.TypeInt, value.TypeDecimal, value.TypeBool, value.TypeString, intList, value.TypeJSON}
		e := g.expr(kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")], 5)
		h := newHost()
		h.data = []value.Value{value.OfInt(rapid.Int64().Draw(t, "data")), value.OfNull()}
		want, wantErr := (&folder{h: h, locals: make([]value.Value, len(g.locals))}).fold(e)

		p, _, err := compiler.Compile(exprModel(e, g.locals))
		if err != nil {
			t.Fatal(err)
		}
		end := machine.Eval(p, p.Flows[0].States[0].Timers[0].Dur, h, machine.NewBudget())
		var code *value.Error
		switch {
		case errors.As(wantErr, &code):
			if end.Kind != machine.Raised || end.Err.Code != code.Code {
				t.Fatalf("got %+v, want %v", end, wantErr)
			}
		case wantErr != nil:
			t.Fatal(wantErr)
		case end.Kind != machine.Done || !end.Value.Equal(want) || end.Value.Kind() != want.Kind():
			t.Fatalf("got %+v, want %s", end, want)
		}
	})
}

// exprModel is a flow whose only timer has the expression as its duration.
func exprModel(e model.Expr, locals []model.Local) (*model.Program, *model.Flow) {
	root := &model.State{Kind: model.Leaf, Parent: -1, Initial: -1, Timers: []*model.Timer{{
		Kind: model.After, Dur: &model.Code{Locals: locals, Result: e},
	}}}
	f := &model.Flow{
		Name:   "f",
		Input:  &value.Decl{Fields: []value.Field{{Name: "in", Type: value.TypeInt}}},
		Data:   []*model.DataField{{Name: "d", Type: value.TypeInt}, {Name: "e", Type: value.Opt(value.TypeInt)}},
		States: []*model.State{root},
	}
	return &model.Program{Files: []string{"f.flow"}, Flows: []*model.Flow{f}}, f
}
