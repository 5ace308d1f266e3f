package value

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A list is compared with a slice over random operations; earlier versions must keep what they had.
func TestAListBehavesAsASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, model := OfList(nil), []int64{}
		type version struct {
			v     Value
			model []int64
		}
		var versions []version
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				n := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 1200)).Draw(t, "n")
				more := make([]Value, n)
				model = slices.Clone(model)
				for i := range more {
					more[i] = OfInt(int64(len(model)))
					model = append(model, int64(len(model)))
				}
				v, _ = Add(v, OfList(more))
			},
			"set": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				model = slices.Clone(model)
				model[i] = -model[i]
				v, _ = v.WithIndex(int64(i), OfInt(model[i]))
			},
			"": func(t *rapid.T) {
				versions = append(versions, version{v, model})
				for _, w := range versions {
					if w.v.Len() != len(w.model) || w.v.Size() != headSize+valueSize*len(w.model) || w.v.Depth() != 1 {
						t.Fatalf("%d elements, want %d", w.v.Len(), len(w.model))
					}
					for i, x := range w.v.All() {
						if x.Int() != w.model[i] || w.v.At(i).Int() != x.Int() {
							t.Fatalf("[%d] is %d, %s, want %d", i, x.Int(), w.v.At(i), w.model[i])
						}
					}
				}
				if len(versions) > 4 {
					versions = versions[1:]
				}
			},
		})
	})
}

func TestAMapBehavesAsAMap(t *testing.T) {
	key := rapid.StringMatching(`[a-f]{1,3}`)
	rapid.Check(t, func(t *rapid.T) {
		v, model := OfMap(nil), map[string]int64{}
		before, beforeModel := v, model
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				before, beforeModel = v, maps.Clone(model)
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					k := key.Draw(t, "key")
					model[k]++
					v, _ = v.WithKey(k, OfInt(model[k]))
				}
			},
			"unset": func(t *rapid.T) {
				before, beforeModel = v, maps.Clone(model)
				for range rapid.IntRange(1, 60).Draw(t, "n") {
					k := key.Draw(t, "key")
					delete(model, k)
					v = v.WithoutKey(k)
				}
			},
			"": func(t *rapid.T) {
				compareMap(t, v, model)
				compareMap(t, before, beforeModel)
			},
		})
	})
}

func compareMap(t *rapid.T, v Value, model map[string]int64) {
	if v.Len() != len(model) {
		t.Fatalf("%d entries, want %d", v.Len(), len(model))
	}
	var entries []Entry
	for _, k := range slices.Sorted(maps.Keys(model)) {
		got, ok := v.Get(k)
		if !ok || got.Int() != model[k] || !In(OfString(k), v) {
			t.Fatalf("[%q] is %s, want %d", k, got, model[k])
		}
		entries = append(entries, Entry{k, got})
	}
	fresh := OfMap(entries)
	i := 0
	for k := range v.Entries() {
		if k != entries[i].Key {
			t.Fatalf("key %d is %q, want %q", i, k, entries[i].Key)
		}
		i++
	}
	if !Equal(v, fresh) || v.Size() != fresh.Size() || v.Depth() != fresh.Depth() {
		t.Fatalf("size %d, depth %d, made anew %d, %d", v.Size(), v.Depth(), fresh.Size(), fresh.Depth())
	}
}

func TestRecordsAreValues(t *testing.T) {
	d := &Decl{Name: "cart", Fields: []Field{{Name: "owner", Type: TypeString}, {Name: "lines", Type: ListOf(TypeInt)}}}
	a := OfRecord(d, []Value{OfString("ann"), OfList([]Value{OfInt(1)})})
	lines, err := a.At(1).WithIndex(0, OfInt(9))
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.WithField(1, lines)
	if err != nil || a.String() != `{"owner":"ann","lines":[1]}` || b.String() != `{"owner":"ann","lines":[9]}` {
		t.Fatal(a, b, err)
	}
	if Equal(a, b) || b.Decl() != d {
		t.Error("equal, or of another type")
	}
}

