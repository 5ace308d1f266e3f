package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is nested without bound is refused in one fault, and fast.
func TestDeepNestingIsRefused(t *testing.T) {
	value := func(text string) string { return "flow f { entry { x = " + text + " } }" }
	texts := map[string]string{
		"parentheses":  value(strings.Repeat("(", 1_000_000)),
		"brackets":     value(strings.Repeat("[", 1_000_000)),
		"closed":       value(strings.Repeat("(", 5_000) + "1" + strings.Repeat(")", 5_000)),
		"states":       "flow f {" + strings.Repeat("state a {", 100_000) + strings.Repeat("}", 100_001),
		"blocks":       "flow f { run {" + strings.Repeat("if a {", 100_000) + strings.Repeat("}", 100_002),
		"texts":        value(strings.Repeat(`"{`, 100_000)),
		"not":          value(strings.Repeat("not ", 1_000_000) + "a"),
		"minus":        value(strings.Repeat("-", 1_000_000) + "a"),
		"conditionals": value(strings.Repeat("a ? b : ", 20_000) + "c"),
		"inner":        value(strings.Repeat("a ? ", 1_000) + "b" + strings.Repeat(" : c", 1_000)),
		"calls":        value(strings.Repeat("f(", 1_000) + strings.Repeat(")", 1_000)),
		"types":        "type t { x: " + strings.Repeat("list<", 10_000) + " }",
		"operands":     value(strings.Repeat("a + ", 20_000) + "a"),
		"elements":     value("[" + strings.Repeat("1, ", 20_000) + "]"),
	}
	for name, text := range texts {
		f := Parse(name, []byte(text))
		if len(f.Faults) != 1 || f.Faults[0].ID != IDNestedTooDeep {
			t.Errorf("%s: %s", name, clip(describe(f)))
		}
	}
}

func TestNestingUpToTheLimitIsRead(t *testing.T) {
	const around = 2 // the braces of the flow and the block
	text := func(n int) []byte {
		return []byte("flow f { entry { x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + " } }")
	}
	if f := Parse("in", text(MaxDepth-around-1)); len(f.Faults) > 0 {
		t.Error(describe(f))
	}
	if f := Parse("out", text(MaxDepth-around+1)); len(f.Faults) != 1 {
		t.Error(describe(f))
	}
}

// Chains that nest nothing have no limit.
func TestLongChainsAreRead(t *testing.T) {
	texts := map[string]string{
		"else if":  "flow f { run { if a {}" + strings.Repeat(" else if b {}", 20_000) + " } }",
		"operands": "flow f { entry { x = " + strings.Repeat("a + ", 4_000) + "a } }",
		"states":   "flow f {" + strings.Repeat("state a {} ", 5_000) + "}",
	}
	for name, text := range texts {
		if f := Parse(name, []byte(text)); len(f.Faults) > 0 {
			t.Errorf("%s: %s", name, clip(describe(f)))
		}
	}
}

func TestLargeFilesAreRefusedUnread(t *testing.T) {
	endless := &countingReader{}
	src, err := ReadAll(endless)
	if err != nil {
		t.Fatal(err)
	}
	if endless.read > 2*MaxFileSize {
		t.Errorf("%d bytes were read", endless.read)
	}
	f := Parse("large.flow", src)
	if len(f.Faults) != 1 || f.Faults[0].ID != IDFileTooLarge {
		t.Error(describe(f))
	}
}

type countingReader struct{ read int }

func (r *countingReader) Read(p []byte) (int, error) {
	if r.read > 1<<30 {
		return 0, io.EOF
	}
	r.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestReadFileSaysWhatIsWrong(t *testing.T) {
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.flow")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A file full of nonsense costs no more than one full of sense.
func TestNonsenseIsReadInLinearTime(t *testing.T) {
	for _, piece := range []string{"$ ", ") ", "} ", "on ", "flow f ", "\"{", "6 h ", "; ", "=> ", "a.", "state x y z\n"} {
		src := bytes.Repeat([]byte(piece), 60_000/len(piece))
		f := Parse("nonsense.flow", src)
		if len(f.Faults) == 0 || len(f.Faults) > 3*MaxFaults {
			t.Errorf("%q: %d faults", piece, len(f.Faults))
		}
		checkSpans(t, f)
	}
}

func TestParseIsSafeForConcurrentUse(t *testing.T) {
	src := cases(t, "run")[0].src
	results := make(chan string)
	for i := range 8 {
		go func() { results <- describe(Parse(fmt.Sprint(i), src)) }()
	}
	for range 8 {
		if got := <-results; got != "" {
			t.Error(got)
		}
	}
}
