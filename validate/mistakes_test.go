package validate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"flowc/validate"
	"flowc/validate/diag"
)

// What people write who know other languages, and what they are told in full. Each archive holds files and, behind each, the text
// of its findings; every fix that is offered does away with the finding that offers it.
func TestUsualMistakes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "mistakes", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives (%v)", err)
	}
	mistakes := 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := &txtar.Archive{Comment: archive.Comment}
		for _, file := range archive.Files {
			if !strings.HasSuffix(file.Name, ".flow") {
				continue
			}
			mistakes++
			report := txtar.File{Name: strings.TrimSuffix(file.Name, ".flow") + ".txt", Data: mistaken(t, file)}
			want.Files = append(want.Files, file, report)
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(want))); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
	if mistakes < 60 {
		t.Errorf("%d mistakes, fewer than 60", mistakes)
	}
}

// mistaken gives the report of a file as a terminal shows it, and the lines that its fixes write.
func mistaken(t *testing.T, file txtar.File) []byte {
	t.Helper()
	r := validate.CheckText(file.Name, string(file.Data))
	if len(r.Findings) == 0 {
		t.Errorf("%s has no finding", file.Name)
	}
	var out bytes.Buffer
	if err := diag.WriteText(&out, r.Report(), diag.Text{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		for _, fix := range f.Fixes {
			mended, err := diag.Apply(file.Data, fix)
			if err != nil {
				t.Fatalf("%s: %v", file.Name, err)
			}
			line := fix.Edits[0].Range.Start.Line
			out.WriteString("fixed: " + strings.TrimSpace(strings.Split(string(mended), "\n")[line-1]) + "\n")
			for _, g := range validate.CheckText(file.Name, string(mended)).Findings {
				if g.ID == f.ID && g.Range.Start == f.Range.Start {
					t.Errorf("%s: %q leaves `%s`: %s", file.Name, fix.Title, g.ID, g.Message)
				}
			}
		}
	}
	return out.Bytes()
}
