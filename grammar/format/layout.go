package format

import (
	"github.com/alecthomas/participle/v2/lexer"

	"flowc/grammar"
)

// role is what a token at an offset is, where its kind does not say it.
type role int

const (
	plain    role = iota
	begins        // the first token of an item, a statement, a field
	tight         // no blank before it: the bracket of a call or an index, a type's `?`
	narrow        // no blank on either side: the angle brackets of a type
	sign          // no blank behind it: a minus in front of a value
	ternary       // a blank on both sides: the signs of a conditional
	optional      // a comma that may be left out
)

// layout is what the printer knows from the tree.
type layout struct {
	roles  map[int]role
	blocks map[int]block // by the offset of the opening brace
}

// block is a braced region of items.
type block struct {
	close  int  // offset of the closing brace
	commas bool // whether its items have commas between them on one line
}

func layoutOf(file *grammar.File) layout {
	l := layout{roles: map[int]role{}, blocks: map[int]block{}}
	for _, d := range file.Decls {
		l.roles[d.Span().Start] = begins
	}
	file.Inspect(func(n grammar.Node) bool {
		l.note(n)
		return true
	})
	return l
}

func (l *layout) note(n grammar.Node) {
	switch n := n.(type) {
	case *grammar.StateBody:
		noteBlock(l, n, n.Items, false)
	case *grammar.Block:
		noteBlock(l, n, n.Stmts, false)
	case *grammar.WaitBody:
		noteBlock(l, n, n.Arms, false)
	case *grammar.TestBody:
		noteBlock(l, n, n.Lines, false)
	case *grammar.FieldBlock:
		noteBlock(l, n, n.Fields, true)
		l.commas(n.Tokens)
	case *grammar.EnumBody:
		noteBlock(l, n, n.Values, true)
		l.commas(n.Tokens)
	case grammar.Decl:
		l.params(n)
	case *grammar.Call:
		l.tightAt(n.Args)
	case *grammar.CallExpr:
		l.tightAt(n.Args)
	case *grammar.IndexExpr:
		l.roles[next(n.Tokens, n.X.Span().End)] = tight
	case *grammar.SendStmt:
		if n.Flow != nil {
			l.roles[next(n.Tokens, n.Flow.Span().End)] = tight
		}
	default:
		l.operator(n)
	}
}

func (l *layout) operator(n grammar.Node) {
	switch n := n.(type) {
	case *grammar.CondExpr:
		l.roles[next(n.Tokens, n.Cond.Span().End)] = ternary
		l.roles[next(n.Tokens, n.Then.Span().End)] = ternary
	case *grammar.UnaryExpr:
		if n.Op == "-" {
			l.roles[n.OpSpan.Start] = sign
		}
	case *grammar.OptionalType:
		l.roles[n.Span().End-1] = tight
	case *grammar.ListType:
		l.angles(n.Tokens, n.Span())
	case *grammar.MapType:
		l.angles(n.Tokens, n.Span())
	case *grammar.NonNullExpr:
		l.roles[n.Span().End-1] = tight
	}
}

func noteBlock[T grammar.Node](l *layout, n grammar.Node, items []T, commas bool) {
	span := n.Span()
	l.blocks[span.Start] = block{close: span.End - 1, commas: commas}
	for _, item := range items {
		l.roles[item.Span().Start] = begins
	}
}

// commas marks the commas between the items of a braced list.
func (l *layout) commas(tokens []lexer.Token) {
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case grammar.LParen, grammar.LBrack, grammar.LBrace:
			depth++
		case grammar.RParen, grammar.RBrack, grammar.RBrace:
			depth--
		case grammar.Comma:
			if depth == 1 {
				l.roles[t.Pos.Offset] = optional
			}
		}
	}
}

// params marks the parentheses that stand directly behind a declared name.
func (l *layout) params(d grammar.Decl) {
	var params *grammar.Params
	switch d := d.(type) {
	case *grammar.EventDecl:
		params = d.Params
	case *grammar.TaskDecl:
		params = d.Params
	case *grammar.FnDecl:
		params = d.Params
	case *grammar.FragmentDecl:
		params = d.Params
	case *grammar.FlowDecl:
		params = d.Params
	}
	if params != nil {
		l.roles[params.Span().Start] = tight
	}
}

func (l *layout) tightAt(args *grammar.Args) {
	if args != nil {
		l.roles[args.Span().Start] = tight
	}
}

// angles marks the brackets around a list's or a map's element.
func (l *layout) angles(tokens []lexer.Token, all grammar.Span) {
	l.roles[tokens[1].Pos.Offset] = narrow
	l.roles[all.End-1] = tight
}

// next is the offset of the first token at or behind an offset.
func next(tokens []lexer.Token, offset int) int {
	for _, t := range tokens {
		if t.Pos.Offset >= offset {
			return t.Pos.Offset
		}
	}
	return offset
}
