package value

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// code returns the code of a run-time error, "" of none.
func code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestOperators(t *testing.T) {
	i, d := OfInt, func(s string) Value { return dec(t, s) }
	list := func(v ...Value) Value { return OfList(v) }
	for _, c := range []struct {
		x    Value
		op   Op
		y    Value
		want string // text, or a code
	}{
		{i(7), OpAdd, i(5), "12"}, {i(7), OpSub, i(9), "-2"}, {i(-7), OpDiv, i(2), "-3"}, {i(-7), OpRem, i(2), "-1"}, {i(7), OpRem, i(-2), "1"},
		{i(math.MaxInt64), OpAdd, i(1), CodeOverflow}, {i(math.MinInt64), OpAdd, i(-1), CodeOverflow}, {i(math.MinInt64), OpSub, i(1), CodeOverflow},
		{i(math.MinInt64), OpMul, i(-1), CodeOverflow}, {i(math.MinInt64), OpDiv, i(-1), CodeOverflow}, {i(math.MinInt64), OpRem, i(-1), "0"},
		{i(1 << 32), OpMul, i(1 << 31), CodeOverflow}, {i(-1 << 32), OpMul, i(1 << 31), "-9223372036854775808"},
		{i(1), OpDiv, i(0), CodeDivision}, {i(1), OpRem, i(0), CodeDivision},
		{d("0.1"), OpAdd, d("0.2"), "0.3"}, {d("12.50"), OpSub, d("12.5"), "0"}, {d("1.10"), OpMul, d("3"), "3.3"},
		{d("9999999999999999999999999999999999"), OpAdd, d("1"), "1e34"}, // one digit
		{d("9999999999999999999999999999999999"), OpAdd, d("0.1"), CodeOverflow},
		{d("1e40"), OpAdd, d("1"), CodeOverflow}, {d("1e6000"), OpAdd, d("1e-6000"), CodeOverflow}, {d("1e6000"), OpAdd, d("0"), "1e6000"},
		{d("123456789012345.67"), OpMul, d("12345678901234.5"), "1524157875323875183661103729.615"},
		{d("123456789012345678"), OpMul, d("1234567890123456789"), CodeOverflow},
		{d("1e6000"), OpMul, d("1e6000"), CodeOverflow}, {d("1e-6000"), OpMul, d("1e-6000"), CodeOverflow},
		{d("1"), OpDiv, d("3"), "0.3333333333333333333333333333333333"}, {d("2"), OpDiv, d("3"), "0.6666666666666666666666666666666667"},
		{d("10"), OpDiv, d("4"), "2.5"}, {d("1"), OpDiv, d("0"), CodeDivision}, {d("-1"), OpDiv, d("8"), "-0.125"},
		{d("1e6000"), OpDiv, d("1e-6000"), CodeOverflow},
		{OfString("a"), OpAdd, OfString("bé"), `"abé"`}, {list(i(1)), OpAdd, list(i(2)), "[1,2]"},
		{OfDuration(hour), OpAdd, OfDuration(30 * minute), "90m"}, {OfDuration(hour), OpSub, OfDuration(2 * hour), "-1h"},
		{OfDuration(math.MaxInt64), OpAdd, OfDuration(1), CodeOverflow},
		{OfDuration(hour), OpMul, i(3), "3h"}, {i(3), OpMul, OfDuration(hour), "3h"}, {OfDuration(day), OpMul, i(200_000_000), CodeOverflow},
		{OfDuration(hour), OpDiv, i(7), "514.285714s"}, {OfDuration(hour), OpDiv, i(0), CodeDivision},
		{OfDuration(90 * minute), OpDiv, OfDuration(hour), "1.5"}, {OfDuration(hour), OpDiv, OfDuration(0), CodeDivision},
		{OfTime(0), OpAdd, OfDuration(day), "1970-01-02T00:00:00Z"}, {OfDuration(day), OpAdd, OfTime(0), "1970-01-02T00:00:00Z"},
		{OfTime(0), OpSub, OfDuration(1), "1969-12-31T23:59:59.999999Z"}, {OfTime(MaxTime), OpSub, OfTime(MinTime), "315537897599.999999s"},
		{OfTime(MaxTime), OpAdd, OfDuration(1), CodeOverflow}, {OfTime(MinTime), OpSub, OfDuration(1), CodeOverflow},
		{OfTime(MaxTime), OpAdd, OfDuration(math.MaxInt64), CodeOverflow},
		{i(1), OpLt, i(2), "true"}, {d("1.0"), OpGe, d("1.00"), "true"}, {OfString("a"), OpLt, OfString("B"), "false"},
		{OfEnum(tier, 1), OpLt, OfEnum(tier, 2), "true"}, {OfTime(1), OpLe, OfTime(1), "true"}, {d("1e-6000"), OpLt, d("1e6000"), "true"},
		{OfNull(), OpEq, OfNull(), "true"}, {i(1), OpNe, OfNull(), "true"}, {list(i(1), i(2)), OpEq, list(i(1), i(2)), "true"},
		{OfNull(), OpLt, i(1), CodeNull}, {OfNull(), OpAdd, i(1), CodeNull},
	} {
		got, err := Binary(c.op, c.x, c.y)
		text := got.String()
		if err != nil {
			text = code(err)
		}
		if text != c.want {
			t.Errorf("%s %s %s: got %s (%v), want %s", c.x, c.op, c.y, text, err, c.want)
		}
	}
}

