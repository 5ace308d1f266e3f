package validate

import (
	"strconv"
	"strings"

	"flowc/validate/model"
	"flowc/validate/value"
)

// A fact is the key of a place that is known not to be null. A key is a root (`d3` a data field, `i1` an input, `l2` a local,
// `e` the event) with the way from there: `d3.amount`, `d4["x"]`.

// key names the place that an expression reads, "" when it is not one that can be tested once and read again.
func key(m model.Expr) string {
	switch m := m.(type) {
	case *model.DataRef:
		return "d" + strconv.Itoa(m.Index)
	case *model.InputRef:
		return "i" + strconv.Itoa(m.Index)
	case *model.LocalRef:
		return "l" + strconv.Itoa(m.Index)
	case *model.EventField:
		return "e." + m.Name
	case *model.FieldRef:
		if k := key(m.X); k != "" {
			return k + "." + strconv.Itoa(m.Index)
		}
	case *model.IndexRef:
		k, i := key(m.X), indexKey(m.I)
		if k != "" && i != "" {
			return k + "[" + i + "]"
		}
	}
	return ""
}

func indexKey(m model.Expr) string {
	if c, ok := m.(*model.Const); ok {
		switch c.Value.Kind() {
		case value.String:
			return strconv.Quote(c.Value.Str())
		case value.Int:
			return strconv.FormatInt(c.Value.Int(), 10)
		}
		return ""
	}
	return key(m)
}

// known reports whether the place is known not to be null.
func (x *coder) known(k string) bool {
	for _, f := range x.facts {
		if f == k {
			return true
		}
	}
	return false
}

// under evaluates with more facts, and forgets them afterwards.
func (x *coder) under(facts []string, do func()) {
	before := x.facts
	x.facts = append(before[:len(before):len(before)], facts...)
	do()
	x.facts = before
}

// learn adds a fact until something changes the place.
func (x *coder) learn(facts ...string) {
	x.facts = append(x.facts[:len(x.facts):len(x.facts)], facts...)
}

// forget drops what is known of a place that is assigned to, of its parts, and of what is found by its value.
func (x *coder) forget(k string) {
	x.retain(func(fact string) bool { return !mentions(fact, k) })
}

// forgetData drops what is known of the data: something else may run before the next statement.
func (x *coder) forgetData() {
	x.retain(func(fact string) bool { return !strings.HasPrefix(fact, "d") && !strings.Contains(fact, "[d") })
}

func (x *coder) retain(keep func(fact string) bool) {
	var out []string
	for _, f := range x.facts {
		if keep(f) {
			out = append(out, f)
		}
	}
	x.facts = out
}

func mentions(fact, k string) bool {
	for from := 0; ; {
		i := strings.Index(fact[from:], k)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(k)
		if (i == 0 || fact[i-1] == '[') && (end == len(fact) || strings.IndexByte(".[]", fact[end]) >= 0) {
			return true
		}
		from = i + 1
	}
}

// both are the facts of two lists that hold on either way.
func both(a, b []string) []string {
	var out []string
	for _, f := range a {
		for _, g := range b {
			if f == g {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

func join(a, b []string) []string {
	return append(a[:len(a):len(a)], b...)
}

// narrowed gives an expression the type without null when the place is known to hold a value.
func (x *coder) narrowed(m model.Expr, t *value.Type) *value.Type {
	if t.Optional && len(x.facts) > 0 {
		if k := key(m); k != "" && x.known(k) {
			return t.Base()
		}
	}
	return t
}
