package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"flowc/vm/store"
	"flowc/vm/store/pgtest"
	"flowc/vm/task"
)

// stale makes statistics of empty tables and keeps them: the planner then believes that every table has a row or none.
func stale(t *testing.T, url string) *sql.DB {
	t.Helper()
	raw, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	for _, table := range []string{"tokens", "tasks", "inbox"} {
		for _, q := range []string{"ALTER TABLE " + table + " SET (autovacuum_enabled = false)", "ANALYZE " + table} {
			if _, err := raw.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
	}
	return raw
}

func TestClaimsNeverTakeMoreThanTheyAskFor(t *testing.T) {
	url := pgtest.New(t)
	s := open(t, url, store.Options{})
	raw := stale(t, url)
	const n = 2000
	var w store.Writes
	for i := range n {
		w.NewTokens = append(w.NewTokens, token(fmt.Sprintf("t%04d", i), int64(1+i)))
		w.NewTasks = append(w.NewTasks, offer(fmt.Sprintf("k%04d", i), "x", int64(1+i)))
		w.Inbox = append(w.Inbox, store.Inbox{Receiver: fmt.Sprintf("t%04d", i), Sender: "s", SenderVersion: 1, N: i, Stimulus: "{}"})
	}
	insert(t, s, w)
	planner := []string{"", "enable_seqscan", "enable_indexscan", "enable_bitmapscan", "enable_nestloop", "enable_hashjoin", "enable_mergejoin",
		"enable_material", "ANALYZE"}
	for _, off := range planner {
		t.Run(strings.TrimSpace("without "+off), func(t *testing.T) {
			at := url
			if off == "ANALYZE" {
				if _, err := raw.Exec("ANALYZE"); err != nil {
					t.Fatal(err)
				}
			} else if off != "" {
				at += "&options=" + strings.ReplaceAll("-c%20"+off+"%3Doff", " ", "%20")
			}
			s := open(t, at, store.Options{Pool: 1})
			update(t, s, func(tx *store.Tx) error {
				due, err := tx.ClaimDue(2, nil)
				if err != nil {
					return err
				}
				box, err := tx.ClaimInbox(2, nil)
				if err != nil {
					return err
				}
				tasks, err := tx.ClaimTasks([]store.Want{{Task: "x", Max: 2}})
				if len(due) != 2 || len(box) != 2 || len(tasks) != 2 || due[0].ID != "t0000" || tasks[0].ID != "k0000" {
					t.Errorf("%d due, %d with messages, %d tasks", len(due), len(box), len(tasks))
				}
				return err
			})
		})
	}
}

// TestR11_DueTokensAreFoundByTheIndex holds the plan: without the index a look at a million tokens that wait costs a second.
func TestR11_DueTokensAreFoundByTheIndex(t *testing.T) {
	url := pgtest.New(t)
	s := open(t, url, store.Options{})
	var w store.Writes
	for i := range 3000 {
		w.NewTokens = append(w.NewTokens, token(fmt.Sprintf("t%04d", i), int64(1)<<60+int64(i)))
		row := offer(fmt.Sprintf("k%04d", i), "x", 1)
		row.Status, row.NextAt = task.Claimed, int64(1)<<60+int64(i)
		w.NewTasks = append(w.NewTasks, row)
	}
	insert(t, s, w)
	raw, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		statement, index string
		args             []any
	}{
		{"claim_due", "tokens_next_due", []any{"{}", 256}},
		{"next_due", "tokens_next_due", nil},
		{"claim_tasks", "tasks_claimable", []any{"{x}", `{""}`, "{5}"}},
		{"expired_tasks", "tasks_running", []any{256}},
		{"next_task", "tasks_running", nil},
	} {
		plan := explain(t, raw, store.Statement(s, c.statement), c.args...)
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "Seq Scan on t") {
			t.Errorf("%s does not use %s:\n%s", c.statement, c.index, plan)
		}
	}
}

