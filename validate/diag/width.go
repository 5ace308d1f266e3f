package diag

import (
	"strings"
	"unicode"
)

// wide lists the runes that a terminal shows two cells wide.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115F, 1}, {0x2E80, 0x303E, 1}, {0x3041, 0x33FF, 1}, {0x3400, 0x4DBF, 1},
		{0x4E00, 0x9FFF, 1}, {0xA000, 0xA4CF, 1}, {0xAC00, 0xD7A3, 1}, {0xF900, 0xFAFF, 1},
		{0xFE30, 0xFE6F, 1}, {0xFF00, 0xFF60, 1}, {0xFFE0, 0xFFE6, 1},
	},
	R32: []unicode.Range32{
		{0x1F300, 0x1F64F, 1}, {0x1F680, 0x1F6FF, 1}, {0x1F900, 0x1F9FF, 1}, {0x20000, 0x3FFFD, 1},
	},
}

// cells says how many terminal cells a rune takes. Tabs are the caller's.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	default:
		return 1
	}
}

// shown makes a stretch of a source line safe for a terminal: control
// characters, which could move the cursor, and bytes that are no UTF-8 become
// U+FFFD. Tabs stay.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || bidi(r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// bidi reports the marks that make a terminal show text in another order than
// it has in the file.
func bidi(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// blank gives white space as wide as a stretch of a source line, tabs kept.
func blank(s string) string {
	var b strings.Builder
	for _, r := range shown(s) {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString(strings.Repeat(" ", cells(r)))
	}
	return b.String()
}

// underline gives marks as wide as a stretch of a source line, at least one.
func underline(s string) string {
	n := 0
	for _, r := range shown(s) {
		if r == '\t' {
			n++ // one mark is enough, for nobody knows where the stop is
			continue
		}
		n += cells(r)
	}
	return strings.Repeat("^", max(n, 1))
}
