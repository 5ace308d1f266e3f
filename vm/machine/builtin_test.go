package machine_test

import (
	"testing"

	"flowc/compiler"
	"flowc/validate/builtin"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm/machine"
)

func str(s string) value.Value { return value.OfString(s) }

func ints(ns ...int64) value.Value {
	var vs []value.Value
	for _, n := range ns {
		vs = append(vs, value.OfInt(n))
	}
	return value.OfList(vs)
}

// calls are arguments for every built-in, and what it gives then.
var calls = map[string]struct {
	args   []value.Value
	lambda model.Expr // over local 0
	want   string
}{
	"abs":              {args: []value.Value{value.OfInt(-3)}, want: "3"},
	"add_months":       {args: []value.Value{value.OfTime(now), value.OfInt(1), str("UTC")}, want: "2026-02-01T00:00:00Z"},
	"all":              {args: []value.Value{ints(1, 2)}, lambda: positive, want: "true"},
	"any":              {args: []value.Value{ints(0, 2)}, lambda: positive, want: "true"},
	"contains":         {args: []value.Value{str("abc"), str("b")}, want: "true"},
	"count":            {args: []value.Value{ints(0, 2)}, lambda: positive, want: "1"},
	"date":             {args: []value.Value{value.OfTime(now), str("UTC")}, want: `"2026-01-01"`},
	"ends_with":        {args: []value.Value{str("abc"), str("c")}, want: "true"},
	"entered_at":       {want: "2025-12-31T23:59:59Z"},
	"filter":           {args: []value.Value{ints(0, 2)}, lambda: positive, want: "[2]"},
	"find":             {args: []value.Value{ints(0, 2)}, lambda: positive, want: "2"},
	"format":           {args: []value.Value{value.OfInt64Decimal(2), str("0.00")}, want: `"2.00"`},
	"join":             {args: []value.Value{value.OfList([]value.Value{str("a"), str("b")}), str("-")}, want: `"a-b"`},
	"keys":             {args: []value.Value{value.OfMap([]value.Entry{{Key: "k", Value: value.OfInt(1)}})}, want: `["k"]`},
	"len":              {args: []value.Value{str("äb")}, want: "2"},
	"local":            {args: []value.Value{value.OfTime(now), str("UTC")}, want: `{"year":2026,"month":1,"day":1,"weekday":"thu","hour":0,"minute":0,"second":0}`},
	"lower":            {args: []value.Value{str("AB")}, want: `"ab"`},
	"map":              {args: []value.Value{ints(1, 2)}, lambda: positive, want: "[true,true]"},
	"max":              {args: []value.Value{value.OfInt(1), value.OfInt(2)}, want: "2"},
	"min":              {args: []value.Value{value.OfInt(1), value.OfInt(2)}, want: "1"},
	"next":             {args: []value.Value{str("09:00"), str("UTC")}, want: "2026-01-01T09:00:00Z"},
	"now":              {want: "2026-01-01T00:00:00Z"},
	"range":            {args: []value.Value{value.OfInt(3)}, want: "[0,1,2]"},
	"round":            {args: []value.Value{value.OfInt64Decimal(2), value.OfInt(1)}, want: "2"},
	"slice":            {args: []value.Value{str("abc"), value.OfInt(1), value.OfInt(2)}, want: `"b"`},
	"sort":             {args: []value.Value{ints(2, 1)}, want: "[1,2]"},
	"split":            {args: []value.Value{str("a-b"), str("-")}, want: `["a","b"]`},
	"starts_with":      {args: []value.Value{str("abc"), str("a")}, want: "true"},
	"sum":              {args: []value.Value{ints(2, 1), value.OfInt(0)}, want: "3"},
	"time":             {args: []value.Value{str("2026-01-01T00:00:00Z")}, want: "2026-01-01T00:00:00Z"},
	"time_at":          {args: []value.Value{str("2026-01-01"), str("09:00"), str("UTC")}, want: "2026-01-01T09:00:00Z"},
	"token.id":         {want: `"token-1"`},
	"token.key":        {want: `"key-1"`},
	"token.started_at": {want: "2025-12-31T23:59:58Z"},
	"trim":             {args: []value.Value{str(" a ")}, want: `"a"`},
	"upper":            {args: []value.Value{str("ab")}, want: `"AB"`},
	"values":           {args: []value.Value{value.OfMap([]value.Entry{{Key: "k", Value: value.OfInt(1)}})}, want: "[1]"},
}

var positive = &model.Binary{
	Typed: typed(value.TypeBool), Op: model.Gt,
	X: &model.LocalRef{Typed: typed(value.TypeInt)},
	Y: &model.Const{Typed: typed(value.TypeInt), Value: value.OfInt(0)},
}

func TestEveryBuiltInRuns(t *testing.T) {
	for _, f := range builtin.All() {
		if f.State { // an instruction of its own
			continue
		}
		c, ok := calls[f.Name]
		if !ok {
			t.Errorf("no call of %s", f.Name)
			continue
		}
		e := &model.CallBuiltin{Typed: typed(value.TypeInvalid), Name: f.Name}
		for _, v := range c.args {
			e.Args = append(e.Args, &model.Const{Value: v})
		}
		if c.lambda != nil {
			e.Lambda = &model.Lambda{Body: c.lambda}
		}
		p, _, err := compiler.Compile(exprModel(e, []model.Local{{Name: "x", Type: value.TypeInt}}))
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		end := machine.Eval(p, p.Flows[0].States[0].Timers[0].Dur, newHost(), machine.NewBudget())
		if end.Kind != machine.Done || end.Value.String() != c.want {
			t.Errorf("%s: %+v, want %s", f.Name, end, c.want)
		}
	}
}

// An error inside a lambda is that of the code that holds it, at its own place.
func TestAnErrorInALambdaEndsTheCall(t *testing.T) {
	body := &model.Binary{
		Typed: typed(value.TypeInt), Op: model.Div,
		X: &model.Const{Typed: typed(value.TypeInt), Value: value.OfInt(1)},
		Y: &model.LocalRef{Typed: typed(value.TypeInt)},
	}
	e := &model.CallBuiltin{
		Typed: typed(intList), Name: "map", Args: []model.Expr{&model.Const{Value: ints(1, 0)}}, Lambda: &model.Lambda{Body: body},
	}
	p, _, err := compiler.Compile(exprModel(e, []model.Local{{Name: "x", Type: value.TypeInt}}))
	if err != nil {
		t.Fatal(err)
	}
	code := p.Flows[0].States[0].Timers[0].Dur
	end := machine.Eval(p, code, newHost(), machine.NewBudget())
	if end.Kind != machine.Raised || end.Err.Code != value.CodeDivision || end.Code == code {
		t.Errorf("%+v", end)
	}
}
