package grammar

import (
	"fmt"
	"strings"

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
	if name := quotedName(t, what); name != "" {
		return faultAt(tokenSpan(t), fmt.Sprintf("found `%s` where %s is expected", t.Value, what),
			fmt.Sprintf("names stand without quotes: `%s`", name), replace(tokenSpan(t), name))
	}
	return faultAt(tokenSpan(t), fmt.Sprintf("found `%s` where %s is expected", t.Value, what), "")
}

// quotedName is the name in a text that stands where a name must, or "".
func quotedName(t *lexer.Token, what string) string {
	if t.Type != String_ && t.Type != QuotedString {
		return ""
	}
	switch what {
	case "a name", "a state", "an event", "a task", "a flow", "a fragment", "a timer", "a task or a flow":
	default:
		return ""
	}
	name := strings.Trim(t.Value, "\"'`“”„‘’")
	if tokens := Lex([]byte(name)); len(tokens) != 1 || tokens[0].Kind != Ident_ || reserved[name] {
		return ""
	}
	return name
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
	for lex.Peek().Type == LBrack && peekSecond(lex).Type == RBrack {
		lex.Next()
		lex.Next()
		t = &ListType{node{Tokens: from(lex, start)}, t}
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
	kind := containers[word]
	if lex.Peek().Type != Lt || kind == "" || len(path.Parts) > 1 {
		return &NamedType{node{Tokens: from(lex, start)}, path}, nil
	}
	lex.Next()
	elem, err := readElem(lex, depth)
	if err == nil && kind == "map" && acceptKind(lex, Comma) {
		elem, err = readElem(lex, depth) // in front of it stands the type of the keys, which are strings
	}
	if err == nil {
		err = closeType(lex)
	}
	if err != nil {
		return nil, err
	}
	if kind == "list" {
		return &ListType{node{Tokens: from(lex, start)}, elem}, nil
	}
	return &MapType{node{Tokens: from(lex, start)}, elem}, nil
}

// containers are the types that take another one, with what other languages
// call them.
var containers = map[string]string{
	"list": "list", "List": "list", "array": "list", "Array": "list", "vector": "list", "Vec": "list", "seq": "list",
	"map": "map", "Map": "map", "dict": "map", "Dict": "map", "Record": "map", "HashMap": "map",
}

func readElem(lex *lexer.PeekingLexer, depth int) (TypeExpr, error) {
	elem, err := readTypeAt(lex, depth+1)
	if err == participle.NextMatch {
		err = missing(lex, "a type")
	}
	return elem, err
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
