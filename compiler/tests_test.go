package compiler_test

import (
	"reflect"
	"testing"

	"flowc/compiler"
	"flowc/validate"
	"flowc/validate/model"
)

var codeType = reflect.TypeFor[*model.Code]()

// codesIn finds every code in a test statement, whatever types of statements there are.
func codesIn(v reflect.Value, found func(*model.Code)) {
	if v.Type() == codeType {
		if !v.IsNil() {
			found(v.Interface().(*model.Code))
		}
		return
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		t := v.Type()
		known := t == reflect.TypeFor[*model.Flow]() || t == reflect.TypeFor[*model.Task]() || t == reflect.TypeFor[*model.Event]()
		if !v.IsNil() && !known {
			codesIn(v.Elem(), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			codesIn(v.Field(i), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			codesIn(v.Index(i), found)
		}
	}
}

func TestEveryCodeOfATestIsCompiled(t *testing.T) {
	files := sources(t)
	n := 0
	for name := range files {
		r := validate.Check(validate.Options{Files: []string{name}, Loader: validate.Map(files)})
		if !r.OK() {
			t.Fatalf("%s has errors", name)
		}
		tests, err := compiler.CompileTests(r.Model)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, test := range r.Model.Tests {
			for _, s := range test.Stmts {
				codesIn(reflect.ValueOf(s), func(c *model.Code) {
					n++
					if code, ok := tests.Code(c); !ok || code >= len(tests.Program.Codes) {
						t.Errorf("%s, %q: the code at %v is not compiled", name, test.Name, c.Pos)
					}
				})
			}
		}
	}
	if n == 0 {
		t.Error("no codes in the tests")
	}
}

// A model without a flow has no tests and nothing to fail at.
func TestCompileTestsOfALibrary(t *testing.T) {
	r := check(t, map[string]string{"lib.flow": "fn twice(n: int) -> int = n * 2\n"}, "lib.flow")
	tests, err := compiler.CompileTests(r.Model)
	if err != nil || tests.Program != nil {
		t.Errorf("%+v, %v", tests, err)
	}
}

// Files that are checked together may each have a flow `main`.
func TestCompileTestsOfTwoFilesWithTheSameNames(t *testing.T) {
	text := "event go\nflow main { timeout 1d on timeout, go -> done initial s state s {} final done }\n" +
		"test \"t\" {\n  start main\n  expect now() == now()\n}\n"
	r := check(t, map[string]string{"a.flow": text, "b.flow": text}, "a.flow", "b.flow")
	if _, err := compiler.CompileTests(r.Model); err != nil {
		t.Error(err)
	}
	if units, err := compiler.CompileAll(r.Model); err != nil || len(units) != 2 {
		t.Errorf("%d units, %v", len(units), err)
	}
}
