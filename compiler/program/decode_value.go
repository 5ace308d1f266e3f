package program

import "flowc/validate/value"

// value reads a value nested at most so deep.
func (d *decoder) value(depth int) value.Value {
	switch kind := value.Kind(d.byte()); kind {
	case value.Null:
		return value.Value{}
	case value.Bool:
		return value.OfBool(d.flag())
	case value.Int:
		return value.OfInt(d.int64())
	case value.Duration:
		return value.OfDuration(d.int64())
	case value.Time:
		return d.time()
	case value.Decimal:
		return d.stored(value.TypeDecimal)
	case value.JSON:
		return d.stored(value.TypeJSON)
	case value.String:
		return value.OfString(d.text())
	case value.Enum:
		return d.member()
	case value.Record, value.List, value.Map:
		if depth > 0 {
			return d.composite(kind, depth-1)
		}
		d.fail("a value is nested deeper than %d", value.MaxDepth)
	default:
		d.fail("unknown kind of value %d", kind)
	}
	return value.Value{}
}

func (d *decoder) time() value.Value {
	us := d.int64()
	if us < value.MinTime || us > value.MaxTime {
		d.fail("a time is not between the years 1 and 9999")
	}
	return value.OfTime(us)
}

func (d *decoder) stored(t *value.Type) value.Value {
	raw := d.bytes(d.length())
	if d.err != nil {
		return value.Value{}
	}
	v, err := value.DecodeStored(raw, t)
	if err != nil {
		d.fail("a %s: %w", t, err)
	}
	return v
}

func (d *decoder) member() value.Value {
	decl, n := d.decl(), d.uint()
	d.promised = append(d.promised, promise{decl: decl, member: n})
	return value.OfEnum(decl, n)
}

func (d *decoder) composite(kind value.Kind, depth int) value.Value {
	var decl *value.Decl
	if kind == value.Record {
		decl = d.decl()
	}
	n := d.length()
	if kind == value.Map {
		return d.entries(n, depth)
	}
	var vs []value.Value
	for i := 0; i < n && d.err == nil; i++ {
		vs = append(vs, d.value(depth))
	}
	v := value.OfList(vs)
	if kind == value.Record {
		d.promised = append(d.promised, promise{decl: decl, fields: n, record: true})
		v = value.OfRecord(decl, vs)
	}
	return d.checked(v)
}

func (d *decoder) entries(n, depth int) value.Value {
	var es []value.Entry
	for i := 0; i < n && d.err == nil; i++ {
		es = append(es, value.Entry{Key: d.text(), Value: d.value(depth)})
		if i > 0 && d.err == nil && es[i-1].Key >= es[i].Key {
			d.fail("the keys of a map are not in order")
		}
	}
	return d.checked(value.OfMap(es))
}

func (d *decoder) checked(v value.Value) value.Value {
	if err := v.Check(); err != nil {
		d.fail("%w", err)
	}
	return v
}

// A promise is what a value says of its declaration, which is perhaps read after it.
type promise struct {
	decl   *value.Decl
	record bool
	fields int // of a record
	member int // of an enum
}

// kept checks all promises, once the declarations are there.
func (d *decoder) kept() {
	for _, p := range d.promised {
		if p.record && len(p.decl.Fields) != p.fields || !p.record && p.member >= len(p.decl.Members) {
			d.fail("a value does not fit its declaration %s", p.decl.Name)
		}
	}
}
