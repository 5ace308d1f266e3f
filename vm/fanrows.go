package vm

import (
	"cmp"
	"math/bits"
	"slices"

	"flowc/compiler/program"
)

// The items and results of a fan-out are not in the snapshot, which every step rewrites, but in rows beside it (R57). A step asks
// for those that it needs: the next items to start, and all results once the join is decided. So a step costs the same early and
// late, and still depends on nothing but what it is given.

// A FanRef names a fan-out of a token.
type FanRef struct{ Visit, Begun int64 }

// A FanRow is a row of a fan-out: an item that is not started yet, or in its place how it ended.
type FanRow struct {
	FanRef
	Index  int
	Item   *FanItem   // or
	Result *FanResult // one of the two
}

// A FanNeed asks for rows of a fan-out: the items with an index from From on and below To, and with Results all results.
type FanNeed struct {
	FanRef
	From, To int
	Results  bool
}

// itemsAhead is how many items are asked for at least when more are needed than were given.
const itemsAhead = 64

// FanNeeds says what a step is likely to need that takes n outcomes of tasks or children: a hint, that saves asking again.
func FanNeeds(p *program.Program, t *Token, n int) []FanNeed {
	var needs []FanNeed
	f := flowOf(p, t.Flow)
	for i := range t.Fans {
		fan := &t.Fans[i]
		need := FanNeed{FanRef: fan.ref()}
		if fan.Next < fan.Total {
			need.From, need.To = fan.Next, min(fan.Next+n, fan.Total)
		}
		need.Results = fan.tally().within(n, fanJoin(f, t, fan), fan.Need)
		if need.Results || need.To > need.From {
			needs = append(needs, need)
		}
	}
	return needs
}

// within reports whether n more successes decide a join.
func (t tally) within(n int, kind program.JoinKind, need int) bool {
	if left := t.total - t.succeeded - t.failed; n >= left {
		return true
	}
	t.succeeded += n
	decided, _ := t.joined(kind, need)
	return decided && kind != program.JoinAny // of `any` it needs none but the first to succeed, so it is mostly not worth while
}

// LoadFans gives a token rows of its fan-outs; those that it has already stay as they are. Rows of others are passed over.
func LoadFans(t *Token, rows []FanRow) *Token {
	if len(rows) == 0 {
		return t
	}
	own := *t
	own.Fans = slices.Clone(t.Fans)
	for i := range own.Fans {
		own.Fans[i].load(rows)
	}
	return &own
}

func (fan *Fan) load(rows []FanRow) {
	var items []FanItem
	var results []FanResult
	known := make(map[int]bool, len(fan.Items)+len(fan.Results))
	for i := range fan.Items {
		known[fan.Items[i].Index] = true
	}
	for i := range fan.Results {
		known[fan.Results[i].Index] = true
	}
	for i := range rows {
		switch r := &rows[i]; {
		case r.FanRef != fan.ref() || known[r.Index]:
		case r.Item != nil && r.Index >= fan.Next:
			items = append(items, *r.Item)
			items[len(items)-1].Index = r.Index
		case r.Result != nil && fan.has(r.Index):
			results = append(results, *r.Result)
			results[len(results)-1].Index = r.Index
		}
	}
	if items != nil {
		fan.Items = append(items, fan.Items...)
		slices.SortFunc(fan.Items, func(a, b FanItem) int { return cmp.Compare(a.Index, b.Index) })
	}
	if results != nil {
		fan.Results = append(results, fan.Results...)
	}
}

// FanRows are the rows of a token's fan-outs, as far as they are loaded: the items that wait, then the results, by index.
func FanRows(t *Token) []FanRow {
	var rows []FanRow
	for i := range t.Fans {
		fan := &t.Fans[i]
		for k := range fan.Items {
			rows = append(rows, FanRow{FanRef: fan.ref(), Index: fan.Items[k].Index, Item: &fan.Items[k]})
		}
		for k := range fan.Results {
			rows = append(rows, FanRow{FanRef: fan.ref(), Index: fan.Results[k].Index, Result: &fan.Results[k]})
		}
	}
	slices.SortFunc(rows, func(a, b FanRow) int {
		return cmp.Or(cmp.Compare(a.Visit, b.Visit), cmp.Compare(a.Begun, b.Begun), cmp.Compare(a.Index, b.Index))
	})
	return rows
}

func (fan *Fan) ref() FanRef { return FanRef{fan.Visit, fan.Begun} }

func (fan *Fan) endedCount() int {
	n := 0
	for _, word := range fan.Ended {
		n += bits.OnesCount64(word)
	}
	return n
}

// OpenTasks counts the tasks that a token waits for and that are offered: those of fan-outs that wait for a free place are not yet.
func OpenTasks(t *Token) int {
	n := len(t.Work)
	for i := range t.Fans {
		if fan := &t.Fans[i]; fan.Flow == "" {
			n += fan.Next - fan.Succeeded - fan.Failed
		}
	}
	return n
}

// highest is the highest index that has ended, -1 when none has.
func (fan *Fan) highest() int {
	for i := len(fan.Ended) - 1; i >= 0; i-- {
		if word := fan.Ended[i]; word != 0 {
			return i*64 + bits.Len64(word) - 1
		}
	}
	return -1
}

// nextItem returns the item that is to be started next.
func (s *step) nextItem(fan *Fan) (FanItem, bool) {
	if len(fan.Items) == 0 || fan.Items[0].Index != fan.Next {
		ahead := max(itemsAhead, len(s.t.Kept))
		s.unloaded(Unloaded{Need: FanNeed{FanRef: fan.ref(), From: fan.Next, To: min(fan.Next+ahead, fan.Total)}})
		return FanItem{}, false
	}
	item := fan.Items[0]
	fan.Items = fan.Items[1:]
	return item, true
}

// saveItems makes the rows of a fan-out that has just begun: the items that wait for a free place.
func (s *step) saveItems(v Visit) {
	i := s.fanAt(v)
	if i < 0 || s.halt != going {
		return
	}
	fan := &s.t.Fans[i]
	for k := range fan.Items {
		s.rows = append(s.rows, FanRow{FanRef: fan.ref(), Index: fan.Items[k].Index, Item: &fan.Items[k]})
	}
}
