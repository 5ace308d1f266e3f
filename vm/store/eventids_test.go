package store_test

import (
	"context"
	"slices"
	"testing"

	"flowc/vm/store"
)

func TestR55_EventIDsAreKeptWithTheToken(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		one, two, other := store.EventID{Token: "a", ID: "x", Outcome: "accepted"}, store.EventID{Token: "a", ID: "y", Outcome: "queued"},
			store.EventID{Token: "b", ID: "x", Outcome: "deferred"}
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0), token("b", 0)}, EventIDs: []store.EventID{one, two, other}})
		update(t, s, func(tx *store.Tx) error {
			got, err := tx.EventIDs([]store.EventID{{Token: "a", ID: "y"}, {Token: "a", ID: "z"}, {Token: "b", ID: "x"}})
			if want := []store.EventID{two, other}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			return err
		})
		if all, err := s.EventIDs(context.Background(), "a"); err != nil || !slices.Equal(all, []store.EventID{one, two}) {
			t.Errorf("of a: %v, %v", all, err)
		}
		if err := s.Update(context.Background(), func(tx *store.Tx) error {
			return tx.Write(&store.Writes{EventIDs: []store.EventID{one}})
		}); err == nil {
			t.Error("an event was taken twice")
		}
	})
}
