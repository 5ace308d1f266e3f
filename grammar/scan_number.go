package grammar

import (
	"strings"
	"unicode/utf8"
)

// scanNumber reads a number, a duration, or what was meant as one.
func (s *scanner) scanNumber() Kind {
	kind := Int_
	s.scanDigits()
	whole := s.pos
	if s.at(0) == '.' && class[s.at(1)] == classDigit {
		s.pos++
		s.scanDigits()
		kind = Decimal_
	}
	if kind == Int_ && s.at(0) == '.' && s.endsInPoint() {
		s.pos++
		s.scanAttached()
		return BadNumber
	}
	if class[s.at(0)] != classLetter && s.wordRune(s.pos) == 0 && s.pointAt(s.pos) == 0 {
		return s.scanUnitWord(kind)
	}
	letters := s.pos
	s.scanAttached()
	if letters == whole && s.pos == letters+1 && isUnit(s.src[letters]) {
		return Duration_
	}
	return BadNumber
}

func isUnit(c byte) bool { return c == 's' || c == 'm' || c == 'h' || c == 'd' }

// scanDigits takes digits, with single underscores between them.
func (s *scanner) scanDigits() {
	for class[s.at(0)] == classDigit || s.at(0) == '_' && class[s.at(1)] == classDigit && class[s.back()] == classDigit {
		s.pos++
	}
}

func (s *scanner) back() byte {
	if s.pos == 0 {
		return 0
	}
	return s.src[s.pos-1]
}

// endsInPoint says whether the point behind a whole number is a part of it that has no digits behind: in `12.` and in `6.h`, but not
// in `1..5` or `12.name`.
func (s *scanner) endsInPoint() bool {
	end := s.wordEnd(s.pos + 1)
	if end == s.pos+1 {
		return s.at(1) != '.'
	}
	_, unit := unitNames[strings.ToLower(plainText(string(s.src[s.pos+1:end])))]
	return unit
}

// beginsWithPoint says whether the point at which the scanner stands begins a number without digits in front, as in `.5`.
func (s *scanner) beginsWithPoint() bool {
	if class[s.at(1)] != classDigit {
		return false
	}
	if s.pos == 0 {
		return true
	}
	switch c := s.back(); class[c] {
	case classLetter, classDigit:
		return false
	default:
		return strings.IndexByte(")]}!.\"", c) < 0 && c < utf8.RuneSelf
	}
}

// wordEnd is the end of the letters at an offset, those of other scripts among them.
func (s *scanner) wordEnd(at int) int {
	for at < len(s.src) {
		n := s.wordRune(at)
		if class[s.src[at]] == classLetter {
			n = 1
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// scanAttached takes the letters directly behind a number and the numbers
// behind those: the rest of `1h30m` or `1h1.5m`, in any script.
func (s *scanner) scanAttached() {
	for {
		c := class[s.at(0)]
		n := max(s.wordRune(s.pos), s.pointAt(s.pos))
		switch {
		case c == classLetter || c == classDigit:
			s.pos++
		case n > 0:
			s.pos += n
		default:
			return
		}
	}
}

// scanUnitWord looks for a unit behind blanks: `6 h` and `6 hours` are one
// token, unless `= : . ( [` shows that the word is a name.
func (s *scanner) scanUnitWord(kind Kind) Kind {
	i := s.pos
	for i < len(s.src) && (s.src[i] == ' ' || s.src[i] == '\t') {
		i++
	}
	start := i
	i = s.wordEnd(start)
	if start == s.pos || start == i || i-start > utf8.UTFMax*len("milliseconds") || i < len(s.src) && class[s.src[i]] == classDigit {
		return kind
	}
	if _, ok := unitNames[strings.ToLower(plainText(string(s.src[start:i])))]; !ok {
		return kind
	}
	end := i
	for i < len(s.src) && (s.src[i] == ' ' || s.src[i] == '\t') {
		i++
	}
	if i < len(s.src) && strings.IndexByte("=:.([", s.src[i]) >= 0 && !s.eqAt(i) {
		return kind
	}
	s.pos = end
	return BadNumber
}

// eqAt says whether `==` stands at i, which begins no assignment.
func (s *scanner) eqAt(i int) bool {
	return s.src[i] == '=' && i+1 < len(s.src) && s.src[i+1] == '='
}

// scanPunct takes the longest operator that begins with c.
func (s *scanner) scanPunct(c byte) Kind {
	if kind := s.conflictMark(c); kind != 0 {
		return kind
	}
	second := s.at(1)
	s.pos++
	switch c {
	case '(':
		return LParen
	case ')':
		return RParen
	case '[':
		return LBrack
	case ']':
		return RBrack
	case ',':
		return Comma
	case ':':
		return Colon
	case ';':
		return Semicolon
	case '+':
		return Plus
	case '*':
		return Star
	case '%':
		return Percent
	case '{':
		s.countBraces(LBrace)
		return LBrace
	case '}':
		return s.scanCloseBrace()
	case '.':
		if s.pos--; s.beginsWithPoint() {
			s.pos++
			s.scanAttached()
			return BadNumber
		}
		s.pos++
		return s.either(second, '.', DotDot, Dot)
	case '-':
		return s.either(second, '>', Arrow, Minus)
	case '<':
		return s.either(second, '=', Le, Lt)
	case '>':
		return s.either(second, '=', Ge, Gt)
	case '?':
		return s.either(second, '?', Coalesce, Question)
	case '&':
		return s.either(second, '&', AndAnd, Illegal)
	case '|':
		return s.either(second, '|', OrOr, Illegal)
	case '!':
		return s.comparison(second, Ne, Bang)
	}
	if second == '>' {
		s.pos++
		return FatArrow
	}
	return s.comparison(second, Eq, Assign)
}

func (s *scanner) either(second, want byte, long, short Kind) Kind {
	if second != want {
		return short
	}
	s.pos++
	return long
}

// comparison takes `==`, `!=` and the three-letter forms of other languages.
func (s *scanner) comparison(second byte, long, short Kind) Kind {
	if second != '=' {
		return short
	}
	s.pos++
	if s.at(0) == '=' {
		s.pos++
	}
	return long
}

// scanCloseBrace closes a brace, or an interpolation, behind which its string
// goes on.
func (s *scanner) scanCloseBrace() Kind {
	n := len(s.open)
	if n == 0 {
		return RBrace
	}
	if s.open[n-1] > 0 {
		s.open[n-1]--
		return RBrace
	}
	s.open = s.open[:n-1]
	return s.scanText(StringTail, StringMid, StringBreak)
}

// conflictMark takes a line that a merge has left behind.
func (s *scanner) conflictMark(c byte) Kind {
	const width = 7
	if c != '<' && c != '>' && c != '=' && c != '|' || s.pos+width > len(s.src) || len(s.open) > 0 {
		return 0
	}
	if s.pos > 0 && s.src[s.pos-1] != '\n' {
		return 0
	}
	for i := 1; i < width; i++ {
		if s.at(i) != c {
			return 0
		}
	}
	switch s.at(width) {
	case 0, ' ', '\n', '\r':
		s.scanLine()
		return ConflictMark
	}
	return 0
}
