// Package value holds the types and values of the flow language, and the operations on them that need nothing but their operands.
//
// The checker folds constants with it and the virtual machine computes with it, so that both give the same answer. Values are
// immutable: an operation that "changes" one returns another, which shares what it can with the first. Instants and durations
// are whole microseconds, decimals have 34 digits, and whatever goes wrong is an *Error with one of the language's codes.
//
// Limits: a value takes at most MaxSize bytes and is nested at most MaxDepth deep (Check); operators hold to both by
// themselves, whoever builds a list, a map or a record asks Check.
package value

import "strings"

// Kind says what a type or a value is.
type Kind uint8

// The kinds of the language. Null is the kind of the value null and of its literal's type before it meets an optional one.
// Invalid is the type of what could not be typed; it goes with every type, so that one mistake is one finding, and stands as
// the element of an empty list's or map's literal until the context says more.
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

var kindNames = [...]string{"unknown", "null", "bool", "int", "decimal", "string", "duration", "time", "json", "enum", "record", "list", "map"}

// String returns the kind's name as the language writes it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Type is a type of the language. Types are compared with Equal, never by pointer: two programs that declare the same enum
// have two Decls. Types are not changed once made.
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

// The types without parts.
var (
	TypeInvalid  = &Type{Kind: Invalid}
	TypeNull     = &Type{Kind: Null, Optional: true}
	TypeBool     = &Type{Kind: Bool}
	TypeInt      = &Type{Kind: Int}
	TypeDecimal  = &Type{Kind: Decimal}
	TypeString   = &Type{Kind: String}
	TypeDuration = &Type{Kind: Duration}
	TypeTime     = &Type{Kind: Time}
	TypeJSON     = &Type{Kind: JSON}
)

// ListOf returns list<elem>.
func ListOf(elem *Type) *Type { return &Type{Kind: List, Elem: elem} }

// MapOf returns map<elem>.
func MapOf(elem *Type) *Type { return &Type{Kind: Map, Elem: elem} }

// EnumOf returns the type of an enum.
func EnumOf(d *Decl) *Type { return &Type{Kind: Enum, Decl: d} }

// RecordOf returns the type of a record.
func RecordOf(d *Decl) *Type { return &Type{Kind: Record, Decl: d} }

// Opt returns T? of T; of T? and of null itself.
func Opt(t *Type) *Type {
	if t.Optional || t.Kind == Invalid {
		return t
	}
	o := *t
	o.Optional = true
	return &o
}

// Base returns T of T? and T itself of T: what a value has once it is known not to be null.
func (t *Type) Base() *Type {
	if !t.Optional || t.Kind == Null {
		return t
	}
	b := *t
	b.Optional = false
	return &b
}

// String returns the type as the language writes it: `list<item>?`.
func (t *Type) String() string {
	if t == nil {
		return Invalid.String()
	}
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Type) write(b *strings.Builder) {
	switch {
	case t.Kind == List || t.Kind == Map:
		b.WriteString(t.Kind.String())
		if t.Elem != nil && t.Elem.Kind != Invalid {
			b.WriteByte('<')
			t.Elem.write(b)
			b.WriteByte('>')
		}
	case t.Decl != nil && t.Decl.Name != "":
		b.WriteString(t.Decl.Name)
	default:
		b.WriteString(t.Kind.String())
	}
	if t.Optional && t.Kind != Null {
		b.WriteByte('?')
	}
}

// Equal reports whether both are the same type. Enums and records are the same when their declarations say the same.
func (t *Type) Equal(u *Type) bool { return equalTypes(t, u, nil) }

type declPair struct{ a, b *Decl }

// equalTypes compares with the pairs of declarations that are being compared further out taken as equal, since records may
// refer to themselves.
func equalTypes(t, u *Type, open []declPair) bool {
	if t == u {
		return true
	}
	if t == nil || u == nil || t.Kind != u.Kind || t.Optional != u.Optional {
		return false
	}
	switch t.Kind {
	case List, Map:
		return equalTypes(t.Elem, u.Elem, open)
	case Enum, Record:
		return equalDecls(t.Decl, u.Decl, open)
	}
	return true
}

func equalDecls(a, b *Decl, open []declPair) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Name != b.Name || len(a.Members) != len(b.Members) || len(a.Fields) != len(b.Fields) {
		return false
	}
	for _, p := range open {
		if p.a == a && p.b == b {
			return true
		}
	}
	for i, m := range a.Members {
		if m != b.Members[i] {
			return false
		}
	}
	open = append(open, declPair{a, b})
	for i := range a.Fields {
		if a.Fields[i].Name != b.Fields[i].Name || !equalTypes(a.Fields[i].Type, b.Fields[i].Type, open) {
			return false
		}
	}
	return true
}

// Field returns the index of the record's field of that name, -1 when it has none.
func (d *Decl) Field(name string) int {
	for i := range d.Fields {
		if d.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Member returns the index of the enum's member of that name, -1 when it has none.
func (d *Decl) Member(name string) int {
	for i, m := range d.Members {
		if m == name {
			return i
		}
	}
	return -1
}
