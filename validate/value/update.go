package value

// A record holds the fields of a record type in declared order.
type record struct {
	decl   *Decl
	fields []Value
	size   int
	depth  int
}

// OfRecord returns a record with these fields, one for each of the declaration's and in its order, and keeps the slice, which
// must not be changed any more.
func OfRecord(d *Decl, fields []Value) Value {
	r := &record{decl: d, fields: fields}
	r.measure()
	return Value{kind: Record, ref: r}
}

func (r *record) measure() {
	r.size, r.depth = headSize, 0
	for _, f := range r.fields {
		r.size += f.Size()
		r.depth = max(r.depth, f.Depth())
	}
	r.depth++
}

// Index returns x[i] of a list, or the error out_of_range.
func (v Value) Index(i int64) (Value, error) {
	l, ok := v.ref.(*list)
	if !ok || i < 0 || i >= int64(l.count) {
		return Value{}, outOfList(v, i)
	}
	return l.at(int(i)), nil
}

func outOfList(v Value, i int64) *Error {
	if v.Len() == 0 {
		return Errorf(CodeRange, "there is no element [%d]: the list is empty", i)
	}
	return Errorf(CodeRange, "there is no element [%d]: the list has [0] to [%d]", i, v.Len()-1)
}

// WithField returns the record with another value in field i of its declaration.
func (v Value) WithField(i int, x Value) (Value, error) {
	r, ok := v.ref.(*record)
	if !ok || uint(i) >= uint(len(r.fields)) {
		return v, Errorf(CodeNull, "a field is assigned to what is no record but null")
	}
	n := &record{decl: r.decl, fields: append([]Value(nil), r.fields...)}
	n.fields[i] = x
	n.measure()
	return checked(Value{kind: Record, ref: n})
}

// WithIndex returns the list with another element i, or the error out_of_range.
func (v Value) WithIndex(i int64, x Value) (Value, error) {
	l, ok := v.ref.(*list)
	if !ok || i < 0 || i >= int64(l.count) {
		return v, outOfList(v, i)
	}
	return checked(Value{kind: List, ref: l.set(int(i), x)})
}

// WithKey returns the map with the key set to x.
func (v Value) WithKey(key string, x Value) (Value, error) {
	t, ok := v.ref.(*table)
	if !ok {
		return v, Errorf(CodeNull, "a key is set in what is no map but null")
	}
	return checked(Value{kind: Map, ref: t.set(key, x)})
}

// WithoutKey returns the map without the key, itself when it has none such.
func (v Value) WithoutKey(key string) Value {
	t, ok := v.ref.(*table)
	if !ok {
		return v
	}
	return Value{kind: Map, ref: t.without(key)}
}
