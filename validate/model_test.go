package validate_test

import (
	"fmt"
	"reflect"
	"testing"

	"flowc/validate"
	"flowc/validate/model"
	"flowc/validate/value"
)

// whole walks over everything in a model and reports what a compiler could not do with.
type whole struct {
	t      *testing.T
	name   string
	flow   *model.Flow
	locals []model.Local
	exprs  int
}

func (w *whole) errorf(pos model.Pos, format string, args ...any) {
	w.t.Errorf("%s at %d: %s", w.name, pos.Start, fmt.Sprintf(format, args...))
}

func (w *whole) code(c *model.Code) {
	if c == nil {
		return
	}
	before := w.locals
	w.locals = c.Locals
	w.walk(reflect.ValueOf(*c))
	w.locals = before
}

func (w *whole) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch x := v.Interface().(type) {
		case *model.Code:
			w.code(x)
			return
		case *model.Flow, *model.Task, *model.Event, *model.Func, *value.Type, *value.Decl, *model.State:
			return // reached from the program
		case model.Expr:
			w.expr(x)
		case *model.Place:
			w.place(*x)
		}
		w.walk(v.Elem())
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case value.Value, model.Pos:
			return
		case model.Place:
			w.place(x)
		case model.Target:
			if x.Kind != model.Stay && (x.State < 0 || x.State >= len(w.flow.States)) {
				w.errorf(x.Pos, "target %d", x.State)
			}
		}
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			if e := v.Index(i); (e.Kind() == reflect.Interface || e.Kind() == reflect.Pointer) && e.IsNil() {
				w.t.Errorf("%s: a nil in a list of %s", w.name, v.Type())
			}
			w.walk(v.Index(i))
		}
	}
}

func (w *whole) expr(e model.Expr) {
	w.exprs++
	t := e.Type()
	if t == nil || t.Kind == value.Invalid && !isEmptyList(e) {
		w.errorf(e.Position(), "%T has no type", e)
		return
	}
	switch e := e.(type) {
	case *model.Const:
		if k := e.Value.Kind(); k != t.Kind && !(k == value.Null && t.Optional) && !(k == value.Null && t.Kind == value.JSON) {
			w.errorf(e.Pos, "a constant of type %s holds %s", t, k)
		}
	case *model.LocalRef:
		if e.Index < 0 || e.Index >= len(w.locals) {
			w.errorf(e.Pos, "local %d of %d", e.Index, len(w.locals))
		}
	case *model.DataRef:
		if e.Index < 0 || e.Index >= len(w.flow.Data) {
			w.errorf(e.Pos, "data %d", e.Index)
		}
	case *model.InputRef:
		if e.Index < 0 || e.Index >= len(w.flow.Input.Fields) {
			w.errorf(e.Pos, "input %d", e.Index)
		}
	case *model.RecordLit:
		if len(e.Fields) != len(t.Decl.Fields) {
			w.errorf(e.Pos, "a record of %d fields for %s", len(e.Fields), t)
		}
	case *model.CallFunc:
		if len(e.Args) != len(e.Func.Params) {
			w.errorf(e.Pos, "%d arguments for %s", len(e.Args), e.Func.Name)
		}
	case *model.Binary:
		if x, y := e.X.Type(), e.Y.Type(); e.Op < model.Eq && (x.Optional || y.Optional) {
			w.errorf(e.Pos, "operands %s and %s", x, y)
		}
	}
}

func isEmptyList(e model.Expr) bool {
	_, ok := e.(*model.ListLit)
	return ok
}

func (w *whole) place(p model.Place) {
	if (p.Data < 0) == (p.Local < 0) {
		w.t.Errorf("%s: place %+v", w.name, p)
	}
}

func (w *whole) program(p *model.Program) {
	for _, f := range p.Funcs {
		w.locals = f.Locals
		w.walk(reflect.ValueOf(f.Body))
	}
	for _, fl := range p.Flows {
		w.flow = fl
		order := -1
		for i, s := range fl.States {
			if s.Index != i || s.Parent >= i {
				w.t.Errorf("%s: state %d of %s has index %d, parent %d", w.name, i, fl.Name, s.Index, s.Parent)
			}
			if nested := s.Kind == model.Composite || s.Kind == model.Region; nested != (s.Initial >= 0) {
				w.t.Errorf("%s: state %s begins in %d", w.name, s.Path, s.Initial)
			}
			w.walk(reflect.ValueOf(*s))
			for _, h := range s.Handlers {
				order = max(order, h.Order)
				if len(h.Triggers) == 0 {
					w.t.Errorf("%s: a handler without events in %s", w.name, s.Path)
				}
			}
		}
		for _, d := range fl.Data {
			w.walk(reflect.ValueOf(*d))
		}
	}
	for _, test := range p.Tests {
		for _, s := range test.Stmts {
			w.flow = nil
			if sub := reflect.ValueOf(s).Elem().FieldByName("Subject"); sub.IsValid() {
				subject := sub.Interface().(model.Subject)
				if w.flow = subject.Flow; subject.Child != nil {
					w.flow = subject.Child
				}
			}
			w.walk(reflect.ValueOf(s))
		}
	}
}

// The model of a file without errors has no holes.
func TestModelsAreWhole(t *testing.T) {
	exprs := 0
	for _, dir := range []string{"run", "validate"} {
		for name, src := range cases(t, dir) {
			if r := validate.CheckText(name, src); r.Model != nil {
				w := &whole{t: t, name: name}
				w.program(r.Model)
				exprs += w.exprs
			}
		}
	}
	if exprs < 1000 {
		t.Errorf("only %d expressions were looked at", exprs)
	}
}
