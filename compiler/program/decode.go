package program

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"flowc/validate/value"
)

// A VersionError is that of a program of another version, which an older or a newer flowc has encoded (R62).
type VersionError struct{ Found, Known int }

// Error says which version was found.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the program is encoded in version %d, and this flowc runs version %d", e.Found, e.Known)
}

// VersionOf returns the version in which a program is encoded, without reading the rest: a server leaves tokens whose programs it
// cannot run to others (R62).
func VersionOf(b []byte) (int, error) {
	d := &decoder{buf: b}
	if string(d.bytes(len(magic))) != magic {
		return 0, fmt.Errorf("decode program: it does not begin with %q", magic)
	}
	found := d.uint()
	return found, d.err
}

// Decode reads a program back and verifies it (see Verify): no bytes make the machine misbehave. Errors: *VersionError for
// another version, and for what is no program.
func Decode(b []byte) (*Program, error) {
	found, err := VersionOf(b)
	if err != nil {
		return nil, err
	}
	if found != Version {
		return nil, &VersionError{Found: found, Known: Version}
	}
	d := &decoder{buf: b}
	d.bytes(len(magic))
	d.uint()
	d.declarations()
	p := d.program()
	d.kept()
	if d.err == nil && len(d.buf) > 0 {
		d.fail("%d bytes follow it", len(d.buf))
	}
	if d.err != nil {
		return nil, fmt.Errorf("decode program: %w", d.err)
	}
	if err := Link(p); err != nil {
		return nil, fmt.Errorf("decode program: %w", err)
	}
	return p, nil
}

// A decoder reads on after an error, but only zeros.
type decoder struct {
	buf   []byte
	decls []*value.Decl
	err   error

	promised []promise
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.buf = nil
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.buf) {
		d.fail("it ends too early")
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// uint reads a number that is no length: below 2^31.
func (d *decoder) uint() int {
	n, size := binary.Uvarint(d.buf)
	if size <= 0 || n > math.MaxInt32 {
		d.fail("a number is too large or cut off")
		return 0
	}
	d.buf = d.buf[size:]
	return int(n)
}

func (d *decoder) int64() int64 {
	n, size := binary.Varint(d.buf)
	if size <= 0 {
		d.fail("a number is too large or cut off")
		return 0
	}
	d.buf = d.buf[size:]
	return n
}

func (d *decoder) int() int {
	n := d.int64()
	if n < math.MinInt32 || n > math.MaxInt32 {
		d.fail("the number %d is too large", n)
		return 0
	}
	return int(n)
}

// length reads how many items follow. Each takes a byte at least, so that no length allocates more than the bytes allow.
func (d *decoder) length() int {
	n := d.uint()
	if n > len(d.buf) {
		d.fail("%d items in %d bytes", n, len(d.buf))
		return 0
	}
	return n
}

func (d *decoder) text() string {
	s := string(d.bytes(d.length()))
	if !utf8.ValidString(s) {
		d.fail("a text is not UTF-8")
		return ""
	}
	return s
}

func (d *decoder) flag() bool {
	b := d.byte()
	if b > 1 {
		d.fail("a flag is %d", b)
	}
	return b == 1
}

// items reads a list; an empty one is nil.
func items[T any](d *decoder, one func(*decoder) T) []T {
	n := d.length()
	if n == 0 {
		return nil
	}
	list := make([]T, 0, min(n, 1024))
	for range n {
		if d.err != nil {
			return nil
		}
		list = append(list, one(d))
	}
	return list
}

func (d *decoder) texts() []string { return items(d, (*decoder).text) }
func (d *decoder) ints() []int     { return items(d, (*decoder).int) }

func (d *decoder) declarations() {
	n := d.length()
	if d.err != nil {
		return
	}
	all := make([]value.Decl, n)
	d.decls = make([]*value.Decl, n)
	for i := range all {
		d.decls[i] = &all[i]
	}
	for i := range all {
		all[i].Name = d.text()
		all[i].Members = d.texts()
		all[i].Fields = items(d, (*decoder).field)
	}
	for i := range all {
		if err := checkDecl(&all[i]); err != nil && d.err == nil {
			d.fail("declaration %d: %w", i, err)
		}
	}
}

func (d *decoder) field() value.Field {
	f := value.Field{Name: d.text(), Type: d.typ(maxTypeDepth)}
	if d.flag() {
		v := d.value(value.MaxDepth)
		f.Default = &v
	}
	return f
}

func (d *decoder) decl() *value.Decl {
	n := d.uint()
	if n >= len(d.decls) {
		d.fail("declaration %d of %d", n, len(d.decls))
		return &value.Decl{}
	}
	return d.decls[n]
}

// simple are the types without parts, which are shared.
var simple = map[value.Kind]*value.Type{
	value.Bool: value.TypeBool, value.Int: value.TypeInt, value.Decimal: value.TypeDecimal, value.String: value.TypeString,
	value.Duration: value.TypeDuration, value.Time: value.TypeTime, value.JSON: value.TypeJSON,
}

func (d *decoder) typ(depth int) *value.Type {
	b := d.byte()
	t := &value.Type{Kind: value.Kind(b &^ optionalType), Optional: b&optionalType != 0}
	switch {
	case t.Kind > value.Map:
		d.fail("unknown kind of type %d", t.Kind)
	case depth == 0:
		d.fail("a type is nested deeper than %d", maxTypeDepth)
	case t.Kind == value.List || t.Kind == value.Map:
		t.Elem = d.typ(depth - 1)
	case t.Kind == value.Enum || t.Kind == value.Record:
		t.Decl = d.decl()
	case !t.Optional && simple[t.Kind] != nil:
		return simple[t.Kind]
	}
	return t
}
