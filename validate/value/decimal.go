package value

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// A decimal has up to digits significant digits, and its first digit's place is between 10^-maxExponent and 10^maxExponent.
// Most are kept without an allocation: a coefficient in num and an exponent in exp. A coefficient over 63 bits is an apd.Decimal
// without trailing zeros. There is no negative zero.
const (
	digits      = 34
	maxExponent = 6143
	safeExp     = 6000 // no small coefficient takes an exponent within ±safeExp out of range
)

var (
	exact   = apd.Context{Precision: 0, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
	rounded = apd.Context{Precision: digits, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}
	halfUp  = apd.Context{Precision: 2 * digits, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfUp}
)

// OfDecimal returns a decimal, or the error overflow when it has more than 34 digits, is out of range or is no finite number. It
// keeps d, which must not be changed any more.
func OfDecimal(d *apd.Decimal) (Value, error) {
	v, ok := normal(d)
	if !ok {
		return Value{}, overflow("a decimal of 34 digits", "the number")
	}
	return v, nil
}

// OfInt64Decimal returns the decimal n, as the conversion of an int does.
func OfInt64Decimal(n int64) Value {
	if n == math.MinInt64 {
		v, _ := normal(apd.New(n, 0))
		return v
	}
	return Value{kind: Decimal, num: n}
}

// small returns a decimal in the form without an allocation when that is possible without asking apd.
func small(num int64, exp int) (Value, bool) {
	if num == 0 {
		return Value{kind: Decimal}, true
	}
	if num == math.MinInt64 || exp < -safeExp || exp > safeExp {
		return Value{}, false
	}
	return Value{kind: Decimal, num: num, exp: int16(exp)}, true
}

// normal turns a result into a value, if it is a decimal of the language.
func normal(d *apd.Decimal) (Value, bool) {
	if d.Form != apd.Finite {
		return Value{}, false
	}
	if d.IsZero() {
		return Value{kind: Decimal}, true
	}
	d.Reduce(d)
	n := d.NumDigits()
	first := int64(d.Exponent) + n - 1
	if n > digits || first > maxExponent || first < -maxExponent {
		return Value{}, false
	}
	if d.Coeff.IsUint64() && d.Coeff.Uint64() <= math.MaxInt64 {
		num := int64(d.Coeff.Uint64())
		if d.Negative {
			num = -num
		}
		return Value{kind: Decimal, num: num, exp: int16(d.Exponent)}, true
	}
	return Value{kind: Decimal, ref: d}, true
}

// load returns v as an apd.Decimal, in tmp when v has none of its own.
func (v Value) load(tmp *apd.Decimal) *apd.Decimal {
	if d, ok := v.ref.(*apd.Decimal); ok {
		return d
	}
	return tmp.SetFinite(v.num, int32(v.exp))
}

func addDecimal(x, y Value) (Value, error) {
	if x.ref == nil && y.ref == nil {
		if v, ok := addSmall(x, y); ok {
			return v, nil
		}
	}
	return addBig(x, y)
}

// addSmall adds when both coefficients and their sum fit 63 bits at the lower of the two exponents.
func addSmall(x, y Value) (Value, bool) {
	if x.exp < y.exp {
		x, y = y, x
	}
	if d := int(x.exp) - int(y.exp); d > 0 {
		if d >= len(pow10) {
			return Value{}, false
		}
		var ok bool
		if x.num, ok = mulInt(x.num, pow10[d]); !ok {
			return Value{}, false
		}
	}
	sum, ok := addInt(x.num, y.num)
	if !ok {
		return Value{}, false
	}
	return small(sum, int(y.exp))
}

func addBig(x, y Value) (Value, error) {
	var a, b apd.Decimal
	dx, dy := x.load(&a), y.load(&b)
	if dx.IsZero() {
		return y, nil
	}
	if dy.IsZero() {
		return x, nil
	}
	// Digits further apart than this cannot cancel out, so the sum needs more than 34; adding would write all the zeros between.
	high := max(int64(dx.Exponent)+dx.NumDigits(), int64(dy.Exponent)+dy.NumDigits())
	if high-int64(min(dx.Exponent, dy.Exponent)) > 2*digits {
		return Value{}, overflow("34 digits", "the addition")
	}
	sum := new(apd.Decimal)
	if _, err := exact.Add(sum, dx, dy); err != nil {
		return Value{}, overflow("34 digits", "the addition")
	}
	v, ok := normal(sum)
	if !ok {
		return Value{}, overflow("34 digits", "the addition")
	}
	return v, nil
}

func negDecimal(x Value) Value {
	if d, ok := x.ref.(*apd.Decimal); ok {
		return Value{kind: Decimal, ref: new(apd.Decimal).Neg(d)}
	}
	x.num = -x.num
	return x
}

func mulDecimal(x, y Value) (Value, error) {
	if x.ref == nil && y.ref == nil {
		if n, ok := mulInt(x.num, y.num); ok {
			if v, ok := small(n, int(x.exp)+int(y.exp)); ok {
				return v, nil
			}
		}
	}
	var a, b apd.Decimal
	product := new(apd.Decimal)
	if _, err := exact.Mul(product, x.load(&a), y.load(&b)); err != nil {
		return Value{}, overflow("34 digits", "the multiplication")
	}
	v, ok := normal(product)
	if !ok {
		return Value{}, overflow("34 digits", "the multiplication")
	}
	return v, nil
}

func divDecimal(x, y Value) (Value, error) {
	if y.ref == nil && y.num == 0 {
		return Value{}, divisionByZero()
	}
	if x.ref == nil && y.ref == nil && x.num%y.num == 0 {
		if v, ok := small(x.num/y.num, int(x.exp)-int(y.exp)); ok {
			return v, nil
		}
	}
	var a, b apd.Decimal
	quotient := new(apd.Decimal)
	if _, err := rounded.Quo(quotient, x.load(&a), y.load(&b)); err != nil {
		return Value{}, overflow("a decimal", "the division")
	}
	v, ok := normal(quotient)
	if !ok {
		return Value{}, overflow("a decimal", "the division")
	}
	return v, nil
}

// Round rounds a decimal to so many places after the point, halves away from zero; negative places round to tens, hundreds and
// so on.
func Round(x Value, places int64) (Value, error) {
	var a apd.Decimal
	d := x.load(&a)
	if places < -maxExponent {
		return Value{kind: Decimal}, nil
	}
	if int64(d.Exponent) >= -places {
		return x, nil
	}
	out := new(apd.Decimal)
	if _, err := halfUp.Quantize(out, d, int32(-places)); err != nil {
		return Value{}, overflow("a decimal", "the rounding")
	}
	return OfDecimal(out)
}

// Sign returns -1, 0 or 1 for a decimal, an int or a duration.
func (v Value) Sign() int {
	if d, ok := v.ref.(*apd.Decimal); ok {
		return d.Sign()
	}
	switch {
	case v.num < 0:
		return -1
	case v.num > 0:
		return 1
	}
	return 0
}

func compareDecimal(x, y Value) int {
	if x.ref == nil && y.ref == nil && x.exp == y.exp {
		return compareInt(x.num, y.num)
	}
	var a, b apd.Decimal
	return x.load(&a).Cmp(y.load(&b))
}

// appendDecimal appends the shortest exact form: no zeros at the end of a fraction, an exponent only where plain digits would
// take more than 34 places before the point or 40 after it.
func appendDecimal(dst []byte, v Value) []byte {
	var buf [digits + 2]byte
	var coefficient []byte
	exp, negative := int(v.exp), v.Sign() < 0
	if d, ok := v.ref.(*apd.Decimal); ok {
		coefficient, exp = d.Coeff.Append(buf[:0], 10), int(d.Exponent)
	} else {
		abs := uint64(v.num)
		if negative {
			abs = -abs
		}
		coefficient = strconv.AppendUint(buf[:0], abs, 10)
	}
	if v.Sign() == 0 {
		return append(dst, '0')
	}
	for coefficient[len(coefficient)-1] == '0' {
		coefficient, exp = coefficient[:len(coefficient)-1], exp+1
	}
	if negative {
		dst = append(dst, '-')
	}
	return placePoint(dst, coefficient, exp)
}

func placePoint(dst, coefficient []byte, exp int) []byte {
	whole := len(coefficient) + exp // digits before the point
	switch {
	case exp >= 0 && whole <= digits:
		dst = append(dst, coefficient...)
		return appendZeros(dst, exp)
	case exp < 0 && whole > 0:
		dst = append(dst, coefficient[:whole]...)
		return append(append(dst, '.'), coefficient[whole:]...)
	case exp < 0 && exp >= -40:
		dst = appendZeros(append(dst, '0', '.'), -whole)
		return append(dst, coefficient...)
	}
	dst = append(dst, coefficient[0])
	if len(coefficient) > 1 {
		dst = append(append(dst, '.'), coefficient[1:]...)
	}
	return strconv.AppendInt(append(dst, 'e'), int64(whole-1), 10)
}

func appendZeros(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, '0')
	}
	return dst
}

var pow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

func addInt(x, y int64) (int64, bool) {
	sum := x + y
	return sum, (sum > x) == (y > 0)
}

func subInt(x, y int64) (int64, bool) {
	diff := x - y
	return diff, (diff < x) == (y > 0)
}

func mulInt(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(absolute(x), absolute(y))
	if hi != 0 {
		return 0, false
	}
	if (x < 0) != (y < 0) {
		return -int64(lo), lo <= 1<<63
	}
	return int64(lo), lo < 1<<63
}

func absolute(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func compareInt(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
