package value

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEncodingRoundTripsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(t, 3)
		v := genValue(t, typ)
		raw, err := EncodeJSON(v, typ)
		if err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		if !json.Valid(raw) {
			t.Fatalf("no JSON: %s", raw)
		}
		back, err := DecodeStored(raw, typ)
		if err != nil {
			t.Fatalf("%s from %s: %v", typ, raw, err)
		}
		if !Equal(v, back) || !Fits(back, typ) {
			t.Fatalf("%s became %s", v, back)
		}
		if v.Size() != back.Size() || v.Depth() != back.Depth() {
			t.Fatalf("size %d, depth %d became %d, %d: %s", v.Size(), v.Depth(), back.Size(), back.Depth(), raw)
		}
		if again := AppendJSON(nil, back); string(again) != string(raw) {
			t.Fatalf("%s became %s", raw, again)
		}
	})
}

func TestJSONReadByOthersIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(t, 2)
		raw := AppendJSON(nil, genValue(t, typ))
		var any any
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if err := d.Decode(&any); err != nil {
			t.Fatal(err)
		}
		theirs, err := json.Marshal(any) // escapes < > &, sorts keys
		if err != nil {
			t.Fatal(err)
		}
		a, errA := OfJSON(string(raw))
		b, errB := OfJSON(string(theirs))
		if errA != nil || errB != nil || !Equal(a, b) {
			t.Fatalf("%s and %s differ (%v, %v)", raw, theirs, errA, errB)
		}
	})
}

func TestEncodings(t *testing.T) {
	item := &Decl{Name: "item", Fields: []Field{{Name: "sku", Type: TypeString}, {Name: "qty", Type: TypeInt}}}
	for _, c := range []struct {
		v    Value
		want string
	}{
		{OfNull(), `null`},
		{OfBool(true), `true`},
		{OfInt(math.MinInt64), `-9223372036854775808`},
		{OfInt(9007199254740993), `9007199254740993`},
		{dec(t, "12.50"), `12.5`},
		{dec(t, "1000"), `1000`},
		{dec(t, "0.001"), `0.001`},
		{dec(t, "-0"), `0`},
		{dec(t, "1234567890123456789012345678901234"), `1234567890123456789012345678901234`},
		{dec(t, "1e33"), `1000000000000000000000000000000000`},
		{dec(t, "1e34"), `1e34`},
		{dec(t, "1.5e40"), `1.5e40`},
		{dec(t, "1e-40"), `0.0000000000000000000000000000000000000001`},
		{dec(t, "1e-41"), `1e-41`},
		{OfString("a\"\\\n\x01é"), `"a\"\\\n\u0001é"`},
		{OfString("\xff"), `"�"`},
		{OfDuration(0), `"0s"`},
		{OfDuration(5400 * second), `"90m"`},
		{OfDuration(-2 * day), `"-2d"`},
		{OfDuration(250_000), `"0.25s"`},
		{OfDuration(-1), `"-0.000001s"`},
		{OfDuration(math.MinInt64), `"-9223372036854.775808s"`},
		{OfTime(0), `"1970-01-01T00:00:00Z"`},
		{OfTime(-1), `"1969-12-31T23:59:59.999999Z"`},
		{OfTime(MinTime), `"0001-01-01T00:00:00Z"`},
		{OfTime(MaxTime), `"9999-12-31T23:59:59.999999Z"`},
		{OfEnum(tier, 2), `"gold"`},
		{OfList(nil), `[]`},
		{OfList([]Value{OfInt(1), OfNull()}), `[1,null]`},
		{OfMap([]Entry{{"b", OfInt(1)}, {"a", OfInt(2)}, {"b", OfInt(3)}}), `{"a":2,"b":3}`},
		{OfRecord(item, []Value{OfString("x"), OfInt(2)}), `{"sku":"x","qty":2}`},
	} {
		if got := string(AppendJSON(nil, c.v)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{OfNull(), "null"},
		{OfString(`say "x"`), `say "x"`},
		{dec(t, "20.300"), "20.3"},
		{OfDuration(48 * hour), "2d"},
		{OfTime(1774746000 * second), "2026-03-29T01:00:00Z"},
		{OfEnum(tier, 0), "bronze"},
		{OfList([]Value{OfEnum(tier, 0), OfString("a")}), `["bronze","a"]`},
	} {
		if got, err := Text(c.v); got != c.want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
}

func TestEncodeRefusesAValueOfAnotherType(t *testing.T) {
	for _, c := range []struct {
		v Value
		t *Type
	}{
		{OfNull(), TypeInt}, {OfInt(1), TypeString}, {OfList([]Value{OfInt(1)}), ListOf(TypeString)},
		{OfMap([]Entry{{"a", OfNull()}}), MapOf(TypeBool)}, {OfEnum(tier, 3), EnumOf(tier)},
	} {
		if raw, err := EncodeJSON(c.v, c.t); err == nil {
			t.Errorf("%s went as %s", raw, c.t)
		}
	}
}

// dec parses a decimal that must be one.
func dec(t testing.TB, s string) Value {
	t.Helper()
	v, err := ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ExampleEncodeJSON() {
	raw, err := EncodeJSON(OfList([]Value{OfDuration(90 * minute)}), ListOf(TypeDuration))
	fmt.Println(string(raw), err)
	// Output: ["90m"] <nil>
}
