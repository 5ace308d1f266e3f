package compiler_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Each archive in testdata holds flow files, the first of which is compiled, and `want`: the disassembly of its last flow.
func TestDisassembly(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files, want := map[string]string{}, -1
	for i, f := range a.Files {
		if f.Name == "want" {
			want = i
			continue
		}
		files[f.Name] = string(f.Data)
	}
	r := check(t, files, a.Files[0].Name)
	p, src, err := compiler.Compile(r.Model, r.Model.Flows[len(r.Model.Flows)-1])
	if err != nil {
		t.Fatal(err)
	}
	texts(r, src)
	got := program.Disassemble(p, src)
	if !*update {
		if want < 0 {
			t.Fatal("no golden: run with -update")
		}
		if diff := cmp.Diff(string(a.Files[want].Data), got); diff != "" {
			t.Errorf("the program is another one (-want +got):\n%s", diff)
		}
		return
	}
	if want < 0 {
		want = len(a.Files)
		a.Files = append(a.Files, txtar.File{Name: "want"})
	}
	a.Files[want].Data = []byte(got)
	if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
