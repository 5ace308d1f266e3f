package value

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// EncodeJSON returns the value as JSON by its type; DecodeStored gives back the same value.
//
// bool, int and string are JSON's own, decimals numbers with all their digits, durations language text ("90m", "2d", a fraction of
// a second as "0.25s", with a minus when negative), times RFC 3339 in UTC with up to six places, enums their member's name,
// records and maps objects, json itself, null null. An error means that the value is not one of the type.
func EncodeJSON(v Value, t *Type) ([]byte, error) {
	if !Fits(v, t) {
		return nil, fmt.Errorf("encode a value of %s: it is %s %s", t, article(v.Kind()), v)
	}
	return AppendJSON(nil, v), nil
}

// Fits reports whether the value is one of the type.
func Fits(v Value, t *Type) bool {
	if v.kind == Invalid {
		return t.Optional || t.Kind == JSON
	}
	if v.kind != t.Kind {
		return false
	}
	switch t.Kind {
	case Enum:
		return v.EnumName() != "" && t.Decl.Member(v.EnumName()) >= 0
	case List:
		for _, e := range v.All() {
			if !Fits(e, t.Elem) {
				return false
			}
		}
	case Map:
		for _, e := range v.Entries() {
			if !Fits(e, t.Elem) {
				return false
			}
		}
	case Record:
		return fitsRecord(v, t.Decl)
	}
	return true
}

func fitsRecord(v Value, d *Decl) bool {
	if v.Len() != len(d.Fields) {
		return false
	}
	for i, f := range v.All() {
		if !Fits(f, d.Fields[i].Type) {
			return false
		}
	}
	return true
}

// AppendJSON appends the value as EncodeJSON writes it, without looking at a type.
func AppendJSON(dst []byte, v Value) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.num != 0)
	case Int:
		return strconv.AppendInt(dst, v.num, 10)
	case Decimal:
		return appendDecimal(dst, v)
	case String:
		return appendQuoted(dst, v.Str())
	case Duration:
		return append(appendDuration(append(dst, '"'), v.num), '"')
	case Time:
		return append(appendTime(append(dst, '"'), v.num), '"')
	case Enum:
		return appendQuoted(dst, v.EnumName())
	case JSON:
		return append(dst, v.JSON()...)
	case Record, List, Map:
		return appendParts(dst, v)
	}
	return append(dst, "null"...)
}

func appendParts(dst []byte, v Value) []byte {
	switch r := v.ref.(type) {
	case *record:
		dst = append(dst, '{')
		for i, f := range r.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, r.decl.Fields[i].Name), ':')
			dst = AppendJSON(dst, f)
		}
		return append(dst, '}')
	case *list:
		dst = append(dst, '[')
		r.each(func(i int, e Value) bool {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, e)
			return true
		})
		return append(dst, ']')
	case *table:
		dst = append(dst, '{')
		first := true
		r.each(func(k string, e Value) bool {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = AppendJSON(append(appendQuoted(dst, k), ':'), e)
			return true
		})
		return append(dst, '}')
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends a JSON string with the fewest escapes. A byte that is no UTF-8 becomes U+FFFD, so that what is stored can
// always be read.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), c)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
