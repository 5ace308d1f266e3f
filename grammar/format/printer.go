package format

import (
	"bytes"
	"unicode/utf8"

	"flowc/grammar"
)

// printer writes units one after the other and decides what stands between.
type printer struct {
	src    []byte
	units  []unit
	layout layout
	out    bytes.Buffer

	at     int // index of the unit being written
	open   []bracket
	level  int // blocks over several lines around the place
	indent int // blanks in front of the line being written
	column int // letters written on the line
	last   grammar.Kind
	lastAt int  // offset of the last token, -1 at the start and behind comments
	fresh  bool // whether an item begins here that a comment already led in
}

// bracket is an open brace, parenthesis or bracket.
type bracket struct {
	block   bool // a block, as opposed to a list or a record
	oneLine bool // a block that stands on one line
	commas  bool // a block whose items have commas between them on one line
	items   int  // how many items of a block have begun
	indent  int  // of the line on which it was opened
	close   int  // offset of a block's closing brace
}

func (p *printer) print() {
	for p.at = 0; p.at < len(p.units); p.at++ {
		p.step(p.units[p.at])
	}
	if p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
}

// step writes the unit at the place and what parts it from the one before.
func (p *printer) step(u unit) {
	switch {
	case u.isComment():
		p.comment(u)
	default:
		p.before(u)
		p.token(u)
	}
}

func (p *printer) text(u unit) []byte { return p.src[u.start:u.end] }

// top is the innermost bracket, or nil.
func (p *printer) top() *bracket {
	if len(p.open) == 0 {
		return nil
	}
	return &p.open[len(p.open)-1]
}

// inLines says whether items stand on lines of their own here.
func (p *printer) inLines() bool {
	top := p.top()
	return top == nil || top.block && !top.oneLine
}

// before writes what parts a token from what was written before it.
func (p *printer) before(u unit) {
	top := p.top()
	role := p.layout.roles[u.start]
	switch {
	case p.out.Len() == 0:
	case top != nil && top.block && u.start == top.close:
		p.beforeClose(top)
	case role == begins:
		p.beforeItem(u, top)
	case p.last == grammar.LineComment:
		p.newLine(1, p.continued(u))
	case u.kind == grammar.LBrace && p.isBlock(u), p.joins(u):
		p.space()
	case u.newlines > 0:
		p.newLine(1, p.continued(u))
	case p.spaced(u):
		p.space()
	}
	p.fresh = false
}

func (p *printer) isBlock(u unit) bool {
	_, ok := p.layout.blocks[u.start]
	return ok
}

// joins says whether a word goes on behind the brace that closes the block
// before it.
func (p *printer) joins(u unit) bool {
	if u.kind != grammar.Ident_ || p.last != grammar.RBrace {
		return false
	}
	word := string(p.text(u))
	return word == "else" || word == "catch"
}

func (p *printer) beforeClose(top *bracket) {
	switch {
	case !top.oneLine:
		p.newLine(1, top.indent)
	case top.items > 0 || p.lastAt < 0:
		p.space()
	}
}

func (p *printer) beforeItem(u unit, top *bracket) {
	first := top != nil && top.items == 0
	if top != nil {
		top.items++
	}
	switch {
	case !p.inLines():
		if top.commas && !first {
			p.write([]byte(","))
		}
		p.space()
	case p.fresh && u.newlines == 0 && p.last != grammar.LineComment:
		p.space()
	default:
		p.newLine(p.blankLines(u), 2*p.level)
	}
}

// blankLines is how many line ends part an item from what is above it: an empty
// line is kept, but not directly below an opening brace.
func (p *printer) blankLines(u unit) int {
	if u.newlines > 1 && !(p.last == grammar.LBrace && p.lastAt >= 0) {
		return 2
	}
	return 1
}

// continued is the indentation of a line that goes on with an item.
func (p *printer) continued(u unit) int {
	top := p.top()
	word := string(p.text(u))
	switch {
	case p.isBlock(u) || word == "else" || word == "catch":
		return 2 * p.level
	case top == nil || top.block:
		return 2*p.level + 2
	case u.kind == grammar.RParen || u.kind == grammar.RBrack || u.kind == grammar.RBrace:
		return top.indent
	}
	return top.indent + 2
}

func (p *printer) newLine(n, indent int) {
	for range n {
		p.out.WriteByte('\n')
	}
	for range indent {
		p.out.WriteByte(' ')
	}
	p.indent, p.column = indent, indent
}

func (p *printer) space() { p.write([]byte(" ")) }

func (p *printer) write(text []byte) {
	p.out.Write(text)
	p.column += utf8.RuneCount(text)
}

// comment writes a comment, which stays on the line of what it follows or on a
// line of its own, as the author had it.
func (p *printer) comment(u unit) {
	switch {
	case p.out.Len() == 0:
		p.fresh = true
	case u.newlines == 0:
		p.space()
	default:
		p.newLine(p.aboveComment(u))
		p.fresh = true
	}
	p.write(p.text(u))
	p.last, p.lastAt = u.kind, -1
}

// aboveComment gives the line ends in front of a comment on a line of its own,
// and its indentation: that of what comes next.
func (p *printer) aboveComment(u unit) (lines, indent int) {
	for _, next := range p.units[p.at+1:] {
		if next.isComment() {
			continue
		}
		top := p.top()
		closes := top != nil && top.block && next.start == top.close
		if p.layout.roles[next.start] != begins && !closes {
			return 1, p.continued(next)
		}
		break
	}
	return p.blankLines(u), 2 * p.level
}

// token writes a token and keeps track of brackets.
func (p *printer) token(u unit) {
	switch u.kind {
	case grammar.LBrace, grammar.LParen, grammar.LBrack:
		p.openBracket(u)
	case grammar.RBrace, grammar.RParen, grammar.RBrack:
		if top := p.top(); top != nil {
			if top.block && !top.oneLine {
				p.level--
			}
			p.open = p.open[:len(p.open)-1]
		}
	}
	p.write(p.text(u))
	p.last, p.lastAt = u.kind, u.start
}

func (p *printer) openBracket(u unit) {
	b := bracket{indent: p.indent}
	if found, ok := p.layout.blocks[u.start]; ok {
		b.block, b.close, b.commas = true, found.close, found.commas
		b.indent = 2 * p.level
		b.oneLine = !p.inLinesAround() || p.fits(b)
		if !b.oneLine {
			p.level++
		}
	}
	p.open = append(p.open, b)
}

// inLinesAround says whether the blocks around the place stand on several lines;
// inside one that stands on one line all do.
func (p *printer) inLinesAround() bool {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].block {
			return !p.open[i].oneLine
		}
	}
	return true
}
