package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksInDocs follows every link of the docs that stays in the project,
// with its heading.
func TestLinksInDocs(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range docPages(t) {
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
