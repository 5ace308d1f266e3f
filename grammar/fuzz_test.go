package grammar

import (
	"testing"
)

func seeds(f *testing.F) {
	for _, dir := range []string{"run", "validate", "broken"} {
		for _, c := range cases(f, dir) {
			f.Add(c.src)
		}
	}
	for _, text := range oddTexts {
		f.Add([]byte(text))
	}
}

// oddTexts are short texts at the edges of the lexer.
var oddTexts = []string{
	"", "\ufeff", "\ufeffflow f {}", "\"", "\"\\", "\"\\\n", "\"{", "\"{}", "\"{\"{\"{", "\"{a}{b}\"", "\"{a /* x\n */}\"",
	"\"\\u{\"", "\"\\u{110000}\"", "/*", "/*/", "//", "'", "''", "'a'", "`a`", "“a”", "“a", "1.", "1..2", ".5", "1.5.2",
	"1_000", "1_", "1__0", "0x10", "1e5", "6 h", "6 h=", "6 h ==", "6 hours", "1h30m", "99999999999999999999d", "1.5.5h",
	"<<<<<<< a\n=======\n>>>>>>> b", "<<<<<<<", "\r\n\r", "\x00", "\xff\xfe", "größe", "ａ：ｂ", "->=>..??>=<====!==&&||&|;",
	"}", "{", ")", "flow", "flow f {", "flow f { on", "\u00a0", "a\u200bb", "# x\na # y", "...", "x!y!=z",
}

func FuzzLex(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) { checkLossless(t, src) })
}

// checkLossless holds that the tokens add up to the text.
func checkLossless(t *testing.T, src []byte) {
	t.Helper()
	at := 0
	for _, token := range Lex(src) {
		if token.Span.Start != at || token.Span.End < at || token.Span.Len() == 0 && token.Kind != StringBreak {
			t.Fatalf("token %v of kind %d behind offset %d of %q", token.Span, token.Kind, at, src)
		}
		at = token.Span.End
	}
	if at != len(src) {
		t.Fatalf("tokens end at %d of %d in %q", at, len(src), src)
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) { checkSpans(t, Parse("fuzz.flow", src)) })
}
