package validate

import (
	"strings"

	"flowc/grammar"
)

// A ref is a name as written: one identifier or several joined by dots, in a path or in an expression.
type ref []*grammar.Ident

func pathRef(p *grammar.Path) ref {
	if p == nil {
		return nil
	}
	return p.Parts
}

func (r ref) String() string { return strings.Join(r.names(), ".") }

func (r ref) names() []string {
	out := make([]string, len(r))
	for i, part := range r {
		out[i] = part.Text
	}
	return out
}

func (r ref) last() *grammar.Ident { return r[len(r)-1] }

func (r ref) span() grammar.Span {
	if len(r) == 0 {
		return grammar.Span{}
	}
	return grammar.Span{Start: r[0].Span().Start, End: r.last().Span().End}
}

func (e *env) ofRef(r ref) place { return place{e, r.span()} }
