package builtin

import (
	"strings"
	"testing"

	"flowc/validate/value"
)

var (
	tInt, tDec, tStr, tBool = value.TypeInt, value.TypeDecimal, value.TypeString, value.TypeBool
	tDur, tTime             = value.TypeDuration, value.TypeTime
	tier                    = value.EnumOf(&value.Decl{Name: "tier", Members: []string{"a", "b"}})
	item                    = value.RecordOf(&value.Decl{Name: "item", Fields: []value.Field{{Name: "sku", Type: tStr}}})
)

// arg makes an argument: a type, a text constant, or the type of a lambda's body.
type body struct{ t *value.Type }

func arg(a any, param **value.Type) Arg {
	switch a := a.(type) {
	case string:
		v := value.OfString(a)
		return Arg{Type: tStr, Const: &v}
	case body:
		return Arg{Lambda: func(p *value.Type) *value.Type { *param = p; return a.t }}
	case *value.Type:
		return Arg{Type: a}
	}
	return Arg{}
}

func TestCallsAreTyped(t *testing.T) {
	list := value.ListOf
	for _, c := range []struct {
		name  string
		args  []any
		want  string // the result, then what arguments convert to
		param string
	}{
		{"len", []any{list(tInt)}, "int list<int>", ""}, {"len", []any{tStr}, "int string", ""}, {"len", []any{list(value.TypeInvalid)}, "int list", ""},
		{"contains", []any{list(tDec), tInt}, "bool list<decimal> decimal", ""}, {"contains", []any{list(tStr), value.Opt(tStr)}, "bool list<string> string?", ""},
		{"contains", []any{value.MapOf(tInt), tStr}, "bool map<int> string", ""}, {"contains", []any{list(value.Opt(tInt)), value.TypeNull}, "bool list<int?> null", ""},
		{"slice", []any{list(item), tInt}, "list<item> list<item> int", ""}, {"slice", []any{tStr, tInt, tInt}, "string string int int", ""},
		{"max", []any{tInt, tDec, tInt}, "decimal decimal decimal decimal", ""}, {"min", []any{list(tier)}, "tier? list<tier>", ""}, {"max", []any{tTime, tTime}, "time time time", ""},
		{"sum", []any{list(tDec)}, "decimal list<decimal>", ""}, {"sum", []any{list(item), body{tInt}}, "int list<item>", "item"}, {"sum", []any{list(tDur)}, "duration list<duration>", ""}, {"sum", []any{list(value.TypeInvalid)}, "int list", ""},
		{"sort", []any{list(item), body{tStr}}, "list<item> list<item>", "item"}, {"sort", []any{list(tier)}, "list<tier> list<tier>", ""},
		{"find", []any{list(item), body{tBool}}, "item? list<item>", "item"}, {"find", []any{list(value.Opt(tInt)), body{tBool}}, "int? list<int?>", "int?"},
		{"map", []any{list(item), body{value.Opt(tDec)}}, "list<decimal?> list<item>", "item"}, {"filter", []any{list(tInt), body{tBool}}, "list<int> list<int>", "int"},
		{"any", []any{list(tInt), body{tBool}}, "bool list<int>", "int"}, {"count", []any{list(tInt), body{value.TypeInvalid}}, "int list<int>", "int"},
		{"keys", []any{value.MapOf(tInt)}, "list<string> map<int>", ""}, {"values", []any{value.MapOf(item)}, "list<item> map<item>", ""},
		{"round", []any{tInt, tInt}, "decimal decimal int", ""}, {"round", []any{tDec}, "decimal decimal", ""}, {"abs", []any{tDur}, "duration duration", ""},
		{"format", []any{tInt, "0.00"}, "string decimal string", ""}, {"format", []any{tTime, "YYYY", "UTC"}, "string time string string", ""},
		{"local", []any{tTime, tStr}, "local_time time string", ""}, {"next", []any{"09:00", "Europe/Berlin"}, "time string string", ""}, {"now", nil, "time", ""},
		{"token.key", nil, "string?", ""}, {"time", []any{"2026-01-01T00:00:00Z"}, "time string", ""}, {"active", []any{tStr}, "bool string", ""},
		{"len", []any{value.TypeInvalid}, "int unknown", ""}, {"max", []any{value.TypeInvalid, tInt}, "int int int", ""}, {"slice", []any{value.TypeInvalid, tInt}, "unknown unknown int", ""},
	} {
		f, _ := Lookup(c.name)
		var param *value.Type
		var args []Arg
		for _, a := range c.args {
			args = append(args, arg(a, &param))
		}
		sig, problem := f.Check(args)
		got := sig.Result.String()
		for _, a := range sig.Args {
			got += " " + a.String()
		}
		if problem != nil || got != c.want || c.param != "" && (param.String() != c.param || sig.Param != param) {
			t.Errorf("%s%v: got %s, lambda of %s (%+v), want %s, %s", c.name, c.args, got, param, problem, c.want, c.param)
		}
	}
}

