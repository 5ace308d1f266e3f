package validate

import (
	"slices"
	"testing"
)

// TestDependentsFollowImports: a change reaches those that import it, also through others, round circles and after a removal.
func TestDependentsFollowImports(t *testing.T) {
	files := Map{
		"a.flow": `import "lib/b.flow"`, "lib/b.flow": `import "c.flow"`, "lib/c.flow": `import "b.flow"`,
		"d.flow": `import "gone.flow"`, "e.flow": `event go`,
	}
	names := []string{"a.flow", "d.flow", "e.flow", "lib/b.flow", "lib/c.flow"}
	for changed, want := range map[string][]string{
		"lib/c.flow": {"a.flow", "d.flow", "lib/b.flow", "lib/c.flow"},
		"e.flow":     {"d.flow", "e.flow"},
		"gone.flow":  {"d.flow"},
	} {
		got := Dependents(names, files, func(name string) bool { return name == changed })
		if !slices.Equal(got, want) {
			t.Errorf("%s changed: %v, want %v", changed, got, want)
		}
	}
}
