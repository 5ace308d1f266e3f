package grammar

import (
	"fmt"
	"io"

	"github.com/alecthomas/participle/v2/lexer"
)

// definition is the hand-written lexer for participle. It is total: no input is
// an error.
type definition struct{}

var (
	_ lexer.Definition       = definition{}
	_ lexer.StringDefinition = definition{}
	_ lexer.BytesDefinition  = definition{}
)

// Definition is the lexer of the language for participle. A token's position has
// the offset, the line, and as column the number of bytes that the token takes in
// the file; the true column is asked of [File.Position].
func Definition() lexer.Definition { return definition{} }

// Symbols implements [lexer.Definition].
func (definition) Symbols() map[string]Kind { return symbols }

// Lex implements [lexer.Definition]; the only errors are those of the reader.
func (d definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return d.LexBytes(name, src)
}

// LexBytes implements [lexer.BytesDefinition].
func (d definition) LexBytes(name string, src []byte) (lexer.Lexer, error) {
	return d.LexString(name, string(src))
}

// LexString implements [lexer.StringDefinition].
func (definition) LexString(_ string, src string) (lexer.Lexer, error) {
	return &tokenList{tokens: asParticiple(Lex([]byte(src)), src), end: len(src)}, nil
}

// tokenList hands tokens that are already read to participle.
type tokenList struct {
	tokens []lexer.Token
	next   int
	end    int // where the file ends
	line   int // the line of the last token
}

// Next implements [lexer.Lexer].
func (l *tokenList) Next() (lexer.Token, error) {
	if l.next == len(l.tokens) {
		return lexer.Token{Type: EOF, Pos: lexer.Position{Offset: l.end, Line: l.line}}, nil
	}
	t := l.tokens[l.next]
	l.next++
	l.line = t.Pos.Line
	return t, nil
}

// asParticiple gives tokens their texts and lines.
func asParticiple(tokens []Token, src string) []lexer.Token {
	out := make([]lexer.Token, 0, len(tokens))
	line := 1
	for _, t := range tokens {
		out = append(out, withText(t, src, line))
		line += linesIn(t, src)
	}
	return out
}

func withText(t Token, src string, line int) lexer.Token {
	pos := lexer.Position{Offset: t.Span.Start, Line: line, Column: t.Span.Len()}
	return lexer.Token{Type: t.Kind, Value: src[t.Span.Start:t.Span.End], Pos: pos}
}

// linesIn counts the line ends in a token; only some kinds can have any.
func linesIn(t Token, src string) int {
	switch t.Kind {
	case Space, BlockComment, BadComment:
		return countLines(src[t.Span.Start:t.Span.End])
	}
	return 0
}

func countLines(text string) (n int) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			n++
		}
	}
	return n
}
