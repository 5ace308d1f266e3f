package lsp

import (
	"bytes"
	"slices"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/builtin"
)

// TokenType says how a piece of text is coloured, by its meaning. The values index [TokenTypes].
type TokenType uint32

// TokenTypes are the protocol's names of the types, in the order of the values.
var TokenTypes = []string{"keyword", "comment", "string", "number", "operator", "namespace", "type", "enum", "enumMember", "struct",
	"class", "function", "event", "method", "parameter", "variable", "property", "label"}

// The types of tokens: a task is a method, a flow or a fragment a class, a state or a timer a label.
const (
	TokenKeyword TokenType = iota
	TokenComment
	TokenString
	TokenNumber
	TokenOperator
	TokenNamespace
	TokenTypeName
	TokenEnum
	TokenMember
	TokenStruct
	TokenClass
	TokenFunction
	TokenEvent
	TokenMethod
	TokenParameter
	TokenVariable
	TokenProperty
	TokenLabel
)

// TokenModifiers are the protocol's names of the modifiers, by the bits of [SemanticToken.Modifiers].
var TokenModifiers = []string{"declaration", "readonly", "modification", "defaultLibrary"}

// The modifiers.
const (
	ModDeclaration uint32 = 1 << iota
	ModReadonly
	ModModification // the place assigns to it
	ModDefaultLibrary
)

// A SemanticToken is a piece of text with its meaning. It never holds a line end.
type SemanticToken struct {
	Span      grammar.Span
	Type      TokenType
	Modifiers uint32
}

// SemanticTokens gives the tokens of a file in order. Words that no declaration is known for are left out.
func (s *Snapshot) SemanticTokens(file string) []SemanticToken {
	c := s.check(file)
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	tree := c.Sources[i].AST
	p := painter{c: c, tree: tree, refs: map[grammar.Span]*validate.Ref{}, idents: map[grammar.Span]grammar.Node{}}
	for j := range c.Info.Refs {
		if r := &c.Info.Refs[j]; r.File == i {
			p.refs[r.Span] = r
		}
	}
	var parent func(n grammar.Node)
	parent = func(n grammar.Node) {
		grammar.Children(n, func(child grammar.Node) {
			if _, ok := child.(*grammar.Ident); ok {
				p.idents[child.Span()] = n
			}
			parent(child)
		})
	}
	for _, d := range tree.Decls {
		parent(d)
	}
	for _, t := range grammar.Lex(tree.Src) {
		p.token(t)
	}
	return p.out
}

type painter struct {
	c      *checked
	tree   *grammar.File
	refs   map[grammar.Span]*validate.Ref
	idents map[grammar.Span]grammar.Node // names with what they are part of
	out    []SemanticToken
}

func (p *painter) token(t grammar.Token) {
	switch t.Kind {
	case grammar.LineComment, grammar.BlockComment:
		p.lines(t.Span, TokenComment)
	case grammar.String_, grammar.StringHead, grammar.StringMid, grammar.StringTail:
		p.lines(t.Span, TokenString)
	case grammar.Int_, grammar.Decimal_, grammar.Duration_:
		p.out = append(p.out, SemanticToken{t.Span, TokenNumber, 0})
	case grammar.Arrow, grammar.FatArrow, grammar.Eq, grammar.Ne, grammar.Lt, grammar.Gt, grammar.Le, grammar.Ge, grammar.Plus,
		grammar.Minus, grammar.Star, grammar.Slash, grammar.Percent, grammar.Question, grammar.Coalesce, grammar.Bang:
		p.out = append(p.out, SemanticToken{t.Span, TokenOperator, 0})
	case grammar.Ident_:
		p.word(t.Span)
	}
}

// lines cuts what goes over several lines, since many editors take no token that does.
func (p *painter) lines(span grammar.Span, typ TokenType) {
	for at := span.Start; at < span.End; {
		end := span.End
		if n := bytes.IndexAny(p.tree.Src[at:span.End], "\r\n"); n >= 0 {
			end = at + n
		}
		if end > at {
			p.out = append(p.out, SemanticToken{grammar.Span{Start: at, End: end}, typ, 0})
		}
		at = end + 1
	}
}

func (p *painter) word(span grammar.Span) {
	if r := p.refs[span]; r != nil {
		typ, mods := meaning(r.Def)
		if r.Def.File < len(p.c.Sources) && p.c.Sources[r.Def.File].AST == p.tree && r.Def.Span == span {
			mods |= ModDeclaration
		}
		if r.Write {
			mods |= ModModification
		}
		p.out = append(p.out, SemanticToken{span, typ, mods})
		return
	}
	word := string(p.tree.Src[span.Start:span.End])
	parent, named := p.idents[span]
	if !named {
		if wordDocs[word] != "" || word == "true" || word == "false" || slices.Contains(weekdays, word) || word == "day" {
			p.out = append(p.out, SemanticToken{span, TokenKeyword, 0})
		}
		return
	}
	if typ, ok := p.standard(word, parent); ok {
		mods := ModDefaultLibrary | ModReadonly
		if typ == TokenKeyword {
			mods = 0
		}
		p.out = append(p.out, SemanticToken{span, typ, mods})
	}
}

// standard is the meaning of a name that the language itself declares.
func (p *painter) standard(word string, parent grammar.Node) (TokenType, bool) {
	switch n := parent.(type) {
	case *grammar.Path:
		if reservedDocs[word] != "" && len(n.Parts) == 1 {
			return TokenEvent, true
		}
		if word == "self" {
			return TokenKeyword, true
		}
		if typeDocs[word] != "" {
			return TokenTypeName, true
		}
	case *grammar.Final, *grammar.Days, *grammar.ExpectStatus, *grammar.ExpectOutcome:
		return TokenKeyword, true
	case *grammar.NameExpr:
		if word == "event" || word == "token" || word == "entered_at" {
			return TokenVariable, true
		}
		if _, ok := builtin.Lookup(word); ok {
			return TokenFunction, true
		}
	case *grammar.SelectExpr:
		return TokenProperty, true
	}
	return 0, false
}

func meaning(d *validate.Def) (TokenType, uint32) {
	switch d.Kind {
	case validate.DefConst:
		return TokenVariable, ModReadonly
	case validate.DefEnum:
		return TokenEnum, 0
	case validate.DefMember:
		return TokenMember, ModReadonly
	case validate.DefType:
		return TokenStruct, 0
	case validate.DefField, validate.DefData:
		return TokenProperty, 0
	case validate.DefEvent:
		return TokenEvent, 0
	case validate.DefTask:
		return TokenMethod, 0
	case validate.DefFunc:
		return TokenFunction, 0
	case validate.DefFragment, validate.DefFlow:
		return TokenClass, 0
	case validate.DefImport:
		return TokenNamespace, 0
	case validate.DefState, validate.DefTimer, validate.DefLabel:
		return TokenLabel, 0
	case validate.DefInput, validate.DefParam:
		return TokenParameter, ModReadonly
	}
	return TokenVariable, 0
}

// EncodeTokens writes tokens as the protocol does: five numbers each, places relative to the token before.
func EncodeTokens(tokens []SemanticToken, m *Mapper) []uint32 {
	out := make([]uint32, 0, 5*len(tokens))
	var last Position
	for _, t := range tokens {
		r := m.Range(t.Span.Start, t.Span.End)
		line, column := r.Start.Line-last.Line, r.Start.Character
		if line == 0 {
			column -= last.Character
		}
		out = append(out, uint32(line), uint32(column), uint32(r.End.Character-r.Start.Character), uint32(t.Type), t.Modifiers)
		last = r.Start
	}
	return out
}

// A TokenEdit replaces numbers of an encoded list.
type TokenEdit struct {
	Start, Delete int
	Data          []uint32
}

// DiffTokens gives the one edit that turns a list into another, none when they are equal.
func DiffTokens(a, b []uint32) []TokenEdit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	if start == len(a) && start == len(b) {
		return nil
	}
	return []TokenEdit{{start, len(a) - end - start, b[start : len(b)-end]}}
}
