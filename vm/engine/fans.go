package engine

import (
	"encoding/json"
	"fmt"

	"flowc/vm"
	"flowc/vm/store"
)

// fanRows is what the steps of a round did to the rows of a token's fan-outs (R57).
type fanRows struct {
	saved  map[fanKey]vm.FanRow
	order  []fanKey
	closed []vm.FanRef
}

type fanKey struct {
	vm.FanRef
	index int
}

// took keeps what a step saved; what it closed need not be written any more.
func (f *fanRows) took(res *vm.Result) {
	for _, row := range res.FanRows {
		k := fanKey{row.FanRef, row.Index}
		if f.saved == nil {
			f.saved = map[fanKey]vm.FanRow{}
		}
		if _, ok := f.saved[k]; !ok {
			f.order = append(f.order, k)
		}
		f.saved[k] = row
	}
	for _, ref := range res.ClosedFans {
		f.closed = append(f.closed, ref)
		for k := range f.saved {
			if k.FanRef == ref {
				delete(f.saved, k)
			}
		}
	}
}

// collect puts the rows into the writes.
func (f *fanRows) collect(token string, w *store.Writes) {
	for _, ref := range f.closed {
		w.CloseFans = append(w.CloseFans, store.FanClose{Token: token, Visit: ref.Visit, Begun: ref.Begun})
	}
	for _, k := range f.order {
		row, ok := f.saved[k]
		if !ok {
			continue
		}
		item := store.FanItem{Token: token, Visit: k.Visit, Begun: k.Begun, Index: int64(k.index), Ended: row.Result != nil}
		if item.Ended {
			item.Body = mustJSON(row.Result)
		} else {
			item.Body = mustJSON(row.Item)
		}
		w.FanItems = append(w.FanItems, item)
	}
}

func fanRow(item *store.FanItem) (vm.FanRow, error) {
	row := vm.FanRow{FanRef: vm.FanRef{Visit: item.Visit, Begun: item.Begun}, Index: int(item.Index)}
	var err error
	if item.Ended {
		row.Result = new(vm.FanResult)
		err = json.Unmarshal([]byte(item.Body), row.Result)
	} else {
		row.Item = new(vm.FanItem)
		err = json.Unmarshal([]byte(item.Body), row.Item)
	}
	if err != nil {
		return row, fmt.Errorf("read item %d of a fan-out: %w", item.Index, err)
	}
	return row, nil
}

func fanWant(token string, n vm.FanNeed) store.FanWant {
	return store.FanWant{Token: token, Visit: n.Visit, Begun: n.Begun, Since: int64(n.From), Until: int64(n.To), Results: n.Results}
}

// foresee loads, in one statement for all tokens, what their steps are likely to need of fan-outs when each takes so many outcomes.
func (r *round) foresee(outcomes map[*live]int) error {
	var want []store.FanWant
	for l, n := range outcomes {
		if l.tok == nil || r.bad[l.row.ID] != nil {
			continue
		}
		for _, need := range vm.FanNeeds(l.program, l.tok, n) {
			want = append(want, fanWant(l.row.ID, need))
		}
	}
	_, err := r.loadFans(want)
	return err
}

// loadFans gives tokens rows of their fan-outs and says how many there were.
func (r *round) loadFans(want []store.FanWant) (int, error) {
	items, err := r.tx.FanItems(want)
	if err != nil {
		return 0, err
	}
	rows := map[string][]vm.FanRow{}
	for i := range items {
		row, err := fanRow(&items[i])
		if err != nil {
			r.bad[items[i].Token] = err
			continue
		}
		rows[items[i].Token] = append(rows[items[i].Token], row)
	}
	for id, rows := range rows {
		l := r.live[id]
		l.tok = vm.LoadFans(l.tok, rows)
	}
	return len(items), nil
}

// differingItems compares the rows of fan-outs with those of a token that was replayed, which has them all; "" when they are the
// same. What was started and has not ended keeps its item's row until its result takes the place.
func differingItems(t *vm.Token, items []store.FanItem) string {
	started := map[vm.FanRef]int{}
	for i := range t.Fans {
		started[vm.FanRef{Visit: t.Fans[i].Visit, Begun: t.Fans[i].Begun}] = t.Fans[i].Next
	}
	var replayed fanRows
	replayed.took(&vm.Result{FanRows: vm.FanRows(t)})
	var w store.Writes
	replayed.collect(t.ID, &w)
	want := map[fanKey]store.FanItem{}
	for _, item := range w.FanItems {
		want[fanKey{vm.FanRef{Visit: item.Visit, Begun: item.Begun}, int(item.Index)}] = item
	}
	for _, item := range items {
		k := fanKey{vm.FanRef{Visit: item.Visit, Begun: item.Begun}, int(item.Index)}
		next, runs := started[k.FanRef]
		if runs && !item.Ended && k.index < next && !want[k].Ended {
			continue
		}
		if want[k] != item {
			return fmt.Sprintf("the history leads to the item %+v of a fan-out, the row has %+v", want[k], item)
		}
		delete(want, k)
	}
	for _, item := range want {
		return fmt.Sprintf("the history leads to the item %+v of a fan-out, and there is no such row", item)
	}
	return ""
}
