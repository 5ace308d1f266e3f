package program

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"flowc/validate/value"
)

// The encoding is the text "flowc", the version, and then the tables in the order of Program's fields, with all declarations
// before everything that refers to them. Numbers are varints (signed ones zigzag), texts and lists their length and what is in
// them, flags a byte. A program has one encoding, whatever map or file order it was made in.

// magic begins every encoded program.
const magic = "flowc"

// Encode returns the program's encoding.
func Encode(p *Program) []byte {
	e := &encoder{decls: map[*value.Decl]int{}}
	for _, d := range p.Types {
		e.decl(d)
	}
	e.buf = e.buf[:0] // only the numbering of the types counted
	e.program(p)
	body := e.buf
	e.buf = nil
	e.declarations()

	head := binary.AppendUvarint([]byte(magic), Version)
	head = binary.AppendUvarint(head, uint64(len(e.order)))
	head = append(head, e.buf...)
	return append(head, body...)
}

// Hash returns the program's identity (R60): 64 hexadecimal digits that stay the same when the sources move, and change with
// the code, the names and the version of the encoding.
func Hash(p *Program) string {
	sum := sha256.Sum256(Encode(p))
	return hex.EncodeToString(sum[:])
}

type encoder struct {
	buf   []byte
	decls map[*value.Decl]int
	order []*value.Decl
}

func (e *encoder) uint(n int)       { e.buf = binary.AppendUvarint(e.buf, uint64(n)) }
func (e *encoder) int(n int)        { e.buf = binary.AppendVarint(e.buf, int64(n)) }
func (e *encoder) int64(n int64)    { e.buf = binary.AppendVarint(e.buf, n) }
func (e *encoder) byte(b byte)      { e.buf = append(e.buf, b) }
func (e *encoder) text(s string)    { e.uint(len(s)); e.buf = append(e.buf, s...) }
func (e *encoder) texts(s []string) { list(e, s, (*encoder).text) }
func (e *encoder) ints(s []int)     { list(e, s, (*encoder).int) }

func (e *encoder) flag(b bool) {
	if b {
		e.byte(1)
	} else {
		e.byte(0)
	}
}

// list encodes the length and the items of a list.
func list[T any](e *encoder, items []T, one func(*encoder, T)) {
	e.uint(len(items))
	for _, x := range items {
		one(e, x)
	}
}

// each is list for items that are better not copied.
func each[T any](e *encoder, items []T, one func(*encoder, *T)) {
	e.uint(len(items))
	for i := range items {
		one(e, &items[i])
	}
}

// decl encodes a reference to a declaration, by the order in which they are first met.
func (e *encoder) decl(d *value.Decl) {
	n, ok := e.decls[d]
	if !ok {
		n = len(e.order)
		e.decls[d] = n
		e.order = append(e.order, d)
	}
	e.uint(n)
}

// declarations encodes what the declarations say; doing so may meet more of them.
func (e *encoder) declarations() {
	for i := 0; i < len(e.order); i++ {
		d := e.order[i]
		e.text(d.Name)
		e.texts(d.Members)
		each(e, d.Fields, func(e *encoder, f *value.Field) {
			e.text(f.Name)
			e.typ(f.Type)
			e.flag(f.Default != nil)
			if f.Default != nil {
				e.value(*f.Default)
			}
		})
	}
}

// optionalType is set in the byte of a type's kind.
const optionalType = 0x80

func (e *encoder) typ(t *value.Type) {
	kind := byte(t.Kind)
	if t.Optional {
		kind |= optionalType
	}
	e.byte(kind)
	switch t.Kind {
	case value.List, value.Map:
		e.typ(t.Elem)
	case value.Enum, value.Record:
		e.decl(t.Decl)
	}
}

func (e *encoder) value(v value.Value) {
	e.byte(byte(v.Kind()))
	switch v.Kind() {
	case value.Bool:
		e.flag(v.Bool())
	case value.Int:
		e.int64(v.Int())
	case value.Duration, value.Time:
		e.int64(v.Micros())
	case value.Decimal:
		e.text(string(value.AppendText(nil, v)))
	case value.String:
		e.text(v.Str())
	case value.JSON:
		e.text(v.JSON())
	case value.Enum:
		e.decl(v.Decl())
		e.uint(v.Member())
	case value.Record:
		e.decl(v.Decl())
		e.uint(v.Len())
		e.items(v)
	case value.List:
		e.uint(v.Len())
		e.items(v)
	case value.Map:
		e.uint(v.Len())
		for k, x := range v.Entries() {
			e.text(k)
			e.value(x)
		}
	}
}

func (e *encoder) items(v value.Value) {
	for _, x := range v.All() {
		e.value(x)
	}
}