// R73: a purge finds its tokens by an index, among any number that live.
func TestR73_APurgeFindsItsTokensByAnIndex(t *testing.T) {
	url := pgtest.New(t)
	s := open(t, url, store.Options{})
	var w store.Writes
	for i := range 5000 {
		row := token(fmt.Sprintf("t%04d", i), int64(1)<<60)
		if row.UpdatedAt = int64(i); i%500 == 7 {
			row.Status = "completed"
		}
		w.NewTokens = append(w.NewTokens, row)
	}
	insert(t, s, w)
	raw, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]any{
		{"{}", true, "{completed,cancelled}", "", int64(4000), 200},
		{"{t0007,t0008}", false, "{completed,cancelled,failed}", "", int64(1) << 62, 200},
	} {
		plan := explain(t, raw, store.Statement(s, "purgeable"), args...)
		if !strings.Contains(plan, "tokens_ended") && !strings.Contains(plan, "tokens_pkey") {
			t.Errorf("purgeable of %v uses no index:\n%s", args[:2], plan)
		}
	}
}

// UX-01: lists by state, by reason and by error are found by an index, among a million tokens that do something else.
func TestUX01_TokensAreFoundByTheirStateAndReason(t *testing.T) {
	url := pgtest.New(t)
	s := open(t, url, store.Options{})
	var w store.Writes
	for i := range 5000 {
		row := token(fmt.Sprintf("t%04d", i), int64(1)<<60)
		row.Waiting, row.States, row.CreatedAt = "event", fmt.Sprintf(`["busy_%d"]`, i%7), int64(i)
		switch {
		case i%1000 == 3:
			row.Waiting, row.States = "child", `["parent","b.rare_one"]`
		case i%1000 == 4:
			row.Waiting, row.States, row.Parent = "paused", `["kid"]`, fmt.Sprintf("t%04d", i-1)
		case i%1000 == 5:
			row.Waiting, row.Error = "failed", "no_luck"
		case i%1000 == 6:
			row.Waiting = "task"
			w.NewTasks = append(w.NewTasks, offer(fmt.Sprintf("k%04d", i), "x", 1))
			w.NewTasks[len(w.NewTasks)-1].Token = row.ID
		}
		w.NewTokens = append(w.NewTokens, row)
	}
	insert(t, s, w)
	update(t, s, func(tx *store.Tx) error {
		_, err := tx.InsertProgram(store.Program{Hash: "p1", Flow: "order", Code: []byte{1}})
		return err
	})
	raw, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		filter store.Filter
		n      int64
	}{
		{"state", store.Filter{State: "b.rare_one"}, 5}, {"state that nobody is in", store.Filter{State: "rare"}, 0},
		{"error", store.Filter{Error: "no_luck"}, 5}, {"failed", store.Filter{Waiting: "failed"}, 5},
		{"child paused", store.Filter{Waiting: "child-paused"}, 5}, {"child that goes on", store.Filter{Waiting: "child"}, 0},
		{"unclaimed", store.Filter{Waiting: "unclaimed"}, 5}, {"backoff", store.Filter{Waiting: "backoff"}, 0},
		{"child failed", store.Filter{Waiting: "child-failed"}, 0}, {"set aside", store.Filter{Waiting: "set-aside"}, 0},
	} {
		n, err := s.Count(context.Background(), c.filter)
		if err != nil || n != c.n {
			t.Errorf("%s: %d, %v", c.name, n, err)
		}
		where, args, err := store.Where(s, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		plan := explain(t, raw, "SELECT id FROM tokens"+where+" ORDER BY created_at DESC, id DESC LIMIT 100", args...)
		if strings.Contains(plan, "Seq Scan on tokens") || strings.Contains(plan, "using tokens_created") {
			t.Errorf("%s is found by no index:\n%s", c.name, plan)
		}
	}
	plan := explain(t, raw, store.Rebound(s, "state_sets"), 500)
	if strings.Contains(plan, "Seq Scan on tokens") || !strings.Contains(plan, "tokens_states") {
		t.Errorf("the combinations of states are found by no index:\n%s", plan)
	}
}

func explain(t *testing.T, raw *sql.DB, q string, args ...any) string {
	t.Helper()
	rows, err := raw.QueryContext(context.Background(), "EXPLAIN "+q, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	return plan.String()
}
