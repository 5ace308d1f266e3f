package door

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Parse reads a document. It gives the first fault, for what follows a fault in the text means nothing.
func Parse(data []byte) (*Document, *Fault) {
	p := parser{data: data}
	p.space()
	if p.at == len(p.data) {
		return nil, &Fault{Detail: "there is no JSON in the body"}
	}
	root, fault := p.value(nil, 0)
	if fault != nil {
		return nil, fault
	}
	p.space()
	if p.at < len(p.data) {
		return nil, p.fault(nil, "%s after the end of the JSON", p.shown())
	}
	return &Document{root: root}, nil
}

type parser struct {
	data []byte
	at   int
}

func (p *parser) fault(where *path, format string, args ...any) *Fault {
	return &Fault{Pointer: where.String(), Detail: fmt.Sprintf(format, args...) + fmt.Sprintf(" (byte %d)", p.at)}
}

// shown names what stands at the parser's place.
func (p *parser) shown() string {
	if p.at >= len(p.data) {
		return "the body ends too early"
	}
	r, _ := utf8.DecodeRune(p.data[p.at:])
	return fmt.Sprintf("unexpected %q", r)
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek gives the byte at the parser's place, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

// value reads a value of any kind.
func (p *parser) value(where *path, depth int) (node, *Fault) {
	start := p.at
	k, fault := p.any(where, depth)
	return node{kind: k, raw: p.data[start:p.at:p.at]}, fault
}

func (p *parser) any(where *path, depth int) (kind, *Fault) {
	switch c := p.peek(); {
	case (c == '{' || c == '[') && depth >= MaxDepth:
		return "", p.fault(where, "nested deeper than %d", MaxDepth)
	case c == '{':
		return object, p.object(where, depth, nil)
	case c == '[':
		return array, p.array(where, depth, nil)
	case c == '"':
		_, fault := p.string(where)
		return text, fault
	case c == '-' || c >= '0' && c <= '9':
		return number, p.number(where)
	}
	for _, word := range words {
		if bytes.HasPrefix(p.data[p.at:], word.text) {
			p.at += len(word.text)
			return word.kind, nil
		}
	}
	return "", p.fault(where, "%s where a value belongs", p.shown())
}

var words = []struct {
	text []byte
	kind kind
}{{[]byte("true"), boolean}, {[]byte("false"), boolean}, {[]byte("null"), null}}

// next moves to the next member or item and says whether there is one.
func (p *parser) next(where *path, count int, end byte) (bool, *Fault) {
	p.space()
	switch {
	case p.peek() == end:
		p.at++
		return false, nil
	case count == 0:
		return true, nil
	case p.peek() != ',':
		return false, p.fault(where, "%s where `,` or `%c` belongs", p.shown(), end)
	}
	p.at++
	p.space()
	return true, nil
}

// array reads an array and shows each item to a function, which may be nil.
func (p *parser) array(where *path, depth int, each func(node)) *Fault {
	p.at++
	inside := &path{up: where}
	for ; ; inside.index++ {
		more, fault := p.next(where, inside.index, ']')
		if !more || fault != nil {
			return fault
		}
		item, fault := p.value(inside, depth+1)
		if fault != nil {
			return fault
		}
		if each != nil {
			each(item)
		}
	}
}

// object reads an object and shows each member to a function, which may be nil.
func (p *parser) object(where *path, depth int, each func(string, node)) *Fault {
	p.at++
	inside := &path{up: where, named: true}
	seen := map[string]bool{}
	for {
		more, fault := p.next(where, len(seen), '}')
		if !more || fault != nil {
			return fault
		}
		if inside.name, fault = p.key(where); fault != nil {
			return fault
		}
		if seen[inside.name] {
			return p.fault(inside, "the key %q stands twice", inside.name)
		}
		seen[inside.name] = true
		value, fault := p.value(inside, depth+1)
		if fault != nil {
			return fault
		}
		if each != nil {
			each(inside.name, value)
		}
	}
}

// key reads a member's name and the colon after it.
func (p *parser) key(where *path) (string, *Fault) {
	if p.peek() != '"' {
		return "", p.fault(where, "%s where a key in quotes belongs", p.shown())
	}
	name, fault := p.string(where)
	if fault != nil {
		return "", fault
	}
	p.space()
	if p.peek() != ':' {
		return "", p.fault(where.member(name), "%s where `:` belongs", p.shown())
	}
	p.at++
	p.space()
	return name, nil
}

// number checks a number against the grammar of JSON; its value is never computed here.
func (p *parser) number(where *path) *Fault {
	if p.peek() == '-' {
		p.at++
	}
	first := p.peek()
	whole := p.digits()
	if whole == 0 {
		return p.fault(where, "%s where a digit belongs", p.shown())
	}
	if first == '0' && whole > 1 {
		return p.fault(where, "a number does not begin with 0")
	}
	if p.peek() == '.' {
		p.at++
		if p.digits() == 0 {
			return p.fault(where, "%s where a digit belongs", p.shown())
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if p.digits() == 0 {
			return p.fault(where, "%s where a digit belongs", p.shown())
		}
	}
	return nil
}

func (p *parser) digits() int {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at - start
}
