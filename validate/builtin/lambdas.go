package builtin

import (
	"slices"

	"flowc/validate/value"
)

func lambdaFuncs() []*Func {
	condition := func(result func(elem *value.Type) *value.Type) func(*call) *value.Type {
		return func(c *call) *value.Type {
			e := c.list(0)
			c.condition(e)
			return result(e)
		}
	}
	always := func(t *value.Type) func(*value.Type) *value.Type {
		return func(*value.Type) *value.Type { return t }
	}
	return []*Func{
		{
			Name: "any", Signature: "any(list, x => condition)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc: "Whether the condition holds for at least one element.", check: condition(always(sBool)), call: anyOf,
		},
		{
			Name: "all", Signature: "all(list, x => condition)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc: "Whether the condition holds for every element; true of an empty list.", check: condition(always(sBool)), call: allOf,
		},
		{
			Name: "count", Signature: "count(list, x => condition)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc: "For how many elements the condition holds.", check: condition(always(sInt)), call: count,
		},
		{
			Name: "find", Signature: "find(list, x => condition)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc: "The first element for which the condition holds, null when there is none.", check: condition(value.Opt), call: find,
		},
		{
			Name: "filter", Signature: "filter(list, x => condition)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc: "The elements for which the condition holds, in their order.", check: condition(value.ListOf), call: filter,
		},
		{
			Name: "map", Signature: "map(list, x => expr)", Foldable: true, Lambda: MustLambda, min: 1, max: 1,
			Doc:   "The list of what the expression gives for each element.",
			check: func(c *call) *value.Type { return value.ListOf(c.lambda(c.list(0))) }, call: mapOver,
		},
		{
			Name: "sort", Signature: "sort(list, x => key)", Foldable: true, Lambda: MayLambda, min: 1, max: 1,
			Doc:   "The list in rising order of its elements, or of the keys that the lambda gives; equal ones keep their order.",
			check: checkSort, call: sortList, cost: whole,
		},
		{
			Name: "sum", Signature: "sum(list, x => number)", Foldable: true, Lambda: MayLambda, min: 1, max: 1,
			Doc:   "The sum of ints, decimals or durations in a list, or of those that the lambda gives; 0 of an empty list.",
			check: checkSum, call: sum, fill: 1,
		},
	}
}

// test calls a condition for each element until visit says false.
func test(list value.Value, lambda Lambda, visit func(v value.Value, holds bool) (more bool)) error {
	for _, v := range list.All() {
		b, err := lambda(v)
		if err != nil {
			return err
		}
		if !visit(v, b.Bool()) {
			return nil
		}
	}
	return nil
}

func anyOf(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	found := false
	err := test(args[0], lambda, func(_ value.Value, holds bool) bool {
		found = found || holds
		return !found
	})
	return value.OfBool(found), err
}

func allOf(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	all := true
	err := test(args[0], lambda, func(_ value.Value, holds bool) bool {
		all = all && holds
		return all
	})
	return value.OfBool(all), err
}

func count(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	n := int64(0)
	err := test(args[0], lambda, func(_ value.Value, holds bool) bool {
		if holds {
			n++
		}
		return true
	})
	return value.OfInt(n), err
}

func find(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	var found value.Value
	err := test(args[0], lambda, func(v value.Value, holds bool) bool {
		if holds {
			found = v
		}
		return !holds
	})
	return found, err
}

func filter(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	var kept []value.Value
	err := test(args[0], lambda, func(v value.Value, holds bool) bool {
		if holds {
			kept = append(kept, v)
		}
		return true
	})
	return value.OfList(kept), err
}

func mapOver(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	out := make([]value.Value, 0, args[0].Len())
	size := 0
	for _, v := range args[0].All() {
		w, err := lambda(v)
		if err != nil {
			return value.Value{}, err
		}
		if size += w.Size(); size > value.MaxSize {
			return value.Value{}, tooLarge()
		}
		out = append(out, w)
	}
	return value.OfList(out), nil
}

// checkSort sees that what is sorted by can be ordered. The result is the list as it was.
func checkSort(c *call) *value.Type {
	e := c.list(0)
	if !c.hasLambda() {
		if !e.Orderable() {
			c.fail(0, "type-mismatch", "a list<%s> cannot be sorted: give a key with `sort(list, x => key)`, a number, string, duration, time or enum", e)
		}
	} else if key := c.lambda(e); !key.Orderable() {
		c.fail(len(c.args)-1, "type-mismatch", "`sort` cannot order by %s: the key must be a number, string, duration, time or enum, and not null", withArticle(key))
	}
	return value.ListOf(e)
}

type keyed struct{ key, value value.Value }

func sortList(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	items := make([]keyed, 0, args[0].Len())
	for _, v := range args[0].All() {
		key := v
		if lambda != nil {
			var err error
			if key, err = lambda(v); err != nil {
				return value.Value{}, err
			}
		}
		items = append(items, keyed{key, v})
	}
	slices.SortStableFunc(items, func(a, b keyed) int { return value.Compare(a.key, b.key) })
	out := make([]value.Value, len(items))
	for i := range items {
		out[i] = items[i].value
	}
	return value.OfList(out), nil
}

func checkSum(c *call) *value.Type {
	t, at := c.list(0), 0
	if c.hasLambda() {
		t, at = c.lambda(t), len(c.args)-1
	}
	switch {
	case t.Kind == value.Invalid && c.problem == nil && !c.hasLambda():
		t = sInt // sum([])
	case t.Kind == value.Invalid, t.Numeric(), t.Kind == value.Duration && !t.Optional:
	default:
		c.fail(at, "type-mismatch", "`sum` adds up ints, decimals or durations, not values of %s", t)
		return nil
	}
	c.sig.Fill = []value.Value{zero(t)}
	return t
}

func zero(t *value.Type) value.Value {
	switch t.Kind {
	case value.Decimal:
		return value.OfInt64Decimal(0)
	case value.Duration:
		return value.OfDuration(0)
	}
	return value.OfInt(0)
}

// sum starts from the zero that Sig.Fill put behind the list, since an empty list does not say of what type its sum is.
func sum(_ Env, args []value.Value, lambda Lambda) (value.Value, error) {
	total := value.OfInt(0)
	if len(args) > 1 {
		total = args[1]
	}
	for _, v := range args[0].All() {
		var err error
		if lambda != nil {
			if v, err = lambda(v); err != nil {
				return value.Value{}, err
			}
		}
		if total, err = value.Add(total, v); err != nil {
			return value.Value{}, err
		}
	}
	return total, nil
}
