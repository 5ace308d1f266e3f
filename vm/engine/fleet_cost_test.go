package engine_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// TestFleetFanCost holds what an item of a fan-out costs late to what it costs early, in time and in what the database writes.
func TestFleetFanCost(t *testing.T) {
	items := sized(500, 5000)
	url := pgtest.Reused(t)
	s := serve(t, url, store.Options{}, fanFlow)
	ctx, cancel := context.WithTimeout(context.Background(), fleetPatience())
	defer cancel()
	for range 4 {
		go weighAll(ctx, s.Engine, 0)
	}
	look, err := peek(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	a, err := s.StartToken(ctx, engine.StartRequest{Flow: "weighing", Input: fmt.Appendf(nil, `{"items": %d}`, items)})
	if err != nil {
		t.Fatal(err)
	}
	spent := make([]fanSpent, 10)
	for tenth := range spent {
		spent[tenth] = spentAt(ctx, t, look, a.Token.ID, items*(tenth+1)/10)
	}
	early, late := spent[2].since(spent[0]), spent[8].since(spent[6])
	t.Logf("of %d items, each costs early: %s", items, early)
	t.Logf("of %d items, each costs late:  %s", items, late)
	if *fleetFull && (late.written > 2*early.written || late.took > 2*early.took) {
		t.Errorf("an item costs more late than early")
	}
}

// fanSpent is what a fan-out has cost so far, or one item of it on average.
type fanSpent struct {
	items   int
	at      time.Time
	took    time.Duration
	written int // bytes of the write-ahead log
	row     int // bytes of the token's row
	steps   int
}

func (a fanSpent) since(b fanSpent) fanSpent {
	n := max(a.items-b.items, 1)
	return fanSpent{items: n, took: a.at.Sub(b.at) / time.Duration(n), written: (a.written - b.written) / n, row: a.row, steps: a.steps - b.steps}
}

func (a fanSpent) String() string {
	return fmt.Sprintf("%s, %d bytes written, with a row of %d bytes; %d items in %d steps", a.took.Round(time.Microsecond), a.written, a.row, a.items, a.steps)
}

// spentAt waits until so many items have ended.
func spentAt(ctx context.Context, t *testing.T, look *sql.DB, id string, items int) fanSpent {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		a := fanSpent{at: time.Now()}
		err := look.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM tasks WHERE token = $1 AND status = 'done'),
			pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint, octet_length(snapshot) + octet_length(data::text), version
			FROM tokens WHERE id = $1`, id).Scan(&a.items, &a.written, &a.row, &a.steps)
		if err != nil {
			t.Fatal(err)
		}
		if a.items >= items {
			return a
		}
		<-tick.C
	}
}
