package lsp

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

var letters = []string{"a", "Z", " ", "\t", "\n", "\r\n", "\r", "é", "e\u0301", "😀", "👨‍👩‍👧", "名", "\ufeff", "\xff", "\xe5\x90", "{", "\""}

// TestMapperThereAndBack converts every place between letters of 10,000 random texts to a position and back, in both encodings.
func TestMapperThereAndBack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		text := b.String()
		for _, enc := range []Encoding{UTF16, UTF8} {
			m := NewMapper([]byte(text), enc)
			for at := 0; at <= len(text); {
				if got := m.Offset(m.Position(at)); got != at && !insideLineEnd(text, at) {
					t.Fatalf("%s: offset %d of %q is at %v, which is offset %d", enc, at, text, m.Position(at), got)
				}
				if at == len(text) {
					break
				}
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
			}
		}
	}
}

// insideLineEnd is between \r and \n, where no position is.
func insideLineEnd(text string, at int) bool {
	return at > 0 && at < len(text) && text[at-1] == '\r' && text[at] == '\n'
}

func TestMapperMovesWhatIsNoPlace(t *testing.T) {
	text := "a😀b\r\nc\rd\n" // the emoji has four bytes and two units
	for _, test := range []struct {
		enc  Encoding
		at   Position
		want int
	}{
		{UTF16, Position{0, 1}, 1},
		{UTF16, Position{0, 2}, 1}, // inside the pair
		{UTF16, Position{0, 3}, 5},
		{UTF8, Position{0, 2}, 1}, // inside the letter
		{UTF8, Position{0, 5}, 5},
		{UTF16, Position{0, 99}, 6}, // behind the line, before its end
		{UTF16, Position{1, 1}, 9},
		{UTF16, Position{2, 0}, 10}, // a lone \r ends a line
		{UTF16, Position{3, 0}, 12},
		{UTF16, Position{9, 9}, 12},
		{UTF8, Position{-1, 0}, 0},
		{UTF8, Position{0, -1}, 0},
	} {
		m := NewMapper([]byte(text), test.enc)
		if got := m.Offset(test.at); got != test.want {
			t.Errorf("%s: %v is offset %d, want %d", test.enc, test.at, got, test.want)
		}
	}
	m := NewMapper([]byte(text), UTF16)
	for offset, want := range map[int]Position{-5: {0, 0}, 3: {0, 1}, 7: {0, 4}, 99: {3, 0}} {
		if got := m.Position(offset); got != want {
			t.Errorf("offset %d is at %v, want %v", offset, got, want)
		}
	}
}

func TestApplyTurnsRoundARangeThatRunsBackwards(t *testing.T) {
	got := Apply([]byte("abc"), UTF16, []Change{{Range: &Range{Position{0, 2}, Position{0, 1}}, Text: "x"}, {Range: &Range{Position{0, 9}, Position{9, 9}}, Text: "!"}})
	if string(got) != "axc!" {
		t.Errorf("got %q", got)
	}
}
