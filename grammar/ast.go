// Package grammar reads .flow files: the lexer, the grammar and the syntax
// tree with exact source ranges.
//
// [Parse] never fails and never panics. It returns a tree for what it could
// read and the faults that it found; an item with a fault stays in the tree as
// far as it was understood and answers true to Broken, so that a caller can
// leave out findings that would only follow from the fault.
//
// # Who reports what
//
// This package reports what lexing and parsing decide: `syntax`,
// `nested-too-deep`, `file-too-large` and `duration-syntax` (`1.5h`, `1h30m`,
// `6hr`, `6H`, `500ms`, `2w`, `6 h`). A literal with such a fault has the kind
// [BadDuration]; where the meaning is certain, Meant holds the duration that
// the fix writes, so that later checks can go on with it.
//
// Under `syntax` it also reports what the grammar alone can tell of a finished
// tree: a header without a name, a handler or timer that says nothing, a clause
// that does not belong to its word, an argument of work or of an event without a
// name, one of a function with a name, chained comparisons, an interpolation
// where a text is a name, a region outside a parallel, a state directly inside
// one, data inside an inner state, a state inside a final one, a calendar without
// its time, `self` and `event` as names. It does not report a calendar without a
// zone, handlers in a final state, waiting statements outside of routines, or
// `break` outside of a loop; the tree has them.
//
// Everything that needs types, folding or the place of use is the validator's:
// `duration-missing-unit` (an [Int] where a duration belongs),
// `duration-too-long` (a literal whose Seconds reports an overflow or more than
// [MaxDurationSeconds], `4000d` and `99999999999999999999d` among them) and
// `duration-not-positive`.
//
// # The tree
//
// Offsets are in bytes, ranges are half-open. Fields for things that a header
// may lack (a name, a body) are nil when the file lacks them; the fault is
// already reported. Every statement, item and declaration is one struct whose
// tags are its grammar.
package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Span is a half-open range of byte offsets into the file.
type Span struct{ Start, End int }

// Len is the number of bytes in the range.
func (s Span) Len() int { return s.End - s.Start }

// Contains says whether the offset lies in the range or directly at its end.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset <= s.End }

// Node is a part of the tree with a place in the file.
type Node interface {
	// Span is the exact range, from the first letter to the last, without
	// surrounding space and comments.
	Span() Span
	// Broken reports that a fault was found directly in this node, so that
	// parts of it may be missing.
	Broken() bool
}

// node is what all nodes share. Tokens are the significant tokens (no space,
// no comments) that the node was read from.
type node struct {
	Tokens []lexer.Token
	broken bool
}

// Span implements [Node].
func (n *node) Span() Span { return spanOf(n.Tokens) }

// Broken implements [Node].
func (n *node) Broken() bool { return n.broken }

// Ident is a name where it is declared or used.
type Ident struct {
	node
	Text string
}

// Path is a reference: one name, or several joined by dots (`lib.order`,
// `board.first_hand`, `self`).
type Path struct {
	node
	Parts []*Ident
}

// String gives the path as it would be written without spaces.
func (p *Path) String() string {
	if p == nil {
		return ""
	}
	if len(p.Parts) == 1 {
		return p.Parts[0].Text
	}
	names := make([]string, len(p.Parts))
	for i, part := range p.Parts {
		names[i] = part.Text
	}
	return strings.Join(names, ".")
}

// Decl is a declaration at the top of a file: [*ImportDecl], [*ConstDecl],
// [*EnumDecl], [*TypeDecl], [*EventDecl], [*TaskDecl], [*FnDecl],
// [*FragmentDecl], [*FlowDecl] or [*TestDecl].
type Decl interface {
	Node
	decl()
}

// ImportDecl is `import "path" [as NAME]`.
type ImportDecl struct {
	node
	Path *StringLit `parser:"'import' @@"`
	As   *Ident     `parser:"( 'as' @@ )?"`
}

// ConstDecl is `const NAME = EXPR`.
type ConstDecl struct {
	node
	Name  *Ident `parser:"'const' @@"`
	Value Expr   `parser:"Assign @@"`
}

// EnumDecl is `enum NAME { a, b }`.
type EnumDecl struct {
	node
	Name *Ident    `parser:"'enum' @@?"`
	Body *EnumBody `parser:"@@"`
}

