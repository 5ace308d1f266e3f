package validate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowc/validate"
)

// corpus lists the files of a folder of the corpus; libraries that they import stand in a folder of their own.
func corpus(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", dir, "*.flow"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 60 {
		t.Fatalf("%d files in %s, fewer than 60", len(paths), dir)
	}
	return paths
}

// Files as people write them, broken in one way each: exactly the findings that their comments ask for, where they ask for them.
func TestBrokenCorpusHasItsFindingsAndNoOthers(t *testing.T) {
	for _, path := range corpus(t, "broken") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			src := corpusText(t, path)
			r := validate.Check(validate.Options{Files: []string{path}})
			want := wanted(src)
			if len(want) == 0 {
				t.Error("the file asks for no finding")
			}
			if got := grave(r); !slices.Equal(got, want) {
				t.Errorf("findings\n got %q\nwant %q\n%s", got, want, texts(r))
			}
			golden(t, filepath.Join("testdata", "messages", "corpus", filepath.Base(path)+".txt"), texts(r))
		})
	}
}

// Their near misses, which are right.
func TestFineCorpusHasNoFindings(t *testing.T) {
	for _, path := range corpus(t, "fine") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			corpusText(t, path)
			r := validate.Check(validate.Options{Files: []string{path}})
			if got := grave(r); len(got) > 0 || r.Model == nil {
				t.Errorf("findings %q\n%s", got, texts(r))
			}
		})
	}
}

// corpusText reads a file, whose first line says what it is about.
func corpusText(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(src), "// ") {
		t.Error("the first line does not say what the file is about")
	}
	return string(src)
}