func TestUpdatesOutOfRange(t *testing.T) {
	l := OfList([]Value{OfInt(1), OfInt(2)})
	for _, i := range []int64{-1, 2, 1 << 40} {
		if _, err := l.Index(i); code(err) != CodeRange {
			t.Errorf("[%d]: %v", i, err)
		}
		if _, err := l.WithIndex(i, OfInt(0)); code(err) != CodeRange {
			t.Errorf("[%d] = 0: %v", i, err)
		}
	}
	if _, err := OfNull().WithField(0, OfInt(1)); code(err) != CodeNull {
		t.Error("a field of null")
	}
	if _, err := OfNull().WithKey("a", OfInt(1)); code(err) != CodeNull {
		t.Error("a key of null")
	}
}

// Values that contain one another many times take little memory but for ever to walk over, so their size counts each time.
func TestR7_AValueThatDoublesItselfMeetsTheLimit(t *testing.T) {
	node := func(kid Value) Value {
		return OfRecord(tree, []Value{OfString("n"), OfList([]Value{kid, kid}), OfNull()})
	}
	v := OfRecord(tree, []Value{OfString("leaf"), OfList(nil), OfNull()})
	for i := range 100 {
		if v = node(v); v.Check() != nil {
			if code(v.Check()) != CodeMemory || i > 25 {
				t.Errorf("after %d: %v", i, v.Check())
			}
			return
		}
	}
	t.Error("no limit")
}

func TestDepthIsExactAfterUpdates(t *testing.T) {
	deep := OfList([]Value{OfList([]Value{OfList(nil)})})
	l := OfList([]Value{OfInt(1), deep})
	if l.Depth() != 4 {
		t.Fatal(l.Depth())
	}
	l, _ = l.WithIndex(1, OfList(nil))
	m, _ := OfMap([]Entry{{"a", deep}, {"b", OfInt(1)}}).WithKey("a", OfInt(2))
	n := OfMap([]Entry{{"a", deep}, {"b", OfList(nil)}}).WithoutKey("a")
	if l.Depth() != 2 || m.Depth() != 1 || n.Depth() != 2 {
		t.Error(l.Depth(), m.Depth(), n.Depth())
	}
}

func TestStringsBeyondTheLimitAreRefused(t *testing.T) {
	half := OfString(string(make([]byte, MaxSize/2)))
	if _, err := Add(half, half); code(err) != CodeMemory {
		t.Error(err)
	}
}

func TestCostsCoverWhatIsAllocated(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 1000, 40_000} {
		items := make([]Value, n)
		entries := make([]Entry, n)
		for i := range items {
			items[i], entries[i] = OfInt(1), Entry{fmt.Sprintf("%06d", i), OfInt(1)}
		}
		l, m := OfList(items), OfMap(entries)
		one := OfList([]Value{OfInt(2)})
		for name, c := range map[string]struct {
			cost int
			do   func()
		}{
			"append":  {CostAdd(l, one), func() { sink, _ = Add(l, one) }},
			"index":   {l.CostWith(), func() { sink, _ = l.WithIndex(int64(n/2), OfInt(3)) }},
			"replace": {m.CostWith(), func() { sink, _ = m.WithKey(entries[n/2].Key, OfInt(3)) }},
			"insert":  {m.CostWith(), func() { sink, _ = m.WithKey(entries[n/2].Key+"x", OfInt(3)) }},
		} {
			if got := allocated(c.do); got > c.cost+c.cost/2+512 {
				t.Errorf("%s of %d: %d bytes, counted as %d", name, n, got, c.cost)
			}
		}
	}
}

var sink Value

// allocated returns the bytes that one call allocates, on average.
func allocated(do func()) int {
	const runs = 200
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		do()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / runs
}
