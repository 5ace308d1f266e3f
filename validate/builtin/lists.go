package builtin

import (
	"strings"
	"unicode/utf8"

	"flowc/validate/value"
)

func listFuncs() []*Func {
	return []*Func{
		{
			Name: "len", Signature: "len(x)", Foldable: true, min: 1, max: 1, cost: lenCost,
			Doc:   "How many characters (code points) a text has, elements a list or entries a map.",
			check: checkLen, call: length,
		},
		{
			Name: "contains", Signature: "contains(x, part)", Foldable: true, min: 2, max: 2, cost: whole,
			Doc:   "Whether a text holds another one, a list an equal element, or a map the key.",
			check: checkContains, call: contains,
		},
		{
			Name: "slice", Signature: "slice(x, from, to)", Foldable: true, min: 2, max: 3,
			Doc:   "The part of a text or a list from one position up to and without another, to the end without `to`. Positions start at 0, negative ones count from the end, and what lies outside is cut off.",
			check: checkSlice, call: slice,
		},
		{
			Name: "range", Signature: "range(n)", Foldable: true, min: 1, max: 1,
			Doc:   "The whole numbers from 0 to n-1; none when n is 0 or less. The largest n is 1,000,000.",
			check: func(c *call) *value.Type { c.want(0, sInt); return value.ListOf(sInt) }, call: rangeOf,
		},
		{
			Name: "keys", Signature: "keys(m)", Foldable: true, min: 1, max: 1,
			Doc:   "The keys of a map, in order.",
			check: func(c *call) *value.Type { c.oneOf(0, "a map", value.Map); return value.ListOf(sString) }, call: keys,
		},
		{
			Name: "values", Signature: "values(m)", Foldable: true, min: 1, max: 1,
			Doc:   "The values of a map, in the order of their keys.",
			check: func(c *call) *value.Type { return value.ListOf(elem(c.oneOf(0, "a map", value.Map))) }, call: values,
		},
	}
}

func checkLen(c *call) *value.Type {
	c.oneOf(0, "a string, a list or a map", value.String, value.List, value.Map)
	return sInt
}

func lenCost(args []value.Value) int {
	if args[0].Kind() == value.String {
		return args[0].Own()
	}
	return 0
}

func length(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	if args[0].Kind() == value.String {
		return value.OfInt(int64(utf8.RuneCountInString(args[0].Str()))), nil
	}
	return value.OfInt(int64(args[0].Len())), nil
}

func checkContains(c *call) *value.Type {
	switch t := c.oneOf(0, "a string, a list or a map", value.String, value.List, value.Map); t.Kind {
	case value.String, value.Map:
		c.want(1, sString)
	case value.List:
		c.element(1, elem(t))
	}
	return sBool
}

// element checks that argument i may be compared with elements of a type.
func (c *call) element(i int, t *value.Type) {
	from := c.plain(i)
	if !value.Assignable(from, value.Opt(t)) {
		c.mismatch(i, from, withArticle(t)+", as the list's elements are")
		return
	}
	if value.Converts(from, t) {
		c.sig.Args[i] = t
		if from.Optional {
			c.sig.Args[i] = value.Opt(t)
		}
	}
}

func contains(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	if args[0].Kind() == value.String {
		return value.OfBool(strings.Contains(args[0].Str(), args[1].Str())), nil
	}
	return value.OfBool(value.In(args[1], args[0])), nil
}

func checkSlice(c *call) *value.Type {
	t := c.oneOf(0, "a string or a list", value.String, value.List)
	c.want(1, sInt)
	c.want(2, sInt)
	return t
}

func slice(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	x, from, to := args[0], args[1].Int(), int64(0)
	if len(args) > 2 {
		to = args[2].Int()
	}
	if x.Kind() == value.String {
		return sliceText(x.Str(), from, to, len(args) > 2), nil
	}
	start, end := bounds(int64(x.Len()), from, to, len(args) > 2)
	if start == 0 && end == int64(x.Len()) {
		return x, nil
	}
	items := make([]value.Value, 0, end-start)
	for i := start; i < end; i++ {
		items = append(items, x.At(int(i)))
	}
	return value.OfList(items), nil
}

func rangeOf(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	n := max(args[0].Int(), 0)
	if n > MaxRange {
		return value.Value{}, value.Errorf(value.CodeRange, "range(%d) is too long: the largest is range(%d)", n, MaxRange)
	}
	items := make([]value.Value, n)
	for i := range items {
		items[i] = value.OfInt(int64(i))
	}
	return value.OfList(items), nil
}

func keys(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	items := make([]value.Value, 0, args[0].Len())
	for k := range args[0].Entries() {
		items = append(items, value.OfString(k))
	}
	return value.OfList(items), nil
}

func values(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	items := make([]value.Value, 0, args[0].Len())
	for _, v := range args[0].Entries() {
		items = append(items, v)
	}
	return value.OfList(items), nil
}
