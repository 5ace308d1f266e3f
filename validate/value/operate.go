package value

import "math"

// Op names a strict operator, in the order of the checked model's unary and binary ones.
type Op uint8

// The strict binary operators.
const (
	OpAdd Op = iota
	OpSub
	OpMul
	OpDiv
	OpRem
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
)

var opNames = [...]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="}

// String returns the operator as the language writes it.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "?"
}

// An instant is between the years 1 and 9999, so that RFC 3339 can say it: microseconds from 1970-01-01T00:00:00Z.
const (
	MinTime = -62135596800 * second              // 0001-01-01T00:00:00Z
	MaxTime = 253402300799*second + (second - 1) // 9999-12-31T23:59:59.999999Z
	MaxWait = 3650 * day                         // the longest duration that can be written or waited for
	second  = 1_000_000
	minute  = 60 * second
	hour    = 60 * minute
	day     = 24 * hour
)

// Binary applies a strict operator to operands that OperandTypes allows.
func Binary(op Op, x, y Value) (Value, error) {
	switch op {
	case OpAdd:
		return Add(x, y)
	case OpSub:
		return Sub(x, y)
	case OpMul:
		return Mul(x, y)
	case OpDiv:
		return Div(x, y)
	case OpRem:
		return Rem(x, y)
	case OpEq:
		return OfBool(Equal(x, y)), nil
	case OpNe:
		return OfBool(!Equal(x, y)), nil
	}
	if x.IsNull() || y.IsNull() {
		return Value{}, misfit(op, x, y)
	}
	c := Compare(x, y)
	switch op {
	case OpLt:
		return OfBool(c < 0), nil
	case OpLe:
		return OfBool(c <= 0), nil
	case OpGt:
		return OfBool(c > 0), nil
	default:
		return OfBool(c >= 0), nil
	}
}

// misfit is the error for operands that the checker lets through only by mistake, or for null.
func misfit(op Op, x, y Value) *Error {
	if x.IsNull() || y.IsNull() {
		return Errorf(CodeNull, "an operand of `%s` is null", op)
	}
	return Errorf(CodeNull, "`%s` does not take %s and %s", op, x.Kind(), y.Kind())
}

func divisionByZero() *Error { return Errorf(CodeDivision, "the divisor is 0") }

// Add is x + y of two ints, decimals, strings, durations or lists, or of a time and a duration. Errors: overflow,
// memory_limit.
func Add(x, y Value) (Value, error) {
	switch {
	case x.kind == Int && y.kind == Int, x.kind == Duration && y.kind == Duration:
		if sum, ok := addInt(x.num, y.num); ok {
			return Value{kind: x.kind, num: sum}, nil
		}
		return Value{}, overflow(article(x.kind), "the addition")
	case x.kind == Decimal && y.kind == Decimal:
		return addDecimal(x, y)
	case x.kind == String && y.kind == String:
		return concatStrings(x, y)
	case x.kind == Time && y.kind == Duration:
		return shift(x.num, y.num, addInt)
	case x.kind == Duration && y.kind == Time:
		return shift(y.num, x.num, addInt)
	case x.kind == List && y.kind == List:
		return concat(x, y)
	}
	return Value{}, misfit(OpAdd, x, y)
}

func article(k Kind) string {
	if k == Int {
		return "an int"
	}
	return "a " + k.String()
}

func concatStrings(x, y Value) (Value, error) {
	if x.num+y.num > MaxSize-valueSize {
		return Value{}, tooLarge()
	}
	return OfString(x.Str() + y.Str()), nil
}

// shift moves an instant by a duration.
func shift(t, by int64, move func(x, y int64) (int64, bool)) (Value, error) {
	at, ok := move(t, by)
	if !ok || at < MinTime || at > MaxTime {
		return Value{}, Errorf(CodeOverflow, "the time is not between the years 1 and 9999")
	}
	return OfTime(at), nil
}

// Sub is x - y of two ints, decimals, durations or times (a duration), or of a time and a duration. Errors: overflow.
func Sub(x, y Value) (Value, error) {
	switch {
	case x.kind == Int && y.kind == Int, x.kind == Duration && y.kind == Duration:
		if diff, ok := subInt(x.num, y.num); ok {
			return Value{kind: x.kind, num: diff}, nil
		}
		return Value{}, overflow(article(x.kind), "the subtraction")
	case x.kind == Decimal && y.kind == Decimal:
		return addDecimal(x, negDecimal(y))
	case x.kind == Time && y.kind == Duration:
		return shift(x.num, y.num, subInt)
	case x.kind == Time && y.kind == Time:
		return OfDuration(x.num - y.num), nil // both are within 10,000 years
	}
	return Value{}, misfit(OpSub, x, y)
}

// Mul is x * y of two ints or decimals, or of a duration and an int in either order. Errors: overflow.
func Mul(x, y Value) (Value, error) {
	kind := x.kind
	switch {
	case x.kind == Decimal && y.kind == Decimal:
		return mulDecimal(x, y)
	case x.kind == Int && (y.kind == Int || y.kind == Duration):
		kind = y.kind
	case x.kind == Duration && y.kind == Int:
	default:
		return Value{}, misfit(OpMul, x, y)
	}
	if n, ok := mulInt(x.num, y.num); ok {
		return Value{kind: kind, num: n}, nil
	}
	return Value{}, overflow(article(kind), "the multiplication")
}

// Div is x / y of two ints or a duration and an int, truncated; of two decimals, rounded half-even to 34 digits; of two
// durations, a decimal. Errors: division_by_zero, overflow.
func Div(x, y Value) (Value, error) {
	switch {
	case x.kind == Decimal && y.kind == Decimal:
		return divDecimal(x, y)
	case x.kind == Duration && y.kind == Duration:
		return divDecimal(OfInt64Decimal(x.num), OfInt64Decimal(y.num))
	case (x.kind == Int || x.kind == Duration) && y.kind == Int:
		if y.num == 0 {
			return Value{}, divisionByZero()
		}
		if x.num == math.MinInt64 && y.num == -1 {
			return Value{}, overflow(article(x.kind), "the division")
		}
		return Value{kind: x.kind, num: x.num / y.num}, nil
	}
	return Value{}, misfit(OpDiv, x, y)
}

// Rem is x % y of two ints, with the sign of x. Errors: division_by_zero.
func Rem(x, y Value) (Value, error) {
	switch {
	case x.kind != Int || y.kind != Int:
		return Value{}, misfit(OpRem, x, y)
	case y.num == 0:
		return Value{}, divisionByZero()
	case y.num == -1: // the smallest int % -1 traps on some machines
		return OfInt(0), nil
	}
	return OfInt(x.num % y.num), nil
}

// Neg is -x of an int, a decimal or a duration. Errors: overflow.
func Neg(x Value) (Value, error) {
	switch x.kind {
	case Decimal:
		return negDecimal(x), nil
	case Int, Duration:
		if x.num == math.MinInt64 {
			return Value{}, overflow(article(x.kind), "the negation")
		}
		return Value{kind: x.kind, num: -x.num}, nil
	}
	return Value{}, misfit(OpSub, Value{kind: Int}, x)
}

// Not is `not x` of a bool.
func Not(x Value) Value { return OfBool(x.num == 0) }

// In is `x in l`: whether a list has an equal element, or a map the key x.
func In(x, l Value) bool {
	if t, ok := l.ref.(*table); ok {
		_, found := t.get(x.Str())
		return found
	}
	for _, v := range l.All() {
		if Equal(v, x) {
			return true
		}
	}
	return false
}
