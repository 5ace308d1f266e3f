package grammar

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDebugCases(t *testing.T) {
	files, _ := filepath.Glob("testdata/cases/*/*.flow")
	for _, name := range files {
		src, _ := os.ReadFile(name)
		f := Parse(name, src)
		for _, fault := range f.Faults {
			line, col := f.Position(fault.Span.Start)
			t.Logf("%s:%d:%d: %s: %s | %s", name, line, col, fault.ID, fault.Message, fault.Help)
		}
	}
}
