package lsp

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/builtin"
)

// A Signature is what a call takes, with the argument that is being written.
type Signature struct {
	Label  string
	Doc    string
	Params []Param
	Active int // in Params; -1 when it is none of them
}

// A Param is a parameter as it stands in the label.
type Param struct {
	Label string
	Doc   string
}

// Signature says what the call around the offset takes; nil outside of parentheses.
func (s *Snapshot) Signature(file string, offset int) *Signature {
	d := s.Document(file)
	if d == nil {
		return nil
	}
	offset = min(max(offset, 0), len(d.Text))
	if t, ok := within(grammar.Lex(d.Text), offset); ok && t.Kind != grammar.String_ && t.Kind != grammar.OpenString {
		return nil
	}
	typed := identAt(d.Text, offset)
	x := newCompleter(s, d, grammar.Span{Start: typed.Start, End: offset})
	if x == nil {
		return nil
	}
	for b := x.openBracket(x.k); b >= 0; b = x.openBracket(b) {
		if x.tokens[b].Kind == grammar.LBrace && !x.isLiteralBrace(b) {
			return nil
		}
		if x.tokens[b].Kind != grammar.LParen {
			continue
		}
		if c := x.callAt(b); c.label != "" && !x.declares(c) {
			if sig := x.signature(c); sig != nil {
				return sig
			}
		}
	}
	return nil
}

func (x *completer) signature(c call) *Signature {
	if s, ok := calledAs(x.all, c.word, c.label); ok {
		fields, named := s.params()
		sig := &Signature{Doc: s.doc()}
		var labels []string
		for _, f := range fields {
			label := oneLine(text(s.file, f))
			labels = append(labels, label)
			sig.Params = append(sig.Params, Param{label, fieldDoc(s.file, f)})
		}
		sig.Label = c.label + "(" + strings.Join(labels, ", ") + ")"
		sig.Active = x.position(c.paren)
		if named {
			sig.Active = namedAt(fields, x.argBefore(c.paren, x.k), x.given(c.paren))
		}
		return sig
	}
	f, ok := builtin.Lookup(c.label)
	if !ok || f.Bare {
		return nil
	}
	sig := &Signature{Label: f.Signature, Doc: f.Doc, Active: x.position(c.paren)}
	for _, p := range builtinParams(f.Signature) {
		sig.Params = append(sig.Params, Param{Label: p})
	}
	return sig
}

// namedAt finds the argument that is being written: the one that is named last, or the first that is not given yet.
func namedAt(fields []*grammar.Field, current string, given map[string]bool) int {
	for i, f := range fields {
		if identText(f.Name) == current && current != "" {
			return i
		}
	}
	for i, f := range fields {
		if !given[identText(f.Name)] {
			return i
		}
	}
	return -1
}

// position counts the commas between a parenthesis and the placeholder.
func (x *completer) position(paren int) int {
	n, depth := 0, 0
	for i := paren + 1; i < x.k; i++ {
		switch x.tokens[i].Kind {
		case grammar.LParen, grammar.LBrack, grammar.LBrace:
			depth++
		case grammar.RParen, grammar.RBrack, grammar.RBrace:
			depth--
		case grammar.Comma:
			if depth == 0 {
				n++
			}
		}
	}
	return n
}

// builtinParams cuts a built-in's signature into its parameters: of `slice(text, from, to)` the three, of several forms the first.
func builtinParams(signature string) []string {
	open := strings.IndexByte(signature, '(')
	if open < 0 {
		return nil
	}
	depth, start := 0, open+1
	var out []string
	quoted := false
	for i := open + 1; i < len(signature); i++ {
		switch c := signature[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ',' && depth == 0, c == ')' && depth == 0:
			if p := strings.TrimSpace(signature[start:i]); p != "" {
				out = append(out, p)
			}
			start = i + 1
			if c == ')' {
				return out
			}
		case c == ')' || c == ']':
			depth--
		}
	}
	return out
}
