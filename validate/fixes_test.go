package validate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"flowc/validate"
	"flowc/validate/diag"
)

// A fix makes a file no worse: there are no more errors behind it than before it.
func TestFixesLeaveAFileNoWorse(t *testing.T) {
	sources := map[string][]byte{}
	for _, path := range corpus(t, "broken") {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources[path] = src
	}
	archives, err := filepath.Glob(filepath.Join("testdata", "mistakes", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if filepath.Ext(file.Name) == ".flow" {
				sources[path+"/"+file.Name] = file.Data
			}
		}
	}
	fixes := 0
	for name, src := range sources {
		before := validate.CheckText(name, string(src))
		for _, f := range before.Findings {
			for _, fix := range f.Fixes {
				fixes++
				mended, err := diag.Apply(src, fix)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				after := validate.CheckText(name, string(mended))
				if errorsOf(after) > errorsOf(before) {
					t.Errorf("%s: %q for %q makes it worse:\n%s", name, fix.Title, f.Message, texts(after))
				}
			}
		}
	}
	if fixes < 100 {
		t.Errorf("%d fixes, fewer than 100", fixes)
	}
}

func errorsOf(r *validate.Result) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == diag.Error {
			n++
		}
	}
	return n
}