func TestWrongCallsAreNamed(t *testing.T) {
	list := value.ListOf
	for _, c := range []struct {
		name string
		args []any
		want string // id, argument, part of the message
	}{
		{"len", nil, "missing-argument -1 `len` needs 1 argument: write len(x)"}, {"len", []any{tStr, tStr}, "unknown-argument 1 `len` takes 1 argument"},
		{"len", []any{tInt}, "type-mismatch 0 argument 1 of `len` is an int; it must be a string, a list or a map"},
		{"len", []any{value.Opt(tStr)}, "null-not-tested 0 argument 1 of `len` may be null (string?)"},
		{"lower", []any{tInt}, "type-mismatch 0 argument 1 of `lower` is an int; it must be a string"},
		{"contains", []any{list(tInt), tStr}, "type-mismatch 1 argument 2 of `contains` is a string; it must be an int, as the list's elements are"},
		{"contains", []any{tStr, tInt}, "type-mismatch 1"}, {"slice", []any{tStr, tDec}, "type-mismatch 1"},
		{"max", []any{tInt}, "type-mismatch 0 argument 1 of `max` is an int; it must be a list, or one of two or more values"},
		{"max", []any{tInt, tStr}, "type-mismatch 1 argument 2 of `max` is a string; it must be an int, as the first"},
		{"max", []any{value.Opt(tInt), tInt}, "null-not-tested 0"}, {"max", []any{tBool, tBool}, "type-mismatch 0"}, {"min", []any{list(item)}, "type-mismatch 0 `min` cannot order"},
		{"sum", []any{list(tStr)}, "type-mismatch 0 `sum` adds up"}, {"sum", []any{list(value.Opt(tInt))}, "type-mismatch 0"}, {"sum", []any{list(item), body{tStr}}, "type-mismatch 1"},
		{"sort", []any{list(item)}, "type-mismatch 0 a list<item> cannot be sorted: give a key"}, {"sort", []any{list(item), body{value.Opt(tInt)}}, "type-mismatch 1 `sort` cannot order by an int?"},
		{"any", []any{list(tInt)}, "missing-argument -1 `any` needs a lambda"}, {"any", []any{list(tInt), body{tInt}}, "type-mismatch 1 the lambda of `any` gives an int; it must be a bool"},
		{"filter", []any{list(tInt), body{value.Opt(tBool)}}, "null-not-tested 1"}, {"map", []any{tInt, body{tInt}}, "type-mismatch 0"},
		{"len", []any{body{tInt}}, "type-mismatch 0 `len` takes no lambda"}, {"join", []any{list(tInt), tStr}, "type-mismatch 0 argument 1 of `join` is a list<int>; it must be a list<string>"},
		{"time", []any{"tomorrow"}, "not-a-time 0 \"tomorrow\" is no time: write it as 2026-03-29T01:00:00Z"}, {"time", []any{tTime}, "type-mismatch 0"},
		{"time_at", []any{"2026-02-30", "09:00", "UTC"}, "not-a-time 0"}, {"time_at", []any{"2026-02-03", "9:00", "UTC"}, "not-a-time 1"},
		{"date", []any{tTime, "Europe/Berln"}, "zone-unknown 1 there is no time zone \"Europe/Berln\"; is \"Europe/Berlin\" meant?"},
		{"format", []any{tTime, "YYYY"}, "missing-argument -1 `format` of a time needs a zone"}, {"format", []any{tInt, "0.00", "UTC"}, "unknown-argument 2"},
		{"format", []any{tTime, "yyyy", "UTC"}, "type-mismatch 1 `yyyy` is no part"}, {"format", []any{tDec, "x"}, "type-mismatch 1"}, {"format", []any{tStr, "x"}, "type-mismatch 0"},
		{"now", []any{tInt}, "unknown-argument 0 `now` takes no arguments"}, {"round", []any{tDec, tInt, tInt}, "unknown-argument 2 `round` takes at most 2 arguments"},
		{"abs", []any{tStr}, "type-mismatch 0"}, {"range", []any{tDec}, "type-mismatch 0"}, {"keys", []any{list(tInt)}, "type-mismatch 0"},
	} {
		f, _ := Lookup(c.name)
		var param *value.Type
		var args []Arg
		for _, a := range c.args {
			args = append(args, arg(a, &param))
		}
		sig, problem := f.Check(args)
		if problem == nil {
			t.Errorf("%s%v passed as %s", c.name, c.args, sig.Result)
			continue
		}
		words := strings.SplitN(c.want, " ", 3)
		part := ""
		if len(words) > 2 {
			part = words[2]
		}
		at := map[string]int{"-1": -1, "0": 0, "1": 1, "2": 2}[words[1]]
		if problem.ID != words[0] || problem.Arg != at || !strings.HasPrefix(problem.Message, part) {
			t.Errorf("%s%v: got %+v, want %s", c.name, c.args, problem, c.want)
		}
	}
	date, _ := Lookup("date")
	zone := value.OfString("Europe/Berln")
	if _, problem := date.Check([]Arg{{Type: tTime}, {Type: tStr, Const: &zone}}); problem == nil || problem.Fix != "Europe/Berlin" {
		t.Errorf("no fix: %+v", problem)
	}
}

