package house

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowc/grammar/format"
	"flowc/validate"
	"flowc/validate/diag"
)

// check validates a flow file with the files beside it.
func check(files map[string]string) []diag.Finding {
	return validate.Check(validate.Options{Files: []string{diag.MainFile}, Loader: validate.Map(files)}).Findings
}

func listed(findings []diag.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "\n  %s:%d:%d: %s: %s [%s]", f.File, f.Range.Start.Line, f.Range.Start.Column, f.Severity, f.Message, f.ID)
	}
	return b.String()
}

func wantFormatted(t *testing.T, name, text string) {
	t.Helper()
	out, faults := format.Source(name, []byte(text))
	if len(faults) == 0 && string(out) != text {
		t.Errorf("%s is not formatted; flowc fmt makes it\n%s", name, out)
	}
}

// TestPagesOfFindings runs the examples of every page: the failing one gives
// its finding and nothing else that matters, the passing one gives nothing.
func TestPagesOfFindings(t *testing.T) {
	for _, entry := range diag.All() {
		examples, err := diag.Examples(entry.ID)
		if err != nil {
			t.Error(err)
		}
		for _, e := range examples {
			t.Run(fmt.Sprintf("%s/passes=%t", entry.ID, e.Passes), func(t *testing.T) {
				files := map[string]string{}
				for _, f := range e.Files {
					files[f.Name] = f.Text
					wantFormatted(t, f.Name, f.Text)
				}
				found := check(files)
				if e.Passes && len(found) > 0 {
					t.Errorf("the passing example has findings:%s", listed(found))
				}
				grave := slices.DeleteFunc(slices.Clone(found), func(f diag.Finding) bool {
					return f.Severity == diag.Hint && f.ID != entry.ID
				})
				if !e.Passes && (len(grave) != 1 || grave[0].ID != entry.ID) {
					t.Errorf("the failing example has, instead of one %s:%s", entry.ID, listed(found))
				}
			})
		}
	}
}

// TestLimitsThatNoPageCanShow gives the findings whose failing example would
// be too large for a page.
func TestLimitsThatNoPageCanShow(t *testing.T) {
	large := check(map[string]string{diag.MainFile: strings.Repeat("// a comment that fills the file\n", 400_000)})
	if len(large) != 1 || large[0].ID != diag.FileTooLarge {
		t.Errorf("a file of more than 10 MiB gives%s", listed(large))
	}
}

func TestExamplesHaveNoFinding(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "examples", "*.flow"))
	if err != nil || len(files) < 8 {
		t.Fatalf("found %d examples: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wantFormatted(t, file, string(text))
		found := validate.Check(validate.Options{Files: []string{file}, Loader: validate.Disk{}}).Findings
		if len(found) > 0 {
			t.Errorf("%s has findings:%s", file, listed(found))
		}
		if !bytes.Contains(text, []byte("\ntest ")) {
			t.Errorf("%s has no test", file)
		}
	}
}

// docPages lists the README and the docs without the pages of findings, which
// have tests of their own.
func docPages(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CHANGELOG.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "findings" {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".md") {
			pages = append(pages, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestFlowsInDocs checks every block of the docs that is marked as a flow. What
// is no whole file is marked flow-fragment.
func TestFlowsInDocs(t *testing.T) {
	for _, page := range docPages(t) {
		for _, f := range flowFences(t, page) {
			name := fmt.Sprintf("%s:%d", page, f.line)
			wantFormatted(t, name, f.text)
			if found := check(map[string]string{diag.MainFile: f.text}); len(found) > 0 {
				t.Errorf("the block at %s has findings:%s", name, listed(found))
			}
		}
	}
}

type fence struct {
	line int
	text string
}

// flowFences lists the blocks of a page that are marked as a flow.
func flowFences(t *testing.T, page string) []fence {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var found []fence
	open := false
	for i, line := range strings.SplitAfter(string(text), "\n") {
		switch {
		case !open && strings.TrimSpace(line) == "```flow":
			open = true
			found = append(found, fence{line: i + 1})
		case open && strings.TrimSpace(line) == "```":
			open = false
		case open:
			found[len(found)-1].text += line
		}
	}
	if open {
		t.Errorf("%s ends inside a block", page)
	}
	return found
}
