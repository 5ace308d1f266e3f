package builtin

import (
	"strings"
	"unicode/utf8"

	"flowc/validate/value"
)

var (
	sString = value.TypeString
	sInt    = value.TypeInt
	sBool   = value.TypeBool
)

func textFuncs() []*Func {
	return []*Func{
		onText("lower", "lower(text)", "The text in lower case.", strings.ToLower),
		onText("upper", "upper(text)", "The text in upper case.", strings.ToUpper),
		onText("trim", "trim(text)", "The text without white space at its ends.", strings.TrimSpace),
		testText("starts_with", "starts_with(text, start)", "Whether the text begins with another.", strings.HasPrefix),
		testText("ends_with", "ends_with(text, end)", "Whether the text ends with another.", strings.HasSuffix),
		{
			Name: "split", Signature: "split(text, separator)", Foldable: true, min: 2, max: 2,
			Doc:   "The parts of the text between the separators. An empty separator gives the characters.",
			check: texts(value.ListOf(sString)), call: split,
		},
		{
			Name: "join", Signature: "join(texts, separator)", Foldable: true, min: 2, max: 2,
			Doc:   "The texts of a list put together with the separator between them.",
			check: checkJoin, call: join, cost: whole,
		},
	}
}

// texts types a call whose arguments are all strings.
func texts(result *value.Type) func(*call) *value.Type {
	return func(c *call) *value.Type {
		for i := range c.sig.Args {
			c.want(i, sString)
		}
		return result
	}
}

func onText(name, signature, doc string, do func(string) string) *Func {
	return &Func{
		Name: name, Signature: signature, Doc: doc, Foldable: true, min: 1, max: 1, check: texts(sString),
		call: func(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
			return value.OfString(do(args[0].Str())), nil
		},
	}
}

func testText(name, signature, doc string, do func(text, part string) bool) *Func {
	return &Func{
		Name: name, Signature: signature, Doc: doc, Foldable: true, min: 2, max: 2, check: texts(sBool),
		call: func(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
			return value.OfBool(do(args[0].Str(), args[1].Str())), nil
		},
	}
}

func split(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	text, separator := args[0].Str(), args[1].Str()
	const each = 40 // at least what a part takes, so that what is too large is refused before it is made
	if (strings.Count(text, separator)+1)*each > value.MaxSize {
		return value.Value{}, tooLarge()
	}
	parts := strings.Split(text, separator)
	items := make([]value.Value, len(parts))
	for i, p := range parts {
		items[i] = value.OfString(p)
	}
	return value.OfList(items), nil
}

func checkJoin(c *call) *value.Type {
	if t := c.list(0); t.Kind != value.Invalid && !t.Equal(sString) {
		c.mismatch(0, c.plain(0), "a list<string>")
	}
	c.want(1, sString)
	return sString
}

func join(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	separator := args[1].Str()
	size := len(separator) * args[0].Len()
	for _, v := range args[0].All() {
		size += v.Len()
	}
	if size > value.MaxSize {
		return value.Value{}, tooLarge()
	}
	var b strings.Builder
	b.Grow(size)
	for i, v := range args[0].All() {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(v.Str())
	}
	return value.OfString(b.String()), nil
}

// sliceText cuts by code points.
func sliceText(s string, from, to int64, hasTo bool) value.Value {
	start, end := bounds(int64(utf8.RuneCountInString(s)), from, to, hasTo)
	first := offsetOf(s, start)
	return value.OfString(s[first : first+offsetOf(s[first:], end-start)])
}

// offsetOf returns where code point n begins.
func offsetOf(s string, n int64) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// bounds turns from and to of slice into positions in 0..n: negative ones count from the end, and what lies outside is cut off.
func bounds(n, from, to int64, hasTo bool) (start, end int64) {
	if !hasTo {
		to = n
	}
	start, end = position(n, from), position(n, to)
	return start, max(start, end)
}

func position(n, i int64) int64 {
	if i < 0 {
		return max(0, n+i)
	}
	return min(i, n)
}
