package builtin

import (
	"flowc/validate/value"
)

func numberFuncs() []*Func {
	return []*Func{
		{
			Name: "min", Signature: "min(a, b, …) or min(list)", Foldable: true, min: 1, max: -1,
			Doc:   "The smallest of two or more values that can be ordered, or of a list; null of an empty list.",
			check: checkExtreme, call: extreme(-1),
		},
		{
			Name: "max", Signature: "max(a, b, …) or max(list)", Foldable: true, min: 1, max: -1,
			Doc:   "The largest of two or more values that can be ordered, or of a list; null of an empty list.",
			check: checkExtreme, call: extreme(1),
		},
		{
			Name: "abs", Signature: "abs(x)", Foldable: true, min: 1, max: 1, cost: nothing,
			Doc: "A number or a duration without its sign.",
			check: func(c *call) *value.Type {
				return c.oneOf(0, "an int, a decimal or a duration", value.Int, value.Decimal, value.Duration)
			},
			call: abs,
		},
		{
			Name: "round", Signature: "round(d, places)", Foldable: true, min: 1, max: 2, cost: nothing,
			Doc: "A decimal rounded to so many places after the point (0 without `places`), halves away from zero. Negative places round to tens, hundreds and so on.",
			check: func(c *call) *value.Type {
				c.want(0, value.TypeDecimal)
				c.want(1, sInt)
				return value.TypeDecimal
			},
			call: round,
		},
	}
}

func checkExtreme(c *call) *value.Type {
	if len(c.sig.Args) == 1 {
		t := c.plain(0)
		switch e := elem(t); {
		case t.Kind == value.Invalid:
			return t
		case t.Kind != value.List || t.Optional:
			c.oneOf(0, "a list, or one of two or more values", value.List)
		case !e.Orderable():
			c.fail(0, "type-mismatch", "`%s` cannot order values of %s: they must be numbers, strings, durations, times or of an enum, and not null", c.f.Name, e)
		default:
			return value.Opt(e)
		}
		return nil
	}
	common := c.known(0)
	for i := range c.sig.Args {
		next, ok := value.Common(common, c.known(i))
		if !ok {
			c.mismatch(i, c.plain(i), withArticle(common)+", as the first")
			return nil
		}
		common = next
	}
	if !common.Orderable() {
		c.mismatch(0, common, "a number, a string, a duration, a time or of an enum")
		return nil
	}
	if c.problem == nil {
		for i := range c.sig.Args {
			c.sig.Args[i] = common
		}
	}
	return common
}

// extreme returns min (-1) or max (1). Of equal values it takes the first.
func extreme(sign int) func(Env, []value.Value, Lambda) (value.Value, error) {
	return func(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
		best := args[0]
		if len(args) > 1 {
			for _, v := range args[1:] {
				if value.Compare(v, best) == sign {
					best = v
				}
			}
			return best, nil
		}
		list := best
		best = list.At(0)
		for _, v := range list.All() {
			if value.Compare(v, best) == sign {
				best = v
			}
		}
		return best, nil
	}
}

func abs(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	if args[0].Sign() < 0 {
		return value.Neg(args[0])
	}
	return args[0], nil
}

func round(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	places := int64(0)
	if len(args) > 1 {
		places = args[1].Int()
	}
	return value.Round(args[0], places)
}
