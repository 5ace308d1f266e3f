package diag

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Other programs count columns in other units than bytes. These functions turn
// a column of this package into theirs, with the text of the line; without the
// text the column stays as it is.

func utf16Column(src []byte, p Position) int {
	return column(src, p, utf16Len)
}

// utf16Len is 1 for what is no rune too, as a decoder puts one U+FFFD there.
func utf16Len(r rune) int { return max(utf16.RuneLen(r), 1) }

func runeColumn(src []byte, p Position) int {
	return column(src, p, func(rune) int { return 1 })
}

func column(src []byte, p Position, width func(rune) int) int {
	if src == nil {
		return p.Column
	}
	line, ok := lineOf(src, p.Line)
	if !ok {
		return p.Column
	}
	n := 1
	for i := 0; i < len(line) && i < p.Column-1; {
		r, size := utf8.DecodeRuneInString(line[i:])
		n += width(r)
		i += size
	}
	return n
}
