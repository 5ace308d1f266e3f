package lsp

import (
	"strings"

	"flowc/grammar"
)

// A Fold is a stretch that an editor can fold away.
type Fold struct {
	Span grammar.Span
	Kind string // "comment", "imports", "region" or "", as the protocol names them
}

// Folds lists the bodies, lists, comments, imports and marked regions of a file that go over several lines.
func (s *Snapshot) Folds(file string) []Fold {
	tree := s.tree(file)
	if tree == nil {
		return nil
	}
	var out []Fold
	add := func(span grammar.Span, kind string) {
		first, _ := tree.Position(span.Start)
		if last, _ := tree.Position(span.End); last > first {
			out = append(out, Fold{span, kind})
		}
	}
	tree.Inspect(func(n grammar.Node) bool {
		switch n.(type) {
		case *grammar.StateBody, *grammar.Block, *grammar.FieldBlock, *grammar.EnumBody, *grammar.TestBody, *grammar.WaitBody,
			*grammar.Params, *grammar.Args, *grammar.RecordLit, *grammar.ListLit:
			add(n.Span(), "")
		}
		return true
	})
	for _, span := range commentGroups(tree) {
		add(span, "comment")
	}
	add(importGroup(tree), "imports")
	for _, span := range marked(tree) {
		add(span, "region")
	}
	return out
}

// marked finds the stretches between `// region NAME` and `// endregion`.
func marked(f *grammar.File) []grammar.Span {
	var open []int
	var out []grammar.Span
	for _, c := range f.Comments {
		word, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), " ")
		switch {
		case c.Block:
		case word == "region" || word == "#region":
			open = append(open, c.Span.Start)
		case (word == "endregion" || word == "#endregion") && len(open) > 0:
			out = append(out, grammar.Span{Start: open[len(open)-1], End: c.Span.End})
			open = open[:len(open)-1]
		}
	}
	return out
}

// commentGroups joins comments on lines that follow one another.
func commentGroups(f *grammar.File) []grammar.Span {
	var out []grammar.Span
	last := -1
	for _, c := range f.Comments {
		line, _ := f.Position(c.Span.Start)
		if n := len(out); n > 0 && line == last+1 && !c.Block {
			out[n-1].End = c.Span.End
		} else {
			out = append(out, c.Span)
		}
		last, _ = f.Position(c.Span.End)
	}
	return out
}

func importGroup(f *grammar.File) grammar.Span {
	var span grammar.Span
	for _, d := range f.Decls {
		imp, ok := d.(*grammar.ImportDecl)
		if !ok {
			break
		}
		if span.End == 0 {
			span.Start = imp.Span().Start
		}
		span.End = imp.Span().End
	}
	return span
}
