package lsp

import (
	"slices"
	"sync"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
	"flowc/validate/model"
)

// A stretch is a part of one of the checked files.
type stretch struct {
	file int
	span grammar.Span
}

// soundness knows which flows of a check have no error in themselves, nor in anything that they mention.
type soundness struct {
	once sync.Once
	// errors are all errors; imports says that one of them is about an import: then names may be missing, and nothing more is
	// reported where they are used.
	errors  []stretch
	imports bool
	// mentions holds, for each file, the names that are mentioned in it, by place.
	mentions [][]*validate.Ref
}

// sound says whether nothing about a flow is wrong: no error stands in its declaration, nor in a declaration that it mentions,
// directly or through others. The model of such a flow is what it would be in a program without errors.
func (c *checked) sound(f *model.Flow) bool {
	if c.Model != nil {
		return true
	}
	if c.soundness.once.Do(c.sortErrors); c.soundness.imports {
		return false
	}
	reached := []stretch{{f.Pos.File, grammar.Span{Start: f.Pos.Start, End: f.Pos.Start + 1}}}
	if d := c.flowAt(f.Pos); d != nil {
		reached[0].span = d.Span()
	}
	seen := map[stretch]bool{reached[0]: true}
	for len(reached) > 0 {
		part := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		if c.hasErrorIn(part) {
			return false
		}
		for _, ref := range c.mentionedIn(part) {
			if next := (stretch{ref.Def.File, ref.Def.Node.Span()}); !seen[next] {
				seen[next] = true
				reached = append(reached, next)
			}
		}
	}
	return true
}

func (c *checked) sortErrors() {
	s := &c.soundness
	for _, f := range c.Findings {
		if file, ok := c.index[f.File]; ok && f.Severity == diag.Error {
			s.errors = append(s.errors, stretch{file, grammar.Span{Start: f.Range.Start.Offset, End: f.Range.End.Offset}})
		}
	}
	for i, src := range c.Sources {
		for _, decl := range src.AST.Decls {
			if _, ok := decl.(*grammar.ImportDecl); ok && c.hasErrorIn(stretch{i, decl.Span()}) {
				s.imports = true
			}
		}
	}
	s.mentions = make([][]*validate.Ref, len(c.Sources))
	for i := range c.Info.Refs {
		if r := &c.Info.Refs[i]; r.Def != nil && r.Def.Node != nil {
			s.mentions[r.File] = append(s.mentions[r.File], r)
		}
	}
}

// hasErrorIn counts an error at the very end in: a brace that is missing is missed there.
func (c *checked) hasErrorIn(part stretch) bool {
	return slices.ContainsFunc(c.soundness.errors, func(e stretch) bool {
		return e.file == part.file && e.span.Start <= part.span.End && e.span.End >= part.span.Start
	})
}

// mentionedIn gives what is mentioned in a part of a file.
func (c *checked) mentionedIn(part stretch) []*validate.Ref {
	all := c.soundness.mentions[part.file]
	from, _ := slices.BinarySearchFunc(all, part.span.Start, func(r *validate.Ref, at int) int { return r.Span.Start - at })
	to := from
	for to < len(all) && all[to].Span.Start < part.span.End {
		to++
	}
	return all[from:to]
}

// flowAt finds the declaration that a flow of the model was made of.
func (c *checked) flowAt(pos model.Pos) *grammar.FlowDecl {
	for _, decl := range c.Sources[pos.File].AST.Decls {
		if d, ok := decl.(*grammar.FlowDecl); ok && d.Span().Contains(pos.Start) {
			return d
		}
	}
	return nil
}
