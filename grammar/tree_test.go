package grammar

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// everything is a file with every construct of the language.
func everything(t *testing.T) *File {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("format", "testdata", "everything.flow"))
	if err != nil {
		t.Fatal(err)
	}
	f := Parse("everything.flow", src)
	if len(f.Faults) > 0 {
		t.Fatal(describe(f))
	}
	return f
}

// Children visits every node that a field of a node leads to, and each once.
func TestChildrenForgetNothing(t *testing.T) {
	seen := map[string]bool{}
	everything(t).Inspect(func(n Node) bool {
		seen[reflect.TypeOf(n).Elem().Name()] = true
		visited := map[Node]int{}
		Children(n, func(child Node) { visited[child]++ })
		for _, child := range fieldNodes(reflect.ValueOf(n).Elem()) {
			if visited[child] != 1 {
				t.Errorf("%T visits its %T %d times", n, child, visited[child])
			}
			delete(visited, child)
		}
		for child := range visited {
			t.Errorf("%T visits a %T that no field holds", n, child)
		}
		return true
	})
	for _, field := range reflect.VisibleFields(reflect.TypeFor[production]()) {
		if name := field.Type.Elem().Name(); !seen[name] {
			t.Errorf("the file with everything has no %s", name)
		}
	}
}

// fieldNodes finds the nodes in the exported fields of a struct, those of its
// clauses and string parts included.
func fieldNodes(v reflect.Value) (found []Node) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "Tokens" {
			found = append(found, nodesIn(v.Field(i))...)
		}
	}
	return found
}

func nodesIn(v reflect.Value) (found []Node) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if n, ok := v.Interface().(Node); ok && !v.IsNil() {
			found = append(found, n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			found = append(found, nodesIn(v.Index(i))...)
		}
	case reflect.Struct:
		found = fieldNodes(v)
	}
	return found
}

func TestSpansAreExact(t *testing.T) {
	f := everything(t)
	checkSpans(t, f)
	f.Inspect(func(n Node) bool {
		s := n.Span()
		text := string(f.Src[s.Start:s.End])
		if text != strings.TrimSpace(text) || text == "" {
			t.Errorf("%T covers %q", n, text)
		}
		return true
	})
}

func TestPositionsCountBytesFromOne(t *testing.T) {
	f := Parse("x", []byte("\ufeff// é\r\nflow f {}\n"))
	for offset, want := range map[int][2]int{-1: {1, 1}, 0: {1, 1}, 3: {1, 4}, 8: {1, 9}, 10: {2, 1}, 15: {2, 6}, 99: {3, 1}} {
		if line, column := f.Position(offset); line != want[0] || column != want[1] {
			t.Errorf("offset %d is at %d:%d, want %v", offset, line, column, want)
		}
	}
}

func TestDocIsTheLinesDirectlyAbove(t *testing.T) {
	f := Parse("x", []byte(`// Not this.

// First line.
//   indented
// flowc:allow style-name it is short
event a
event b // not this
event c
/* not this */
event d
`))
	want := map[string]string{"a": "First line.\n  indented", "b": "", "c": "", "d": ""}
	for _, d := range f.Decls {
		name := d.(*EventDecl).Name.Text
		if got := f.Doc(d); got != want[name] {
			t.Errorf("%s has the documentation %q, want %q", name, got, want[name])
		}
	}
	if len(f.Comments) != 6 || f.Comments[3].Text != "// flowc:allow style-name it is short" {
		t.Errorf("comments %v", f.Comments)
	}
}

