package lsp

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"flowc/grammar"
)

// everyByte makes TestEveryPrefix stop behind every byte of every example, which takes minutes. Without it the test stops behind
// every byte of the smallest example, and in the others where a word, a number or a run of blanks ends, and behind every fiftieth
// byte.
var everyByte = os.Getenv("FLOWC_EVERY_BYTE") != ""

const smallExample = 4000

func stopsAt(src []byte, n int) bool {
	switch {
	case everyByte, n == len(src), n%50 == 0:
		return true
	case raceEnabled:
		return false // the detector looks at what goroutines share, and is ten times slower
	case len(src) < smallExample:
		return true
	}
	before, after := src[n-1], src[n]
	blank := func(c byte) bool { return c == ' ' || c == '\n' }
	line := src[strings.LastIndexByte(string(src[:n]), '\n')+1 : n]
	return !(isNameByte(before) && isNameByte(after) || blank(after) && (blank(before) || strings.Contains(string(line), "//")))
}

// TestEveryPrefix types every example letter by letter: nothing panics, and after an arrow all states that are written so far are
// proposed.
func TestEveryPrefix(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // many short-lived trees
	names, err := filepath.Glob(filepath.Join("..", "examples", "*.flow"))
	if err != nil || len(names) == 0 {
		t.Fatalf("found no examples: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s := NewSession(Options{})
			for n := 0; n <= len(src); n++ {
				if !stopsAt(src, n) {
					continue
				}
				s.Open("a.flow", int32(n), string(src[:n]))
				snap := s.Snapshot()
				snap.Hover("a.flow", n)
				items := snap.Complete("a.flow", n)
				if strings.HasSuffix(string(src[:n]), " -> ") {
					wantStates(t, src[:n], items)
				}
				if n%128 == 0 { // the outline, the colours and the rest see the same tree
					everything(snap, "a.flow", n)
				}
			}
		})
	}
}

// wantStates compares the proposals with the states of the unfinished flow, if the arrow stands in one.
func wantStates(t *testing.T, src []byte, items []Item) {
	t.Helper()
	line := src[strings.LastIndexByte(string(src), '\n')+1:]
	if !strings.HasPrefix(string(line), " ") || !strings.Contains(string(src), "\nflow ") {
		return // the header of a declaration
	}
	flow := string(src)[strings.LastIndex(string(src), "\nflow "):]
	if strings.Contains(flow, "\n}") || !strings.Contains(flow, "{\n") {
		return // behind the flow, or still in its header
	}
	for _, line := range strings.Split(flow, "\n") {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "state" || words[2] != "{" {
			continue
		}
		if !slices.ContainsFunc(items, func(i Item) bool { return i.Label == words[1] || strings.HasSuffix(i.Label, "."+words[1]) }) {
			t.Errorf("after %q the state %s is not proposed", src[max(0, len(src)-60):], words[1])
		}
	}
}

// everything asks all other questions about a file and a place.
func everything(s *Snapshot, file string, offset int) {
	all := grammar.Span{End: len(s.Document(file).Text)}
	s.Diagnostics(file)
	s.Definition(file, offset)
	s.TypeDefinition(file, offset)
	s.References(file, offset)
	s.Highlights(file, offset)
	s.Signature(file, offset)
	s.Selections(file, offset)
	s.Symbols(file)
	s.SemanticTokens(file)
	s.Folds(file)
	s.Hints(file, all)
	s.Links(file)
	s.Lenses(file)
	s.Actions(file, all)
	s.Format(file)
	s.Caller(file, offset)
	s.Incoming(file, offset)
	s.Outgoing(file, offset)
	s.WorkspaceSymbols("", 100)
	if _, err := s.PrepareRename(file, offset); err == nil {
		_, _ = s.Rename(file, offset, "renamed")
	}
}

// TestCompletionInTheMiddle asks at every place of a whole file, where the text before and behind the cursor stays.
func TestCompletionInTheMiddle(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "examples", "ticket.flow"))
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(Options{})
	s.Open("a.flow", 1, string(src))
	snap := s.Snapshot()
	for n := 0; n <= len(src); n += 3 {
		snap.Hover("a.flow", n)
		snap.Signature("a.flow", n)
		for _, i := range snap.Complete("a.flow", n) {
			if i.Span.Start > n || i.Span.End < i.Span.Start || i.Span.End > len(src) {
				t.Fatalf("at %d: %s replaces %v", n, i.Label, i.Span)
			}
		}
	}
}
