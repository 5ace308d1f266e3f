package grammar

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lex splits a file into tokens. It takes any bytes: what is no part of the
// language becomes a token of a kind that says so.
func Lex(src []byte) []Token {
	s := scanner{src: src}
	tokens := make([]Token, 0, len(src)/3+8)
	for {
		t := s.next()
		if t.Kind == EOF {
			return tokens
		}
		tokens = append(tokens, t)
	}
}

// scanner reads tokens one after the other.
type scanner struct {
	src []byte
	pos int
	// open holds, for every interpolation that is being read, the number of
	// braces open inside it.
	open []int
}

func (s *scanner) next() Token {
	start := s.pos
	if len(s.open) > 0 && s.lineEndsHere() {
		s.open = s.open[:len(s.open)-1]
		return Token{StringBreak, Span{start, start}}
	}
	if s.pos >= len(s.src) {
		return Token{EOF, Span{start, start}}
	}
	kind := s.scan(s.src[s.pos])
	return Token{kind, Span{start, s.pos}}
}

// lineEndsHere says whether the next token would leave the line.
func (s *scanner) lineEndsHere() bool {
	if s.pos >= len(s.src) {
		return true
	}
	switch s.src[s.pos] {
	case '\n', '\r':
		return true
	case '/':
		if s.at(1) == '*' {
			text := s.src[s.pos:]
			if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
				text = text[:end+2]
			}
			return bytes.IndexByte(text, '\n') >= 0
		}
	}
	return false
}

// at looks at the byte n ahead, 0 past the end.
func (s *scanner) at(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

const (
	classOther = iota
	classSpace
	classLetter
	classDigit
	classPunct
)

var class = func() (table [256]byte) {
	for c := 0; c < 128; c++ {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			table[c] = classSpace
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			table[c] = classLetter
		case c >= '0' && c <= '9':
			table[c] = classDigit
		case strings.IndexByte("(){}[],:.=!<>+-*%?&|;", byte(c)) >= 0:
			table[c] = classPunct
		}
	}
	return table
}()

func (s *scanner) scan(c byte) Kind {
	switch class[c] {
	case classSpace:
		s.scanSpace()
		return Space
	case classLetter:
		return s.scanWord()
	case classDigit:
		return s.scanNumber()
	case classPunct:
		return s.scanPunct(c)
	}
	switch c {
	case '"':
		s.pos++
		return s.scanText(String_, StringHead, OpenString)
	case '/':
		return s.scanSlash()
	case '\'', '`':
		return s.scanQuoted(rune(c), 1)
	case '#':
		return s.scanHash()
	}
	if c >= utf8.RuneSelf {
		return s.scanRune()
	}
	s.pos++
	return Illegal
}

func (s *scanner) scanSpace() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if class[c] != classSpace || len(s.open) > 0 && (c == '\n' || c == '\r') {
			return
		}
		s.pos++
	}
}

func (s *scanner) scanWord() Kind {
	start := s.pos
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if k := class[c]; k != classLetter && k != classDigit {
			if c >= utf8.RuneSelf {
				return s.scanForeignWord(Ident_)
			}
			break
		}
		s.pos++
	}
	if s.at(0) == '.' && class[s.at(1)] == classDigit && s.scanISO(start) {
		return BadNumber
	}
	return Ident_
}

// scanISO takes the rest of a duration with a fraction, such as `PT0.5H`, whose first part looks like a name.
func (s *scanner) scanISO(start int) bool {
	here := s.pos
	s.scanAttached()
	if isISO(string(s.src[start:s.pos])) {
		return true
	}
	s.pos = here
	return false
}

// scanForeignWord takes what follows of a word when letters outside a-z belong
// to it.
func (s *scanner) scanForeignWord(kind Kind) Kind {
	for s.pos < len(s.src) {
		r, size := utf8.DecodeRune(s.src[s.pos:])
		plain := r < utf8.RuneSelf && (class[r] == classLetter || class[r] == classDigit)
		letter := s.wordRune(s.pos) > 0
		if !plain && !letter {
			return kind
		}
		if letter {
			kind = BadName
		}
		s.pos += size
	}
	return kind
}

