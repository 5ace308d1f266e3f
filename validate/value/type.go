// Package value holds the types and values of the flow language, and the operations on them that need nothing but their operands.
//
// The checker folds constants with it and the virtual machine computes with it, so that both give the same answer. Values are
// immutable: an operation that "changes" one returns another. Instants and durations are whole microseconds.
package value

// Kind says what a type or a value is.
type Kind uint8

// The kinds of the language. Null is the kind of the value null and of its literal's type before it meets an optional one.
const (
	Invalid Kind = iota
	Null
	Bool
	Int
	Decimal
	String
	Duration
	Time
	JSON
	Enum
	Record
	List
	Map
)

// A Type is a type of the language. Types are compared with Equal, never by pointer: two programs that declare the same enum
// have two Decls.
type Type struct {
	Kind     Kind
	Optional bool  // T?: the value may be null
	Elem     *Type // of List and Map
	Decl     *Decl // of Enum and Record
}

// A Decl is the declaration of an enum or of a record. Records may refer to themselves through lists, maps and optional fields.
type Decl struct {
	Name    string   // as declared, with the import's prefix where there is one: `lib.tier`
	Members []string // of an enum, in file order
	Fields  []Field  // of a record, in file order
}

// A Field is a field of a record, of an event's or a task's payload, or of a flow's input or data.
type Field struct {
	Name    string
	Type    *Type
	Default *Value // the folded default, nil without one; a T? without a default takes null
}
