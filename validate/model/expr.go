package model

import "flowc/validate/value"

// An Expr is a typed expression. Implicit conversions are explicit Convert nodes, named arguments are in declared order with
// defaults filled in, and whatever could be folded is a Const.
type Expr interface {
	Type() *value.Type
	Position() Pos
}

// Typed is the part that every expression has.
type Typed struct {
	T   *value.Type
	Pos Pos
}

// Type returns the expression's type.
func (e Typed) Type() *value.Type { return e.T }

// Position returns where the expression stands.
func (e Typed) Position() Pos { return e.Pos }

type (
	// A Const is a literal or a folded constant.
	Const struct {
		Typed
		Value value.Value
	}
	// An InputRef reads one of the flow's parameters: an index in Flow.Input.Fields.
	InputRef struct {
		Typed
		Index int
	}
	// A DataRef reads a data field: an index in Flow.Data. Unset says that the field is a fragment's, of a type without null, and may
	// have no value yet where it is read; reading it then is the run-time error null_value.
	DataRef struct {
		Typed
		Index int
		Unset bool
	}
	// A LocalRef reads a local: an index in the enclosing Code's or Func's Locals.
	LocalRef struct {
		Typed
		Index int
	}
	// An EventField reads `event.NAME` by name, since a handler of several events sees payloads of several shapes. `actor` is
	// the sender's name or null.
	EventField struct {
		Typed
		Name string
	}
	// A FieldRef reads a field of a record.
	FieldRef struct {
		Typed
		X     Expr
		Index int // in the record's Decl.Fields
	}
	// An IndexRef reads x[i] of a list (error out_of_range) or of a map (null when the key is missing).
	IndexRef struct {
		Typed
		X, I Expr
	}
	// A Must is `x!`: the run-time error null_value when x is null.
	Must struct {
		Typed
		X Expr
	}
	// A Unary is `-x` or `not x`.
	Unary struct {
		Typed
		Op UnaryOp
		X  Expr
	}
	// A Binary is one of the strict operators, its operands already of the types that the operator takes.
	Binary struct {
		Typed
		Op   BinaryOp
		X, Y Expr
	}
	// A Logic is `and`, `or` or `??`, which evaluate Y only when X does not decide.
	Logic struct {
		Typed
		Op   LogicOp
		X, Y Expr
	}
	// A Cond is `c ? x : y`.
	Cond struct {
		Typed
		If, X, Y Expr
	}
	// An In is `x in l` (a list's element, a map's key); Not for `not in`.
	In struct {
		Typed
		X, L Expr
		Not  bool
	}
	// An Interp is a string with values in it.
	Interp struct {
		Typed
		Parts []Expr // strings as Const, and what stands in braces
	}
	// A ListLit is `[a, b]`.
	ListLit struct {
		Typed
		Items []Expr
	}
	// A RecordLit is `{sku: "x"}` where a record is expected, or a payload's arguments; all fields, in declared order.
	RecordLit struct {
		Typed
		Fields []Expr
	}
	// A MapLit is `{"k": v}`.
	MapLit struct {
		Typed
		Keys, Values []Expr
	}
	// A CallFunc calls a declared function.
	CallFunc struct {
		Typed
		Func *Func
		Args []Expr
	}
	// A CallBuiltin calls a built-in by name: `len`, `date`, `token.id` are the names "len", "date", "token.id". A lambda stands
	// after the plain arguments. `now` and `entered_at` are built-ins without arguments.
	CallBuiltin struct {
		Typed
		Name   string
		Args   []Expr
		Lambda *Lambda
	}
	// An Active is `active(STATE)`.
	Active struct {
		Typed
		State int
	}
	// A Convert turns X into the expression's type: int to decimal, anything to json.
	Convert struct {
		Typed
		X Expr
	}
)

// A Lambda is `x => expr`; its parameter is a local of the enclosing code.
type Lambda struct {
	Param int // in Locals
	Body  Expr
}

// UnaryOp names a unary operator.
type UnaryOp uint8

// The unary operators.
const (
	Neg UnaryOp = iota
	Not
)

// BinaryOp names a strict binary operator.
type BinaryOp uint8

// The strict binary operators.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Rem
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
)

// LogicOp names an operator that may skip its right side.
type LogicOp uint8

// The operators that may skip their right side.
const (
	And LogicOp = iota
	Or
	Coalesce
)
