package engine

import (
	"errors"
	"fmt"
	"time"

	"flowc/vm"
	"flowc/vm/store"
)

// What stands beside a snapshot (rows of fan-outs, ids of events) is loaded when a step needs it: mostly foreseen and read for the whole
// batch at once.

// foreseeJobs loads what the round's jobs are likely to need: of fan-outs, and whether events were taken before.
func (r *round) foreseeJobs() error {
	outcomes := map[*live]int{}
	var events []store.EventID
	for _, j := range r.work.jobs {
		l := r.live[r.tokenOf(j)]
		switch {
		case l == nil || l.tok == nil || j.free:
		case j.task != "" && len(l.tok.Fans) > 0:
			outcomes[l]++
		case vm.SeenWanted(l.tok, j.event):
			events = append(events, store.EventID{Token: l.row.ID, ID: vm.SeenKey(j.event)})
		}
	}
	if err := r.loadEvents(events); err != nil {
		return err
	}
	return r.foresee(outcomes)
}

// loadEvents tells tokens how events came out that they may have taken before.
func (r *round) loadEvents(events []store.EventID) error {
	rows, err := r.tx.EventIDs(events)
	if err != nil {
		return err
	}
	outcomes := map[store.EventID]string{}
	for _, row := range rows {
		outcomes[store.EventID{Token: row.Token, ID: row.ID}] = row.Outcome
	}
	for _, e := range events {
		l := r.live[e.Token]
		l.tok = vm.LoadSeen(l.tok, vm.SeenEvent{Key: e.ID, Outcome: vm.AnswerOutcome(outcomes[e])})
	}
	return nil
}

// applied is vm.Apply with the rows that it asks for.
func (r *round) applied(l *live, st *vm.Stimulus) (*vm.Result, error) {
	for asked := (vm.FanNeed{}); ; {
		began := time.Now()
		res, err := vm.Apply(l.program, l.tok, st, r.now)
		r.e.counters.stepTime.observe(time.Since(began).Seconds())
		var unloaded *vm.Unloaded
		if !errors.As(err, &unloaded) {
			return res, err
		}
		if unloaded.Event != "" {
			if r.broken = r.loadEvents([]store.EventID{{Token: l.row.ID, ID: vm.SeenKey(unloaded.Event)}}); r.broken != nil {
				return nil, r.broken
			}
			continue
		}
		n, err := r.loadFans([]store.FanWant{fanWant(l.row.ID, unloaded.Need)})
		switch {
		case err != nil:
			r.broken = err
			return nil, err
		case r.bad[l.row.ID] != nil:
			return nil, r.bad[l.row.ID]
		case n == 0 || asked == unloaded.Need:
			return nil, fmt.Errorf("%w, and the database does not have them", unloaded)
		}
		asked = unloaded.Need
	}
}

// differingEvents compares the ids of events with those of a token that was replayed; "" when they are the same.
func differingEvents(t *vm.Token, rows []store.EventID) string {
	have := map[vm.SeenEvent]bool{}
	for _, row := range rows {
		have[vm.SeenEvent{Key: row.ID, Outcome: vm.AnswerOutcome(row.Outcome)}] = true
	}
	want := vm.SeenEvents(t)
	for _, e := range want {
		if !have[e] {
			return fmt.Sprintf("the history leads to an event with the id %+v, and there is no such row", e)
		}
	}
	if len(rows) != len(want) {
		return fmt.Sprintf("the history leads to %d events with an id, and there are %d rows", len(want), len(rows))
	}
	return ""
}
