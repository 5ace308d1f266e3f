package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// readTestLine reads a statement of a test with the token that it is about. A
// word with a colon is a label before it is anything else.
func readTestLine(lex *lexer.PeekingLexer) (*TestLine, error) {
	start := lex.RawCursor()
	line := new(TestLine)
	t := lex.Peek()
	if t.Type != Ident_ {
		return nil, wordUnknown(lex, "statement of a test", testWords)
	}
	var err error
	switch second := peekSecond(lex).Type; {
	case second == Colon:
		line.Label, err = readIdent(lex)
		lex.Next()
	case t.Value == "child" && second == Ident_:
		line.Child, err = rules().child(lex)
	}
	if err == nil {
		line.Stmt, err = readTestStmt(lex)
	}
	line.Tokens = from(lex, start)
	return line, err
}

func readTestStmt(lex *lexer.PeekingLexer) (TestStmt, error) {
	t := lex.Peek()
	rule, ok := rules().tests[t.Value]
	if t.Type != Ident_ || !ok {
		return nil, wordUnknown(lex, "statement of a test", testWords)
	}
	if t.Value == "start" && startsServer(lex) {
		return asSum[TestStmt](rules().server(lex))
	}
	return rule(lex)
}

// startsServer tells `start server` from the start of a flow of that name, which
// is written with its parentheses.
func startsServer(lex *lexer.PeekingLexer) bool {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	lex.Next()
	return isWord(lex.Peek(), "server") && peekSecond(lex).Type != LParen
}

func readExpect(lex *lexer.PeekingLexer) (TestStmt, error) {
	start := lex.RawCursor()
	lex.Next()
	s := new(TestExpect)
	here := lex.MakeCheckpoint()
	s.Not = acceptWord(lex, "not")
	var err error
	if rule, ok := rules().expects[lex.Peek().Value]; ok && namesExpectation(lex) {
		s.What, err = rule(lex)
	} else {
		lex.LoadCheckpoint(here)
		s.Not = false
		s.What, err = asSum[Expectation](rules().value(lex))
	}
	s.Tokens = from(lex, start)
	return s, err
}

// namesExpectation tells a keyword from a value of that name, which an operator
// follows.
func namesExpectation(lex *lexer.PeekingLexer) bool {
	if lex.Peek().Type != Ident_ {
		return false
	}
	second := peekSecond(lex)
	switch second.Type {
	case Ident_:
		return !(second.Value == "and" || second.Value == "or" || second.Value == "in")
	case String_, StringHead, OpenString, QuotedString, RBrace, EOF:
		return true
	}
	return false
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
