package grammar

import "github.com/alecthomas/participle/v2/lexer"

// readInto reads a region into a field that is still empty.
func readInto[T any, P interface {
	*T
	Parse(*lexer.PeekingLexer) error
}](field *P, lex *lexer.PeekingLexer) {
	if *field != nil {
		return
	}
	body := P(new(T))
	if body.Parse(lex) == nil {
		*field = body
	}
}

func (n *EnumDecl) readBody(lex *lexer.PeekingLexer)     { readInto(&n.Body, lex) }
func (n *TypeDecl) readBody(lex *lexer.PeekingLexer)     { readInto(&n.Body, lex) }
func (n *FragmentDecl) readBody(lex *lexer.PeekingLexer) { readInto(&n.Body, lex) }
func (n *FlowDecl) readBody(lex *lexer.PeekingLexer)     { readInto(&n.Body, lex) }
func (n *TestDecl) readBody(lex *lexer.PeekingLexer)     { readInto(&n.Body, lex) }
func (n *Data) readBody(lex *lexer.PeekingLexer)         { readInto(&n.Body, lex) }
func (n *State) readBody(lex *lexer.PeekingLexer)        { readInto(&n.Body, lex) }
func (n *Parallel) readBody(lex *lexer.PeekingLexer)     { readInto(&n.Body, lex) }
func (n *Region) readBody(lex *lexer.PeekingLexer)       { readInto(&n.Body, lex) }
func (n *Final) readBody(lex *lexer.PeekingLexer)        { readInto(&n.Body, lex) }
func (n *After) readBody(lex *lexer.PeekingLexer)        { readInto(&n.Block, lex) }
func (n *At) readBody(lex *lexer.PeekingLexer)           { readInto(&n.Block, lex) }
func (n *Every) readBody(lex *lexer.PeekingLexer)        { readInto(&n.Block, lex) }
func (n *On) readBody(lex *lexer.PeekingLexer)           { readInto(&n.Block, lex) }
func (n *Always) readBody(lex *lexer.PeekingLexer)       { readInto(&n.Block, lex) }
func (n *Entry) readBody(lex *lexer.PeekingLexer)        { readInto(&n.Block, lex) }
func (n *Exit) readBody(lex *lexer.PeekingLexer)         { readInto(&n.Block, lex) }
func (n *Run) readBody(lex *lexer.PeekingLexer)          { readInto(&n.Block, lex) }
func (n *ForStmt) readBody(lex *lexer.PeekingLexer)      { readInto(&n.Body, lex) }
func (n *WhileStmt) readBody(lex *lexer.PeekingLexer)    { readInto(&n.Body, lex) }
func (n *WaitArm) readBody(lex *lexer.PeekingLexer)      { readInto(&n.Body, lex) }

// readBody reads the body of the branch at which the reading stopped, and the
// branches behind it.
func (n *IfStmt) readBody(lex *lexer.PeekingLexer) {
	if last := len(n.Else) - 1; last >= 0 {
		readInto(&n.Else[last].Body, lex)
	} else {
		readInto(&n.Then, lex)
	}
	for lex.Peek().Type == Elif || isWord(lex.Peek(), "else") {
		branch, err := rules().branch(lex)
		if err != nil {
			return
		}
		n.Else = append(n.Else, branch)
	}
}

// readBody reads the body of the catch at which the reading stopped.
func (n *TryStmt) readBody(lex *lexer.PeekingLexer) {
	if last := len(n.Catches) - 1; last >= 0 {
		readInto(&n.Catches[last].Body, lex)
	} else {
		readInto(&n.Body, lex)
	}
	for isWord(lex.Peek(), "catch") {
		branch, err := rules().catch(lex)
		if err != nil {
			return
		}
		n.Catches = append(n.Catches, branch)
	}
}
