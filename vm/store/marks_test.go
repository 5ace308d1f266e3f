package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"flowc/vm/store"
	"flowc/vm/store/pgtest"
	"flowc/vm/task"
)

// R70: a history is read from the step on that holds a line, in order, and however large its steps are, a read gives no more than
// about a MiB and says whether there is more.
func TestHistoryIsReadInOrderAndInBounds(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		ctx := context.Background()
		h := func(token string, v int64, line, size int) store.History {
			return store.History{Token: token, Version: v, Line: line, At: v, Stimulus: `{"x":"` + strings.Repeat("x", size) + `"}`, Lines: "[]"}
		}
		insert(t, s, store.Writes{History: []store.History{h("a", 2, 1, 0), h("a", 1, 1, 0), h("a", 1, 4, 0)}})
		for _, c := range []struct {
			version     int64
			line, limit int
			want        []string
			more        bool
		}{
			{0, 0, 10, []string{"1.1", "1.4", "2.1"}, false},
			{1, 3, 10, []string{"1.1", "1.4", "2.1"}, false}, // 1.3 is a line of the step that begins with 1.1
			{1, 4, 10, []string{"1.4", "2.1"}, false},
			{1, 9, 1, []string{"1.4"}, true},
			{2, 7, 1, []string{"2.1"}, true}, // as many as asked for: there may be more
			{3, 0, 10, nil, false},
		} {
			rows, more, err := s.History(ctx, "a", c.version, c.line, c.limit)
			if got := places(rows); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) || more != c.more {
				t.Errorf("from %d.%d at most %d: %v, %v, %v", c.version, c.line, c.limit, got, more, err)
			}
		}
		var large []store.History
		for v := range int64(8) {
			large = append(large, h("b", v+1, 1, 400_000))
		}
		insert(t, s, store.Writes{History: large})
		rows, more, err := s.History(ctx, "b", 0, 0, 100)
		if got := places(rows); err != nil || fmt.Sprint(got) != "[1.1 2.1 3.1]" || !more {
			t.Errorf("of 8 steps of 400 kB: %v, %v, %v", got, more, err)
		}
		insert(t, s, store.Writes{History: []store.History{h("c", 1, 1, 2<<20), h("c", 2, 1, 2<<20), h("c", 3, 1, 0)}})
		if rows, more, err = s.History(ctx, "c", 0, 0, 100); err != nil || len(rows) != 2 || !more {
			t.Errorf("of steps that are larger than a read: %v, %v, %v", places(rows), more, err)
		}
	})
}

func places(rows []store.History) []string {
	var out []string
	for _, h := range rows {
		out = append(out, fmt.Sprintf("%d.%d", h.Version, h.Line))
	}
	return out
}

// The tasks of which attempts ended within a span of versions are found without the others; a token's lines are counted on by an
// update that touches nothing else of it.
func TestAttemptsAreFoundByTheirPlace(t *testing.T) {
	backEnds(t, func(t *testing.T, s store.Store) {
		ctx := context.Background()
		row := func(id string, versions ...int64) task.Row {
			r := offer(id, "x", 1)
			r.Token, r.Input = "a", json.RawMessage(`{"n":1}`)
			for i, v := range versions {
				r.Log = append(r.Log, task.Attempt{Attempt: i + 1, Kind: "failed", Version: v, Line: 7})
			}
			return r
		}
		insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0)}, NewTasks: []task.Row{row("t0"), row("t1", 3), row("t2", 3, 5), row("t3", 9)}})
		for span, want := range map[[2]int64]string{{0, 99}: "t1 t2 t3", {0, 3}: "t1 t2", {4, 8}: "t2", {6, 8}: "", {9, 9}: "t3"} {
			rows, err := s.Attempts(ctx, "a", span[0], span[1])
			got := map[string]bool{}
			for _, r := range rows {
				got[r.ID] = true
				if r.Input != nil || len(r.Log) == 0 {
					t.Errorf("%+v", r)
				}
			}
			if err != nil || len(got) != len(strings.Fields(want)) {
				t.Errorf("of versions %v: %v, %v, want %s", span, got, err, want)
			}
		}
		insert(t, s, store.Writes{Lines: []store.Mark{{Token: "a", Version: 1, Lines: 12}}})
		marks, err := s.Marks(ctx, []string{"a", "z"})
		if want := (map[string]store.Mark{"a": {Token: "a", Version: 1, Lines: 12}}); err != nil || !maps.Equal(marks, want) {
			t.Errorf("%v, %v", marks, err)
		}
		err = s.Update(ctx, func(tx *store.Tx) error {
			return tx.Write(&store.Writes{Lines: []store.Mark{{Token: "a", Version: 2, Lines: 1}}})
		})
		if err == nil {
			t.Error("lines of a version that the token does not have were counted")
		}
	})
}

// R81: what one server tells to have moved the others hear, whatever fits in one notification.
func TestR81_OthersHearWhatHasMoved(t *testing.T) {
	url := pgtest.Reused(t)
	a, b := open(t, url, store.Options{}), open(t, url, store.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	heard, done := make(chan store.Hint), make(chan error, 1)
	go func() {
		done <- b.Listen(ctx, func(h store.Hint) {
			select {
			case heard <- h:
			case <-ctx.Done():
			}
		})
	}()
	want := map[string]store.Mark{}
	var moved []store.Mark
	for i := range 500 {
		m := store.Mark{Token: fmt.Sprintf("0197f0a0-0000-7000-8000-%012d", i), Version: int64(i) << 20, Lines: i}
		moved, want[m.Token] = append(moved, m), m
	}
	for up := false; !up; { // what is told before the other listens is lost, as a hint may be
		if err := a.Tell(ctx, moved[:1]); err != nil {
			t.Fatal(err)
		}
		select {
		case <-heard:
			up = true
		default:
		}
	}
	if err := a.Tell(ctx, moved); err != nil {
		t.Fatal(err)
	}
	for got := map[string]store.Mark{}; !maps.Equal(got, want); {
		for _, m := range (<-heard).Moved {
			got[m.Token] = m
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
