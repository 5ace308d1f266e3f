package grammar

// Expr is an expression: [*NameExpr], [*SelectExpr], [*IndexExpr],
// [*CallExpr], [*NonNullExpr], [*UnaryExpr], [*BinaryExpr], [*CondExpr],
// [*LambdaExpr] (only as a whole argument), [*ParenExpr], [*ListLit],
// [*RecordLit], [*Literal], [*StringLit] or [*BadExpr]; as the value of a let
// or an assignment also [*CallWork] and [*WaitEvent].
type Expr interface {
	Node
	expr()
}

// NameExpr is a bare name: an input, a field, a local, a constant, `event`, and
// so on.
type NameExpr struct {
	node
	Name *Ident
}

// SelectExpr is `X.FIELD`: a field, an enum's value, a name behind an import or
// a substate.
type SelectExpr struct {
	node
	X     Expr
	Field *Ident
}

// IndexExpr is `X[INDEX]`.
type IndexExpr struct {
	node
	X     Expr
	Index Expr
}

// CallExpr is the call of a function; its arguments are positional.
type CallExpr struct {
	node
	Fun  Expr // a NameExpr or a SelectExpr
	Args *Args
}

// NonNullExpr is `X!`.
type NonNullExpr struct {
	node
	X Expr
}

// UnaryExpr is `not X` or `-X`.
type UnaryExpr struct {
	node
	Op     string // "not" or "-", also when the file spells it otherwise
	OpSpan Span
	X      Expr
}

// BinaryExpr is an operation on two operands.
type BinaryExpr struct {
	node
	X Expr
	// Op is one of ?? or and == != < <= > >= in "not in" + - * / %, also when
	// the file spells it otherwise (`&&` is "and").
	Op     string
	OpSpan Span
	Y      Expr
}

// CondExpr is `COND ? THEN : ELSE`.
type CondExpr struct {
	node
	Cond, Then, Else Expr
}

// LambdaExpr is `PARAM => BODY`, a whole argument.
type LambdaExpr struct {
	node
	Param *Ident
	Body  Expr
}

// ParenExpr is an expression in parentheses.
type ParenExpr struct {
	node
	X Expr
}

// ListLit is `[a, b]`.
type ListLit struct {
	node
	Elems []Expr
}

// RecordLit is what stands in braces: a record (members with names), a map
// (members with string keys) or a json object; empty braces may be any of them.
type RecordLit struct {
	node
	Members []*Member
}

// Member is `name: value` (Name is set) or `"key": value` (Key is set).
type Member struct {
	node
	Name  *Ident
	Key   *StringLit
	Value Expr
}

// LiteralKind says what a [Literal] is.
type LiteralKind int

// The kinds of literals.
const (
	Int         LiteralKind = iota + 1 // 12, 1_000
	Decimal                            // 12.50
	Duration                           // 30s, 10m, 6h, 2d, also too long ones
	BadDuration                        // looks like a duration or a number, and is none; reported
	True
	False
	Null
)

// Literal is a number, a duration, true, false or null.
type Literal struct {
	node
	Kind LiteralKind
	Text string // as written
	// Meant is the duration that a [BadDuration] certainly means ("90m" for
	// `1h30m`), or empty. For other kinds it is Text.
	Meant string
}

// StringLit is `"…"`.
type StringLit struct {
	node
	Parts []StringPart
}

// StringPart is a piece of text or an interpolated expression.
type StringPart struct {
	Text string // decoded; meaningless when Expr is set
	Expr Expr   // nil for text
	Span Span   // of the letters between the quotes or braces
}

// BadExpr stands where an expression could not be read; the fault is reported.
type BadExpr struct{ node }

func (*NameExpr) expr()    {}
func (*SelectExpr) expr()  {}
func (*IndexExpr) expr()   {}
func (*CallExpr) expr()    {}
func (*NonNullExpr) expr() {}
func (*UnaryExpr) expr()   {}
func (*BinaryExpr) expr()  {}
func (*CondExpr) expr()    {}
func (*LambdaExpr) expr()  {}
func (*ParenExpr) expr()   {}
func (*ListLit) expr()     {}
func (*RecordLit) expr()   {}
func (*Literal) expr()     {}
func (*StringLit) expr()   {}
func (*BadExpr) expr()     {}
func (*CallWork) expr()    {}
func (*WaitEvent) expr()   {}
