package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// required lists the modules of go.mod, and those of them that are direct.
func required(t *testing.T) (all, direct []string) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^(?:require)?\s+([a-z0-9.-]+\.[a-z]+/\S+) v\S+( // indirect)?$`)
	for _, m := range line.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		all = append(all, m[1])
		if m[2] == "" {
			direct = append(direct, m[1])
		}
	}
	slices.Sort(direct)
	return all, direct
}

// documented lists the modules of docs/dependencies.md, a table of module and
// reason.
func documented(t *testing.T) []string {
	t.Helper()
	var found []string
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\|$")
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		if len(strings.Fields(m[2])) < 4 {
			t.Errorf("docs/dependencies.md gives no reason for %s", m[1])
		}
		found = append(found, m[1])
	}
	slices.Sort(found)
	return found
}

// imported lists the modules that the code imports, tests included.
func imported(t *testing.T, modules []string) []string {
	t.Helper()
	var found []string
	for _, f := range goFiles(t) {
		for _, path := range f.imports() {
			if !strings.Contains(strings.Split(path, "/")[0], ".") {
				continue // of the standard library or ours
			}
			owner := ""
			for _, m := range modules {
				if (path == m || strings.HasPrefix(path, m+"/")) && len(m) > len(owner) {
					owner = m
				}
			}
			if owner == "" {
				t.Errorf("%s imports %s, which go.mod does not require", f.name, path)
			} else if !slices.Contains(found, owner) {
				found = append(found, owner)
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestDirectModulesHaveAReason(t *testing.T) {
	all, direct := required(t)
	docs := documented(t)
	if used := imported(t, all); !slices.Equal(used, docs) {
		t.Errorf("the code imports\n  %s\nand docs/dependencies.md lists\n  %s", strings.Join(used, "\n  "), strings.Join(docs, "\n  "))
	}
	if !slices.Equal(direct, docs) {
		t.Errorf("go.mod requires directly\n  %s\nand docs/dependencies.md lists\n  %s\n(go mod tidy marks the others as indirect)",
			strings.Join(direct, "\n  "), strings.Join(docs, "\n  "))
	}
}
