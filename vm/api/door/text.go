package door

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string, the parser standing at its first quote. It refuses what a database or another program could not keep:
// control characters, a NUL however it is written, half of a surrogate pair, and bytes that are no UTF-8.
func (p *parser) string(where *path) (string, *Fault) {
	p.at++
	plain := p.at
	var out []byte
	for p.at < len(p.data) {
		c := p.data[p.at]
		switch {
		case c == '"':
			out = append(out, p.data[plain:p.at]...)
			p.at++
			return string(out), nil
		case c < 0x20:
			return "", p.fault(where, "the character U+%04X stands bare in a string", c)
		case c == '\\':
			out = append(out, p.data[plain:p.at]...)
			r, fault := p.escape(where)
			if fault != nil {
				return "", fault
			}
			out = utf8.AppendRune(out, r)
			plain = p.at
		case c < utf8.RuneSelf:
			p.at++
		default:
			r, size := utf8.DecodeRune(p.data[p.at:])
			if r == utf8.RuneError && size == 1 {
				return "", p.fault(where, "the text is not UTF-8")
			}
			p.at += size
		}
	}
	return "", p.fault(where, "the body ends within a string")
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(where *path) (rune, *Fault) {
	if p.at+1 >= len(p.data) {
		return 0, p.fault(where, "the body ends within a string")
	}
	c := p.data[p.at+1]
	if r, ok := escapes[c]; ok {
		p.at += 2
		return r, nil
	}
	if c != 'u' {
		return 0, p.fault(where, "`\\%c` is no escape", rune(c))
	}
	unit, ok := p.hex(p.at)
	switch {
	case !ok:
		return 0, p.fault(where, "`\\u` needs four hexadecimal digits")
	case unit == 0:
		return 0, p.fault(where, "the string holds a NUL, which cannot be stored")
	case !utf16.IsSurrogate(unit):
		p.at += 6
		return unit, nil
	}
	low, ok := p.hex(p.at + 6)
	r := utf16.DecodeRune(unit, low)
	if !ok || r == utf8.RuneError {
		return 0, p.fault(where, "the string holds half of a surrogate pair, which is no character")
	}
	p.at += 12
	return r, nil
}

// hex reads the code unit of `\u` and its four digits at a place.
func (p *parser) hex(at int) (rune, bool) {
	if at+6 > len(p.data) || p.data[at] != '\\' || p.data[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.data[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}

// unquote gives the text of a string that Parse has read.
func unquote(raw []byte) string {
	p := parser{data: raw}
	s, _ := p.string(nil)
	return s
}
