package lsp

import (
	"flowc/grammar"
)

// pathTo lists the nodes around an offset, the outermost first. Of two that touch there the later one counts.
func pathTo(f *grammar.File, offset int) []grammar.Node {
	var path []grammar.Node
	var down func(n grammar.Node)
	down = func(n grammar.Node) {
		path = append(path, n)
		var next grammar.Node
		grammar.Children(n, func(child grammar.Node) {
			if span := child.Span(); span.Len() > 0 && span.Contains(offset) {
				next = child
			}
		})
		if next != nil {
			down(next)
		}
	}
	for _, d := range f.Decls {
		if span := d.Span(); span.Len() > 0 && span.Contains(offset) && (span.End > offset || len(path) == 0) {
			path = path[:0]
			down(d)
		}
	}
	return path
}

// innermost finds the last node of a kind, the zero value when there is none.
func innermost[T grammar.Node](path []grammar.Node) T {
	for i := len(path) - 1; i >= 0; i-- {
		if n, ok := path[i].(T); ok {
			return n
		}
	}
	var none T
	return none
}

// bodyOf gives the body of a state, or of what is built like one; nil for anything else.
func bodyOf(n grammar.Node) *grammar.StateBody {
	switch n := n.(type) {
	case *grammar.FlowDecl:
		return n.Body
	case *grammar.FragmentDecl:
		return n.Body
	case *grammar.State:
		return n.Body
	case *grammar.Parallel:
		return n.Body
	case *grammar.Region:
		return n.Body
	case *grammar.Final:
		return n.Body
	}
	return nil
}

// nameOf gives the name that a declaration or a state has, nil where it has none.
func nameOf(n grammar.Node) *grammar.Ident {
	switch n := n.(type) {
	case *grammar.ConstDecl:
		return n.Name
	case *grammar.EnumDecl:
		return n.Name
	case *grammar.TypeDecl:
		return n.Name
	case *grammar.EventDecl:
		return n.Name
	case *grammar.TaskDecl:
		return n.Name
	case *grammar.FnDecl:
		return n.Name
	case *grammar.FragmentDecl:
		return n.Name
	case *grammar.FlowDecl:
		return n.Name
	case *grammar.State:
		return n.Name
	case *grammar.Parallel:
		return n.Name
	case *grammar.Region:
		return n.Name
	case *grammar.Final:
		return n.Name
	case *grammar.Use:
		return n.As
	case *grammar.Field:
		return n.Name
	}
	return nil
}

// text gives the source of a node, "" for nil.
func text(f *grammar.File, n grammar.Node) string {
	if n == nil {
		return ""
	}
	span := n.Span()
	if span.Start < 0 || span.End > len(f.Src) {
		return ""
	}
	return string(f.Src[span.Start:span.End])
}

// identAt gives the letters of a name around an offset, empty where there is none.
func identAt(src []byte, offset int) grammar.Span {
	start, end := offset, offset
	for start > 0 && isNameByte(src[start-1]) {
		start--
	}
	for end < len(src) && isNameByte(src[end]) {
		end++
	}
	return grammar.Span{Start: start, End: end}
}

func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
