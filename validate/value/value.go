package value

// A Value is one value of the language. The zero Value is null.
type Value struct {
	kind Kind
	num  int64 // Bool 0/1, Int, Duration and Time in microseconds, Enum the member's index
	ref  any   // what the other kinds hold
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }
