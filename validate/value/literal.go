package value

import (
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// ParseInt parses an int literal: digits, with single underscores between them. Errors: overflow, and out_of_range for what is no
// such literal.
func ParseInt(s string) (Value, error) {
	clean, ok := withoutUnderscores(s)
	if !ok || strings.ContainsFunc(clean, notDigit) {
		return Value{}, Errorf(CodeRange, "`%s` is no whole number", s)
	}
	n, err := strconv.ParseInt(clean, 10, 64)
	if err != nil {
		return Value{}, Errorf(CodeOverflow, "`%s` does not fit an int: the largest is %d", s, int64(math.MaxInt64))
	}
	return OfInt(n), nil
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// withoutUnderscores drops underscores between two digits; one that stands elsewhere makes it false.
func withoutUnderscores(s string) (string, bool) {
	if s == "" {
		return "", false
	}
	if !strings.Contains(s, "_") {
		return s, true
	}
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || notDigit(rune(s[i-1])) || notDigit(rune(s[i+1]))) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// ParseDecimal parses a decimal literal such as 12.50 or 1_000, also with a sign and an exponent as in JSON. Errors: overflow for
// more than 34 digits or out of range, out_of_range for what is no number.
func ParseDecimal(s string) (Value, error) {
	clean, ok := withoutUnderscores(s)
	if !ok || scanNumber(clean, 0) != len(clean) {
		return Value{}, Errorf(CodeRange, "`%s` is no number", s)
	}
	return parseNumber(clean)
}

// numberParts is a JSON number taken apart: the coefficient's digits without zeros at either end, and the exponent that then
// belongs to it.
type numberParts struct {
	negative bool
	digits   string // "" for zero
	exp      int64
}

// splitNumber takes apart what scanNumber let through. An exponent too long for 9 digits is returned as ±1e9: out of any range.
func splitNumber(s string) numberParts {
	var p numberParts
	if s[0] == '-' {
		p.negative, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		p.exp, s = parseExponent(s[i+1:]), s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	p.exp -= int64(len(fraction))
	all := whole
	if fraction != "" {
		all += fraction
	}
	trimmed := strings.TrimRight(all, "0")
	p.exp += int64(len(all) - len(trimmed))
	if p.digits = strings.TrimLeft(trimmed, "0"); p.digits == "" {
		return numberParts{}
	}
	return p
}

func parseExponent(s string) int64 {
	negative := s[0] == '-'
	s = strings.TrimLeft(s, "+-0")
	n := int64(1e9)
	if len(s) <= 9 {
		n, _ = strconv.ParseInt("0"+s, 10, 64)
	}
	if negative {
		return -n
	}
	return n
}

// inRange reports whether the number's first digit is at a place that a decimal can have.
func (p numberParts) inRange() bool {
	first := p.exp + int64(len(p.digits)) - 1
	return p.digits == "" || first <= maxExponent && first >= -maxExponent
}

func parseNumber(s string) (Value, error) {
	p := splitNumber(s)
	switch {
	case p.digits == "":
		return Value{kind: Decimal}, nil
	case len(p.digits) > digits:
		return Value{}, Errorf(CodeOverflow, "%s has more than %d digits", cut(s, 60), digits)
	case !p.inRange():
		return Value{}, Errorf(CodeOverflow, "%s is out of the range of a decimal", cut(s, 60))
	}
	if len(p.digits) <= 18 {
		n, _ := strconv.ParseInt(p.digits, 10, 64)
		if p.negative {
			n = -n
		}
		return Value{kind: Decimal, num: n, exp: int16(p.exp)}, nil
	}
	d := &apd.Decimal{Negative: p.negative, Exponent: int32(p.exp)}
	d.Coeff.SetString(p.digits, 10)
	return OfDecimal(d)
}

// whole returns the number as an int64, if it is one: 3, 3.0 and 30e-1 are.
func (p numberParts) whole() (n int64, integral, fits bool) {
	switch {
	case p.digits == "":
		return 0, true, true
	case p.exp < 0:
		return 0, false, false
	case p.exp+int64(len(p.digits)) > 19:
		return 0, true, false
	}
	text := p.digits + strings.Repeat("0", int(p.exp))
	if p.negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, true, err == nil
}

// ParseTime parses an instant as RFC 3339 writes it, with any offset and at most six places of a second:
// 2026-03-29T01:00:00Z. Errors: out_of_range, with a message that says what is wrong.
func ParseTime(s string) (Value, error) {
	p := timeParser{s: s, ok: true}
	y, m, d := p.number(4), p.after('-', 2), p.after('-', 2)
	p.expect('T', 't', ' ')
	h, mi, sec := p.number(2), p.after(':', 2), p.after(':', 2)
	us, offset := p.fraction(), p.offset()
	if !p.ok || p.s != "" {
		return Value{}, Errorf(CodeRange, "%q is no time: write it as 2026-03-29T01:00:00Z%s", cut(s, 60), p.hint)
	}
	if y < 1 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m) || h > 23 || mi > 59 || sec > 59 {
		return Value{}, Errorf(CodeRange, "%q is no time: there is no such date or time of day", cut(s, 60))
	}
	at := daysOf(y, m, d)*day + int64(h)*hour + int64(mi)*minute + int64(sec)*second + int64(us) - offset
	if at < MinTime || at > MaxTime {
		return Value{}, Errorf(CodeRange, "%q is not between the years 1 and 9999", cut(s, 60))
	}
	return OfTime(at), nil
}

func daysIn(y, m int) int {
	if m == 12 {
		return 31
	}
	return int(daysOf(y, m+1, 1) - daysOf(y, m, 1))
}

// A timeParser eats an RFC 3339 text from its front; ok turns false at the first thing that does not fit.
type timeParser struct {
	s    string
	ok   bool
	hint string
}

func (p *timeParser) number(width int) int {
	if !p.ok || len(p.s) < width || strings.ContainsFunc(p.s[:width], notDigit) {
		p.ok = false
		return 0
	}
	n, _ := strconv.Atoi(p.s[:width])
	p.s = p.s[width:]
	return n
}

func (p *timeParser) expect(any ...byte) byte {
	if p.ok && p.s != "" {
		for _, c := range any {
			if p.s[0] == c {
				p.s = p.s[1:]
				return c
			}
		}
	}
	p.ok = false
	return 0
}

func (p *timeParser) after(c byte, width int) int {
	p.expect(c)
	return p.number(width)
}

// fraction returns the microseconds of `.123456`.
func (p *timeParser) fraction() int {
	if !strings.HasPrefix(p.s, ".") {
		return 0
	}
	n := 1
	for n < len(p.s) && !notDigit(rune(p.s[n])) {
		n++
	}
	places := strings.TrimRight(p.s[1:n], "0")
	if n == 1 || len(places) > 6 {
		p.ok, p.hint = false, ", with at most six places of a second"
		return 0
	}
	p.s = p.s[n:]
	us, _ := strconv.Atoi((places + "000000")[:6])
	return us
}

// offset returns the microseconds of Z, +02:00 or -05:30.
func (p *timeParser) offset() int64 {
	if p.s == "" {
		p.ok, p.hint = false, ", with Z or an offset such as +02:00 at the end"
		return 0
	}
	sign := p.expect('Z', 'z', '+', '-')
	if sign == 'Z' || sign == 'z' || !p.ok {
		return 0
	}
	h, m := p.number(2), p.after(':', 2)
	if h > 23 || m > 59 {
		p.ok = false
	}
	offset := int64(h)*hour + int64(m)*minute
	if sign == '-' {
		return -offset
	}
	return offset
}
