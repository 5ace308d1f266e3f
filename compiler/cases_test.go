package compiler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
	"flowc/validate/diag"
)

// check checks files that are given by name and fails the test when they have an error.
func check(t testing.TB, files map[string]string, main ...string) *validate.Result {
	t.Helper()
	r := validate.Check(validate.Options{Files: main, Loader: validate.Map(files)})
	if r.OK() {
		return r
	}
	for _, f := range r.Findings {
		if f.Severity == diag.Error {
			t.Errorf("%s: %s", f.ID, f.Message)
		}
	}
	t.Fatal("the source has errors")
	return nil
}

// texts gives a source the texts that were checked.
func texts(r *validate.Result, s *program.Source) {
	s.SetText(func(name string) string {
		for _, src := range r.Sources {
			if src.Name == name {
				return string(src.AST.Src)
			}
		}
		return ""
	})
}

// sources are the flows of the examples and of this package's own goldens.
func sources(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"../examples/*.flow", "../examples/*/*.flow", "testdata/*.flow"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(name)] = string(text)
		}
	}
	if len(files) == 0 {
		t.Fatal("no sources")
	}
	return files
}

func TestEveryExampleCompilesToWhatDecodesAlike(t *testing.T) {
	files := sources(t)
	for name := range files {
		r := validate.Check(validate.Options{Files: []string{name}, Loader: validate.Map(files)})
		if !r.OK() {
			t.Errorf("%s has errors", name)
			continue
		}
		units, err := compiler.CompileAll(r.Model)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, u := range units {
			b := program.Encode(u.Program)
			again, err := program.Decode(b)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if program.Hash(again) != program.Hash(u.Program) {
				t.Errorf("%s: flow %s has another hash once decoded", name, u.Flow.Name)
			}
			texts(r, u.Source)
			if got, want := program.Disassemble(again, u.Source), program.Disassemble(u.Program, u.Source); got != want {
				t.Errorf("%s: flow %s is another program once decoded", name, u.Flow.Name)
			}
			everyInstructionHasAPlace(t, u)
		}
		if _, err := compiler.CompileTests(r.Model); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func everyInstructionHasAPlace(t *testing.T, u compiler.Unit) {
	t.Helper()
	for i := range u.Program.Codes {
		for pc := range u.Program.Codes[i].Ins {
			place, ok := u.Source.Locate(i, pc)
			if !ok || place.Line == 0 || !strings.HasSuffix(place.File, ".flow") {
				t.Errorf("flow %s: code %d, pc %d has the place %+v", u.Flow.Name, i, pc, place)
			}
		}
	}
}
