package value

import (
	"slices"
	"sort"
	"strings"
)

// A table is a map: entries in the byte order of their keys, cut into chunks, so that setting a key copies a chunk and the list
// of chunks, not the map.
type table struct {
	chunks [][]Entry // none is empty
	count  int
	size   int
	depth  int
}

// An Entry is one key of a map and its value.
type Entry struct {
	Key   string
	Value Value
}

// chunk is the most entries of a chunk; one more and it is halved.
const chunk = 64

// OfMap returns a map of these entries and keeps the slice, which must not be changed any more. Of entries with one key the
// last counts.
func OfMap(entries []Entry) Value {
	byKey := func(a, b Entry) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(entries, byKey) {
		slices.SortStableFunc(entries, byKey)
	}
	entries = lastOfKey(entries)
	t := &table{count: len(entries), size: headSize}
	for _, e := range entries {
		t.size += e.size()
		t.depth = max(t.depth, e.Value.Depth())
	}
	t.depth++
	for len(entries) > 0 {
		n := min(chunk/2, len(entries))
		if len(entries) <= chunk {
			n = len(entries)
		}
		t.chunks, entries = append(t.chunks, entries[:n:n]), entries[n:]
	}
	return Value{kind: Map, ref: t}
}

func lastOfKey(sorted []Entry) []Entry {
	kept := sorted[:0]
	for i, e := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Key != e.Key {
			kept = append(kept, e)
		}
	}
	return kept
}

func (e Entry) size() int { return entrySize + len(e.Key) + e.Value.Size() - valueSize }

// find returns the chunk that holds the key or would, where in it, and whether it does.
func (t *table) find(key string) (c, i int, found bool) {
	if len(t.chunks) == 0 {
		return 0, 0, false
	}
	if len(t.chunks) > 1 {
		c = max(sort.Search(len(t.chunks), func(i int) bool { return t.chunks[i][0].Key > key })-1, 0)
	}
	i, found = slices.BinarySearchFunc(t.chunks[c], key, func(e Entry, k string) int { return strings.Compare(e.Key, k) })
	return c, i, found
}

func (t *table) get(key string) (Value, bool) {
	c, i, found := t.find(key)
	if !found {
		return Value{}, false
	}
	return t.chunks[c][i].Value, true
}

func (t *table) each(yield func(string, Value) bool) {
	for _, c := range t.chunks {
		for _, e := range c {
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

func (t *table) set(key string, v Value) *table {
	c, i, found := t.find(key)
	n := &table{count: t.count, size: t.size, depth: max(t.depth, 1+v.Depth())}
	e := Entry{key, v}
	if len(t.chunks) == 0 {
		n.chunks, n.count, n.size = [][]Entry{{e}}, 1, t.size+e.size()
		return n
	}
	if !found {
		n.count++
		n.size += e.size()
		n.chunks = replaceChunk(t.chunks, c, insert(t.chunks[c], i, e))
		return n
	}
	old := t.chunks[c][i]
	changed := slices.Clone(t.chunks[c])
	changed[i] = e
	n.size += e.size() - old.size()
	n.chunks = replaceChunk(t.chunks, c, changed)
	if old.Value.Depth() > v.Depth() {
		n.depth = n.measure()
	}
	return n
}

// insert returns the entries with e at i, in memory of their own that is no larger than needed.
func insert(entries []Entry, i int, e Entry) []Entry {
	out := make([]Entry, len(entries)+1)
	copy(out, entries[:i])
	out[i] = e
	copy(out[i+1:], entries[i:])
	return out
}

func (t *table) without(key string) *table {
	c, i, found := t.find(key)
	if !found {
		return t
	}
	old := t.chunks[c][i]
	n := &table{count: t.count - 1, size: t.size - old.size(), depth: t.depth}
	n.chunks = replaceChunk(t.chunks, c, slices.Delete(slices.Clone(t.chunks[c]), i, i+1))
	if old.Value.Depth() > 0 {
		n.depth = n.measure()
	}
	return n
}

// replaceChunk returns the chunks with chunk c replaced by with: dropped when that is empty, halved when it is too long.
func replaceChunk(chunks [][]Entry, c int, with []Entry) [][]Entry {
	out := make([][]Entry, 0, len(chunks)+1)
	out = append(out, chunks[:c]...)
	switch half := len(with) / 2; {
	case len(with) > chunk:
		out = append(out, with[:half:half], with[half:])
	case len(with) > 0:
		out = append(out, with)
	}
	return append(out, chunks[c+1:]...)
}

func (t *table) measure() int {
	deepest := 0
	t.each(func(_ string, v Value) bool {
		deepest = max(deepest, v.Depth())
		return true
	})
	return deepest + 1
}
