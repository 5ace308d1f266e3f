package value

import "github.com/cockroachdb/apd/v3"

const (
	// MaxSize is the most bytes that one value may take: what one step may allocate (R7).
	MaxSize = 64 << 20
	// MaxDepth is how deep lists, maps, records and json may be nested in one value.
	MaxDepth = 200
)

// What the parts of a value count as, in bytes: close to what they take on a 64-bit machine, and the same on every machine, since
// a step that a limit ends must end at the same place when it is replayed.
const (
	valueSize   = 32
	headSize    = 64 + valueSize // a list, map or record itself, and the Value that refers to it
	entrySize   = 16 + valueSize
	decimalSize = 48
)

// Size returns about how many bytes the value takes, with all that is in it counted as often as it occurs. It is kept with the
// value, so asking costs nothing, and it bounds the work of whoever walks over the value.
func (v Value) Size() int {
	switch r := v.ref.(type) {
	case nil, *Decl:
		return valueSize
	case text:
		return valueSize + int(v.num)
	case *record:
		return r.size
	case *list:
		return r.size
	case *table:
		return r.size
	case *document:
		return valueSize + len(r.raw)
	case *apd.Decimal:
		return valueSize + decimalSize
	}
	return valueSize
}

// Own returns the bytes that making the value allocated when its elements were there before: for the memory that a step uses.
// For lists, maps and records that an update returned, CostWith and CostAdd say less, since structure is shared.
func (v Value) Own() int {
	switch r := v.ref.(type) {
	case text:
		return int(v.num)
	case *record:
		return headSize + valueSize*len(r.fields)
	case *list:
		return headSize + valueSize*r.count
	case *table:
		return headSize + entrySize*r.count
	case *document:
		return len(r.raw)
	case *apd.Decimal:
		return decimalSize
	}
	return 0
}

// CostAdd returns the most bytes that x + y newly allocates.
func CostAdd(x, y Value) int {
	switch x.kind {
	case String:
		return int(x.num + y.num)
	case List:
		return width*valueSize + y.Len()*2*valueSize
	case Decimal:
		return decimalSize
	}
	return 0
}

// CostWith returns the most bytes that WithField, WithIndex, WithKey or WithoutKey newly allocates.
func (v Value) CostWith() int {
	switch r := v.ref.(type) {
	case *record:
		return v.Own()
	case *list:
		return headSize + min(r.count, width)*valueSize + int(r.shift)/step*width*8
	case *table:
		return headSize + min(r.count+1, chunk+1)*entrySize + (len(r.chunks)+1)*24
	}
	return 0
}

// Depth returns how deep the value is nested: 0 for a scalar, 1 for a list of scalars.
func (v Value) Depth() int {
	switch r := v.ref.(type) {
	case *record:
		return r.depth
	case *list:
		return r.depth
	case *table:
		return r.depth
	case *document:
		return r.depth
	}
	return 0
}

// Check returns the error memory_limit for a value over MaxSize and out_of_range for one nested deeper than MaxDepth. Whoever
// makes a value with OfList, OfMap, OfRecord or ToJSON of what a file computed asks it; what was checked may be walked over
// without further limits, also a value that contains another one many times.
func (v Value) Check() error {
	_, err := checked(v)
	return err
}

func checked(v Value) (Value, error) {
	if v.Size() > MaxSize {
		return Value{}, tooLarge()
	}
	if v.Depth() > MaxDepth {
		return Value{}, Errorf(CodeRange, "the value is nested deeper than %d", MaxDepth)
	}
	return v, nil
}

func tooLarge() *Error {
	return Errorf(CodeMemory, "a value of more than %d MiB", MaxSize>>20)
}
