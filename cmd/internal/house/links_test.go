package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLinksInDocs follows every link of the docs that stays in the project,
// with its heading.
func TestLinksInDocs(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	findings, err := filepath.Glob(filepath.Join(root, "docs", "findings", "*.md"))
	if err != nil || len(findings) == 0 {
		t.Fatalf("found no findings: %v", err)
	}
	for _, page := range slices.Concat(docPages(t), findings, []string{filepath.Join(root, "lsp", "editors", "vscode", "README.md")}) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := m[1]
			if strings.Contains(target, "://") {
				continue
			}
			file, heading, _ := strings.Cut(target, "#")
			to := page
			if file != "" {
				to = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			there, err := os.ReadFile(to)
			if err != nil {
				t.Errorf("%s links to %s, which is not there", page, target)
			} else if heading != "" && !hasHeading(string(there), heading) {
				t.Errorf("%s links to %s, which has no such heading", page, target)
			}
		}
	}
}

// hasHeading looks for the heading that a link's fragment names.
func hasHeading(page, fragment string) bool {
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	for _, line := range strings.Split(page, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			slug := strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
			if slug == fragment {
				return true
			}
		}
	}
	return false
}

// TestEveryPageIsFound holds README.md to name every page of docs/, and the pages to show every picture beside them.
func TestEveryPageIsFound(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(root, "docs"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, f := range files {
		name := f.Name()
		switch {
		case f.IsDir():
			name += "/README.md"
			fallthrough
		case strings.HasSuffix(name, ".md"):
			if !strings.Contains(string(readme), "](docs/"+name) {
				t.Errorf("README.md does not name docs/%s", name)
			}
		case !strings.Contains(all.String(), name):
			t.Errorf("no page mentions docs/%s", name)
		}
	}
}
