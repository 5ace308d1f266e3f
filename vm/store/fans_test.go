package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"flowc/vm/store"
)

// TestR57_ItemsOfFanOutsAreKeptBesideTheToken: rows are saved, replaced, loaded by what is asked for, and go with their fan-out.
func TestR57_ItemsOfFanOutsAreKeptBesideTheToken(t *testing.T) {
	item := func(token string, begun, index int64, ended bool, body string) store.FanItem {
		return store.FanItem{Token: token, Visit: 3, Begun: begun, Index: index, Ended: ended, Body: body}
	}
	backEnds(t, func(t *testing.T, s store.Store) {
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0), token("b", 0)}, FanItems: []store.FanItem{
			item("a", 1, 0, false, `{"i": "\u0000"}`), item("a", 1, 1, false, "{}"), item("a", 1, 2, false, "{}"), item("a", 2, 0, true, "[]"),
			item("b", 1, 0, true, "{}"), item("b", 1, 1, false, "{}"),
		}})
		insert(t, s, store.Writes{FanItems: []store.FanItem{item("a", 1, 0, true, `{"value": 1}`)}})
		load := func(want ...store.FanWant) (got []store.FanItem) {
			update(t, s, func(tx *store.Tx) (err error) {
				got, err = tx.FanItems(want)
				return err
			})
			return got
		}
		got := load(store.FanWant{Token: "a", Visit: 3, Begun: 1, Since: 1, Until: 2}, store.FanWant{Token: "b", Visit: 3, Begun: 1, Results: true})
		want := []store.FanItem{item("b", 1, 0, true, "{}"), item("a", 1, 1, false, "{}")}
		if !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		all, version, err := s.FanItems(context.Background(), "a")
		if err != nil || version != 1 || len(all) != 4 || all[0] != item("a", 1, 0, true, `{"value": 1}`) {
			t.Errorf("of a: %+v at %d, %v", all, version, err)
		}
		insert(t, s, store.Writes{
			CloseFans: []store.FanClose{{Token: "a", Visit: 3, Begun: 1}},
			FanItems:  []store.FanItem{item("a", 3, 0, false, "{}")},
		})
		all, _, err = s.FanItems(context.Background(), "a")
		if want := []store.FanItem{item("a", 2, 0, true, "[]"), item("a", 3, 0, false, "{}")}; err != nil || !slices.Equal(all, want) {
			t.Errorf("after the close: %+v, %v", all, err)
		}
		if none := load(); none != nil {
			t.Errorf("asked for nothing: %+v", none)
		}
		insert(t, s, store.Writes{CloseFans: []store.FanClose{{Token: "a", Visit: 3, Begun: 2}, {Token: "a", Visit: 3, Begun: 3}}})
		if all, version, err := s.FanItems(context.Background(), "a"); err != nil || version != 1 || len(all) != 0 {
			t.Errorf("of a token without: %+v at %d, %v", all, version, err)
		}
		if _, _, err := s.FanItems(context.Background(), "z"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of an unknown token: %v", err)
		}
	})
}
