package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

var literalKinds = map[Kind]LiteralKind{Int_: Int, Decimal_: Decimal, Duration_: Duration, BadNumber: BadDuration}

var wordLiterals = map[string]LiteralKind{"true": True, "false": False, "null": Null}

// primary reads an operand without operators.
func (r *exprReader) primary() (Expr, error) {
	t := r.lex.Peek()
	switch t.Type {
	case Ident_:
		return r.word()
	case Int_, Decimal_, Duration_, BadNumber:
		return r.number()
	case String_, StringHead, OpenString, QuotedString:
		return r.text()
	case LParen:
		return r.paren()
	case LBrack:
		return r.list()
	case LBrace:
		return r.record()
	}
	err := missing(r.lex, "a value")
	if f, ok := err.(*faultError); ok {
		f.Help = operandHelp(previous(r.lex), t)
	}
	return nil, err
}

// operandHelp explains two signs of which the second cannot begin a value.
func operandHelp(before, t *lexer.Token) string {
	if before == nil || tokenSpan(before).End != tokenSpan(t).Start {
		return ""
	}
	switch {
	case before.Type == Question && t.Type == Dot:
		return "what may be null is tested first: `x != null and x.field …`, or has another value: `x ?? OTHER`"
	case before.Type == Star && t.Type == Star:
		return "there is no power; write `x * x`"
	}
	return ""
}

func (r *exprReader) word() (Expr, error) {
	t := r.lex.Peek()
	start := r.lex.RawCursor()
	if kind, ok := wordLiterals[t.Value]; ok {
		r.lex.Next()
		return &Literal{node{Tokens: from(r.lex, start)}, kind, t.Value, t.Value}, nil
	}
	if reserved[t.Value] {
		return nil, missing(r.lex, "a value")
	}
	name, err := readIdent(r.lex)
	if err != nil {
		return nil, err
	}
	return &NameExpr{node{Tokens: name.Tokens}, name}, nil
}

func (r *exprReader) number() (Expr, error) {
	n := new(Literal)
	err := n.Parse(r.lex)
	return n, err
}

// Parse implements participle.Parseable; it takes numbers and durations.
func (n *Literal) Parse(lex *lexer.PeekingLexer) error {
	kind, ok := literalKinds[lex.Peek().Type]
	if !ok {
		return participle.NextMatch
	}
	start := lex.RawCursor()
	n.Kind, n.Text = kind, lex.Next().Value
	n.Meant = n.Text
	if kind == BadDuration {
		n.Meant = meantDuration(n.Text)
	}
	n.Tokens = from(lex, start)
	if next := lex.Peek(); kind == Duration && next.Type == Duration_ && !onNewLine(lex) {
		return splitFault(n, next)
	}
	return nil
}

// splitFault words the fault for `1h 30m`.
func splitFault(n *Literal, next *lexer.Token) error {
	span := Span{n.Span().Start, tokenSpan(next).End}
	f := durationFault(n.Text+" "+next.Value, span)
	f.Message = fmt.Sprintf("`%s %s` are two durations; write one", n.Text, next.Value)
	return &faultError{f}
}

func (r *exprReader) paren() (Expr, error) {
	start := r.lex.RawCursor()
	r.lex.Next()
	x, err := r.expr()
	if err == nil && !acceptKind(r.lex, RParen) {
		err = missing(r.lex, "`)`")
		if f, ok := err.(*faultError); ok && r.lex.Peek().Type == Comma {
			f.Help = "a list is written in brackets: `[a, b]`"
		}
	}
	if err != nil {
		return nil, r.leaveBracket(err)
	}
	return &ParenExpr{node{Tokens: from(r.lex, start)}, x}, nil
}

func (r *exprReader) list() (Expr, error) {
	start := r.lex.RawCursor()
	r.lex.Next()
	l := new(ListLit)
	for !acceptKind(r.lex, RBrack) {
		x, err := r.expr()
		if err == nil {
			l.Elems = append(l.Elems, x)
			err = r.separator(RBrack, "`,` or `]`")
		}
		if err != nil {
			return nil, r.leaveBracket(err)
		}
	}
	l.Tokens = from(r.lex, start)
	return l, nil
}

// separator takes the comma between two items; the last one may lack it.
func (r *exprReader) separator(closing Kind, what string) error {
	if acceptKind(r.lex, Comma) || r.lex.Peek().Type == closing {
		return nil
	}
	return missing(r.lex, what)
}

