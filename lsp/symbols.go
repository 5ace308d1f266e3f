package lsp

import (
	"strings"

	"flowc/grammar"
)

// A Symbol is a declaration in a file's outline.
type Symbol struct {
	Name     string
	Kind     ItemKind
	Detail   string
	Span     grammar.Span // all of it
	NameSpan grammar.Span
	Children []Symbol
}

// Symbols is the outline of a file: its declarations with their fields, states and named timers. A file that does not parse has
// the outline of what could be read.
func (s *Snapshot) Symbols(file string) []Symbol {
	tree := s.tree(file)
	if tree == nil {
		return nil
	}
	var out []Symbol
	for _, d := range tree.Decls {
		if sym, ok := outline(tree, d); ok {
			out = append(out, sym)
		}
	}
	return out
}

func outline(f *grammar.File, d grammar.Decl) (Symbol, bool) {
	if t, ok := d.(*grammar.TestDecl); ok && t.Name != nil {
		return Symbol{Name: "test " + text(f, t.Name), Kind: KindFunction, Span: t.Span(), NameSpan: t.Name.Span()}, true
	}
	id := nameOf(d)
	if id == nil {
		return Symbol{}, false
	}
	sym := Symbol{Name: id.Text, Kind: declKind(d), Span: d.Span(), NameSpan: id.Span()}
	switch d := d.(type) {
	case *grammar.ConstDecl:
		if d.Value != nil {
			sym.Detail = oneLine(text(f, d.Value))
		}
	case *grammar.EnumDecl:
		for _, v := range d.Values() {
			sym.Children = append(sym.Children, Symbol{Name: v.Text, Kind: KindMember, Span: v.Span(), NameSpan: v.Span()})
		}
	case *grammar.TypeDecl:
		sym.Children = fieldSymbols(f, d.Fields(), KindField)
	case *grammar.EventDecl:
		sym.Detail = params(f, d.Params)
	case *grammar.TaskDecl:
		sym.Detail = params(f, d.Params)
	case *grammar.FnDecl:
		sym.Detail = params(f, d.Params)
	case *grammar.FragmentDecl:
		sym.Detail, sym.Children = params(f, d.Params), bodySymbols(f, d.Body)
	case *grammar.FlowDecl:
		sym.Detail = params(f, d.Params)
		sym.Children = append(fieldSymbols(f, d.Params.List(), KindVariable), bodySymbols(f, d.Body)...)
	}
	return sym, true
}

func declKind(d grammar.Decl) ItemKind {
	switch d.(type) {
	case *grammar.EnumDecl:
		return KindEnum
	case *grammar.TypeDecl:
		return KindType
	case *grammar.EventDecl:
		return KindEvent
	case *grammar.TaskDecl:
		return KindTask
	case *grammar.FnDecl:
		return KindFunction
	case *grammar.FragmentDecl:
		return KindFragment
	case *grammar.FlowDecl:
		return KindFlow
	}
	return KindConstant
}

func params(f *grammar.File, p *grammar.Params) string {
	if p == nil {
		return ""
	}
	return oneLine(text(f, p))
}

func fieldSymbols(f *grammar.File, fields []*grammar.Field, kind ItemKind) []Symbol {
	var out []Symbol
	for _, field := range fields {
		if field.Name == nil {
			continue
		}
		sym := Symbol{Name: field.Name.Text, Kind: kind, Span: field.Span(), NameSpan: field.Name.Span()}
		if field.Type != nil {
			sym.Detail = text(f, field.Type)
		}
		out = append(out, sym)
	}
	return out
}

func bodySymbols(f *grammar.File, body *grammar.StateBody) []Symbol {
	if body == nil {
		return nil
	}
	var out []Symbol
	for _, item := range body.Items {
		id, kind, detail := nameOf(item), KindState, ""
		switch n := item.(type) {
		case *grammar.Data:
			out = append(out, fieldSymbols(f, n.Fields(), KindField)...)
			continue
		case *grammar.After:
			id, kind = n.As, KindTimer
		case *grammar.At:
			id, kind = n.As, KindTimer
		case *grammar.Every:
			id, kind = n.As, KindTimer
		case *grammar.Final, *grammar.Parallel, *grammar.Region, *grammar.Use:
			detail = (&stateNode{node: item}).detail()
		}
		if id != nil && id.Text != "" {
			out = append(out, Symbol{Name: id.Text, Kind: kind, Detail: detail, Span: item.Span(), NameSpan: id.Span(),
				Children: bodySymbols(f, bodyOf(item))})
		}
	}
	return out
}

// A Found is a symbol of the workspace.
type Found struct {
	Location
	Name      string
	Kind      ItemKind
	Container string // the names around it, joined by dots
}

// WorkspaceSymbols finds the declarations and states of the workspace whose names hold the letters of the query in their order,
// at most limit.
func (s *Snapshot) WorkspaceSymbols(query string, limit int) []Found {
	var out []Found
	for _, file := range s.workspace() {
		tree := s.tree(file)
		if tree == nil {
			continue
		}
		for _, decl := range tree.Decls {
			if sym, ok := outline(tree, decl); ok {
				out = matching(out, file, "", sym, strings.ToLower(query))
			}
		}
		if len(out) >= limit {
			return out[:limit]
		}
	}
	return out
}

func matching(out []Found, file, container string, sym Symbol, query string) []Found {
	if subsequence(strings.ToLower(sym.Name), query) {
		out = append(out, Found{Location{file, sym.NameSpan}, sym.Name, sym.Kind, container})
	}
	inner := sym.Name
	if container != "" {
		inner = container + "." + sym.Name
	}
	for _, kid := range sym.Children {
		out = matching(out, file, inner, kid, query)
	}
	return out
}

func subsequence(text, query string) bool {
	i := 0
	for j := 0; j < len(text) && i < len(query); j++ {
		if text[j] == query[i] {
			i++
		}
	}
	return i == len(query)
}
