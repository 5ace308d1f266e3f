package builtin

import (
	"errors"
	"strings"
	"testing"

	"flowc/validate/value"
)

// fixed is a token started at 0 whose step is at the second, in the state since the first second.
type fixed struct{ now int64 }

func (f fixed) Now() int64             { return f.now }
func (fixed) EnteredAt() int64         { return 1_000_000 }
func (fixed) TokenID() string          { return "tok1" }
func (fixed) TokenKey() (string, bool) { return "", false }
func (fixed) StartedAt() int64         { return 0 }

func js(t testing.TB, typ *value.Type, raw string) value.Value {
	t.Helper()
	v, faults := value.DecodeJSON([]byte(raw), typ)
	if len(faults) > 0 {
		t.Fatal(raw, faults)
	}
	return v
}

func code(err error) string {
	var e *value.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestCalls(t *testing.T) {
	i, s := value.OfInt, value.OfString
	d := func(text string) value.Value { return js(t, value.TypeDecimal, text) }
	ints := func(raw string) value.Value { return js(t, value.ListOf(value.TypeInt), raw) }
	strs := func(raw string) value.Value { return js(t, value.ListOf(value.TypeString), raw) }
	m := js(t, value.MapOf(value.TypeInt), `{"b":2,"a":1}`)
	at := func(text string) value.Value { return js(t, value.TypeTime, `"`+text+`"`) }
	berlin := s("Europe/Berlin")
	for _, c := range []struct {
		name string
		args []value.Value
		want string // JSON or a code
	}{
		{"len", []value.Value{s("é𝄞a")}, "3"}, {"len", []value.Value{ints(`[1,2]`)}, "2"}, {"len", []value.Value{m}, "2"}, {"len", []value.Value{s("")}, "0"},
		{"contains", []value.Value{s("order"), s("rd")}, "true"}, {"contains", []value.Value{ints(`[1,2]`), i(3)}, "false"}, {"contains", []value.Value{m, s("a")}, "true"},
		{"starts_with", []value.Value{s("order"), s("or")}, "true"}, {"ends_with", []value.Value{s("order"), s("or")}, "false"},
		{"lower", []value.Value{s("ÄB")}, `"äb"`}, {"upper", []value.Value{s("äß")}, `"Äß"`}, {"trim", []value.Value{s(" \ta b\n")}, `"a b"`},
		{"split", []value.Value{s("a,b,,c"), s(",")}, `["a","b","","c"]`}, {"split", []value.Value{s("é1"), s("")}, `["é","1"]`}, {"split", []value.Value{s(""), s(",")}, `[""]`},
		{"join", []value.Value{strs(`["a","b"]`), s(", ")}, `"a, b"`}, {"join", []value.Value{strs(`[]`), s(",")}, `""`},
		{"slice", []value.Value{s("häuser"), i(1), i(3)}, `"äu"`}, {"slice", []value.Value{s("häuser"), i(-2)}, `"er"`}, {"slice", []value.Value{s("abc"), i(2), i(1)}, `""`},
		{"slice", []value.Value{s("abc"), i(-9), i(99)}, `"abc"`}, {"slice", []value.Value{ints(`[1,2,3]`), i(1)}, `[2,3]`}, {"slice", []value.Value{ints(`[1,2,3]`), i(0), i(-1)}, `[1,2]`},
		{"slice", []value.Value{ints(`[1,2,3]`), i(-1 << 63), i(1<<63 - 1)}, `[1,2,3]`},
		{"range", []value.Value{i(3)}, `[0,1,2]`}, {"range", []value.Value{i(-3)}, `[]`}, {"range", []value.Value{i(MaxRange + 1)}, value.CodeRange},
		{"keys", []value.Value{m}, `["a","b"]`}, {"values", []value.Value{m}, `[1,2]`},
		{"min", []value.Value{i(3), i(1), i(2)}, "1"}, {"max", []value.Value{s("a"), s("b")}, `"b"`}, {"max", []value.Value{ints(`[3,9,2]`)}, "9"}, {"min", []value.Value{ints(`[]`)}, "null"},
		{"abs", []value.Value{i(-3)}, "3"}, {"abs", []value.Value{d("-1.50")}, "1.5"}, {"abs", []value.Value{i(-1 << 63)}, value.CodeOverflow}, {"abs", []value.Value{value.OfDuration(-60_000_000)}, `"1m"`},
		{"round", []value.Value{d("2.345"), i(2)}, "2.35"}, {"round", []value.Value{d("-2.5")}, "-3"},
		{"sum", []value.Value{ints(`[1,2,3]`), i(0)}, "6"}, {"sum", []value.Value{ints(`[]`), d("0")}, "0"}, {"sum", []value.Value{ints(`[9223372036854775807,1]`), i(0)}, value.CodeOverflow},
		{"sort", []value.Value{ints(`[3,1,2]`)}, "[1,2,3]"},
		{"time", []value.Value{s("2026-03-29T03:00:00+02:00")}, `"2026-03-29T01:00:00Z"`}, {"time", []value.Value{s("noon")}, value.CodeRange},
		{"date", []value.Value{at("2026-03-28T23:30:00Z"), berlin}, `"2026-03-29"`}, {"date", []value.Value{at("2026-03-28T23:30:00Z"), s("Europe/Berln")}, value.CodeRange},
		{"time_at", []value.Value{s("2026-03-29"), s("02:30"), berlin}, `"2026-03-29T01:00:00Z"`}, {"time_at", []value.Value{s("2026-02-30"), s("02:30"), berlin}, value.CodeRange},
		{"time_at", []value.Value{s("0001-01-01"), s("00:00"), berlin}, value.CodeOverflow},
		{"next", []value.Value{s("09:00"), s("UTC")}, `"1970-01-01T09:00:00Z"`}, {"next", []value.Value{s("9"), s("UTC")}, value.CodeRange},
		{"local", []value.Value{at("2026-03-29T01:00:00Z"), berlin}, `{"year":2026,"month":3,"day":29,"weekday":"sun","hour":3,"minute":0,"second":0}`},
		{"add_months", []value.Value{at("2026-01-31T10:00:00Z"), i(1), s("UTC")}, `"2026-02-28T10:00:00Z"`}, {"add_months", []value.Value{at("2026-01-31T10:00:00Z"), i(1 << 62), s("UTC")}, value.CodeOverflow},
		{"format", []value.Value{at("2026-01-31T10:00:00Z"), s("DD.MM.YYYY HH:mm"), berlin}, `"31.01.2026 11:00"`}, {"format", []value.Value{at("2026-01-31T10:00:00Z"), s("yyyy"), berlin}, value.CodeRange},
		{"now", nil, `"1970-01-01T00:00:02Z"`}, {"entered_at", nil, `"1970-01-01T00:00:01Z"`}, {"token.id", nil, `"tok1"`}, {"token.key", nil, "null"}, {"token.started_at", nil, `"1970-01-01T00:00:00Z"`},
	} {
		f, ok := Lookup(c.name)
		if !ok {
			t.Errorf("no %s", c.name)
			continue
		}
		got, err := f.Call(fixed{2_000_000}, c.args, nil)
		text := string(value.AppendJSON(nil, got))
		if err != nil {
			text = code(err)
		}
		if text != c.want {
			t.Errorf("%s%v: got %s (%v), want %s", c.name, c.args, text, err, c.want)
		}
	}
}

func TestNumberPatterns(t *testing.T) {
	f, _ := Lookup("format")
	for _, c := range []struct{ d, pattern, want string }{
		{"1234.5", "0.00", "1234.50"}, {"0.005", "0.00", "0.01"}, {"-0.005", "0.00", "-0.01"}, {"-0.004", "0.00", "0.00"}, {"1234567.891", "#,##0.00", "1,234,567.89"},
		{"12", "0.##", "12"}, {"12.345", "0.##", "12.35"}, {"0.5", "#.0#", ".5"}, {"0", "#", "0"}, {"7", "000", "007"}, {"999.999", "0", "1000"}, {"1e20", "0", "100000000000000000000"},
		{"123", "#,##0", "123"}, {"-1234", "#,##0", "-1,234"}, {"1e-30", "0.0", "0.0"},
	} {
		got, err := f.Call(nil, []value.Value{js(t, value.TypeDecimal, c.d), value.OfString(c.pattern)}, nil)
		if err != nil || got.Str() != c.want {
			t.Errorf("format(%s, %q): got %q, %v, want %q", c.d, c.pattern, got.Str(), err, c.want)
		}
	}
	for _, bad := range []string{"", "0.", "0.0.0", "abc", "0,0", "#,###,##0", "0#", "0.#0", "EUR 0.00", "1", strings.Repeat("0", 101)} {
		if got, err := f.Call(nil, []value.Value{value.OfInt64Decimal(1), value.OfString(bad)}, nil); code(err) != value.CodeRange {
			t.Errorf("%q: %s, %v", bad, got, err)
		}
	}
}

func TestLambdas(t *testing.T) {
	list := js(t, value.ListOf(value.TypeInt), `[3,1,4,1,5]`)
	over := func(n int64) Lambda {
		return func(v value.Value) (value.Value, error) { return value.OfBool(v.Int() > n), nil }
	}
	neg := func(v value.Value) (value.Value, error) { return value.Neg(v) }
	for _, c := range []struct {
		name   string
		lambda Lambda
		want   string
	}{
		{"any", over(4), "true"}, {"any", over(5), "false"}, {"all", over(0), "true"}, {"all", over(1), "false"}, {"count", over(2), "3"},
		{"find", over(3), "4"}, {"find", over(9), "null"}, {"filter", over(2), "[3,4,5]"}, {"map", neg, "[-3,-1,-4,-1,-5]"}, {"sort", neg, "[5,4,3,1,1]"}, {"sum", neg, "-14"},
	} {
		f, _ := Lookup(c.name)
		got, err := f.Call(nil, []value.Value{list}, c.lambda)
		if text := string(value.AppendJSON(nil, got)); err != nil || text != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, text, err, c.want)
		}
		broken := errors.New("broken")
		if _, err := f.Call(nil, []value.Value{list}, func(value.Value) (value.Value, error) { return value.Value{}, broken }); err != broken {
			t.Errorf("%s: the lambda's error became %v", c.name, err)
		}
	}
}

// R7: a call that would make more than a step may have is refused before it takes the memory.
func TestR7_LargeResultsAreRefused(t *testing.T) {
	big := value.OfString(strings.Repeat(",", 4<<20))
	items := make([]value.Value, 100)
	for i := range items {
		items[i] = big
	}
	split, _ := Lookup("split")
	if _, err := split.Call(nil, []value.Value{big, value.OfString(",")}, nil); code(err) != value.CodeMemory {
		t.Error("split:", err)
	}
	join, _ := Lookup("join")
	if _, err := join.Call(nil, []value.Value{value.OfList(items), value.OfString(",")}, nil); code(err) != value.CodeMemory {
		t.Error("join:", err)
	}
	mapping, _ := Lookup("map")
	if _, err := mapping.Call(nil, []value.Value{value.OfList(items)}, func(v value.Value) (value.Value, error) { return v, nil }); code(err) != value.CodeMemory {
		t.Error("map:", err)
	}
}

func BenchmarkLen(b *testing.B) {
	f, _ := Lookup("len")
	args := []value.Value{value.OfString("awaiting payment")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Call(nil, args, nil); err != nil {
			b.Fatal(err)
		}
	}
}