// A broken item keeps what was read, and the bodies of faulty headers are read.
func TestBrokenItemsKeepWhatWasRead(t *testing.T) {
	f := Parse("x", []byte("flow f {\n  on go when a b -> c { note \"x\" }\n  state s t { on go -> u }\n  timeout 1h30m\n}"))
	items := f.Decls[0].(*FlowDecl).Body.Items
	state, ok := items[1].(*State)
	if !ok || !state.Broken() || state.Name.Text != "s" || len(state.Body.Items) != 1 {
		t.Errorf("the state is %+v", items[1])
	}
	timeout, ok := items[2].(*Timeout)
	if !ok || timeout.Broken() {
		t.Fatalf("the timeout is %+v", items[2])
	}
	if seconds, ok := timeout.Dur.(*Literal).Seconds(); !ok || seconds != 5400 {
		t.Errorf("1h30m is taken as %d seconds", seconds)
	}
}

func TestKeywordsAreNamesWhereTheyAreNotPossible(t *testing.T) {
	src := `enum timeout { state, on }
event call
flow data {
  data { note: int = 0 wait: int = 1 state: int = 2 }
  initial on
  state on {
    timeout (at)
    on when when when -> state
    entry { note = 1 wait[0] = 2 state.on = 3 x = wait + call y = state timeout = 3 }
    run {
      let e = wait go
      x = call go(at: 1)
    }
  }
  state state { always -> on }
}
test "a" {
  pause: pause
  expect note == 1
  expect not (state)
  start server(at: 1)
  expect (note) == 2
}
`
	f := Parse("x", []byte(src))
	for _, fault := range f.Faults {
		line, column := f.Position(fault.Span.Start)
		t.Errorf("%d:%d: %s", line, column, fault.Message)
	}
}

func TestPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		"a ?? b or c and not d == e + f * -g.h[i]!": "(a ?? (b or (c and (not (d == (e + (f * (- g.h[i]!))))))))",
		"a ? b : c ? d : e":                         "(a ? b : (c ? d : e))",
		"a - b - c":                                 "((a - b) - c)",
		"a not in b":                                "(a not in b)",
		"not a in b":                                "(not (a in b))",
		"-a.b":                                      "(- a.b)",
		"f(x => x + 1)":                             "f(x => x + 1)",
	} {
		f := Parse("x", []byte("const c = "+text))
		if len(f.Faults) > 0 {
			t.Errorf("%s: %s", text, describe(f))
			continue
		}
		if got := grouped(f, f.Decls[0].(*ConstDecl).Value); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// grouped writes an expression with its operations in parentheses.
func grouped(f *File, x Expr) string {
	switch x := x.(type) {
	case *BinaryExpr:
		return "(" + grouped(f, x.X) + " " + x.Op + " " + grouped(f, x.Y) + ")"
	case *UnaryExpr:
		return "(" + x.Op + " " + grouped(f, x.X) + ")"
	case *CondExpr:
		return "(" + grouped(f, x.Cond) + " ? " + grouped(f, x.Then) + " : " + grouped(f, x.Else) + ")"
	}
	s := x.Span()
	return string(f.Src[s.Start:s.End])
}

func TestStringParts(t *testing.T) {
	f := Parse("x", []byte(`const c = "a\n{x}{y ?? "in {z}"} } \u{e9}"`))
	var got []string
	for _, p := range f.Decls[0].(*ConstDecl).Value.(*StringLit).Parts {
		if p.Expr != nil {
			got = append(got, "<"+string(f.Src[p.Span.Start:p.Span.End])+">")
			continue
		}
		got = append(got, p.Text)
	}
	want := []string{"a\n", "<x>", `<y ?? "in {z}">`, " } é"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("parts %q, want %q", got, want)
	}
}

func TestLexIsLossless(t *testing.T) {
	for _, text := range oddTexts {
		checkLossless(t, []byte(text))
	}
	for _, c := range cases(t, "run") {
		checkLossless(t, c.src)
	}
}

// The grammar of the tags names every keyword of a construct.
func TestEBNFNamesTheKeywords(t *testing.T) {
	text := EBNF()
	for word := range itemWords {
		if word != "let" && word != "stop" && word != "expect" && !strings.Contains(text, `"`+word+`"`) {
			t.Errorf("%q is missing", word)
		}
	}
}
