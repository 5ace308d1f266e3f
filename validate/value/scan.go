package value

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A scanner reads JSON as RFC 8259 has it and refuses what different readers take differently: duplicate keys, NUL, lone
// surrogates, text that is no UTF-8, numbers out of any range, and nesting deeper than its limit.
type scanner struct {
	s       string
	i       int
	depth   int // of the containers that are open
	most    int // how deep they may be nested
	deepest int
	fault   *FieldError // the first thing after which reading on makes no sense
	soft    func(code, message string)
}

// maxNumber is the longest text of a number.
const maxNumber = 1000

func (s *scanner) fail(format string, args ...any) {
	if s.fault == nil {
		s.fault = &FieldError{Code: FieldSyntax, Message: fmt.Sprintf(format, args...) + fmt.Sprintf(" (at byte %d)", s.i)}
	}
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.i < len(s.s) {
		switch c := s.s[s.i]; c {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// take skips white space and the byte c, or fails.
func (s *scanner) take(c byte) bool {
	if s.fault != nil {
		return false
	}
	if s.peek() != c {
		s.fail("%s where `%c` is expected", s.found(), c)
		return false
	}
	s.i++
	return true
}

func (s *scanner) found() string {
	if s.i >= len(s.s) {
		return "the text ends"
	}
	r, _ := utf8.DecodeRuneInString(s.s[s.i:])
	return fmt.Sprintf("%q stands", r)
}

func (s *scanner) open(c byte) bool {
	if !s.take(c) {
		return false
	}
	s.depth++
	s.deepest = max(s.deepest, s.depth)
	if s.depth > s.most {
		s.fault = &FieldError{Code: FieldDepth, Message: fmt.Sprintf("is nested deeper than %d", s.most)}
		return false
	}
	return true
}

// more reports whether another element of a list or an object follows, and eats the comma before it or the bracket behind the
// last one.
func (s *scanner) more(first bool, closing byte) bool {
	if s.fault != nil {
		return false
	}
	c := s.peek()
	switch {
	case c == closing:
		s.i++
		s.depth--
		return false
	case first:
		return true
	case c == ',':
		s.i++
		if s.peek() == closing {
			s.fail("a comma stands before `%c`", closing)
			return false
		}
		return true
	}
	s.fail("%s where `,` or `%c` is expected", s.found(), closing)
	return false
}

// key reads `"key":`.
func (s *scanner) key() (string, bool) {
	if s.peek() != '"' {
		s.fail("%s where a key in quotes is expected", s.found())
		return "", false
	}
	k, ok := s.str()
	return k, ok && s.take(':')
}

// str reads a string; it shares the text's memory unless it has escapes.
func (s *scanner) str() (string, bool) {
	s.i++
	for j := s.i; j < len(s.s); j++ {
		switch c := s.s[j]; {
		case c == '"':
			text := s.s[s.i:j]
			s.i = j + 1
			return text, true
		case c == '\\' || c < 0x20 || c >= utf8.RuneSelf:
			return s.slowString(j)
		}
	}
	s.fail("a string does not end")
	return "", false
}

// slowString reads on from j, where the first byte stands that needs a look.
func (s *scanner) slowString(j int) (string, bool) {
	var out []byte // nil as long as the text can be shared
	start := s.i
	for j < len(s.s) {
		c := s.s[j]
		switch {
		case c == '"':
			text := s.s[start:j]
			s.i = j + 1
			if out != nil {
				text = string(append(out, text...))
			}
			return text, true
		case c < 0x20:
			s.i = j
			s.fail("a string holds the control character %#02x unescaped", c)
			return "", false
		case c == '\\':
			out = append(out, s.s[start:j]...)
			var ok bool
			if out, j, ok = s.escape(out, j); !ok {
				return "", false
			}
			start = j
			if out == nil {
				out = []byte{}
			}
		case c < utf8.RuneSelf:
			j++
		default:
			r, n := utf8.DecodeRuneInString(s.s[j:])
			if r == utf8.RuneError && n == 1 {
				s.i = j
				s.fail("the text is no UTF-8")
				return "", false
			}
			j += n
		}
	}
	s.fail("a string does not end")
	return "", false
}

const escapes = `"\/bfnrt`
const escaped = "\"\\/\b\f\n\r\t"

// escape appends what the escape at j stands for and returns where it ends.
func (s *scanner) escape(out []byte, j int) ([]byte, int, bool) {
	s.i = j
	if j+1 >= len(s.s) {
		s.fail("a string does not end")
		return out, j, false
	}
	if at := strings.IndexByte(escapes, s.s[j+1]); at >= 0 {
		return append(out, escaped[at]), j + 2, true
	}
	r, ok := hex4(s.s, j)
	if !ok {
		s.fail("an unknown escape in a string")
		return out, j, false
	}
	j += 6
	switch {
	case r >= 0xDC00 && r < 0xE000:
		r = -1
	case r >= 0xD800 && r < 0xDC00:
		low, ok := hex4(s.s, j)
		if r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00); !ok || low < 0xDC00 || low > 0xDFFF {
			r = -1
		} else {
			j += 6
		}
	}
	switch {
	case r < 0:
		s.soft(FieldText, "holds half of a surrogate pair")
		r = utf8.RuneError
	case r == 0:
		s.soft(FieldText, `holds the character U+0000, which cannot be stored`)
		r = utf8.RuneError
	}
	return utf8.AppendRune(out, r), j, true
}

// hex4 reads `\u` and its four digits at j.
func hex4(s string, j int) (rune, bool) {
	if j+6 > len(s) || s[j] != '\\' || s[j+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[j+2 : j+6]) {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// scanNumber returns where the JSON number that begins at i ends, -1 when none does.
func scanNumber(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	n := scanDigits(s, i)
	if n == i || s[i] == '0' && n > i+1 {
		return -1
	}
	if n < len(s) && s[n] == '.' {
		end := scanDigits(s, n+1)
		if end == n+1 {
			return -1
		}
		n = end
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		end := scanDigits(s, e)
		if end == e {
			return -1
		}
		n = end
	}
	return n
}

func scanDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// number reads a number's text.
func (s *scanner) number() (string, bool) {
	end := scanNumber(s.s, s.i)
	if end < 0 {
		s.fail("a malformed number")
		return "", false
	}
	text := s.s[s.i:end]
	s.i = end
	return text, true
}

// word reads true, false or null.
func (s *scanner) word() string {
	for _, w := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s.s[s.i:], w) {
			s.i += len(w)
			return w
		}
	}
	s.fail("%s where a value is expected", s.found())
	return ""
}

// end fails when anything follows.
func (s *scanner) end() {
	if s.peek(); s.i < len(s.s) {
		s.fail("%s after the value", s.found())
	}
}
