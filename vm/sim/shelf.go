package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"flowc/vm"
)

// shelf holds what stands beside a token's snapshot, as a store does: the rows of its fan-outs (R57) and the ids of its events (R55).
type shelf struct {
	fans map[vm.FanRef]map[int]row
	seen map[string]vm.AnswerOutcome
}

func newShelf() *shelf {
	return &shelf{map[vm.FanRef]map[int]row{}, map[string]vm.AnswerOutcome{}}
}

// row is a row as it is stored.
type row struct {
	ended bool
	body  string
}

// put keeps what a step saved and drops what it closed.
func (s *shelf) put(r *vm.Result) error {
	for _, e := range r.Seen {
		if _, twice := s.seen[e.Key]; twice {
			return fmt.Errorf("an event of the same id was taken twice")
		}
		s.seen[e.Key] = e.Outcome
	}
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
		if s.fans[ref] == nil {
			s.fans[ref] = map[int]row{}
		}
		s.fans[ref][r.FanRows[i].Index] = stored
	}
	for _, ref := range r.ClosedFans {
		delete(s.fans, ref)
	}
	return nil
}

// load gives what a step asked for and nothing more.
func (s *shelf) load(need vm.FanNeed) ([]vm.FanRow, error) {
	var out []vm.FanRow
	for _, i := range slices.Sorted(maps.Keys(s.fans[need.FanRef])) {
		stored := s.fans[need.FanRef][i]
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

// apply is vm.Apply for a token whose rows are on the shelf.
func (s *shelf) apply(t *Token, st *vm.Stimulus, now int64) (*vm.Result, error) {
	for token := t.vm; ; {
		r, err := vm.Apply(t.program, token, st, now)
		var unloaded *vm.Unloaded
		if !errors.As(err, &unloaded) {
			return r, err
		}
		if unloaded.Event != "" {
			k := vm.SeenKey(unloaded.Event)
			token = vm.LoadSeen(token, vm.SeenEvent{Key: k, Outcome: s.seen[k]})
			continue
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
func (s *shelf) equal(t *vm.Token) error {
	want := newShelf()
	if err := want.put(&vm.Result{FanRows: vm.FanRows(t), Seen: vm.SeenEvents(t)}); err != nil {
		return err
	}
	if !maps.Equal(s.seen, want.seen) || int64(len(s.seen)) != t.SeenCount {
		return fmt.Errorf("the ids of events %v were replayed as %v", s.seen, want.seen)
	}
	for i := range t.Fans {
		ref := vm.FanRef{Visit: t.Fans[i].Visit, Begun: t.Fans[i].Begun}
		for index, stored := range s.fans[ref] {
			if index >= t.Fans[i].Next || stored.ended {
				if again := want.fans[ref][index]; again != stored {
					return fmt.Errorf("the row %d of the fan-out %v was saved as %+v and replayed as %+v", index, ref, stored, again)
				}
			}
		}
		for index := range want.fans[ref] {
			if _, ok := s.fans[ref][index]; !ok {
				return fmt.Errorf("the row %d of the fan-out %v was not saved", index, ref)
			}
		}
	}
	if len(s.fans) > len(t.Fans) {
		return fmt.Errorf("there are rows of %d fan-outs and %d run", len(s.fans), len(t.Fans))
	}
	return nil
}
