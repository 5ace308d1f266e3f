package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRenameInFilesThatAreNotOpen renames a declaration of a library in the files of the workspace that import it, and leaves alone
// those that have the same letters with another meaning.
func TestRenameInFilesThatAreNotOpen(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"lib.flow":    "event paid(reference: string)\n",
		"a.flow":      "import \"lib.flow\"\nflow f {\n  initial a\n  state a { timeout 1d on paid -> b on timeout -> b }\n  final b\n}\n",
		"in/b.flow":   "import \"../lib.flow\" as lib\nflow g {\n  initial a\n  state a { timeout 1d on lib.paid -> b on timeout -> b }\n  final b\n}\n",
		"other.flow":  "event paid\n",
		".git/x.flow": "import \"../lib.flow\"\n// paid\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSession(Options{Folders: []string{dir}})
	lib := filepath.ToSlash(filepath.Join(dir, "lib.flow"))
	edits, err := s.Snapshot().Rename(lib, len("event p"), "settled")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range edits {
		rel, err := filepath.Rel(dir, e.File)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if strings.Join(got, " ") != "a.flow in/b.flow lib.flow" {
		t.Errorf("renamed in %v", got)
	}
}

// TestRenameIntoACapture would make a name mean something else.
func TestRenameIntoACapture(t *testing.T) {
	text := "const top = 1\nflow f {\n  data { n: int = top }\n  initial a\n  state a {\n    entry {\n      let local = 2\n      n = top + local\n    }\n    timeout 1d\n    on timeout -> b\n  }\n  final b\n}\n"
	s := NewSession(Options{})
	s.Open("a.flow", 1, text)
	for from, to := range map[string]string{"local = 2": "top", "top = 1": "local"} {
		if edits, err := s.Snapshot().Rename("a.flow", strings.Index(text, from), to); err == nil {
			t.Errorf("renaming %q to %s gives %v", from, to, edits)
		}
	}
	if _, err := s.Snapshot().Rename("a.flow", strings.Index(text, "local = 2"), "other"); err != nil {
		t.Error(err)
	}
}
