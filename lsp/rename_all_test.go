package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowc/validate"
)

// TestEveryNameOfTheExamplesCanBeRenamed renames everything that the examples mention to a name that nothing has: wherever it is
// written, in the flows and in their tests, is known, so that the renamed files mean what they meant.
func TestEveryNameOfTheExamplesCanBeRenamed(t *testing.T) {
	names, err := filepath.Glob("../examples/*.flow")
	if err != nil || len(names) < 13 {
		t.Fatalf("%d examples: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s := NewSession(Options{})
			s.Open(name, 1, string(text))
			snap := s.Snapshot()
			c := snap.check(name)
			renamed := map[*validate.Def]bool{}
			for _, ref := range c.Info.Refs {
				if ref.File != c.index[name] {
					continue
				}
				if got := string(text[ref.Span.Start:ref.Span.End]); got != ref.Def.Name {
					t.Errorf("%q stands where `%s` is meant", got, ref.Def.Name)
				}
				if renamed[ref.Def] {
					continue
				}
				renamed[ref.Def] = true
				edits, err := snap.Rename(name, ref.Span.Start, "nothing_is_called_so")
				switch {
				case err == nil && len(edits) == len(c.uses(ref.Def)):
				case err == nil:
					t.Errorf("%s at byte %d has %d edits and %d uses", ref.Def.Name, ref.Span.Start, len(edits), len(c.uses(ref.Def)))
				case filepath.Base(name) == "retry.flow" && strings.Contains(err.Error(), ": in fragment `patiently`: "):
					// Its tasks have fields of one name, since the fragment that calls each of them knows them by it.
				default:
					t.Errorf("%s at byte %d: %v", ref.Def.Name, ref.Span.Start, err)
				}
			}
		})
	}
}
