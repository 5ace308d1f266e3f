package diag

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notShown are the ids whose page cannot have a failing example: it would be
// too large, or changes with every release.
var notShown = map[ID]bool{FileTooLarge: true, FlowTooLarge: true, NotSupportedYet: true}

func TestEveryIDHasAPageWithExamples(t *testing.T) {
	for _, entry := range All() {
		page, err := Page(entry.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		head := fmt.Sprintf("# %s\n\n%s.\n\n", entry.ID, entry.Title)
		if !strings.HasPrefix(page, head) {
			t.Errorf("%s: the page does not begin with its id and its title", entry.ID)
		}
		examples, err := Examples(entry.ID)
		if err != nil {
			t.Error(err)
		}
		want := []bool{false, true}
		if notShown[entry.ID] {
			want = []bool{true}
		}
		if len(examples) != len(want) {
			t.Errorf("%s: %d examples, want %d", entry.ID, len(examples), len(want))
			continue
		}
		for i, e := range examples {
			if e.Passes != want[i] || !strings.Contains(e.Main(), "flow ") {
				t.Errorf("%s: example %d is out of order or has no flow", entry.ID, i+1)
			}
		}
	}
}

func TestNoPageWithoutID(t *testing.T) {
	files, err := pages.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := Lookup(ID(strings.TrimSuffix(f.Name(), ".md"))); !ok {
			t.Errorf("pages/%s belongs to no finding", f.Name())
		}
	}
}

func TestPageOfUnknownIDIsAnError(t *testing.T) {
	if _, err := Page("../finding"); err == nil {
		t.Error("there is a page of an id that does not exist")
	}
	if _, err := Examples("no-such-id"); err == nil {
		t.Error("there are examples of an id that does not exist")
	}
}

func TestRegistry(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[ID]bool{}
	for _, e := range All() {
		if seen[e.ID] || !kebab.MatchString(string(e.ID)) {
			t.Errorf("%q is there twice or not in kebab-case", e.ID)
		}
		seen[e.ID] = true
		if e.Title == "" || strings.HasSuffix(e.Title, ".") || len(e.Title) > 100 || e.Group == "" {
			t.Errorf("%s: bad title %q or group %q", e.ID, e.Title, e.Group)
		}
		if got, ok := Lookup(e.ID); !ok || got != e {
			t.Errorf("lookup of %s gave %+v", e.ID, got)
		}
	}
	if _, ok := Lookup("zzz"); ok {
		t.Error("found an id that does not exist")
	}
}

// TestFindingPagesInDocs holds docs/findings equal to the pages; -update writes
// them.
func TestFindingPagesInDocs(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "findings")
	want := map[string]string{"README.md": index()}
	for _, e := range All() {
		page, err := Page(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		want[string(e.ID)+".md"] = page
	}
	if *update {
		writeDocs(t, dir, want)
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(want) {
		t.Errorf("%s holds %d files, want %d; run the test with -update", dir, len(found), len(want))
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if string(got) != text {
			t.Errorf("%s differs from its page; run the test with -update", filepath.Join(dir, name))
		}
	}
}

func writeDocs(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// index lists all findings by severity.
func index() string {
	var b strings.Builder
	b.WriteString("# Findings\n\nEverything that `flowc validate` reports. `flowc explain ID` prints the same pages.\n")
	for _, s := range []Severity{Error, Warning, Hint} {
		fmt.Fprintf(&b, "\n## %ss\n\n| id | what it says |\n|---|---|\n", strings.ToUpper(s.String()[:1])+s.String()[1:])
		for _, e := range All() {
			if e.Severity == s {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", e.ID, e.ID, e.Title)
			}
		}
	}
	return b.String()
}
