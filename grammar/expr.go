package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// How tightly the operators bind, loosest first.
const (
	bindCoalesce = iota + 1
	bindOr
	bindAnd
	bindNot
	bindCompare
	bindAdd
	bindMultiply
)

// exprReader reads one expression by precedence climbing.
type exprReader struct {
	lex   *lexer.PeekingLexer
	depth int
	nodes int
}

// readExpr reads a whole expression for participle.
func readExpr(lex *lexer.PeekingLexer) (Expr, error) {
	r := exprReader{lex: lex}
	if !r.starts() {
		return nil, participle.NextMatch
	}
	return r.expr()
}

// starts says whether the next token can begin an expression.
func (r *exprReader) starts() bool {
	t := r.lex.Peek()
	switch t.Type {
	case Ident_:
		return t.Value != "and" && t.Value != "or" && t.Value != "in"
	case Int_, Decimal_, Duration_, BadNumber, String_, StringHead, OpenString, QuotedString,
		LParen, LBrack, LBrace, Minus, Bang:
		return true
	}
	return false
}

// enter counts a level and a node; the limits keep the tree, and what walks it,
// from growing without bound.
func (r *exprReader) enter() error {
	r.depth++
	r.nodes++
	if r.depth > MaxDepth {
		return &faultError{deepFault(tokenSpan(r.lex.Peek()))}
	}
	if r.nodes > MaxExprNodes {
		f := deepFault(tokenSpan(r.lex.Peek()))
		f.Message = fmt.Sprintf("this expression has more than %d parts", MaxExprNodes)
		return &faultError{f}
	}
	return nil
}

func (r *exprReader) leave() { r.depth-- }

// expr reads an expression, the conditional included.
func (r *exprReader) expr() (Expr, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	start := r.lex.RawCursor()
	cond, err := r.binary(bindCoalesce)
	if err != nil || !acceptKind(r.lex, Question) {
		return cond, err
	}
	then, err := r.expr()
	if err != nil {
		return nil, err
	}
	if !acceptKind(r.lex, Colon) {
		return nil, missing(r.lex, "`:` and the other value")
	}
	other, err := r.expr()
	if err != nil {
		return nil, err
	}
	return &CondExpr{node{Tokens: from(r.lex, start)}, cond, then, other}, nil
}

func (r *exprReader) binary(least int) (Expr, error) {
	start := r.lex.RawCursor()
	x, err := r.unary()
	for err == nil {
		op, bind := r.operator()
		if bind < least || bind == 0 {
			return x, nil
		}
		if r.nodes++; r.nodes > MaxExprNodes {
			r.depth = 0
			return nil, r.enter()
		}
		b := &BinaryExpr{X: x, Op: op, OpSpan: r.takeOperator(op)}
		if b.Y, err = r.binary(bind + 1); err == nil {
			b.Tokens = from(r.lex, start)
			x = b
		}
	}
	return nil, err
}

var operators = map[Kind]struct {
	op   string
	bind int
}{
	Coalesce: {"??", bindCoalesce}, OrOr: {"or", bindOr}, AndAnd: {"and", bindAnd},
	Eq: {"==", bindCompare}, Assign: {"==", bindCompare}, Ne: {"!=", bindCompare},
	Lt: {"<", bindCompare}, Le: {"<=", bindCompare}, Gt: {">", bindCompare}, Ge: {">=", bindCompare},
	Plus: {"+", bindAdd}, Minus: {"-", bindAdd},
	Star: {"*", bindMultiply}, Slash: {"/", bindMultiply}, Percent: {"%", bindMultiply},
}

// operator looks at the next token as a binary operator; its binding is 0 when
// it is none. A single `=` behind an operand can only mean `==`.
func (r *exprReader) operator() (op string, bind int) {
	t := r.lex.Peek()
	if t.Type != Ident_ {
		o := operators[t.Type]
		return o.op, o.bind
	}
	switch t.Value {
	case "or":
		return "or", bindOr
	case "and":
		return "and", bindAnd
	case "in":
		return "in", bindCompare
	case "not":
		if isWord(peekSecond(r.lex), "in") {
			return "not in", bindCompare
		}
	}
	return r.foreignOperator(t)
}

// foreignOperators are words that other languages write between two values.
var foreignOperators = map[string]struct {
	op   string
	bind int
}{
	"is": {"==", bindCompare}, "equals": {"==", bindCompare}, "eq": {"==", bindCompare}, "isnt": {"!=", bindCompare},
	"ne": {"!=", bindCompare}, "lt": {"<", bindCompare}, "gt": {">", bindCompare}, "AND": {"and", bindAnd}, "And": {"and", bindAnd},
	"OR": {"or", bindOr}, "Or": {"or", bindOr}, "mod": {"%", bindMultiply}, "MOD": {"%", bindMultiply}, "div": {"/", bindMultiply},
}

// foreignOperator looks at a word as an operator of another language. It is one
// when a value follows on the line: nothing else that the language has can stand
// between two values.
func (r *exprReader) foreignOperator(t *lexer.Token) (op string, bind int) {
	o, ok := foreignOperators[t.Value]
	if !ok || onNewLine(r.lex) {
		return "", 0
	}
	second := peekSecond(r.lex)
	switch second.Type {
	case Ident_:
		if second.Value == "and" || second.Value == "or" || second.Value == "in" {
			return "", 0
		}
	case Int_, Decimal_, Duration_, BadNumber, String_, StringHead, OpenString, QuotedString, Minus:
	default:
		return "", 0
	}
	if second.Pos.Line != t.Pos.Line {
		return "", 0
	}
	if t.Value == "is" && isWord(second, "not") {
		return "!=", bindCompare
	}
	return o.op, o.bind
}

func (r *exprReader) takeOperator(op string) Span {
	first := r.lex.Next()
	span := tokenSpan(first)
	if op == "not in" || op == "!=" && first.Value == "is" {
		span.End = tokenSpan(r.lex.Next()).End
	}
	return span
}

func (r *exprReader) unary() (Expr, error) {
	t := r.lex.Peek()
	op, operand := "", r.unary
	switch {
	case t.Type == Minus:
		op = "-"
	case t.Type == Bang:
		op = "not"
	case isWord(t, "not"):
		op, operand = "not", func() (Expr, error) { return r.binary(bindCompare) }
	default:
		return r.postfix()
	}
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	start := r.lex.RawCursor()
	u := &UnaryExpr{Op: op, OpSpan: tokenSpan(r.lex.Next())}
	var err error
	if u.X, err = operand(); err != nil {
		return nil, err
	}
	u.Tokens = from(r.lex, start)
	return u, nil
}

// postfix reads `a.b`, `a[i]`, `f(x)` and `a!`.
func (r *exprReader) postfix() (Expr, error) {
	start := r.lex.RawCursor()
	x, err := r.primary()
	for err == nil {
		next, stepErr := r.step(x, start)
		if next == nil {
			if stepErr != nil {
				return nil, stepErr
			}
			return x, nil
		}
		x = next
	}
	return nil, err
}

// step reads one more postfix behind x, or gives nil.
func (r *exprReader) step(x Expr, start lexer.RawCursor) (Expr, error) {
	switch r.lex.Peek().Type {
	case Dot:
		r.lex.Next()
		field, err := readIdent(r.lex)
		if err != nil {
			return nil, err
		}
		r.nodes++
		return &SelectExpr{node{Tokens: from(r.lex, start)}, x, field}, nil
	case LBrack:
		r.lex.Next()
		index, err := r.expr()
		if err != nil {
			return nil, err
		}
		if !acceptKind(r.lex, RBrack) {
			return nil, missing(r.lex, "`]`")
		}
		return &IndexExpr{node{Tokens: from(r.lex, start)}, x, index}, nil
	case LParen:
		if !callable(x) {
			return nil, nil
		}
		args, err := r.args()
		if err != nil {
			return nil, err
		}
		return &CallExpr{node{Tokens: from(r.lex, start)}, x, args}, nil
	case Bang:
		r.lex.Next()
		r.nodes++
		return &NonNullExpr{node{Tokens: from(r.lex, start)}, x}, nil
	}
	return nil, nil
}

func callable(x Expr) bool {
	switch x.(type) {
	case *NameExpr, *SelectExpr:
		return true
	}
	return false
}

// readTarget reads what an assignment or `unset` changes: a name with its
// fields and indices.
func readTarget(lex *lexer.PeekingLexer) (Expr, error) {
	r := exprReader{lex: lex}
	if lex.Peek().Type != Ident_ {
		return nil, missing(lex, "a data field")
	}
	return r.postfix()
}
