package lsp

import (
	"testing"

	"flowc/validate/diag"
)

// TestChangesReachWhatImportsThem changes one of several open buffers: the checks of those that import it are made anew, the others'
// are kept.
func TestChangesReachWhatImportsThem(t *testing.T) {
	s := NewSession(Options{})
	s.Open("lib.flow", 1, "event go\n")
	s.Open("user.flow", 1, "import \"lib.flow\"\nflow f {\n  initial a\n  state a { timeout 1d on go -> b on timeout -> b }\n  final b\n}\n")
	s.Open("other.flow", 1, "event go\n")
	before := s.Snapshot()
	for _, name := range []string{"lib.flow", "user.flow", "other.flow"} {
		if found, ok := before.Diagnostics(name); !ok || len(found) > 0 {
			t.Fatalf("%s has %v", name, found)
		}
	}
	if err := s.Change("lib.flow", 2, UTF16, []Change{{Text: "event come\n"}}); err != nil {
		t.Fatal(err)
	}
	after := s.Snapshot()
	if found, _ := after.Diagnostics("user.flow"); count(found, diag.UnknownEvent) != 1 {
		t.Errorf("what imports the changed file has %v", found)
	}
	if before.check("other.flow") != after.check("other.flow") {
		t.Error("a file that the change cannot touch is checked anew")
	}
	if found, _ := before.Diagnostics("user.flow"); len(found) > 0 {
		t.Errorf("the snapshot from before the change has %v", found)
	}
	if err := s.Change("lib.flow", 2, UTF16, []Change{{Text: "nothing"}}); err == nil {
		t.Error("an old version is taken")
	}
	if err := s.Change("none.flow", 2, UTF16, nil); err == nil {
		t.Error("a buffer that is not open is changed")
	}
}
