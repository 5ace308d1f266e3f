package lsp

import (
	"strings"
	"testing"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// TestEveryFixMendsItsFinding offers, for the failing example of every finding, each of its fixes and the comment that allows it,
// makes the change, and looks for the finding again.
func TestEveryFixMendsItsFinding(t *testing.T) {
	fixes, allows := 0, 0
	for _, entry := range diag.All() {
		examples, err := diag.Examples(entry.ID)
		if err != nil {
			t.Error(err)
		}
		for _, e := range examples {
			s := NewSession(Options{})
			for _, f := range e.Files {
				s.Open(f.Name, 1, f.Text)
			}
			main := e.Files[0].Name
			found, _ := s.Snapshot().Diagnostics(main)
			for _, a := range s.Snapshot().Actions(main, grammar.Span{End: len(e.Files[0].Text)}) {
				if a.Kind != QuickFix {
					continue
				}
				text, _ := apply([]byte(e.Files[0].Text), main, a.Edits)
				after := s.Snapshot().with(&Document{Name: main, Text: text})
				left, _ := after.Diagnostics(main)
				if count(left, a.Finding.ID) >= count(found, a.Finding.ID) {
					t.Errorf("%s: %q leaves the finding in\n%s", a.Finding.ID, a.Title, text)
				}
				if strings.HasPrefix(a.Title, "Allow") {
					allows++
				} else {
					fixes++
				}
			}
		}
	}
	if fixes < 10 || allows < 30 {
		t.Errorf("made %d fixes and %d comments", fixes, allows)
	}
}

func count(all []diag.Finding, id diag.ID) int {
	n := 0
	for _, f := range all {
		if f.ID == id {
			n++
		}
	}
	return n
}

// TestEditorAndCommandLineFindTheSame compares the findings of broken files with those of a check by name.
func TestEditorAndCommandLineFindTheSame(t *testing.T) {
	for _, entry := range diag.All() {
		examples, err := diag.Examples(entry.ID)
		if err != nil {
			t.Error(err)
		}
		for _, e := range examples {
			files := map[string]string{}
			s := NewSession(Options{})
			for _, f := range e.Files {
				files[f.Name] = f.Text
				s.Open(f.Name, 1, f.Text)
			}
			main := e.Files[0].Name
			got, _ := s.Snapshot().Diagnostics(main)
			var want []diag.Finding
			for _, f := range validate.Check(validate.Options{Files: []string{main}, Loader: validate.Map(files)}).Findings {
				if f.File == main {
					want = append(want, f)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%s: the editor has %d findings, the command line %d", entry.ID, len(got), len(want))
			}
			for i := range got {
				if got[i].ID != want[i].ID || got[i].Range != want[i].Range {
					t.Errorf("%s: the editor has %v, the command line %v", entry.ID, got[i], want[i])
				}
			}
		}
	}
}
