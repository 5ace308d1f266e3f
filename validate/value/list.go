package value

// A list is a persistent vector: leaves of `width` elements under branches of up to `width` kids, and a tail that grows at the
// end. So appending in a loop and replacing an element cost a copy of a leaf and its path, not of the list, and a step that
// builds a list of thousands of elements stays within its memory.
type list struct {
	count int
	shift uint // of root: 5 for branches directly above leaves
	root  *node
	tail  []Value // 1 to width elements, none in an empty list
	size  int     // bytes of all, see Size
	depth int
}

// A node is a branch (kids) or a full leaf (items).
type node struct {
	kids  []*node
	items []Value
}

const (
	step  = 5
	width = 1 << step
	mask  = width - 1
)

// OfList returns a list of these values and keeps the slice, which must not be changed any more.
func OfList(items []Value) Value {
	l := &list{size: headSize}
	for _, v := range items {
		l.size += v.Size()
		l.depth = max(l.depth, v.Depth())
	}
	l.depth++
	l.extend(items)
	return Value{kind: List, ref: l}
}

// extend appends items to a list that nobody else sees yet; of its nodes and its tail it changes none.
func (l *list) extend(items []Value) {
	if room := width - len(l.tail); room < width && room > 0 && len(items) > 0 {
		n := min(room, len(items))
		tail := make([]Value, len(l.tail)+n)
		copy(tail[copy(tail, l.tail):], items)
		l.tail, items, l.count = tail, items[n:], l.count+n
	}
	for len(items) > 0 {
		if len(l.tail) == width {
			l.pushTail()
		}
		n := min(width, len(items))
		l.tail, items, l.count = items[:n:n], items[n:], l.count+n
	}
}

// pushTail moves the full tail under the root.
func (l *list) pushTail() {
	leaf, first := &node{items: l.tail}, l.count-len(l.tail)
	switch {
	case l.root == nil:
		l.root, l.shift = &node{kids: []*node{leaf}}, step
	case first == 1<<(l.shift+step): // the root is full
		l.shift += step
		l.root = l.root.push(l.root, l.shift, first, leaf)
	default:
		l.root = l.root.push(nil, l.shift, first, leaf)
	}
	l.tail = nil
}

// push returns a branch with the leaf added at element index i. With below set the branch is a new one above below.
func (n *node) push(below *node, shift uint, i int, leaf *node) *node {
	at := i >> shift & mask
	c := &node{kids: make([]*node, at+1)}
	switch {
	case below != nil:
		c.kids[0] = below
	case n != nil:
		copy(c.kids, n.kids)
	}
	if shift == step {
		c.kids[at] = leaf
	} else {
		c.kids[at] = c.kids[at].push(nil, shift-step, i, leaf)
	}
	return c
}

func (l *list) at(i int) Value {
	if first := l.count - len(l.tail); i >= first {
		return l.tail[i-first]
	}
	n := l.root
	for s := l.shift; s > 0; s -= step {
		n = n.kids[i>>s&mask]
	}
	return n.items[i&mask]
}

func (l *list) set(i int, v Value) *list {
	old, c := l.at(i), *l
	if first := l.count - len(l.tail); i >= first {
		c.tail = append([]Value(nil), l.tail...)
		c.tail[i-first] = v
	} else {
		c.root = l.root.set(l.shift, i, v)
	}
	c.size += v.Size() - old.Size()
	if v.Depth() >= old.Depth() {
		c.depth = max(c.depth, 1+v.Depth())
	} else {
		c.depth = c.measure()
	}
	return &c
}

func (n *node) set(shift uint, i int, v Value) *node {
	if shift == 0 {
		c := &node{items: append([]Value(nil), n.items...)}
		c.items[i&mask] = v
		return c
	}
	c := &node{kids: append([]*node(nil), n.kids...)}
	c.kids[i>>shift&mask] = n.kids[i>>shift&mask].set(shift-step, i, v)
	return c
}

// measure finds the depth anew, after its deepest element may have gone.
func (l *list) measure() int {
	deepest := 0
	l.each(func(_ int, v Value) bool {
		deepest = max(deepest, v.Depth())
		return true
	})
	return deepest + 1
}

func (l *list) each(yield func(int, Value) bool) {
	i := 0
	if l.root != nil && !l.root.each(&i, yield) {
		return
	}
	for _, v := range l.tail {
		if !yield(i, v) {
			return
		}
		i++
	}
}

func (n *node) each(i *int, yield func(int, Value) bool) bool {
	for _, k := range n.kids {
		if !k.each(i, yield) {
			return false
		}
	}
	for _, v := range n.items {
		if !yield(*i, v) {
			return false
		}
		*i++
	}
	return true
}

// Append returns the list with more elements at its end; it keeps the slice, which must not be changed any more.
func (v Value) Append(items ...Value) (Value, error) {
	l, ok := v.ref.(*list)
	if !ok {
		return OfList(items), nil
	}
	c := *l
	for _, x := range items {
		c.size += x.Size()
		c.depth = max(c.depth, 1+x.Depth())
	}
	c.extend(items)
	return checked(Value{kind: List, ref: &c})
}

// concat is x + y of two lists.
func concat(x, y Value) (Value, error) {
	if x.Len() == 0 {
		return y, nil
	}
	if y.Len() == 0 {
		return x, nil
	}
	items := make([]Value, 0, y.Len())
	for _, v := range y.All() {
		items = append(items, v)
	}
	return x.Append(items...)
}