// Values are the enum's values in file order.
func (d *EnumDecl) Values() []*Ident {
	if d.Body == nil {
		return nil
	}
	return d.Body.Values
}

// EnumBody is the braced list of an enum's values.
type EnumBody struct {
	region
	Values []*Ident
}

// TypeDecl is `type NAME { field: type, … }`.
type TypeDecl struct {
	node
	Name *Ident      `parser:"'type' @@?"`
	Body *FieldBlock `parser:"@@"`
}

// Fields are the record's fields in file order.
func (d *TypeDecl) Fields() []*Field { return d.Body.list() }

// EventDecl is `[internal] event NAME[(params)]`.
type EventDecl struct {
	node
	Internal bool    `parser:"@'internal'?"`
	Name     *Ident  `parser:"'event' @@"`
	Params   *Params `parser:"@@?"`
}

// TaskDecl is `task NAME(params) [-> (results)] [policy]`.
type TaskDecl struct {
	node
	Name    *Ident  `parser:"'task' @@"`
	Params  *Params `parser:"@@?"`
	Results *Params `parser:"( Arrow @@ )?"`
	// Clauses of a declaration: fails, within, retry, queue.
	Clauses Clauses `parser:"@@"`
}

// FnDecl is `fn NAME(params) -> TYPE = EXPR`.
type FnDecl struct {
	node
	Name   *Ident   `parser:"'fn' @@"`
	Params *Params  `parser:"@@?"`
	Result TypeExpr `parser:"Arrow @@"`
	Body   Expr     `parser:"Assign @@"`
}

// FragmentDecl is `fragment NAME(params) { … }`. A parameter's kind `state`,
// `task`, `event` or `fn` stands as a [*NamedType] of that name.
type FragmentDecl struct {
	node
	Name   *Ident     `parser:"'fragment' @@?"`
	Params *Params    `parser:"@@?"`
	Body   *StateBody `parser:"@@"`
}

// FlowDecl is `flow NAME[(params)] [-> (results)] { … }`; its body is the root
// state.
type FlowDecl struct {
	node
	Name    *Ident     `parser:"'flow' @@?"`
	Params  *Params    `parser:"@@?"`
	Results *Params    `parser:"( Arrow @@ )?"`
	Body    *StateBody `parser:"@@"`
}

// TestDecl is `test "name" { … }`.
type TestDecl struct {
	node
	Name *StringLit `parser:"'test' @@?"`
	Body *TestBody  `parser:"@@"`
}

// Field is `NAME: TYPE [= EXPR]` in a parameter list, a record or a data block.
type Field struct {
	node
	Name    *Ident   `parser:"@@"`
	Type    TypeExpr `parser:"Colon @@"`
	Default Expr     `parser:"( Assign @@ )?"`
}

// Params is a parenthesised list of fields. A nil Params means that the
// parentheses were left out.
type Params struct {
	region
	Fields []*Field
}

// List gives the fields; it may be called on nil.
func (p *Params) List() []*Field {
	if p == nil {
		return nil
	}
	return p.Fields
}

// FieldBlock is a braced list of fields.
type FieldBlock struct {
	region
	Fields []*Field
}

func (b *FieldBlock) list() []*Field {
	if b == nil {
		return nil
	}
	return b.Fields
}

// TypeExpr is a type as written: [*NamedType], [*ListType], [*MapType] or
// [*OptionalType].
type TypeExpr interface {
	Node
	typeExpr()
}

// NamedType is a built-in or declared type, or the kind of a fragment's
// parameter.
type NamedType struct {
	node
	Name *Path
}

// ListType is `list<T>`.
type ListType struct {
	node
	Elem TypeExpr
}

// MapType is `map<T>`.
type MapType struct {
	node
	Elem TypeExpr
}

// OptionalType is `T?`.
type OptionalType struct {
	node
	Elem TypeExpr
}

func (*ImportDecl) decl()   {}
func (*ConstDecl) decl()    {}
func (*EnumDecl) decl()     {}
func (*TypeDecl) decl()     {}
func (*EventDecl) decl()    {}
func (*TaskDecl) decl()     {}
func (*FnDecl) decl()       {}
func (*FragmentDecl) decl() {}
func (*FlowDecl) decl()     {}
func (*TestDecl) decl()     {}

func (*NamedType) typeExpr()    {}
func (*ListType) typeExpr()     {}
func (*MapType) typeExpr()      {}
func (*OptionalType) typeExpr() {}
