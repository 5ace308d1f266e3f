package vm

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// A scanner reads JSON in one pass and without reflection: a token is read from its store before every step. It takes white space
// and keys in any order; what is seldom there is handed to encoding/json.
type scanner struct {
	b   []byte
	at  int
	bad bool
}

var errDamaged = errors.New("the text is damaged")

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.bad || s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) want(c byte) {
	if !s.take(c) {
		s.bad = true
	}
}

// object calls member for each key; member reads the value.
func (s *scanner) object(member func(key string)) {
	s.want('{')
	if s.take('}') {
		return
	}
	for !s.bad {
		key := s.text()
		s.want(':')
		if s.bad {
			return
		}
		member(key)
		if !s.take(',') {
			s.want('}')
			return
		}
	}
}

// array calls element for each element.
func (s *scanner) array(element func()) {
	s.want('[')
	if s.take(']') {
		return
	}
	for !s.bad {
		element()
		if !s.take(',') {
			s.want(']')
			return
		}
	}
}

// text reads a string.
func (s *scanner) text() string {
	s.want('"')
	from := s.at
	for s.at < len(s.b) && !s.bad {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return string(s.b[from : s.at-1])
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			return s.longText(from)
		}
		s.at++
	}
	s.bad = true
	return ""
}

// longText reads a string with escapes or other than ASCII.
func (s *scanner) longText(from int) string {
	s.at = from - 1
	var text string
	if raw := s.raw(); !s.bad && json.Unmarshal(raw, &text) != nil {
		s.bad = true
	}
	return text
}

// number reads a whole number.
func (s *scanner) number() int64 {
	s.peek()
	from := s.at
	for s.at < len(s.b) && (s.b[s.at] >= '0' && s.b[s.at] <= '9' || s.b[s.at] == '-') {
		s.at++
	}
	n, err := strconv.ParseInt(string(s.b[from:s.at]), 10, 64)
	if err != nil {
		s.bad = true
	}
	return n
}

// row reads a row of numbers.
func (s *scanner) row() []int64 {
	out := make([]int64, 0, 13)
	s.array(func() { out = append(out, s.number()) })
	return out
}

func (s *scanner) truth() bool {
	raw := s.raw()
	if string(raw) != "true" && string(raw) != "false" {
		s.bad = true
	}
	return string(raw) == "true"
}

// raw passes over a value and returns its text. Whoever reads that text finds what is wrong inside it.
func (s *scanner) raw() []byte {
	if s.bad {
		return nil
	}
	s.peek()
	from, depth := s.at, 0
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case '"':
			s.skipText()
		case '{', '[':
			depth++
			s.at++
		case '}', ']', ',':
			if depth == 0 {
				return s.b[from:s.at]
			}
			if c != ',' {
				depth--
			}
			s.at++
		default:
			s.at++
		}
		if depth == 0 && s.at > from && (s.b[s.at-1] == '}' || s.b[s.at-1] == ']' || s.b[s.at-1] == '"') {
			return s.b[from:s.at]
		}
	}
	if depth > 0 || s.at == from {
		s.bad = true
	}
	return s.b[from:s.at]
}

func (s *scanner) skipText() {
	for s.at++; s.at < len(s.b); s.at++ {
		switch s.b[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return
		}
	}
	s.at, s.bad = len(s.b), true
}

// rest hands a value to encoding/json.
func (s *scanner) rest(to any) {
	if raw := s.raw(); !s.bad && json.Unmarshal(raw, to) != nil {
		s.bad = true
	}
}

// end reports what was wrong, also text after the value.
func (s *scanner) end() error {
	if s.peek() != 0 || s.bad || s.at < len(s.b) {
		return errDamaged
	}
	return nil
}
