package value

import (
	"iter"
	"unsafe"

	"github.com/cockroachdb/apd/v3"
)

// A Value is one value of the language. The zero Value is null. Values are compared with Equal, never with ==.
//
// Accessors are for values of their kind; of another kind they return a zero or nonsense, never panic. What a value's type
// allows, the checker has seen to.
type Value struct {
	kind Kind  // Invalid: null
	exp  int16 // Decimal without ref: the exponent
	num  int64 // Bool 0/1, Int, Duration and Time in microseconds, Enum the member's index, Decimal without ref the coefficient, String the length
	ref  any   // String text, Decimal *apd.Decimal when num is too small, Enum *Decl, Record *record, List *list, Map *table, JSON *document
}

// text is the first byte of a string, whose length is in num: a string in an interface would be allocated.
type text *byte

// document is a json value: canonical text and how deep it is nested.
type document struct {
	raw   string
	depth int
}

// OfNull returns null.
func OfNull() Value { return Value{} }

// OfBool returns a bool.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// OfInt returns an int.
func OfInt(n int64) Value { return Value{kind: Int, num: n} }

// OfString returns a string. It must be valid UTF-8 without NUL, as all text is that DecodeJSON lets in.
func OfString(s string) Value {
	return Value{kind: String, num: int64(len(s)), ref: text(unsafe.StringData(s))}
}

// OfDuration returns a duration of so many microseconds.
func OfDuration(us int64) Value { return Value{kind: Duration, num: us} }

// OfTime returns the instant so many microseconds after 1970-01-01T00:00:00Z.
func OfTime(us int64) Value { return Value{kind: Time, num: us} }

// OfEnum returns a member of an enum by its index.
func OfEnum(d *Decl, member int) Value { return Value{kind: Enum, num: int64(member), ref: d} }

// Kind returns the value's kind, Null for null.
func (v Value) Kind() Kind {
	if v.kind == Invalid {
		return Null
	}
	return v.kind
}

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.kind == Invalid }

// Bool returns a bool.
func (v Value) Bool() bool { return v.num != 0 }

// Int returns an int.
func (v Value) Int() int64 { return v.num }

// Micros returns the microseconds of a duration, and of a time those since 1970-01-01T00:00:00Z.
func (v Value) Micros() int64 { return v.num }

// Str returns a string; of another kind the empty one.
func (v Value) Str() string {
	p, ok := v.ref.(text)
	if !ok {
		return ""
	}
	return unsafe.String((*byte)(p), int(v.num))
}

// Decimal returns a decimal, which must not be changed. It allocates unless the number has more than 18 digits.
func (v Value) Decimal() *apd.Decimal {
	if d, ok := v.ref.(*apd.Decimal); ok {
		return d
	}
	return apd.New(v.num, int32(v.exp))
}

// Member returns an enum's member: its index in Decl.Members.
func (v Value) Member() int { return int(v.num) }

// Decl returns the declaration of an enum's or a record's value, nil of other kinds.
func (v Value) Decl() *Decl {
	switch r := v.ref.(type) {
	case *Decl:
		return r
	case *record:
		return r.decl
	}
	return nil
}

// JSON returns the canonical text of a json value: no white space, keys in byte order, numbers as they were written.
func (v Value) JSON() string {
	if d, ok := v.ref.(*document); ok {
		return d.raw
	}
	return "null"
}

// Len returns how many elements a list, entries a map or fields a record has; of a string the bytes.
func (v Value) Len() int {
	switch r := v.ref.(type) {
	case *list:
		return r.count
	case *table:
		return r.count
	case *record:
		return len(r.fields)
	case text:
		return int(v.num)
	}
	return 0
}

// At returns a list's element i or a record's field i; null outside.
func (v Value) At(i int) Value {
	switch r := v.ref.(type) {
	case *record:
		if uint(i) < uint(len(r.fields)) {
			return r.fields[i]
		}
	case *list:
		if uint(i) < uint(r.count) {
			return r.at(i)
		}
	}
	return Value{}
}

// Get returns a map's value for a key, null and false when it has none.
func (v Value) Get(key string) (Value, bool) {
	if t, ok := v.ref.(*table); ok {
		return t.get(key)
	}
	return Value{}, false
}

// All ranges over a list's elements or a record's fields.
func (v Value) All() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		switch r := v.ref.(type) {
		case *record:
			for i, f := range r.fields {
				if !yield(i, f) {
					return
				}
			}
		case *list:
			r.each(yield)
		}
	}
}

// Entries ranges over a map's entries in the byte order of their keys, which is the order of `keys`, `values` and JSON.
func (v Value) Entries() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if t, ok := v.ref.(*table); ok {
			t.each(yield)
		}
	}
}
