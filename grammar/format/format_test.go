package format

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"flowc/grammar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sources are all cases that have no fault.
func sources(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "testdata", "cases", "*", "*.flow"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	found := map[string][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(grammar.Parse(name, src).Faults) == 0 {
			found[name] = src
		}
	}
	return found
}

// The shared examples are written in the style; only two items on one line are
// parted.
func TestExamplesAreFormatted(t *testing.T) {
	for name, src := range sources(t) {
		want := strings.ReplaceAll(string(src), "-> pong } state", "-> pong }\n  state")
		out, _ := Source(name, src)
		if string(out) != want {
			t.Errorf("%s changes to:\n%s", name, out)
		}
	}
}

// Each archive holds `in` and `out`.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, faults := Source(name, archive.Files[0].Data)
		if len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
			continue
		}
		if *update {
			archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: out})
			if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if len(archive.Files) != 2 || !bytes.Equal(out, archive.Files[1].Data) {
			t.Errorf("%s: got:\n%s", name, out)
		}
		checkSame(t, archive.Files[0].Data, out)
	}
}

// checkSame holds that formatting changed no token and no comment, and that
// formatting again changes nothing.
func checkSame(t *testing.T, src, out []byte) {
	t.Helper()
	if before, after := meaning(src), meaning(out); before != after {
		t.Fatalf("the tokens changed:\n%s\nin:\n%s\nto:\n%s", cmp.Diff(before, after), src, out)
	}
	again, faults := Source("again.flow", out)
	if len(faults) > 0 {
		t.Fatalf("the formatted text has a fault: %v\n%s", faults[0], out)
	}
	if !bytes.Equal(again, out) {
		t.Fatalf("formatting twice changes:\n%s\nto:\n%s", out, again)
	}
}

// meaning is the text of all tokens and comments but commas, one a line; the
// comments stand apart, because a comma or a brace may move past one.
func meaning(src []byte) string {
	var tokens, comments strings.Builder
	for _, t := range grammar.Lex(src) {
		text := string(src[t.Span.Start:t.Span.End])
		switch t.Kind {
		case grammar.Space, grammar.Comma:
		case grammar.LineComment, grammar.BlockComment:
			comments.WriteString(text + "\n")
		default:
			tokens.WriteString(text + "\n")
		}
	}
	return tokens.String() + comments.String()
}

func TestFormattingIsIdempotentAndKeepsTokens(t *testing.T) {
	for name, src := range sources(t) {
		out, faults := Source(name, src)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", name, faults)
		}
		checkSame(t, src, out)
	}
}

// A comment of either kind, on the same line or on lines of its own, stands
// between any two tokens in turn; each declaration is tried by itself.
func TestCommentAtEveryPlace(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "everything.flow"))
	if err != nil {
		t.Fatal(err)
	}
	file := grammar.Parse("everything.flow", src)
	if len(file.Faults) > 0 {
		t.Fatal(file.Faults[0])
	}
	for _, d := range file.Decls {
		commentEverywhere(t, src[d.Span().Start:d.Span().End])
	}
}

func commentEverywhere(t *testing.T, src []byte) {
	comments := []string{" /* here */ ", " // here\n", "\n// here\n", "\n/* here\n  and on */\n", "\n\n// a\n\n\n// here\n\n"}
	inString := 0
	for i, token := range grammar.Lex(src) {
		inside := inString > 0 || token.Kind == grammar.StringTail
		switch token.Kind {
		case grammar.StringHead:
			inString++
		case grammar.StringTail:
			inString--
		}
		if inside || token.Kind == grammar.Space {
			continue
		}
		at := token.Span.Start
		for _, comment := range []string{comments[i%5], comments[(i+3)%5]} {
			with := []byte(string(src[:at]) + comment + string(src[at:]))
			out, faults := Source("with.flow", with)
			if len(faults) > 0 {
				t.Fatalf("a comment at %d: %v\n%s", at, faults[0], with)
			}
			checkSame(t, with, out)
		}
	}
}

// All blanks and line ends that the grammar does not need are taken away, or
// each is replaced by a line end; the result has the same tokens.
func TestAnyLayoutIsAccepted(t *testing.T) {
	for name, src := range sources(t) {
		for _, space := range []string{" ", "\n", "\r\n\t", "\n\n\n"} {
			var other strings.Builder
			for _, token := range grammar.Lex(src) {
				text := string(src[token.Span.Start:token.Span.End])
				switch token.Kind {
				case grammar.Space:
					text = space
				case grammar.LineComment:
					text = "/*" + strings.ReplaceAll(text, "*/", "") + "*/"
				}
				other.WriteString(text)
			}
			in := []byte(strings.ReplaceAll(other.String(), "{"+space, "{"))
			if faults := grammar.Parse(name, in).Faults; len(faults) > 0 {
				continue // a line end inside a text's braces
			}
			out, _ := Source(name, in)
			checkSame(t, in, out)
		}
	}
}

func TestFilesWithFaultsAreRefused(t *testing.T) {
	out, faults := Source("x.flow", []byte("flow f { timeout: 6h }"))
	if out != nil || len(faults) != 1 {
		t.Errorf("got %q and %v", out, faults)
	}
}

func TestEmptyFileStaysEmpty(t *testing.T) {
	for _, src := range []string{"", "\n\n", "\ufeff"} {
		if out, faults := Source("x.flow", []byte(src)); len(out) != 0 || len(faults) != 0 {
			t.Errorf("%q becomes %q, %v", src, out, faults)
		}
	}
}

func FuzzFormat(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, faults := Source("fuzz.flow", src)
		if len(faults) == 0 {
			checkSame(t, src, out)
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	var all bytes.Buffer
	for _, src := range sources(b) {
		all.Write(src)
	}
	b.SetBytes(int64(all.Len()))
	for b.Loop() {
		Source("bench.flow", all.Bytes())
	}
}