func TestSumFillsInTheZeroOfItsType(t *testing.T) {
	f, _ := Lookup("sum")
	for _, c := range []struct {
		t    *value.Type
		want string
	}{{tDec, "0"}, {tDur, "0s"}, {tInt, "0"}} {
		sig, _ := f.Check([]Arg{{Type: value.ListOf(c.t)}})
		if len(sig.Fill) != 1 || sig.Fill[0].Kind() != c.t.Kind {
			t.Fatalf("%s: %v", c.t, sig.Fill)
		}
		got, err := f.Call(nil, []value.Value{value.OfList(nil), sig.Fill[0]}, nil)
		if err != nil || got.Kind() != c.t.Kind || got.String() != c.want {
			t.Errorf("%s: %s, %v", c.t, got, err)
		}
	}
}

func TestTakesCountsWhatIsFilledIn(t *testing.T) {
	for _, c := range []struct {
		name   string
		plain  int
		lambda bool
		want   bool
	}{
		{"sum", 2, false, true}, {"sum", 2, true, true}, {"sum", 1, false, false}, {"len", 1, false, true}, {"len", 1, true, false}, {"len", 2, false, false},
		{"any", 1, true, true}, {"any", 1, false, false}, {"max", 9, false, true}, {"max", 0, false, false}, {"now", 0, false, true}, {"slice", 3, false, true},
	} {
		if f, _ := Lookup(c.name); f.Takes(c.plain, c.lambda) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestEveryBuiltinIsDocumented(t *testing.T) {
	for _, f := range All() {
		if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") || !strings.HasPrefix(f.Signature, f.Name) || f.check == nil || f.call == nil && !f.State {
			t.Errorf("%+v", f)
		}
		if got, ok := Lookup(f.Name); !ok || got != f {
			t.Errorf("%s is not found", f.Name)
		}
	}
	// language.md 7, in its order.
	for _, name := range strings.Fields(`now time date time_at next local add_months format len contains starts_with ends_with lower upper trim split
		join slice min max abs round range sum sort find any all count map filter keys values active token.id token.key token.started_at entered_at`) {
		f, ok := Lookup(name)
		if !ok {
			t.Errorf("no %s", name)
			continue
		}
		clock := name == "now" || name == "next" || name == "active" || name == "entered_at" || strings.HasPrefix(name, "token.")
		if f.Foldable == clock {
			t.Errorf("%s: foldable %v", name, f.Foldable)
		}
	}
}
