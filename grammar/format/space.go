package format

import (
	"bytes"
	"slices"

	"flowc/grammar"
)

// spaced says whether a blank parts a token from the token or comment before it
// on the same line.
func (p *printer) spaced(u unit) bool {
	if p.lastAt < 0 {
		return true // behind a comment
	}
	return p.blank(p.last, p.lastAt, u.kind, u.start)
}

// blank decides about two tokens by their kinds and what the tree says.
func (p *printer) blank(left grammar.Kind, leftAt int, right grammar.Kind, rightAt int) bool {
	leftRole, rightRole := p.layout.roles[leftAt], p.layout.roles[rightAt]
	if rightRole == ternary || leftRole == ternary {
		return true
	}
	if leftRole == narrow || leftRole == sign || rightRole == narrow || rightRole == tight {
		return false
	}
	switch left {
	case grammar.LParen, grammar.LBrack, grammar.LBrace, grammar.Dot, grammar.DotDot:
		return false
	}
	switch right {
	case grammar.RParen, grammar.RBrack, grammar.RBrace, grammar.Comma, grammar.Colon, grammar.Dot, grammar.DotDot:
		return false
	}
	return true
}

// fits says whether a block can stand on one line: the author wrote it so, and
// there is room for it on the line being written. It finds out by trying.
func (p *printer) fits(open bracket) bool {
	if p.at+1 < len(p.units) && p.units[p.at+1].start == open.close {
		return true
	}
	open.oneLine = true
	trial := *p
	trial.out = bytes.Buffer{}
	trial.open = append(slices.Clone(p.open), open)
	trial.write(p.text(p.units[p.at]))
	trial.last, trial.lastAt = grammar.LBrace, p.units[p.at].start
	for trial.at++; trial.at < len(p.units); trial.at++ {
		u := p.units[trial.at]
		if u.newlines > 0 || u.kind == grammar.LineComment || bytes.IndexByte(p.text(u), '\n') >= 0 {
			return false
		}
		trial.step(u)
		if trial.column > MaxWidth {
			return false
		}
		if u.start == open.close {
			return true
		}
	}
	return false
}
