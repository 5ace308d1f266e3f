package lsp

import (
	"slices"

	"flowc/grammar"
)

// Selections gives the stretches around an offset, the smallest first: a name, the expression, the statement, its block, the state,
// the flow, the file.
func (s *Snapshot) Selections(file string, offset int) []grammar.Span {
	tree := s.tree(file)
	if tree == nil {
		return nil
	}
	out := []grammar.Span{{Start: 0, End: len(tree.Src)}}
	for _, n := range pathTo(tree, offset) {
		span := n.Span()
		if last := out[len(out)-1]; span != last && span.Start >= last.Start && span.End <= last.End {
			out = append(out, span)
		}
	}
	slices.Reverse(out)
	return out
}
