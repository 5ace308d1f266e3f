package builtin

import (
	"errors"
	"fmt"

	"flowc/validate/calendar"
	"flowc/validate/value"
)

// A call is one call being typed. Its methods look at one argument each and note the first problem; after one they accept
// everything, so that one mistake is one finding.
type call struct {
	f       *Func
	args    []Arg
	sig     Sig
	problem *Problem
}

func (c *call) fail(arg int, id, format string, args ...any) {
	if c.problem == nil {
		c.problem = &Problem{ID: id, Arg: arg, Message: fmt.Sprintf(format, args...)}
	}
}

// arity checks how many arguments there are and where the lambda stands.
func (c *call) arity() {
	plain := len(c.sig.Args)
	for i, a := range c.args {
		switch {
		case a.Lambda == nil:
		case c.f.Lambda == NoLambda:
			c.fail(i, "type-mismatch", "`%s` takes no lambda: write %s", c.f.Name, c.f.Signature)
		case i != len(c.args)-1:
			c.fail(i, "type-mismatch", "the lambda is the last argument: write %s", c.f.Signature)
		}
	}
	switch {
	case plain < c.f.min:
		c.fail(-1, "missing-argument", "`%s` needs %s: write %s", c.f.Name, countOf(c.f.min), c.f.Signature)
	case c.f.max >= 0 && plain > c.f.max:
		c.fail(c.f.max, "unknown-argument", "`%s` takes %s: write %s", c.f.Name, atMost(c.f), c.f.Signature)
	case c.f.Lambda == MustLambda && !c.hasLambda():
		c.fail(-1, "missing-argument", "`%s` needs a lambda: write %s", c.f.Name, c.f.Signature)
	}
}

func countOf(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

func atMost(f *Func) string {
	switch {
	case f.max == 0:
		return "no arguments"
	case f.min < f.max:
		return "at most " + countOf(f.max)
	}
	return countOf(f.max)
}

func (c *call) hasLambda() bool { return len(c.args) > 0 && c.args[len(c.args)-1].Lambda != nil }

// plain returns the type of argument i, Invalid when there is none.
func (c *call) plain(i int) *value.Type {
	if i >= len(c.sig.Args) || c.sig.Args[i] == nil {
		return value.TypeInvalid
	}
	return c.sig.Args[i]
}

// known returns the type of argument i once it is known not to be null; Invalid after a problem.
func (c *call) known(i int) *value.Type {
	t := c.plain(i)
	if t.Optional && t.Kind != value.Invalid {
		c.fail(i, "null-not-tested", "argument %d of `%s` may be null (%s): test it first, or write `?? …` or `!`", i+1, c.f.Name, t)
		return value.TypeInvalid
	}
	return t
}

// want checks that argument i goes as a t, and notes the conversion.
func (c *call) want(i int, t *value.Type) {
	if i >= len(c.sig.Args) {
		return
	}
	from := c.known(i)
	if !value.Assignable(from, t) {
		c.mismatch(i, from, withArticle(t))
		return
	}
	if from.Kind != value.Invalid {
		c.sig.Args[i] = t
	}
}

func (c *call) mismatch(i int, from *value.Type, expected string) {
	c.fail(i, "type-mismatch", "argument %d of `%s` is %s; it must be %s: %s", i+1, c.f.Name, withArticle(from), expected, c.f.Signature)
}

func withArticle(t *value.Type) string {
	name := t.String()
	switch name[0] {
	case 'a', 'e', 'i', 'o', 'u':
		return "an " + name
	}
	return "a " + name
}

// oneOf checks that argument i is of one of the kinds and returns its type.
func (c *call) oneOf(i int, expected string, kinds ...value.Kind) *value.Type {
	t := c.known(i)
	if t.Kind == value.Invalid {
		return t
	}
	for _, k := range kinds {
		if t.Kind == k {
			return t
		}
	}
	c.mismatch(i, t, expected)
	return value.TypeInvalid
}

// list checks that argument i is a list and returns its elements' type.
func (c *call) list(i int) *value.Type { return elem(c.oneOf(i, "a list", value.List)) }

// elem returns the type of a list's or a map's elements, Invalid where it is not known.
func elem(t *value.Type) *value.Type {
	if t.Elem == nil {
		return value.TypeInvalid
	}
	return t.Elem
}

// lambda types the call's lambda for elements of a type and returns its body's type; Invalid without one.
func (c *call) lambda(param *value.Type) *value.Type {
	if !c.hasLambda() || c.problem != nil {
		return value.TypeInvalid
	}
	c.sig.Param = param
	body := c.args[len(c.args)-1].Lambda(param)
	if body == nil {
		return value.TypeInvalid
	}
	return body
}

// condition types a lambda that must be a bool.
func (c *call) condition(param *value.Type) {
	body := c.lambda(param)
	switch {
	case body.Kind == value.Invalid:
	case body.Kind == value.Bool && body.Optional:
		c.fail(len(c.args)-1, "null-not-tested", "the lambda of `%s` may be null (%s): it must be true or false", c.f.Name, body)
	case body.Kind != value.Bool:
		c.fail(len(c.args)-1, "type-mismatch", "the lambda of `%s` gives %s; it must be a bool: %s", c.f.Name, withArticle(body), c.f.Signature)
	}
}

// constant returns the text that argument i folds to.
func (c *call) constant(i int) (string, bool) {
	if c.problem != nil || i >= len(c.args) || c.args[i].Const == nil || c.args[i].Const.Kind() != value.String {
		return "", false
	}
	return c.args[i].Const.Str(), true
}

// zone checks that argument i names a time zone.
func (c *call) zone(i int) {
	c.want(i, value.TypeString)
	name, ok := c.constant(i)
	if !ok {
		return
	}
	_, err := calendar.Load(name)
	if unknown := (*calendar.UnknownZone)(nil); errors.As(err, &unknown) {
		c.fail(i, "zone-unknown", "%s", unknown.Error())
		c.problem.Fix = unknown.Nearest
	}
}

// clock checks that argument i is a time of day, date that it is a date.
func (c *call) clock(i int) {
	c.want(i, value.TypeString)
	if text, ok := c.constant(i); ok {
		if _, err := calendar.ParseClock(text); err != nil {
			c.fail(i, "not-a-time", "%s", err)
		}
	}
}

func (c *call) date(i int) {
	c.want(i, value.TypeString)
	if text, ok := c.constant(i); ok {
		if _, _, _, err := calendar.ParseDate(text); err != nil {
			c.fail(i, "not-a-time", "%s", err)
		}
	}
}

func outOfRange(err error) *value.Error { return value.Errorf(value.CodeRange, "%s", err) }

func tooLarge() *value.Error {
	return value.Errorf(value.CodeMemory, "the result would take more than %d MiB", value.MaxSize>>20)
}
