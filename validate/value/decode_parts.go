package value

import (
	"slices"
	"strings"
)

func (d *decoder) list(elem *Type) Value {
	if !d.open('[') {
		return Value{}
	}
	var items []Value
	for first := true; d.more(first, ']'); first = false {
		d.path = append(d.path, segment{index: len(items)})
		items = append(items, d.value(elem))
		d.leave()
	}
	return OfList(items)
}

func (d *decoder) table(elem *Type) Value {
	if !d.open('{') {
		return Value{}
	}
	var entries []Entry
	for first := true; d.more(first, '}'); first = false {
		key, ok := d.key()
		if !ok {
			break
		}
		d.enter(key)
		entries = append(entries, Entry{key, d.value(elem)})
		d.leave()
	}
	if d.fault != nil {
		return Value{}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	for i := 1; i < len(entries); i++ {
		if entries[i].Key == entries[i-1].Key {
			d.enter(entries[i].Key)
			d.report(FieldDuplicate, "stands there twice")
			d.leave()
		}
	}
	return OfMap(entries)
}

func (d *decoder) record(decl *Decl) Value {
	if !d.open('{') {
		return Value{}
	}
	fields := make([]Value, len(decl.Fields))
	var few [32]bool
	seen := few[:]
	if len(fields) > len(few) {
		seen = make([]bool, len(fields))
	}
	next := 0 // keys mostly come in declared order
	for first := true; d.more(first, '}'); first = false {
		key, ok := d.key()
		if !ok {
			return Value{}
		}
		i := next
		if i >= len(fields) || decl.Fields[i].Name != key {
			i = decl.Field(key)
		}
		d.enter(key)
		d.field(decl, i, fields, seen)
		d.leave()
		next = i + 1
	}
	if d.fault == nil {
		d.fill(decl, fields, seen)
	}
	return OfRecord(decl, fields)
}

// field reads the value of field i; -1 for a key that is none.
func (d *decoder) field(decl *Decl, i int, fields []Value, seen []bool) {
	if i >= 0 && !seen[i] {
		seen[i] = true
		fields[i] = d.value(decl.Fields[i].Type)
		return
	}
	before := len(d.faults)
	d.peek()
	d.canonical(nil)
	if d.fault != nil {
		return
	}
	d.faults = d.faults[:before]
	if i >= 0 {
		d.report(FieldDuplicate, "stands there twice")
	} else {
		d.report(FieldUnknown, "is no field"+ofDecl(decl))
	}
}

func ofDecl(d *Decl) string {
	if d.Name == "" {
		return ""
	}
	return " of " + d.Name
}

// fill gives the fields that were missing their defaults.
func (d *decoder) fill(decl *Decl, fields []Value, seen []bool) {
	for i := range fields {
		f := &decl.Fields[i]
		switch {
		case seen[i]:
		case f.Default != nil:
			fields[i] = *f.Default
		case !f.Type.Optional:
			d.enter(f.Name)
			d.report(FieldMissing, "is missing; expected "+expected(f.Type))
			d.leave()
		}
	}
}
