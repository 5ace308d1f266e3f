package sim_test

import (
	"path/filepath"
	"testing"
)

// TestNastyCases runs small flows that put two rules of the language against each other.
func TestNastyCases(t *testing.T) {
	files, err := filepath.Glob("testdata/nasty/*.flow")
	if err != nil || len(files) == 0 {
		t.Fatalf("the cases are missing: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			runFile(t, name)
		})
	}
}
