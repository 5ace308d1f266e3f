package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowc/grammar/format"
)

// TestFormatEditsGiveTheFormattedFile spoils the examples, and makes the edits.
func TestFormatEditsGiveTheFormattedFile(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "examples", "*.flow"))
	if err != nil || len(names) == 0 {
		t.Fatalf("found no examples: %v", err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, spoil := range []func(string) string{
			func(s string) string { return strings.ReplaceAll(s, "\n  ", "\n\t\t") },
			func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n\n\n\n") },
			func(s string) string { return strings.ReplaceAll(s, "    timeout", "timeout  ") },
			func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			func(s string) string { return strings.TrimSuffix(s, "\n") },
			func(s string) string { return s },
		} {
			spoilt := spoil(string(src))
			s := NewSession(Options{})
			s.Open("a.flow", 1, spoilt)
			got, _ := apply([]byte(spoilt), "a.flow", s.Snapshot().Format("a.flow"))
			want, faults := format.Source("a.flow", []byte(spoilt))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if strings.Contains(spoilt, "\r\n") {
				want = []byte(strings.ReplaceAll(string(want), "\n", "\r\n"))
			}
			if string(got) != string(want) {
				t.Errorf("%s: the edits give\n%s", name, got)
			}
		}
	}
}

func TestFormatTouchesOnlyWhatIsWrong(t *testing.T) {
	text := "event a\nevent  b\nevent c\nevent   d\n"
	s := NewSession(Options{})
	s.Open("a.flow", 1, text)
	edits := s.Snapshot().Format("a.flow")
	if len(edits) != 2 || edits[0].Text != "event b\n" || edits[1].Text != "event d\n" {
		t.Errorf("got %+v", edits)
	}
	first := s.Snapshot().FormatRange("a.flow", edits[0].Span)
	if !slices.Equal(first, edits[:1]) {
		t.Errorf("of the first range got %+v", first)
	}
}
