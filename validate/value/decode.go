package value

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	maxFaults   = 100  // so many field errors are told
	storedDepth = 1000 // what was let in within MaxDepth may have been put into other values
)

// DecodeJSON reads what comes from outside as a value of type t and returns all that is wrong with it, in the order of the text.
//
// It takes what EncodeJSON writes, with white space and keys in any order. Besides: an int also as 3.0 or 3e0, a time with any
// offset. Fields that are missing take their default, or null where they are optional. It refuses unknown fields, duplicate
// keys, NUL, lone surrogates, text that is no UTF-8, decimals of more than 34 digits, ints over 64 bits, durations over 3650d,
// more than MaxDepth levels and more than MaxSize bytes. Numbers are never read through a float.
func DecodeJSON(raw []byte, t *Type) (Value, []FieldError) {
	d := newDecoder(string(raw), MaxDepth)
	d.door = true
	v := d.run(t)
	if len(d.faults) == 0 && v.Size() > MaxSize {
		d.report(FieldSize, fmt.Sprintf("takes more than %d MiB", MaxSize>>20))
	}
	if len(d.faults) > 0 {
		return Value{}, d.faults
	}
	return v, nil
}

// DecodeStored reads back what EncodeJSON wrote: as DecodeJSON, with durations of any length and more levels. An error means that
// the text does not fit the type.
func DecodeStored(raw []byte, t *Type) (Value, error) {
	d := newDecoder(string(raw), storedDepth)
	v := d.run(t)
	if len(d.faults) > 0 {
		return Value{}, fmt.Errorf("decode a stored %s: %w", t, d.faults[0])
	}
	return v, nil
}

// A segment is one step of a path: a key, or an index when that is not negative.
type segment struct {
	key   string
	index int
}

type decoder struct {
	scanner
	door   bool
	path   []segment
	faults []FieldError
}

func newDecoder(s string, depth int) *decoder {
	d := &decoder{scanner: scanner{s: s, most: depth}}
	d.soft = d.report
	return d
}

func (d *decoder) run(t *Type) Value {
	if d.peek() == 0 && d.i == len(d.s) {
		d.fail("there is nothing where JSON is expected")
	}
	var v Value
	if d.fault == nil {
		v = d.value(t)
	}
	d.end()
	if d.fault != nil {
		if d.fault.Code == FieldDepth {
			d.fault.Path = d.pointer()
		}
		d.faults = append(d.faults, *d.fault)
	}
	return v
}

func (d *decoder) report(code, message string) {
	if len(d.faults) < maxFaults {
		d.faults = append(d.faults, FieldError{Path: d.pointer(), Code: code, Message: message})
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func (d *decoder) pointer() string {
	var b strings.Builder
	for _, s := range d.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(pointerEscapes.Replace(cut(s.key, 100)))
		}
	}
	return b.String()
}

func (d *decoder) enter(key string) { d.path = append(d.path, segment{key, -1}) }

// leave keeps the path where a fault stopped the reading.
func (d *decoder) leave() {
	if d.fault == nil {
		d.path = d.path[:len(d.path)-1]
	}
}

// value reads the next value as one of type t. Of what does not fit it reports why, skips it and returns null.
func (d *decoder) value(t *Type) Value {
	c := d.peek()
	if t.Kind == JSON || t.Kind == Null || t.Kind == Invalid {
		return d.document(t)
	}
	switch {
	case c == 'n':
		if d.word() == "null" && !t.Optional {
			d.report(FieldType, "is null; expected "+expected(t))
		}
		return Value{}
	case c == '{' && t.Kind == Record:
		return d.record(t.Decl)
	case c == '{' && t.Kind == Map:
		return d.table(t.Elem)
	case c == '[' && t.Kind == List:
		return d.list(t.Elem)
	case c == '"' && textual(t.Kind):
		before := len(d.faults)
		s, ok := d.str()
		if !ok || len(d.faults) > before {
			return Value{}
		}
		return d.text(s, t)
	case (c == 't' || c == 'f') && t.Kind == Bool:
		return OfBool(d.word() == "true")
	case (c == '-' || c >= '0' && c <= '9') && (t.Kind == Int || t.Kind == Decimal):
		return d.numeric(t)
	}
	return d.misfit(c, t)
}

func textual(k Kind) bool { return k == String || k == Duration || k == Time || k == Enum }

// misfit reports a value of another type and skips it.
func (d *decoder) misfit(c byte, t *Type) Value {
	found := "is a number"
	switch c {
	case '{':
		found = "is an object"
	case '[':
		found = "is a list"
	case '"':
		found = "is a string"
	case 't', 'f':
		found = "is a bool"
	}
	before := len(d.faults)
	d.canonical(nil)
	if d.fault == nil {
		d.faults = d.faults[:before] // one mistake, one error
		d.report(FieldType, found+"; expected "+expected(t))
	}
	return Value{}
}

// expected says how a value of the type is written.
func expected(t *Type) string {
	switch t.Kind {
	case Bool:
		return "true or false"
	case Int:
		return "a whole number"
	case Decimal:
		return "a number, not in quotes"
	case String:
		return "a string"
	case Duration:
		return `a duration such as "90m"`
	case Time:
		return `a time such as "2026-03-29T01:00:00Z"`
	case Enum:
		return "one of " + cut(strings.Join(t.Decl.Members, ", "), 200)
	case List:
		return "a list"
	case Null:
		return "null"
	}
	return "an object"
}

// text reads what is written as a string.
func (d *decoder) text(s string, t *Type) Value {
	var v Value
	var err error
	switch t.Kind {
	case String:
		return OfString(s)
	case Enum:
		if m := t.Decl.Member(s); m >= 0 {
			return OfEnum(t.Decl, m)
		}
		d.report(FieldValue, fmt.Sprintf("is %q; expected %s", cut(s, 60), expected(t)))
		return v
	case Time:
		v, err = ParseTime(s)
	default:
		v, err = parseDurationText(s)
		if err == nil && d.door && (v.num > MaxWait || v.num < -MaxWait) {
			err = tooLong(s)
		}
	}
	if err != nil {
		d.report(FieldValue, "is no "+t.Kind.String()+": "+message(err))
	}
	return v
}

func message(err error) string {
	if e, ok := err.(*Error); ok {
		return e.Message
	}
	return err.Error()
}

func (d *decoder) numeric(t *Type) Value {
	text, ok := d.number()
	if !ok {
		return Value{}
	}
	if t.Kind == Decimal {
		v, err := parseNumber(text)
		if err != nil {
			d.report(FieldValue, "is no decimal: "+message(err))
		}
		return v
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return OfInt(n)
	}
	n, integral, fits := splitNumber(text).whole()
	switch {
	case !integral:
		d.report(FieldType, "is "+cut(text, 60)+"; expected a whole number")
	case !fits:
		d.report(FieldValue, "is "+cut(text, 60)+", which does not fit an int of 64 bits")
	}
	return OfInt(n)
}
