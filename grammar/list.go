package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Parse implements participle.Parseable.
func (n *Params) Parse(lex *lexer.PeekingLexer) error {
	if lex.Peek().Type != LParen {
		return participle.NextMatch
	}
	start := lex.RawCursor()
	n.inParens(lex, func() error {
		f, err := rules().field(lex)
		if f != nil {
			n.Fields = append(n.Fields, f)
		}
		return err
	})
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *Args) Parse(lex *lexer.PeekingLexer) error {
	if lex.Peek().Type != LParen {
		return participle.NextMatch
	}
	r := exprReader{lex: lex}
	return n.read(&r)
}

func (r *exprReader) args() (*Args, error) {
	n := new(Args)
	err := n.read(r)
	return n, err
}

// read reads the arguments as parts of the expression around them. A fault in
// one of them is kept, and the others are read; only a limit ends it all.
func (n *Args) read(r *exprReader) (limit error) {
	start := r.lex.RawCursor()
	n.inParens(r.lex, func() error {
		arg, err := r.arg()
		if arg != nil {
			n.Items = append(n.Items, arg)
		}
		if f, ok := err.(*faultError); ok && f.ID == IDNestedTooDeep {
			limit = err
		}
		return err
	})
	n.Tokens = from(r.lex, start)
	return limit
}

func (r *exprReader) arg() (*Arg, error) {
	start := r.lex.RawCursor()
	arg := new(Arg)
	var err error
	second := EOF
	if r.lex.Peek().Type == Ident_ {
		second = peekSecond(r.lex).Type
	}
	switch second {
	case Colon:
		if arg.Name, err = readIdent(r.lex); err == nil {
			r.lex.Next()
			arg.Value, err = r.argValue()
		}
	case FatArrow:
		arg.Value, err = r.lambda()
	default:
		arg.Value, err = r.argValue()
	}
	arg.Tokens = from(r.lex, start)
	arg.broken = err != nil
	if arg.Value == nil {
		arg.Value = &BadExpr{node{Tokens: arg.Tokens, broken: true}}
	}
	return arg, err
}

func (r *exprReader) argValue() (Expr, error) {
	if !r.starts() {
		return nil, missing(r.lex, "a value")
	}
	return r.expr()
}

func (r *exprReader) lambda() (Expr, error) {
	start := r.lex.RawCursor()
	param, err := readIdent(r.lex)
	if err != nil {
		return nil, err
	}
	r.lex.Next()
	braced := r.lex.Peek().Type == LBrace
	body, err := r.expr()
	if f, ok := err.(*faultError); ok && braced && f.Help == "" {
		f.Help = "a function is one expression, without braces: `" + param.Text + " => VALUE`"
	}
	if err != nil {
		return nil, err
	}
	return &LambdaExpr{node{Tokens: from(r.lex, start)}, param, body}, nil
}

// inParens reads a list in parentheses, keeping the faults of its items. It
// never fails: a list that is not closed ends where something else begins.
func (n *region) inParens(lex *lexer.PeekingLexer, item func() error) {
	lex.Next()
	for !acceptKind(lex, RParen) {
		before := lex.RawCursor()
		err := item()
		if err == nil && n.betweenItems(lex) {
			continue
		}
		if err == nil {
			err = missing(lex, "`,` or `)`")
		}
		n.keep(lex, err)
		if !skipInParens(lex, before) {
			return
		}
	}
}

// betweenItems takes the comma behind an item, or reports that it is missing
// where the next item follows all the same.
func (n *region) betweenItems(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	switch {
	case t.Type == Comma:
		lex.Next()
		return true
	case t.Type == RParen:
		return true
	case t.Type == Ident_ && peekSecond(lex).Type == Colon:
		before := previous(lex)
		end := tokenSpan(before).End
		n.faults = append(n.faults, Fault{ID: IDSyntax, Span: tokenSpan(t),
			Message: fmt.Sprintf("`,` is missing before `%s`", t.Value),
			Fixes:   []Fix{{"write `,`", []Edit{{Span{end, end}, ","}}}}})
		return true
	}
	return false
}

// skipInParens goes on behind the next comma, or in front of the closing
// parenthesis; it reports false when the list ends without one.
func skipInParens(lex *lexer.PeekingLexer, before lexer.RawCursor) bool {
	for depth := 0; ; lex.Next() {
		t := lex.Peek()
		switch t.Type {
		case EOF, LBrace, RBrace:
			return false
		case LParen, LBrack:
			depth++
		case RParen, RBrack:
			if depth == 0 {
				if t.Type == RParen {
					return true
				}
				continue
			}
			depth--
		case Comma:
			if depth == 0 {
				lex.Next()
				return true
			}
		case Ident_, Arrow:
			if lex.RawCursor() > before && (t.Type == Arrow || itemWords[t.Value] && onNewLine(lex)) {
				return false
			}
		}
	}
}
