package value

import "strings"

// Equal reports whether two values are the same: numbers by what they are worth (1.0 and 1.00), enums and records by their names
// and parts, json by its parts with numbers by their worth, null only with null. An int is also equal to the decimal it converts
// to; other kinds never are to one another.
func Equal(x, y Value) bool {
	if x.kind != y.kind {
		return x.kind == Int && y.kind == Decimal && compareDecimal(OfInt64Decimal(x.num), y) == 0 ||
			x.kind == Decimal && y.kind == Int && compareDecimal(x, OfInt64Decimal(y.num)) == 0
	}
	switch x.kind {
	case Invalid:
		return true
	case Decimal:
		return compareDecimal(x, y) == 0
	case String:
		return x.num == y.num && x.Str() == y.Str()
	case Enum:
		return equalMembers(x, y)
	case Record, List, Map:
		return x.ref == y.ref || x.Len() == y.Len() && equalParts(x, y)
	case JSON:
		return equalJSON(x.JSON(), y.JSON())
	}
	return x.num == y.num
}

// Equal is Equal(v, w), for go-cmp and tests.
func (v Value) Equal(w Value) bool { return Equal(v, w) }

func equalMembers(x, y Value) bool {
	dx, dy := x.Decl(), y.Decl()
	return dx == dy && x.num == y.num || dx != dy && dx.Name == dy.Name && x.EnumName() == y.EnumName()
}

// EnumName returns the name of an enum's member.
func (v Value) EnumName() string {
	if d, ok := v.ref.(*Decl); ok && uint64(v.num) < uint64(len(d.Members)) {
		return d.Members[v.num]
	}
	return ""
}

func equalParts(x, y Value) bool {
	switch a := x.ref.(type) {
	case *record:
		return equalRecords(a, y.ref.(*record))
	case *table:
		b := y.ref.(*table)
		same := true
		a.each(func(k string, v Value) bool {
			w, ok := b.get(k)
			same = ok && Equal(v, w)
			return same
		})
		return same
	case *list:
		b := y.ref.(*list)
		same := true
		a.each(func(i int, v Value) bool {
			same = Equal(v, b.at(i))
			return same
		})
		return same
	}
	return false
}

func equalRecords(a, b *record) bool {
	if a.decl != b.decl && a.decl.Name != b.decl.Name {
		return false
	}
	for i := range a.fields {
		if a.decl != b.decl && a.decl.Fields[i].Name != b.decl.Fields[i].Name || !Equal(a.fields[i], b.fields[i]) {
			return false
		}
	}
	return true
}

// Compare orders two values of one orderable type: -1, 0 or 1. Numbers, durations and times go by size, strings by code points,
// enums by the order of their members, false before true. Null comes before everything, for sorting only: the checker lets
// no null into a comparison.
func Compare(x, y Value) int {
	switch {
	case x.kind == Decimal && y.kind == Decimal:
		return compareDecimal(x, y)
	case x.kind == Int && y.kind == Decimal:
		return compareDecimal(OfInt64Decimal(x.num), y)
	case x.kind == Decimal && y.kind == Int:
		return compareDecimal(x, OfInt64Decimal(y.num))
	case x.kind == String && y.kind == String:
		return strings.Compare(x.Str(), y.Str())
	case x.kind != y.kind:
		return compareInt(int64(x.kind), int64(y.kind))
	}
	return compareInt(x.num, y.num)
}
