package lsp

import (
	"path"
	"strings"

	"flowc/grammar"
)

// A Link is the path of an import with the file that it means.
type Link struct {
	Span   grammar.Span // without the quotes
	Target string

	as *grammar.Ident
}

// Links lists the imports of a file whose paths can be followed.
func (s *Snapshot) Links(file string) []Link {
	tree := s.tree(file)
	if tree == nil {
		return nil
	}
	return linksOf(tree, file)
}

func linksOf(tree *grammar.File, file string) []Link {
	var out []Link
	for _, d := range tree.Decls {
		imp, ok := d.(*grammar.ImportDecl)
		if !ok || imp.Path == nil || len(imp.Path.Parts) != 1 || imp.Path.Parts[0].Expr != nil {
			continue
		}
		part := imp.Path.Parts[0]
		if spec := part.Text; spec != "" && !strings.HasPrefix(spec, "/") && !strings.ContainsAny(spec, "\\:\x00") {
			out = append(out, Link{part.Span, path.Join(path.Dir(file), spec), imp.As})
		}
	}
	return out
}
