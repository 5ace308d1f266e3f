package lsp

import (
	"bytes"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/value"
)

// A symbol is a declaration at the top of a file, by the name that another place calls it.
type symbol struct {
	label string // with the import's prefix where there is one
	decl  grammar.Decl
	file  *grammar.File
}

// visible lists the declarations that a file can name: its own, and those of its imports.
func (c *checked) visible(file string) []symbol {
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	return visibleIn(c.Sources[i].AST, file, func(name string) *grammar.File {
		if j, ok := c.index[name]; ok {
			return c.Sources[j].AST
		}
		return nil
	})
}

// visibleIn lists what a tree of the file can name, with the trees of other files from a function, which gives nil for those that
// cannot be read.
func visibleIn(tree *grammar.File, file string, other func(name string) *grammar.File) []symbol {
	out := symbolsOf(tree, "")
	for _, link := range linksOf(tree, file) {
		if link.Target == file {
			continue
		}
		if t := other(link.Target); t != nil {
			prefix := ""
			if link.as != nil {
				prefix = link.as.Text + "."
			}
			out = append(out, symbolsOf(t, prefix)...)
		}
	}
	return out
}

func symbolsOf(f *grammar.File, prefix string) []symbol {
	var out []symbol
	for _, d := range f.Decls {
		if id := nameOf(d); id != nil {
			out = append(out, symbol{prefix + id.Text, d, f})
		}
	}
	return out
}

// find finds a declaration of a kind by the path that names it.
func find[D grammar.Decl](all []symbol, label string) (d D, s symbol) {
	for _, s := range all {
		if d, ok := s.decl.(D); ok && s.label == label {
			return d, s
		}
	}
	return d, s
}

// detail is a declaration on one line.
func (s symbol) detail() string {
	switch d := s.decl.(type) {
	case *grammar.FlowDecl:
		return header(s.file, d, d.Body)
	case *grammar.FragmentDecl:
		return header(s.file, d, d.Body)
	}
	return oneLine(text(s.file, s.decl))
}

// doc is the declaration's documentation.
func (s symbol) doc() string { return s.file.Doc(s.decl) }

// fieldDoc is the documentation of a field that stands on a line of its own; the comment above any other is the declaration's.
func fieldDoc(f *grammar.File, field grammar.Node) string {
	start := field.Span().Start
	if line := bytes.LastIndexByte(f.Src[:start], '\n') + 1; len(bytes.TrimSpace(f.Src[line:start])) > 0 {
		return ""
	}
	return f.Doc(field)
}

// params gives the parameters that a use of the declaration takes, and whether they are named.
func (s symbol) params() (fields []*grammar.Field, named bool) {
	switch d := s.decl.(type) {
	case *grammar.EventDecl:
		return d.Params.List(), true
	case *grammar.TaskDecl:
		return d.Params.List(), true
	case *grammar.FlowDecl:
		return d.Params.List(), true
	case *grammar.FragmentDecl:
		return d.Params.List(), true
	case *grammar.FnDecl:
		return d.Params.List(), false
	}
	return nil, false
}

// constType is the type of a constant, nil when it is not known.
func (c *checked) constType(s symbol) *value.Type {
	d, ok := s.decl.(*grammar.ConstDecl)
	if !ok || d.Value == nil {
		return nil
	}
	i, ok := c.index[s.file.Name]
	if !ok {
		return nil
	}
	return c.typeOf(i, d.Value.Span())
}

// typeOf is the type of the expression that stands exactly there.
func (c *checked) typeOf(file int, span grammar.Span) *value.Type {
	for i := range c.Info.Types {
		if t := &c.Info.Types[i]; t.File == file && t.Span == span {
			return t.Type
		}
	}
	return nil
}

// defAt is the definition whose name is declared exactly there.
func (c *checked) defAt(file int, span grammar.Span) *validate.Def {
	if r := c.Info.At(file, span.Start); r != nil && r.Def.File == file && r.Def.Span == span {
		return r.Def
	}
	return nil
}