func TestUnaryOperators(t *testing.T) {
	for _, c := range []struct {
		x    Value
		want string
	}{
		{OfInt(3), "-3"}, {OfInt(math.MinInt64), CodeOverflow}, {dec(t, "1.50"), "-1.5"}, {dec(t, "0"), "0"},
		{dec(t, "-1234567890123456789012"), "1234567890123456789012"}, {OfDuration(hour), "-1h"}, {OfNull(), CodeNull},
	} {
		got, err := Neg(c.x)
		text := got.String()
		if err != nil {
			text = code(err)
		}
		if text != c.want {
			t.Errorf("-%s: got %s, want %s", c.x, text, c.want)
		}
	}
	if Not(OfBool(true)).Bool() || !Not(OfBool(false)).Bool() {
		t.Error("not")
	}
	if _, err := Must(OfNull()); code(err) != CodeNull {
		t.Error("null!")
	}
}

// rat is a decimal as a fraction, to compute with by other means.
func rat(v Value) *big.Rat {
	r, _ := new(big.Rat).SetString(string(appendDecimal(nil, v)))
	return r
}

func TestDecimalsAreExactOrOverflow(t *testing.T) {
	small := rapid.StringMatching(`-?(0|[1-9][0-9]{0,33})(\.[0-9]{1,6})?(e-?[0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		x, errX := ParseDecimal(small.Draw(t, "x"))
		y, errY := ParseDecimal(small.Draw(t, "y"))
		if errX != nil || errY != nil {
			return // more than 34 digits
		}
		check := func(op Op, exact *big.Rat) {
			got, err := Binary(op, x, y)
			if err == nil && rat(got).Cmp(exact) != 0 {
				t.Fatalf("%s %s %s = %s, not %s", x, op, y, got, exact.FloatString(80))
			}
			if _, fits := ParseDecimal(exact.FloatString(40)); fits == nil && err != nil && code(err) == CodeOverflow {
				t.Fatalf("%s %s %s = %s overflows", x, op, y, exact.FloatString(40))
			}
		}
		check(OpAdd, new(big.Rat).Add(rat(x), rat(y)))
		check(OpSub, new(big.Rat).Sub(rat(x), rat(y)))
		check(OpMul, new(big.Rat).Mul(rat(x), rat(y)))
		if c := Compare(x, y); c != rat(x).Cmp(rat(y)) || Equal(x, y) != (c == 0) {
			t.Fatalf("compare %s and %s: %d", x, y, c)
		}
	})
}

func TestRoundTakesHalvesAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		x      string
		places int64
		want   string
	}{
		{"2.5", 0, "3"}, {"-2.5", 0, "-3"}, {"2.45", 1, "2.5"}, {"-0.4", 0, "0"}, {"1.005", 2, "1.01"}, {"1.2", 5, "1.2"}, {"1250", -2, "1300"},
		{"49", -2, "0"}, {"50", -2, "100"}, {"1234567890123456789012.345", 2, "1234567890123456789012.35"}, {"7", -100, "0"},
		{"7", math.MinInt64, "0"}, {"7", math.MaxInt64, "7"}, {"1e-50", 2, "0"}, {"9999999999999999999999999999999999", -1, "10000000000000000000000000000000000"},
	} {
		if got, err := Round(dec(t, c.x), c.places); err != nil || got.String() != dec(t, c.want).String() {
			t.Errorf("round(%s, %d): got %s, %v, want %s", c.x, c.places, got, err, c.want)
		}
	}
}

func TestEqualKeepsKindsApart(t *testing.T) {
	js, _ := OfJSON("1")
	if Equal(OfInt(1), js) || Equal(OfInt(1), OfString("1")) || Equal(OfInt(0), OfBool(false)) || Equal(OfDuration(1), OfTime(1)) {
		t.Error("values of different kinds are equal")
	}
	if !Equal(OfInt(1), dec(t, "1.0")) || Equal(OfInt(1), dec(t, "1.5")) {
		t.Error("an int and the decimal that it converts to")
	}
	again := &Decl{Name: "tier", Members: []string{"gold"}}
	if !Equal(OfEnum(tier, 2), OfEnum(again, 0)) || Equal(OfEnum(tier, 1), OfEnum(again, 0)) {
		t.Error("members of two programs' enums go by name")
	}
}
