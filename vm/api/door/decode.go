package door

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode fills a struct from the document and gives all faults. Fields are named by their json tags, exactly as written there.
// A field is required unless its tag says omitempty or `required:"false"`; null stands for a field that was left out where
// `nullable:"true"` allows it. The tags enum, minLength, minimum, maximum, minItems and maxItems are kept to; they are
// the ones that the API's description shows.
func (d *Document) Decode(into any) []Fault {
	c := decoder{}
	c.value(nil, d.root, reflect.ValueOf(into).Elem(), "")
	return c.faults
}

type decoder struct{ faults []Fault }

func (d *decoder) fault(where *path, format string, args ...any) {
	d.faults = append(d.faults, Fault{Pointer: where.String(), Detail: fmt.Sprintf(format, args...)})
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

func (d *decoder) value(where *path, n node, v reflect.Value, tag reflect.StructTag) {
	switch {
	case v.Type() == rawMessage:
		v.SetBytes(slices.Clone(n.raw))
	case n.kind == null && tag.Get("nullable") == "true":
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(where, n, v.Elem(), tag)
	case d.text(where, n, v):
	default:
		d.plain(where, n, v, tag)
	}
}

// text fills types that read themselves from a string, such as time.Time.
func (d *decoder) text(where *path, n node, v reflect.Value) bool {
	u, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
	if !ok {
		return false
	}
	if d.is(where, n, text) {
		if err := u.UnmarshalText([]byte(unquote(n.raw))); err != nil {
			d.fault(where, "%s", explained(v, err))
		}
	}
	return true
}

// explained words an error of a type of the standard library.
func explained(v reflect.Value, err error) string {
	if v.Type().PkgPath() == "time" {
		return "must be an instant in RFC 3339, such as 2026-03-28T22:00:00Z"
	}
	return err.Error()
}

func (d *decoder) is(where *path, n node, want kind) bool {
	if n.kind == want {
		return true
	}
	d.fault(where, "must be %s, not %s", want, n.kind)
	return false
}

func (d *decoder) plain(where *path, n node, v reflect.Value, tag reflect.StructTag) {
	switch v.Kind() {
	case reflect.String:
		if d.is(where, n, text) {
			v.SetString(unquote(n.raw))
			d.limits(where, v.String(), tag)
		}
	case reflect.Bool:
		if d.is(where, n, boolean) {
			v.SetBool(string(n.raw) == "true")
		}
	case reflect.Int, reflect.Int64:
		d.integer(where, n, v, tag)
	case reflect.Slice:
		d.slice(where, n, v, tag)
	case reflect.Map:
		d.mapping(where, n, v)
	case reflect.Struct:
		d.structure(where, n, v)
	default:
		d.fault(where, "cannot be sent")
	}
}

// limits keeps a string to its tags.
func (d *decoder) limits(where *path, s string, tag reflect.StructTag) {
	if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, ","), s) {
		d.fault(where, "must be one of %s", strings.ReplaceAll(enum, ",", ", "))
	}
	if limit, ok := bound(tag, "minLength"); ok && int64(len(s)) < limit { // empty is not the same as left out, which means any or none
		d.fault(where, "must not be empty; leave it out where none is meant")
	}
}

func (d *decoder) integer(where *path, n node, v reflect.Value, tag reflect.StructTag) {
	if !d.is(where, n, number) {
		return
	}
	i, err := strconv.ParseInt(string(n.raw), 10, 64)
	if err != nil {
		d.fault(where, "must be a whole number")
		return
	}
	if limit, ok := bound(tag, "minimum"); ok && i < limit {
		d.fault(where, "must be at least %d", limit)
	}
	if limit, ok := bound(tag, "maximum"); ok && i > limit {
		d.fault(where, "must be at most %d", limit)
	}
	v.SetInt(i)
}

func (d *decoder) slice(where *path, n node, v reflect.Value, tag reflect.StructTag) {
	if !d.is(where, n, array) {
		return
	}
	items := n.items()
	if limit, ok := bound(tag, "minItems"); ok && int64(len(items)) < limit {
		d.fault(where, "must have at least %d item", limit)
	}
	if limit, ok := bound(tag, "maxItems"); ok && int64(len(items)) > limit {
		d.fault(where, "must have at most %d items", limit)
		return
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		d.value(&path{up: where, index: i}, item, out.Index(i), "")
	}
	v.Set(out)
}

func (d *decoder) mapping(where *path, n node, v reflect.Value) {
	if !d.is(where, n, object) {
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, m := range n.members() {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(where.member(m.name), m.value, elem, "")
		out.SetMapIndex(reflect.ValueOf(m.name), elem)
	}
	v.Set(out)
}

func (d *decoder) structure(where *path, n node, v reflect.Value) {
	if !d.is(where, n, object) {
		return
	}
	members := n.members()
	var known []string
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		known = append(known, name)
		at := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		switch {
		case at >= 0:
			d.value(where.member(name), members[at].value, v.Field(i), field.Tag)
		case options != "omitempty" && field.Tag.Get("required") != "false":
			d.fault(where.member(name), "is missing")
		}
	}
	for _, m := range members {
		if !slices.Contains(known, m.name) {
			d.fault(where.member(m.name), "is unknown; known are %s", strings.Join(known, ", "))
		}
	}
}

func bound(tag reflect.StructTag, name string) (int64, bool) {
	n, err := strconv.ParseInt(tag.Get(name), 10, 64)
	return n, err == nil
}
