// Package format writes .flow files in the one style of the language: two
// blanks of indentation, one item, statement or field a line, at most one empty
// line in a row, nothing aligned.
//
// It walks the tokens of the file and asks the tree only where items begin and
// what a bracket is, so that it cannot lose a comment or a token. What the
// author broke over several lines stays so; a block that the author wrote on one
// line stays on one line while it fits.
//
//	out, faults := format.Source("order.flow", src)
package format

import (
	"bytes"

	"flowc/grammar"
)

// MaxWidth is how many columns a block that stands on one line may reach. Lines
// without blocks are never broken.
const MaxWidth = 120

// Source formats a file. A file with faults is not changed: the result is nil,
// and the faults say why. The name is only recorded.
func Source(name string, src []byte) ([]byte, []grammar.Fault) {
	file := grammar.Parse(name, src)
	if len(file.Faults) > 0 {
		return nil, file.Faults
	}
	layout := layoutOf(file)
	units := withoutCommas(split(src, grammar.Lex(src)), layout)
	p := printer{src: src, units: units, layout: layout}
	p.print()
	return p.out.Bytes(), nil
}

// A unit is what the printer moves as a whole: a token, a string with all its
// interpolations, or a comment.
type unit struct {
	kind       grammar.Kind
	start, end int
	newlines   int // line ends between the unit before and this one
}

func (u unit) isComment() bool {
	return u.kind == grammar.LineComment || u.kind == grammar.BlockComment
}

// split turns tokens into units, taking the space away.
func split(src []byte, tokens []grammar.Token) (units []unit) {
	newlines := 0
	depth, begin := 0, 0
	for _, t := range tokens {
		switch t.Kind {
		case grammar.Space:
			if depth == 0 {
				newlines += bytes.Count(src[t.Span.Start:t.Span.End], []byte{'\n'})
			}
			continue
		case grammar.StringHead:
			if depth++; depth == 1 {
				begin = t.Span.Start
			}
		case grammar.StringTail:
			if depth--; depth == 0 {
				units = append(units, unit{grammar.String_, begin, t.Span.End, newlines})
				newlines = 0
				continue
			}
		}
		if depth == 0 {
			units = append(units, unit{t.Kind, t.Span.Start, t.Span.End, newlines})
			newlines = 0
		}
	}
	return units
}

// withoutCommas leaves out the commas that need not be: those between items on
// lines of their own, which the printer writes again where they share a line,
// and a last one on the line of its closing bracket.
func withoutCommas(units []unit, l layout) []unit {
	kept := units[:0]
	newlines := 0
	for i, u := range units {
		u.newlines += newlines
		newlines = 0
		if u.kind == grammar.Comma && (l.roles[u.start] == optional || closesNext(units, i)) {
			newlines = u.newlines
			continue
		}
		kept = append(kept, u)
	}
	return kept
}

func closesNext(units []unit, i int) bool {
	if i+1 == len(units) || units[i+1].newlines > 0 {
		return false
	}
	switch units[i+1].kind {
	case grammar.RParen, grammar.RBrack, grammar.RBrace:
		return true
	}
	return false
}
