package value

import (
	"fmt"
	"strings"
	"testing"
)

var order = &Decl{Name: "order", Fields: []Field{
	{Name: "id", Type: TypeString},
	{Name: "amount", Type: TypeDecimal},
	{Name: "pieces", Type: TypeInt, Default: ptr(OfInt(1))},
	{Name: "level", Type: Opt(EnumOf(tier))},
	{Name: "due", Type: Opt(TypeTime)},
	{Name: "wait", Type: Opt(TypeDuration)},
	{Name: "tags", Type: MapOf(TypeInt), Default: ptr(OfMap(nil))},
	{Name: "notes", Type: ListOf(TypeString), Default: ptr(OfList(nil))},
	{Name: "extra", Type: Opt(TypeJSON)},
	{Name: "paid", Type: TypeBool, Default: ptr(OfBool(false))},
}}

func ptr(v Value) *Value { return &v }

func TestMissingFieldsTakeDefaultOrNull(t *testing.T) {
	v, faults := DecodeJSON([]byte(` { "amount" : 20 , "id" : "A1" } `), RecordOf(order))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := `{"id":"A1","amount":20,"pieces":1,"level":null,"due":null,"wait":null,"tags":{},"notes":[],"extra":null,"paid":false}`
	if got := string(AppendJSON(nil, v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecodeTakes(t *testing.T) {
	for _, c := range []struct {
		raw  string
		t    *Type
		want string
	}{
		{`3.0`, TypeInt, `3`}, {`3e2`, TypeInt, `300`}, {`-0`, TypeInt, `0`}, {`9007199254740993`, TypeInt, `9007199254740993`},
		{`-9223372036854775808`, TypeInt, `-9223372036854775808`},
		{`0.1`, TypeDecimal, `0.1`}, {`1E+2`, TypeDecimal, `100`}, {`1e30`, TypeDecimal, `1000000000000000000000000000000`},
		{`1234567890.12345678901234567890`, TypeDecimal, `1234567890.1234567890123456789`},
		{`"2026-03-29T03:00:00+02:00"`, TypeTime, `"2026-03-29T01:00:00Z"`}, {`"2026-03-29t01:00:00.120z"`, TypeTime, `"2026-03-29T01:00:00.12Z"`},
		{`"120s"`, TypeDuration, `"2m"`}, {`"-24h"`, TypeDuration, `"-1d"`}, {`"1.5s"`, TypeDuration, `"1.5s"`}, {`"3650d"`, TypeDuration, `"3650d"`},
		{`"\u00e9\ud834\udd1e\/"`, TypeString, `"é𝄞/"`},
		{`{"b":1.00,"a":[ 1e2 , {} ]}`, TypeJSON, `{"a":[1e2,{}],"b":1.00}`},
		{`null`, TypeJSON, `null`}, {`[null]`, ListOf(TypeJSON), `[null]`},
	} {
		v, faults := DecodeJSON([]byte(c.raw), c.t)
		if len(faults) > 0 {
			t.Errorf("%s as %s: %v", c.raw, c.t, faults)
		} else if got := string(AppendJSON(nil, v)); got != c.want {
			t.Errorf("%s as %s: got %s, want %s", c.raw, c.t, got, c.want)
		}
	}
}

// GRD-04, TIM-08: what does not fit is refused with the path of the field, all at once.
func TestDecodeRefusesWithThePath(t *testing.T) {
	o := RecordOf(order)
	for _, c := range []struct {
		raw  string
		t    *Type
		want string // path code, joined by semicolons
	}{
		{`{"id":"A1"}`, o, "/amount missing_field"},
		{`{"id":null,"amount":"12"}`, o, "/id wrong_type; /amount wrong_type"},
		{`{"id":"a","amount":1,"colour":{"x":[1]}}`, o, "/colour unknown_field"},
		{`{"id":"a","amount":1,"id":"b"}`, o, "/id duplicate_key"},
		{`{"id":"a","amount":1,"tags":{"a/b":1,"a/b":2}}`, o, "/tags/a~1b duplicate_key"},
		{`{"id":"a","amount":1,"tags":{"~":true}}`, o, "/tags/~0 wrong_type"},
		{`{"id":"a","amount":1,"notes":["x",2]}`, o, "/notes/1 wrong_type"},
		{`{"id":"a","amount":1,"level":"platinum"}`, o, "/level bad_value"},
		{`{"id":"a","amount":1,"due":"tomorrow"}`, o, "/due bad_value"},
		{`{"id":"a","amount":1,"due":"2026-02-29T00:00:00Z"}`, o, "/due bad_value"},
		{`{"id":"a","amount":1,"due":"2026-01-01T00:00:00.1234567Z"}`, o, "/due bad_value"},
		{`{"id":"a","amount":1,"due":"2026-01-01T00:00:00"}`, o, "/due bad_value"},
		{`{"id":"a","amount":1,"wait":"300y"}`, o, "/wait bad_value"},
		{`{"id":"a","amount":1,"wait":"abc"}`, o, "/wait bad_value"},
		{`{"id":"a","amount":1,"wait":1e30}`, o, "/wait wrong_type"},
		{`{"id":"a","amount":1,"wait":"3651d"}`, o, "/wait bad_value"},
		{`{"id":"a","amount":1,"pieces":1.5}`, o, "/pieces wrong_type"},
		{`{"id":"a","amount":1,"pieces":9223372036854775808}`, o, "/pieces bad_value"},
		{`{"id":"a","amount":1,"pieces":1e999999999999}`, o, "/pieces bad_value"},
		{`{"id":"a","amount":1e999999999999}`, o, "/amount bad_value"},
		{`{"id":"a","amount":12345678901234567890123456789012345}`, o, "/amount bad_value"},
		{`{"id":"a","amount":1,"extra":{"x":"\u0000"}}`, o, "/extra bad_text"},
		{`{"id":"a","amount":1,"extra":{"x":1,"x":2}}`, o, "/extra duplicate_key"},
		{`{"id":"a","amount":1,"extra":1e7000}`, o, "/extra bad_value"},
		{`{"id":"\ud800","amount":1}`, o, "/id bad_text"},
		{`{"id":"\udc00x","amount":1}`, o, "/id bad_text"},
		{`{"id":"a","amount":1,}`, o, " invalid_json"},
		{`{"id":"a" "amount":1}`, o, " invalid_json"},
		{`{id:"a"}`, o, " invalid_json"},
		{`[1]`, o, " wrong_type"},
		{``, o, " invalid_json"},
		{`nul`, Opt(TypeInt), " invalid_json"},
		{`01`, TypeInt, " invalid_json"},
		{`1.`, TypeDecimal, " invalid_json"},
		{`+1`, TypeInt, " invalid_json"},
		{`NaN`, TypeDecimal, " invalid_json"},
		{`1 2`, TypeInt, " invalid_json"},
		{"1\x00", TypeInt, " invalid_json"},
		{"\"a\x01\"", TypeString, " invalid_json"},
		{"\"a\xff\"", TypeString, " invalid_json"},
		{`"abc`, TypeString, " invalid_json"},
		{`"\x"`, TypeString, " invalid_json"},
		{strings.Repeat("[", 201) + strings.Repeat("]", 201), TypeJSON, " nested_too_deep"},
		{strings.Repeat("[", 1_000_000), TypeJSON, " nested_too_deep"},
		{strings.Repeat(`{"a":`, 1_000_000), TypeJSON, " nested_too_deep"},
	} {
		_, faults := DecodeJSON([]byte(c.raw), c.t)
		var got []string
		for _, f := range faults {
			got = append(got, f.Path+" "+f.Code)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%.80s: got %q, want %q (%v)", c.raw, got, c.want, faults)
		}
	}
}

func TestTheDeepestJSONPasses(t *testing.T) {
	raw := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	v, faults := DecodeJSON([]byte(raw), TypeJSON)
	if len(faults) > 0 || v.Depth() != MaxDepth || v.Check() != nil {
		t.Fatalf("depth %d: %v", v.Depth(), faults)
	}
	if OfList([]Value{v}).Check() == nil {
		t.Error("one level more passed")
	}
}

func TestAMessageNamesWhatIsExpected(t *testing.T) {
	_, faults := DecodeJSON([]byte(`{"id":"a","amount":"12","level":"platinum","wait":"2w","due":7}`), RecordOf(order))
	want := []string{
		`/amount is a string; expected a number, not in quotes`,
		`/level is "platinum"; expected one of bronze, silver, gold`,
		"/wait is no duration: `2w` is no duration: the unit is one of s, m, h, d, directly after the number; write `14d`",
		`/due is a number; expected a time such as "2026-03-29T01:00:00Z"`,
	}
	if len(faults) != len(want) {
		t.Fatal(faults)
	}
	for i, f := range faults {
		if f.Error() != want[i] {
			t.Errorf("got  %s\nwant %s", f, want[i])
		}
	}
}

func TestStoredDurationsHaveNoLimit(t *testing.T) {
	v, err := DecodeStored([]byte(`"4000d"`), TypeDuration)
	if err != nil || v.Micros() != 4000*day {
		t.Fatal(v, err)
	}
}

func TestJSONComparesByItsParts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true}, {`1`, `1.0`, true}, {`[1e2]`, `[100]`, true}, {`"1"`, `1`, false},
		{`"1.0"`, `"1"`, false}, {`null`, `null`, true}, {`{}`, `[]`, false}, {`0`, `-0.0`, true}, {`"\"1"`, `"\"1.0"`, false},
	} {
		a, errA := OfJSON(c.a)
		b, errB := OfJSON(c.b)
		if errA != nil || errB != nil || Equal(a, b) != c.want {
			t.Errorf("%s == %s: want %v (%v %v)", c.a, c.b, c.want, errA, errB)
		}
	}
}

func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{`{"id":"a","amount":1,"extra":{"b":[1,2e3,"\u00e9"]},"tags":{"x":1}}`, `[1]`, `"\ud834\udd1e"`, `{"id":`, `1e-9`} {
		f.Add(seed)
	}
	types := []*Type{RecordOf(order), TypeJSON, RecordOf(tree), ListOf(TypeDecimal), TypeTime, TypeDuration, MapOf(Opt(TypeInt))}
	f.Fuzz(func(t *testing.T, raw string) {
		for _, typ := range types {
			v, faults := DecodeJSON([]byte(raw), typ)
			if len(faults) > 0 {
				continue
			}
			encoded, err := EncodeJSON(v, typ)
			if err != nil {
				t.Fatal(err)
			}
			back, err := DecodeStored(encoded, typ)
			if err != nil || !Equal(v, back) || fmt.Sprint(v) != fmt.Sprint(back) {
				t.Fatalf("%s: %s became %s (%v)", typ, v, back, err)
			}
		}
	})
}
