package lsp

import (
	"strings"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/value"
)

// describe is the page of a declared name: how it is declared, its documentation, and the numbers that follow.
func (c *checked) describe(d *validate.Def) string {
	parts := []string{code(c.declaration(d))}
	doc := d.Doc
	if field, ok := d.Node.(*grammar.Field); ok {
		doc = fieldDoc(c.Sources[d.File].AST, field)
	}
	if doc != "" {
		parts = append(parts, doc)
	}
	parts = append(parts, c.numbers(d)...)
	return strings.Join(parts, "\n\n")
}

// declaration is how a name is declared, on one line where it can be.
func (c *checked) declaration(d *validate.Def) string {
	f := c.Sources[d.File].AST
	switch n := d.Node.(type) {
	case *grammar.FlowDecl:
		return header(f, n, n.Body)
	case *grammar.FragmentDecl:
		return header(f, n, n.Body)
	case *grammar.EnumDecl:
		if d.Kind == validate.DefMember {
			return d.Name + ": " + identText(n.Name)
		}
		return text(f, n)
	case *grammar.ConstDecl, *grammar.EventDecl, *grammar.TaskDecl, *grammar.FnDecl:
		return oneLine(text(f, n))
	case *grammar.TypeDecl:
		return text(f, n)
	case *grammar.Parallel:
		return header(f, n, n.Body)
	case *grammar.ImportDecl, *grammar.Use:
		return oneLine(text(f, n))
	case *grammar.Final:
		return header(f, n, n.Body)
	case *grammar.Field:
		return fieldWord(d.Kind) + oneLine(text(f, n))
	}
	return c.plain(d)
}

// plain is a name with its type or its kind.
func (c *checked) plain(d *validate.Def) string {
	if d.Type != nil && d.Type.Kind != value.Invalid {
		return fieldWord(d.Kind) + d.Name + ": " + d.Type.String()
	}
	return kindWord(d) + " " + d.Name
}

func fieldWord(k validate.DefKind) string {
	switch k {
	case validate.DefData:
		return "data "
	case validate.DefInput:
		return "input "
	case validate.DefParam:
		return "parameter "
	case validate.DefLocal:
		return "let "
	}
	return ""
}

// kindWord is what a definition is called.
func kindWord(d *validate.Def) string {
	switch d.Kind {
	case validate.DefState:
		switch d.Node.(type) {
		case *grammar.Parallel:
			return "parallel"
		case *grammar.Region:
			return "region"
		case *grammar.Final:
			return "final"
		}
		return "state"
	case validate.DefTimer:
		return "timer"
	case validate.DefLabel:
		return "token"
	}
	return [...]string{"const", "enum", "value", "type", "field", "event", "task", "fn", "fragment", "flow", "import", "state",
		"data", "input", "parameter", "let", "timer", "token"}[d.Kind]
}

// header is a declaration without its body.
func header(f *grammar.File, n grammar.Node, body *grammar.StateBody) string {
	whole := text(f, n)
	if body != nil {
		if at := body.Span().Start - n.Span().Start; at > 0 && at <= len(whole) {
			whole = whole[:at]
		}
	}
	return oneLine(whole)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func identText(id *grammar.Ident) string {
	if id == nil {
		return ""
	}
	return id.Text
}