func (s *scanner) scanSlash() Kind {
	rest := s.src[s.pos:]
	switch s.at(1) {
	case '/':
		s.scanLine()
		return LineComment
	case '*':
		end := bytes.Index(rest[2:], []byte("*/"))
		if end < 0 {
			s.pos = len(s.src)
			return BadComment
		}
		s.pos += end + 4
		return BlockComment
	}
	s.pos++
	return Slash
}

// scanLine goes to the end of the line, in front of `\n` or `\r\n`.
func (s *scanner) scanLine() {
	rest := s.src[s.pos:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	if end > 0 && rest[end-1] == '\r' {
		end--
	}
	s.pos += max(end, 1)
}

// scanHash takes `# …` on a line of its own as the comment that it is elsewhere.
func (s *scanner) scanHash() Kind {
	if !s.firstOnLine() {
		s.pos++
		return Illegal
	}
	s.scanLine()
	return BadComment
}

func (s *scanner) firstOnLine() bool {
	for i := s.pos - 1; i >= 0; i-- {
		switch s.src[i] {
		case ' ', '\t':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

func (s *scanner) scanRune() Kind {
	r, size := utf8.DecodeRune(s.src[s.pos:])
	switch {
	case r == utf8.RuneError && size <= 1:
		s.scanInvalid()
		return Illegal
	case r == '\uFEFF' && s.pos == 0:
		s.pos += size
		return Space
	case unicode.IsLetter(r), r == '＿':
		return s.scanForeignWord(Ident_)
	case unicode.IsNumber(r):
		s.scanAttached()
		return BadNumber
	case unicode.IsSpace(r), r == '\uFEFF', r >= '\u200B' && r <= '\u200F', r == '\u2060':
		s.pos += size
		return BadSpace
	case strings.ContainsRune("“”„‘’‚«»", r):
		return s.scanQuoted(r, size)
	}
	s.pos += size
	if meant, ok := foreign[r]; ok {
		s.countBraces(meant.kind)
		return meant.kind
	}
	return Illegal
}

// countBraces keeps count inside an interpolation for a brace in foreign
// letters, which never ends one.
func (s *scanner) countBraces(kind Kind) {
	if len(s.open) == 0 {
		return
	}
	depth := &s.open[len(s.open)-1]
	switch {
	case kind == LBrace:
		*depth++
	case kind == RBrace && *depth > 0:
		*depth--
	}
}

func (s *scanner) scanInvalid() {
	for s.pos < len(s.src) {
		r, size := utf8.DecodeRune(s.src[s.pos:])
		if r != utf8.RuneError || size > 1 {
			return
		}
		s.pos++
	}
}

// scanQuoted takes a text in foreign quotes when it ends on the same line.
func (s *scanner) scanQuoted(quote rune, size int) Kind {
	closers := map[rune]string{
		'“': "”“\"", '”': "”\"", '„': "“”\"", '‘': "’", '’': "’", '‚': "‘’", '«': "»", '»': "«",
		'\'': "'", '`': "`",
	}[quote]
	for i := s.pos + size; i < len(s.src); {
		r, n := utf8.DecodeRune(s.src[i:])
		if r == '\n' {
			break
		}
		i += n
		if strings.ContainsRune(closers, r) {
			s.pos = i
			return QuotedString
		}
	}
	s.pos += size
	return Illegal
}

// scanText reads a string from behind its opening quote, or from behind the
// brace that ends an interpolation. It returns whole, head or broken.
func (s *scanner) scanText(whole, head, broken Kind) Kind {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return whole
		case '{':
			s.pos++
			s.open = append(s.open, 0)
			return head
		case '\n':
			s.backOverReturn()
			return broken
		case '\\':
			s.scanEscape()
		default:
			s.pos++
		}
	}
	return broken
}

func (s *scanner) backOverReturn() {
	if s.src[s.pos-1] == '\r' {
		s.pos--
	}
}

// scanEscape takes a backslash and what it escapes, so that `\"` ends no string
// and the brace of `\{` and `\u{` begins no interpolation.
func (s *scanner) scanEscape() {
	s.pos++
	c := s.at(0)
	if s.pos >= len(s.src) || c == '\n' || c == '\r' {
		return
	}
	s.pos++
	if c == 'u' && s.at(0) == '{' {
		s.pos++
	}
}
