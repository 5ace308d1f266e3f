package value

import (
	"fmt"
	"math"

	"pgregory.net/rapid"
)

var tier = &Decl{Name: "tier", Members: []string{"bronze", "silver", "gold"}}

// tree is a record that refers to itself.
var tree = func() *Decl {
	d := &Decl{Name: "tree"}
	d.Fields = []Field{
		{Name: "name", Type: TypeString},
		{Name: "kids", Type: ListOf(RecordOf(d))},
		{Name: "other", Type: Opt(RecordOf(d))},
	}
	return d
}()

// genType draws a type of any shape, records and enums among them.
func genType(t *rapid.T, depth int) *Type {
	kinds := []Kind{Bool, Int, Decimal, String, Duration, Time, JSON, Enum}
	if depth > 0 {
		kinds = append(kinds, Record, List, Map)
	}
	typ := &Type{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Optional: rapid.IntRange(0, 3).Draw(t, "optional") == 0}
	switch typ.Kind {
	case Enum:
		typ.Decl = tier
	case List, Map:
		typ.Elem = genType(t, depth-1)
	case Record:
		typ.Decl = &Decl{Name: "r"}
		for i := range rapid.IntRange(0, 4).Draw(t, "fields") {
			typ.Decl.Fields = append(typ.Decl.Fields, Field{Name: fmt.Sprintf("f%d", i), Type: genType(t, depth-1)})
		}
	}
	return typ
}

var anyText = rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab\"\\/\n\t\x01\x7fä€𝄞\u2028{}~0")), rapid.Rune())).
	Filter(func(s string) bool {
		for _, r := range s {
			if r == 0 {
				return false
			}
		}
		return true
	})

// genValue draws a value of a type.
func genValue(t *rapid.T, typ *Type) Value {
	if typ.Optional && rapid.IntRange(0, 2).Draw(t, "null") == 0 {
		return OfNull()
	}
	switch typ.Kind {
	case Bool:
		return OfBool(rapid.Bool().Draw(t, "bool"))
	case Int:
		return OfInt(rapid.Int64().Draw(t, "int"))
	case Decimal:
		return genDecimal(t)
	case String:
		return OfString(anyText.Draw(t, "string"))
	case Duration:
		return OfDuration(genMicros(t))
	case Time:
		return OfTime(rapid.Int64Range(MinTime, MaxTime).Draw(t, "time"))
	case Enum:
		return OfEnum(typ.Decl, rapid.IntRange(0, len(typ.Decl.Members)-1).Draw(t, "member"))
	case JSON:
		return genJSON(t)
	}
	return genParts(t, typ)
}

func genParts(t *rapid.T, typ *Type) Value {
	n := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 80)).Draw(t, "n")
	if typ.Elem != nil && typ.Elem.Kind >= Record {
		n = min(n, 3)
	}
	switch typ.Kind {
	case List:
		items := make([]Value, n)
		for i := range items {
			items[i] = genValue(t, typ.Elem)
		}
		return OfList(items)
	case Map:
		entries := make([]Entry, n)
		for i := range entries {
			entries[i] = Entry{anyText.Draw(t, "key"), genValue(t, typ.Elem)}
		}
		return OfMap(entries)
	}
	fields := make([]Value, len(typ.Decl.Fields))
	for i := range fields {
		fields[i] = genValue(t, typ.Decl.Fields[i].Type)
	}
	return OfRecord(typ.Decl, fields)
}

func genMicros(t *rapid.T) int64 {
	return rapid.OneOf(
		rapid.Int64(),
		rapid.SampledFrom([]int64{0, 1, -1, second, -day, 90 * minute, 250_000, math.MinInt64, math.MaxInt64}),
		rapid.Map(rapid.Int64Range(-1e6, 1e6), func(n int64) int64 { return n * minute }),
	).Draw(t, "micros")
}

func genDecimal(t *rapid.T) Value {
	digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,33})`).Draw(t, "digits")
	exp := rapid.OneOf(rapid.IntRange(-6, 3), rapid.IntRange(-60, 60), rapid.IntRange(-6100, 6100)).Draw(t, "exp")
	v, err := ParseDecimal(fmt.Sprintf("%se%d", digits, exp))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func genJSON(t *rapid.T) Value {
	v, err := ToJSON(genValue(t, genJSONType(t)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func genJSONType(t *rapid.T) *Type {
	return rapid.SampledFrom([]*Type{
		TypeBool, TypeInt, TypeDecimal, TypeString, Opt(TypeInt), ListOf(Opt(TypeDecimal)), MapOf(ListOf(TypeString)), TypeTime,
	}).Draw(t, "json")
}
