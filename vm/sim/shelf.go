package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"flowc/vm"
)

// shelf holds the rows of a token's fan-outs as a store does (R57).
type shelf map[vm.FanRef]map[int]row

// row is a row as it is stored.
type row struct {
	ended bool
	body  string
}

// put keeps what a step saved and drops what it closed.
func (s shelf) put(r *vm.Result) error {
	for i := range r.FanRows {
		ref, stored := r.FanRows[i].FanRef, row{ended: r.FanRows[i].Result != nil}
		raw, err := json.Marshal(r.FanRows[i].Item)
		if stored.ended {
			raw, err = json.Marshal(r.FanRows[i].Result)
		}
		if err != nil {
			return err
		}
		stored.body = string(raw)
		if s[ref] == nil {
			s[ref] = map[int]row{}
		}
		s[ref][r.FanRows[i].Index] = stored
	}
	for _, ref := range r.ClosedFans {
		delete(s, ref)
	}
	return nil
}

// load gives what a step asked for and nothing more.
func (s shelf) load(need vm.FanNeed) ([]vm.FanRow, error) {
	var out []vm.FanRow
	for _, i := range slices.Sorted(maps.Keys(s[need.FanRef])) {
		stored := s[need.FanRef][i]
		if stored.ended && !need.Results || !stored.ended && (i < need.From || i >= need.To) {
			continue
		}
		r := vm.FanRow{FanRef: need.FanRef, Index: i}
		var err error
		if stored.ended {
			r.Result = new(vm.FanResult)
			err = json.Unmarshal([]byte(stored.body), r.Result)
		} else {
			r.Item = new(vm.FanItem)
			err = json.Unmarshal([]byte(stored.body), r.Item)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// apply is vm.Apply for a token whose fan-outs have their rows on the shelf.
func (s shelf) apply(t *Token, st *vm.Stimulus, now int64) (*vm.Result, error) {
	for token := t.vm; ; {
		r, err := vm.Apply(t.program, token, st, now)
		var unloaded *vm.Unloaded
		if !errors.As(err, &unloaded) {
			return r, err
		}
		rows, err := s.load(unloaded.Need)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("the step needs rows that were never saved: %w", unloaded)
		}
		token = vm.LoadFans(token, rows)
	}
}

// equal compares the shelf with the rows of a token that was replayed, which has them all. What was started and has not ended
// keeps the row of its item on the shelf, until its result takes the place.
func (s shelf) equal(t *vm.Token) error {
	want := shelf{}
	if err := want.put(&vm.Result{FanRows: vm.FanRows(t)}); err != nil {
		return err
	}
	for i := range t.Fans {
		ref := vm.FanRef{Visit: t.Fans[i].Visit, Begun: t.Fans[i].Begun}
		for index, stored := range s[ref] {
			if index >= t.Fans[i].Next || stored.ended {
				if want[ref][index] != stored {
					return fmt.Errorf("the row %d of the fan-out %v was saved as %+v and replayed as %+v", index, ref, stored, want[ref][index])
				}
			}
		}
		for index := range want[ref] {
			if _, ok := s[ref][index]; !ok {
				return fmt.Errorf("the row %d of the fan-out %v was not saved", index, ref)
			}
		}
	}
	if len(s) > len(t.Fans) {
		return fmt.Errorf("there are rows of %d fan-outs and %d run", len(s), len(t.Fans))
	}
	return nil
}