func (r *exprReader) record() (Expr, error) {
	start := r.lex.RawCursor()
	r.lex.Next()
	l := new(RecordLit)
	for !acceptKind(r.lex, RBrace) {
		m, err := r.member()
		if err == nil {
			l.Members = append(l.Members, m)
			err = r.separator(RBrace, "`,` or `}`")
		}
		if err != nil {
			return nil, r.leaveBraces(err)
		}
	}
	l.Tokens = from(r.lex, start)
	return l, nil
}

// leaveBracket goes behind the bracket that closes a faulty list or
// parenthesis, so that the rest of the line is not read as part of it.
func (r *exprReader) leaveBracket(err error) error {
	for depth := 1; depth > 0; {
		switch t := r.lex.Peek(); t.Type {
		case EOF, LBrace, RBrace, Arrow:
			return err
		case LParen, LBrack:
			depth++
		case RParen, RBrack:
			depth--
		case Ident_:
			if itemWords[t.Value] && onNewLine(r.lex) {
				return err
			}
		}
		r.lex.Next()
	}
	return err
}

// leaveBraces goes behind the brace that closes a faulty record; it is there,
// because braces are balanced.
func (r *exprReader) leaveBraces(err error) error {
	for depth := 1; depth > 0 && !r.lex.Peek().EOF(); {
		switch r.lex.Next().Type {
		case LBrace:
			depth++
		case RBrace:
			depth--
		}
	}
	return err
}

func (r *exprReader) member() (*Member, error) {
	start := r.lex.RawCursor()
	m := new(Member)
	var err error
	switch r.lex.Peek().Type {
	case String_, StringHead, QuotedString, OpenString:
		m.Key, err = r.text()
	default:
		m.Name, err = readIdent(r.lex)
	}
	if err != nil {
		return nil, err
	}
	if !acceptKind(r.lex, Colon) {
		return nil, missing(r.lex, "`:` and a value")
	}
	if m.Value, err = r.expr(); err != nil {
		return nil, err
	}
	m.Tokens = from(r.lex, start)
	return m, nil
}

// Parse implements participle.Parseable.
func (n *StringLit) Parse(lex *lexer.PeekingLexer) error {
	switch lex.Peek().Type {
	case String_, StringHead, OpenString, QuotedString:
	default:
		return participle.NextMatch
	}
	r := exprReader{lex: lex}
	read, err := r.text()
	if err == nil {
		*n = *read
	}
	return err
}

// text reads a string with its interpolations.
func (r *exprReader) text() (*StringLit, error) {
	start := r.lex.RawCursor()
	s := new(StringLit)
	t := r.lex.Next()
	s.addText(t)
	for t.Type == StringHead || t.Type == StringMid {
		if kind := r.lex.Peek().Type; kind != StringTail && kind != StringMid && kind != StringBreak {
			x, err := r.expr()
			if err != nil {
				return nil, err
			}
			s.Parts = append(s.Parts, StringPart{Expr: x, Span: x.Span()})
		}
		t = r.lex.Peek()
		if t.Type != StringMid && t.Type != StringTail && t.Type != StringBreak {
			return nil, missing(r.lex, "`}`")
		}
		r.lex.Next()
		s.addText(t)
	}
	s.Tokens = from(r.lex, start)
	return s, nil
}

// addText adds the letters of a string token; an empty text between two
// expressions is left out.
func (n *StringLit) addText(t *lexer.Token) {
	begin, end := 1, len(t.Value)-1
	switch t.Type {
	case OpenString:
		end++
	case StringBreak:
		return
	case QuotedString:
		runes := []rune(t.Value)
		begin = len(string(runes[:1]))
		end = len(string(runes[:len(runes)-1]))
	}
	if begin >= end && t.Type != String_ {
		return
	}
	decoded, _ := decodeText(t.Value[begin:end], 0)
	n.Parts = append(n.Parts, StringPart{Text: decoded, Span: Span{t.Pos.Offset + begin, t.Pos.Offset + end}})
}

// Text gives the string's value when it has no interpolation.
func (n *StringLit) Text() (string, bool) {
	if n == nil {
		return "", false
	}
	text := ""
	for _, p := range n.Parts {
		if p.Expr != nil {
			return "", false
		}
		text += p.Text
	}
	return text, true
}
