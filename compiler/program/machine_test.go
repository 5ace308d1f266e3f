package program_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"flowc/compiler/program"
)

// Every operation has a line with a picture of the stack before and after, and a name in the disassembly.
func TestEveryOperationIsDocumented(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "machine.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	documented := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Op") {
			return true
		}
		name := spec.Names[0].Name
		if before, after, ok := strings.Cut(spec.Comment.Text(), "→"); !ok || strings.TrimSpace(before) == "" || strings.TrimSpace(after) == "" {
			t.Errorf("%s has no picture of the stack: %q", name, spec.Comment.Text())
		}
		documented++
		return true
	})
	if documented != program.Ops {
		t.Errorf("%d operations are documented, of %d", documented, program.Ops)
	}
	names := map[string]bool{}
	for op := range program.Ops {
		name := program.Op(op).String()
		if name == "" || name == "?" || names[name] {
			t.Errorf("operation %d is called %q", op, name)
		}
		names[name] = true
	}
	if program.Op(program.Ops).String() != "?" {
		t.Error("an operation that there is not has a name")
	}
}
