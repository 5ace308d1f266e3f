package value

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OfJSON returns a json value of any JSON text; that of `null` is null itself. The first thing wrong with it is returned, as
// DecodeJSON has it.
func OfJSON(raw string) (Value, error) {
	v, faults := DecodeJSON([]byte(raw), TypeJSON)
	if len(faults) > 0 {
		return Value{}, faults[0]
	}
	return v, nil
}

// ToJSON turns any value into json, as EncodeJSON writes it. Errors: memory_limit, out_of_range when it is nested too deep.
func ToJSON(v Value) (Value, error) {
	if v.kind == Invalid || v.kind == JSON {
		return v, nil
	}
	if err := v.Check(); err != nil {
		return Value{}, err
	}
	d := newDecoder(string(AppendJSON(nil, v)), storedDepth)
	doc := d.document(TypeJSON)
	if len(d.faults) > 0 || d.fault != nil {
		return Value{}, Errorf(CodeRange, "%s cannot be written as json", v.Kind())
	}
	return checked(doc)
}

// document reads any value as json; as one of type null it must be null.
func (d *decoder) document(t *Type) Value {
	at, outer := d.depth, d.deepest
	d.deepest = at
	raw := string(d.canonical(nil))
	depth := d.deepest - at
	d.deepest = max(outer, d.deepest)
	switch {
	case d.fault != nil || raw == "null":
		return Value{}
	case t.Kind == Null:
		d.report(FieldType, "expected null")
		return Value{}
	}
	return Value{kind: JSON, ref: &document{raw: raw, depth: depth}}
}

// equalJSON compares two canonical texts, in which only numbers may be written in several ways.
func equalJSON(x, y string) bool {
	return x == y || plainNumbers(x) == plainNumbers(y)
}

// plainNumbers rewrites the numbers of a canonical text as their digits and an exponent, without zeros at either end.
func plainNumbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := endOfString(s, i)
			b.WriteString(s[i:end])
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := scanNumber(s, i)
			p := splitNumber(s[i:end])
			if p.negative {
				b.WriteByte('-')
			}
			b.WriteString(p.digits)
			b.WriteByte('e')
			b.WriteString(strconv.FormatInt(p.exp, 10))
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func endOfString(s string, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// canonical appends the next value whatever it is: without white space, keys in byte order, numbers as they stand.
func (s *scanner) canonical(dst []byte) []byte {
	switch c := s.peek(); {
	case c == '{':
		return s.canonicalObject(dst)
	case c == '[':
		if !s.open('[') {
			return dst
		}
		dst = append(dst, '[')
		for first := true; s.more(first, ']'); first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = s.canonical(dst)
		}
		return append(dst, ']')
	case c == '"':
		text, _ := s.str()
		return appendQuoted(dst, text)
	case c == '-' || c >= '0' && c <= '9':
		text, ok := s.number()
		if ok && (len(text) > maxNumber || !splitNumber(text).inRange()) {
			s.soft(FieldValue, "holds a number that is too long or out of range: "+cut(text, 40))
		}
		return append(dst, text...)
	}
	return append(dst, s.word()...)
}

// A span is a member of an object in a text being built.
type span struct {
	key        string
	start, end int
}

func (s *scanner) canonicalObject(dst []byte) []byte {
	if !s.open('{') {
		return dst
	}
	dst = append(dst, '{')
	var spans []span
	sorted := true
	for first := true; s.more(first, '}'); first = false {
		key, ok := s.key()
		if !ok {
			return dst
		}
		if !first {
			sorted = sorted && spans[len(spans)-1].key < key
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = append(appendQuoted(dst, key), ':')
		dst = s.canonical(dst)
		spans = append(spans, span{key, start, len(dst)})
	}
	if !sorted && s.fault == nil {
		dst = s.reorder(dst, spans)
	}
	return append(dst, '}')
}

// reorder puts the members of the object that dst ends with into the order of their keys.
func (s *scanner) reorder(dst []byte, spans []span) []byte {
	first := spans[0].start
	slices.SortStableFunc(spans, func(a, b span) int { return strings.Compare(a.key, b.key) })
	members := make([]byte, 0, len(dst)-first)
	for i, m := range spans {
		if i > 0 {
			if spans[i-1].key == m.key {
				s.soft(FieldDuplicate, fmt.Sprintf("holds the key %q twice", cut(m.key, 60)))
			}
			members = append(members, ',')
		}
		members = append(members, dst[m.start:m.end]...)
	}
	return append(dst[:first], members...)
}
