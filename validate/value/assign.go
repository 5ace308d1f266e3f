package value

// Assignable reports whether a value of type from may stand where one of type to is expected: the same type, T for T?, null for
// T?, an int for a decimal (then Converts says that it must be converted), and a list or map whose elements may stand for the
// other's without conversion. Nothing but json stands for json; what is written as a literal there is typed as json, see ToJSON.
func Assignable(from, to *Type) bool {
	if from == nil || to == nil || from.Kind == Invalid || to.Kind == Invalid {
		return true
	}
	if from.Kind == Null {
		return to.Optional || to.Kind == JSON
	}
	if from.Optional && !to.Optional && to.Kind != JSON {
		return false
	}
	return from.Kind == Int && to.Kind == Decimal || covers(from, to)
}

// covers reports whether values of from are values of to as they are, optional parts aside at the top.
func covers(from, to *Type) bool {
	if from.Kind != to.Kind {
		return false
	}
	switch from.Kind {
	case List, Map:
		return elementCovers(from.Elem, to.Elem)
	case Enum, Record:
		return equalDecls(from.Decl, to.Decl, nil)
	}
	return true
}

func elementCovers(from, to *Type) bool {
	if from == nil || to == nil || from.Kind == Invalid || to.Kind == Invalid {
		return true
	}
	if from.Kind == Null {
		return to.Optional || to.Kind == JSON
	}
	return (to.Optional || !from.Optional || to.Kind == JSON) && covers(from, to)
}

// Converts reports whether a value of type from must go through Convert to stand where to is expected.
func Converts(from, to *Type) bool {
	return from.Kind == Int && to.Kind == Decimal || to.Kind == JSON && from.Kind != JSON && from.Kind != Null && from.Kind != Invalid
}

// Convert turns a value into one of type to: an int into a decimal, anything into json; what needs no conversion stays. Null stays
// null. Errors: those of ToJSON.
func Convert(v Value, to *Type) (Value, error) {
	switch {
	case to.Kind == Decimal && v.kind == Int:
		return OfInt64Decimal(v.num), nil
	case to.Kind == JSON && v.kind != JSON:
		return ToJSON(v)
	}
	return v, nil
}

// Common returns the type of what may be a value of either type, as in `c ? a : b` and in a list's literal, and whether there is
// one: their type, T? of T and null, decimal of an int and a decimal.
func Common(a, b *Type) (*Type, bool) {
	if a.Kind == Null && b.Kind != JSON {
		return Opt(b), true
	}
	if b.Kind == Null && a.Kind != JSON {
		return Opt(a), true
	}
	if Assignable(b, a) {
		return fuller(a, b), true
	}
	if Assignable(a, b) {
		return fuller(b, a), true
	}
	wider := a.Base()
	if !Assignable(b.Base(), wider) {
		if wider = b.Base(); !Assignable(a.Base(), wider) {
			return TypeInvalid, false
		}
	}
	return Opt(wider), true // T? and T with a conversion
}

// fuller is t, or u where t leaves open what u says: of the literals [] and [1] the list of ints.
func fuller(t, u *Type) *Type {
	switch {
	case t.Kind == Invalid:
		return u
	case (t.Kind == List || t.Kind == Map) && t.Kind == u.Kind && t.Elem != nil && u.Elem != nil:
		if elem := fuller(t.Elem, u.Elem); elem != t.Elem {
			return &Type{Kind: t.Kind, Optional: t.Optional, Elem: elem}
		}
	}
	return t
}

// Orderable reports whether values of the type can be compared by `<` and sorted: numbers, strings, durations, times, and enums
// by the order of their members. A T? must be tested first.
func (t *Type) Orderable() bool {
	switch t.Kind {
	case Int, Decimal, String, Duration, Time, Enum:
		return !t.Optional
	}
	return t.Kind == Invalid
}

// Numeric reports whether the type is int or decimal.
func (t *Type) Numeric() bool {
	return (t.Kind == Int || t.Kind == Decimal) && !t.Optional || t.Kind == Invalid
}

// OperandTypes types `x op y`: the result and the types that the operands convert to. ok is false when the operator does not
// take them; then nullable says that it would if the optional ones among them were tested. With an Invalid operand the result
// is Invalid, bool for comparisons, and ok.
func OperandTypes(op Op, x, y *Type) (result, toX, toY *Type, ok, nullable bool) {
	compares := op >= OpEq
	if x.Kind == Invalid || y.Kind == Invalid {
		if compares {
			return TypeBool, x, y, true, false
		}
		return TypeInvalid, x, y, true, false
	}
	if op == OpEq || op == OpNe {
		common, ok := Common(x, y)
		return TypeBool, common, common, ok && mayMeet(x, y), false
	}
	result, toX, toY, ok = strictTypes(op, x.Base(), y.Base())
	if ok && (x.Optional || y.Optional) {
		return result, toX, toY, false, true
	}
	if compares {
		result = TypeBool
	}
	return result, toX, toY, ok, false
}

// mayMeet keeps json out of comparisons with anything but json and null.
func mayMeet(x, y *Type) bool {
	return x.Kind == y.Kind || x.Kind == Null || y.Kind == Null || x.Kind != JSON && y.Kind != JSON
}

func strictTypes(op Op, x, y *Type) (result, toX, toY *Type, ok bool) {
	if op >= OpLt {
		if x.Numeric() && y.Numeric() {
			common, _ := Common(x, y)
			return TypeBool, common, common, true
		}
		return TypeBool, x, y, x.Orderable() && x.Equal(y)
	}
	switch {
	case x.Numeric() && y.Numeric():
		if x.Kind == Int && y.Kind == Int {
			return TypeInt, x, y, true
		}
		return TypeDecimal, TypeDecimal, TypeDecimal, op != OpRem
	case op == OpAdd && x.Kind == List && y.Kind == List:
		common, ok := Common(x, y)
		return common, common, common, ok
	}
	if kind, ok := mixed[signature{op, x.Kind, y.Kind}]; ok {
		return kind, x, y, true
	}
	return TypeInvalid, x, y, false
}

type signature struct {
	op   Op
	x, y Kind
}

// mixed lists the operators that take no two numbers.
var mixed = map[signature]*Type{
	{OpAdd, String, String}:     TypeString,
	{OpAdd, Duration, Duration}: TypeDuration,
	{OpAdd, Time, Duration}:     TypeTime,
	{OpAdd, Duration, Time}:     TypeTime,
	{OpSub, Duration, Duration}: TypeDuration,
	{OpSub, Time, Duration}:     TypeTime,
	{OpSub, Time, Time}:         TypeDuration,
	{OpMul, Duration, Int}:      TypeDuration,
	{OpMul, Int, Duration}:      TypeDuration,
	{OpDiv, Duration, Int}:      TypeDuration,
	{OpDiv, Duration, Duration}: TypeDecimal,
}
