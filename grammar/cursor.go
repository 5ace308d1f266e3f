package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// A faultError carries a fault through participle to the region that keeps it.
type faultError struct{ Fault }

func (e *faultError) Error() string { return e.Message }

// A softError is a fault that stopped nothing: the item was read whole.
type softError struct{ faultError }

func faultAt(span Span, message, help string, fixes ...Fix) error {
	return &faultError{Fault{ID: IDSyntax, Span: span, Message: message, Help: help, Fixes: fixes}}
}

// from are the tokens between a raw cursor and where the lexer stands.
func from(lex *lexer.PeekingLexer, start lexer.RawCursor) []lexer.Token {
	return lex.Range(start, lex.RawCursor())
}

// peekSecond looks at the token behind the next one.
func peekSecond(lex *lexer.PeekingLexer) *lexer.Token {
	here := lex.MakeCheckpoint()
	lex.Next()
	t := lex.Peek()
	lex.LoadCheckpoint(here)
	return t
}

// previous is the token that was read last, or nil at the start.
func previous(lex *lexer.PeekingLexer) *lexer.Token {
	n := lex.RawCursor()
	if n == 0 {
		return nil
	}
	return &lex.Range(n-1, n)[0]
}

// onNewLine says whether the next token is the first of its line.
func onNewLine(lex *lexer.PeekingLexer) bool {
	before := previous(lex)
	return before == nil || before.Pos.Line != lex.Peek().Pos.Line
}

func isWord(t *lexer.Token, word string) bool { return t.Type == Ident_ && t.Value == word }

func acceptKind(lex *lexer.PeekingLexer, kind Kind) bool {
	if lex.Peek().Type != kind {
		return false
	}
	lex.Next()
	return true
}

func acceptWord(lex *lexer.PeekingLexer, word string) bool {
	if !isWord(lex.Peek(), word) {
		return false
	}
	lex.Next()
	return true
}

// missing is the fault for a token that does not stand where it must. It is
// placed at what stands there instead, or, when that is on another line or closes
// the block, at the word before.
func missing(lex *lexer.PeekingLexer, what string) error {
	t := lex.Peek()
	before := previous(lex)
	if before != nil && (t.EOF() || t.Value == "" || t.Type == RBrace || before.Pos.Line != t.Pos.Line) {
		return faultAt(tokenSpan(before), fmt.Sprintf("%s is missing after `%s`", what, before.Value), "")
	}
	if t.EOF() {
		return faultAt(tokenSpan(t), fmt.Sprintf("the file ends where %s is expected", what), "")
	}
	return faultAt(tokenSpan(t), fmt.Sprintf("found `%s` where %s is expected", t.Value, what), "")
}

// reserved are the words that are never names.
var reserved = map[string]bool{
	"true": true, "false": true, "null": true, "and": true, "or": true, "not": true, "in": true,
}

// Parse implements participle.Parseable.
func (n *Ident) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != Ident_ {
		return participle.NextMatch
	}
	if reserved[t.Value] {
		return faultAt(tokenSpan(t), fmt.Sprintf("`%s` is a reserved word and cannot be a name", t.Value), "")
	}
	start := lex.RawCursor()
	n.Text = lex.Next().Value
	n.Tokens = from(lex, start)
	return nil
}

func readIdent(lex *lexer.PeekingLexer) (*Ident, error) {
	n := new(Ident)
	err := n.Parse(lex)
	if err == participle.NextMatch {
		return nil, missing(lex, "a name")
	}
	return n, err
}

// Parse implements participle.Parseable.
func (n *Path) Parse(lex *lexer.PeekingLexer) error {
	start := lex.RawCursor()
	first := new(Ident)
	if err := first.Parse(lex); err != nil {
		return err
	}
	n.Parts = []*Ident{first}
	for acceptKind(lex, Dot) {
		part, err := readIdent(lex)
		if err != nil {
			return err
		}
		n.Parts = append(n.Parts, part)
	}
	n.Tokens = from(lex, start)
	return nil
}

func readType(lex *lexer.PeekingLexer) (TypeExpr, error) { return readTypeAt(lex, 0) }

func readTypeAt(lex *lexer.PeekingLexer, depth int) (TypeExpr, error) {
	if lex.Peek().Type != Ident_ {
		return nil, participle.NextMatch
	}
	if depth > MaxDepth {
		return nil, &faultError{deepFault(tokenSpan(lex.Peek()))}
	}
	start := lex.RawCursor()
	t, err := readPlainType(lex, depth)
	if err != nil {
		return t, err
	}
	optional := acceptKind(lex, Question)
	if next := lex.Peek(); next.Type == Coalesce || optional && next.Type == Question {
		return nil, faultAt(tokenSpan(next), "a type has one `?`", "")
	}
	if optional {
		t = &OptionalType{node{Tokens: from(lex, start)}, t}
	}
	return t, nil
}

func readPlainType(lex *lexer.PeekingLexer, depth int) (TypeExpr, error) {
	start := lex.RawCursor()
	word := lex.Peek().Value
	path := new(Path)
	if err := path.Parse(lex); err != nil {
		return nil, err
	}
	if lex.Peek().Type != Lt || word != "list" && word != "map" {
		return &NamedType{node{Tokens: from(lex, start)}, path}, nil
	}
	lex.Next()
	elem, err := readTypeAt(lex, depth+1)
	if err == participle.NextMatch {
		err = missing(lex, "a type")
	}
	if err == nil {
		err = closeType(lex)
	}
	if err != nil {
		return nil, err
	}
	if word == "list" {
		return &ListType{node{Tokens: from(lex, start)}, elem}, nil
	}
	return &MapType{node{Tokens: from(lex, start)}, elem}, nil
}

// closeType takes the `>` of a list or a map. `>=` is one token, never two.
func closeType(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	switch t.Type {
	case Gt:
		lex.Next()
		return nil
	case Ge:
		return faultAt(tokenSpan(t), "`>=` is one sign here", "write `> =`", Fix{"write `> =`", []Edit{{tokenSpan(t), "> ="}}})
	}
	return missing(lex, "`>`")
}
