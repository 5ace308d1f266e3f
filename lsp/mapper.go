package lsp

import (
	"bytes"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding says what a column counts.
type Encoding uint8

// The encodings that a client may choose. The protocol's default is UTF-16.
const (
	UTF16 Encoding = iota
	UTF8
)

// String gives the protocol's name.
func (e Encoding) String() string {
	if e == UTF8 {
		return "utf-8"
	}
	return "utf-16"
}

// Position is a place as a client counts: lines from 0, columns from 0 in units of the encoding.
type Position struct{ Line, Character int }

// Range is a stretch between two positions; End is outside.
type Range struct{ Start, End Position }

// A Mapper turns byte offsets of one text into positions and back. There are four sorts of places:
//
//   - an offset: bytes from the start of the text; what the parser and the checker count;
//   - a line and a column from 1, in bytes: what findings print on the command line (package diag);
//   - a position in UTF-16: lines and columns from 0, columns in code units, of which a letter beyond U+FFFF has two;
//   - a position in UTF-8: lines and columns from 0, columns in bytes.
//
// A line ends at \n, \r\n or a lone \r, as the protocol has it (the compiler's lines end at \n only, which matters to nobody:
// the two never meet but in offsets). A byte order mark is a letter of the text like any other. A byte that is not UTF-8 counts
// one unit in both encodings.
//
// Places that do not exist are moved, never refused: a line behind the last one means the end of the text, a column behind a
// line's last letter means that letter's end, and what lies inside a letter or between its two units moves to the letter's
// start.
type Mapper struct {
	text   []byte
	enc    Encoding
	starts []int
}

// NewMapper makes the mapper of a text, which must not be changed afterwards.
func NewMapper(text []byte, enc Encoding) *Mapper {
	starts := make([]int, 1, bytes.Count(text, []byte{'\n'})+1)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			starts = append(starts, i+1)
		case '\n':
			starts = append(starts, i+1)
		}
	}
	return &Mapper{text, enc, starts}
}

// Lines is how many lines the text has; an empty one has one.
func (m *Mapper) Lines() int { return len(m.starts) }

// line gives the text of a line without its end, and where it starts.
func (m *Mapper) line(n int) (text []byte, start int) {
	start, end := m.starts[n], len(m.text)
	if n+1 < len(m.starts) {
		end = m.starts[n+1]
		if m.text[end-1] == '\n' {
			end--
		}
		if end > start && m.text[end-1] == '\r' {
			end--
		}
	}
	return m.text[start:end], start
}

// Offset gives the byte offset of a position.
func (m *Mapper) Offset(p Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(m.starts):
		return len(m.text)
	}
	text, start := m.line(p.Line)
	n := 0
	for i := 0; i < len(text); {
		size, width := m.step(text[i:])
		if n+width > p.Character {
			return start + i
		}
		n += width
		i += size
	}
	return start + len(text)
}

// Position gives the position of a byte offset.
func (m *Mapper) Position(offset int) Position {
	offset = min(max(offset, 0), len(m.text))
	n := sort.SearchInts(m.starts, offset+1) - 1
	text, start := m.line(n)
	column := 0
	for i := 0; i < len(text) && start+i < offset; {
		size, width := m.step(text[i:])
		if start+i+size > offset {
			break
		}
		column += width
		i += size
	}
	return Position{n, column}
}

// Range gives the range of the bytes from start up to end.
func (m *Mapper) Range(start, end int) Range {
	return Range{m.Position(start), m.Position(max(start, end))}
}

// Offsets gives the bytes of a range; a range that runs backwards is turned round.
func (m *Mapper) Offsets(r Range) (start, end int) {
	start, end = m.Offset(r.Start), m.Offset(r.End)
	if end < start {
		return end, start
	}
	return start, end
}

// Width is how many units a text has.
func (m *Mapper) Width(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		size, width := m.step(text[i:])
		n += width
		i += size
	}
	return n
}

// step gives the bytes and the units of the first letter.
func (m *Mapper) step(text []byte) (size, width int) {
	if text[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRune(text)
	if m.enc == UTF8 {
		return size, size
	}
	return size, max(utf16.RuneLen(r), 1)
}
