package graph

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of text, in the units of the drawing, for the fonts that the style names. Widths are those of the widest of them, so that
// text never leaves its box.
const (
	titleSize  = 13.0
	textSize   = 11.0
	textChar   = 6.65
	titleRow   = 18.0
	textRow    = 15.0
	iconWidth  = 15.0 // a clock before a row
	boxChars   = 48   // letters in a row of a box
	labelChars = 34   // letters in a row of a label
	mostRows   = 4    // of one label; what is longer is in the tooltip alone
)

// columns counts the columns of a monospaced font that text takes: two for a wide letter.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += 1 + wide(r)
	}
	return n
}

func wide(r rune) int {
	const firstWide = 0x1100
	if r >= firstWide && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x1f300 || r >= 0xff00 && r < 0xff61) {
		return 1
	}
	return 0
}

// wrap breaks text at spaces into rows of so many columns; a word that is longer is broken. Rows after the last allowed one are
// left out, and an ellipsis says so; most 0 allows any number.
func wrap(text string, width, most int) []string {
	var rows []string
	row := ""
	flush := func() {
		if row != "" {
			rows = append(rows, row)
			row = ""
		}
	}
	for _, word := range strings.Fields(text) {
		if row != "" && columns(row)+1+columns(word) > width {
			flush()
		}
		for columns(word) > width {
			head := cut(word, width)
			rows = append(rows, head)
			word = word[len(head):]
		}
		if row != "" {
			row += " "
		}
		row += word
	}
	flush()
	if most > 0 && len(rows) > most {
		rows = rows[:most]
		rows[most-1] = cut(rows[most-1], width-1) + "…"
	}
	return rows
}

// cut is as much of the beginning of text as has room in so many columns, at least one letter.
func cut(s string, width int) string {
	n := 0
	for i, r := range s {
		n += 1 + wide(r)
		if n > width && i > 0 {
			return s[:i]
		}
	}
	return s
}

// A row is a row of text as it is drawn.
type row struct {
	text   string
	clock  bool // a clock stands before it
	indent bool // it goes on with the row before
	class  string
}

func (r row) width() float64 {
	w := float64(columns(r.text)) * textChar
	if r.clock || r.indent {
		w += iconWidth
	}
	return w
}

// titleWidth is the width of bold text in DejaVu Sans, the widest of the fonts that the style names.
func titleWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case r < ' ' || int(r-' ') >= len(boldWidths):
			w += 0.95 + float64(wide(r))/2
		default:
			w += float64(boldWidths[r-' ']) / 1000
		}
	}
	return w * titleSize
}

// boldWidths are the widths of the letters from the space to the tilde, in thousandths of the size.
var boldWidths = [...]int{
	348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
	696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
	1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
	733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
	500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
	716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
}

// rowsOf wraps a text; the clock stands before its first row, and what follows is indented.
func rowsOf(text string, clock bool, class string, width, most int) []row {
	var out []row
	for i, t := range wrap(text, width, most) {
		out = append(out, row{text: t, clock: clock && i == 0, indent: i > 0 || clock && i > 0, class: class})
	}
	return out
}

func widest(rows []row) float64 {
	w := 0.0
	for _, r := range rows {
		w = max(w, r.width())
	}
	return w
}

// safe replaces what XML cannot hold: control characters and what is no valid UTF-8.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r == 0xfffe, r == 0xffff:
			return '\ufffd'
		case r == '\n', r == '\t':
			return ' '
		case r < ' ':
			return '\ufffd'
		}
		return r
	}, s)
}
