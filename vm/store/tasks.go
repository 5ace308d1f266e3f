package store

import (
	"encoding/json"
	"fmt"
	"slices"

	"flowc/vm/task"
)

// taskRow is a row of tasks as the database has it.
type taskRow struct {
	ID         string `db:"id"`
	Token      string `db:"token"`
	Flow       string `db:"flow"`
	Task       string `db:"task"`
	Queue      string `db:"queue"`
	Status     string `db:"status"`
	NextAt     int64  `db:"next_at"`
	HeldAt     int64  `db:"held_at"`
	Dispatched bool   `db:"dispatched"`
	OfferedAt  int64  `db:"offered_at"`
	EndedAt    int64  `db:"ended_at"`
	Input      string `db:"input"`
	Body       string `db:"body"`
	Now        int64  `db:"now"`
}

func (t *taskRow) row() (task.Row, error) {
	var r task.Row
	if err := json.Unmarshal([]byte(t.Body), &r); err != nil {
		return r, fmt.Errorf("read the body of task %s: %w", t.ID, err)
	}
	r.ID, r.Token, r.Flow, r.Task, r.Queue, r.Status = t.ID, t.Token, t.Flow, t.Task, t.Queue, task.Status(t.Status)
	r.NextAt, r.HeldAt, r.Dispatched, r.OfferedAt, r.EndedAt = t.NextAt, t.HeldAt, t.Dispatched, t.OfferedAt, t.EndedAt
	if t.Input != "" {
		r.Input = json.RawMessage(t.Input)
	}
	return r, nil
}

func taskRows(found []taskRow) ([]task.Row, error) {
	rows := make([]task.Row, 0, len(found))
	for i := range found {
		r, err := found[i].row()
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// TaskTokens gives the tokens of tasks, by the tasks' ids; unknown ones are left out. A task never changes its token.
func (t *Tx) TaskTokens(ids []string) (map[string]string, error) {
	tokens := map[string]string{}
	if len(ids) == 0 {
		return tokens, nil
	}
	var rows []struct {
		ID    string `db:"id"`
		Token string `db:"token"`
	}
	if err := t.query(&rows, "task_tokens", set{ids}); err != nil {
		return nil, err
	}
	for _, r := range rows {
		tokens[r.ID] = r.Token
	}
	return tokens, nil
}

// LockTasks locks and loads tasks whose tokens the transaction holds.
func (t *Tx) LockTasks(ids []string) ([]task.Row, error) {
	return t.lockTasks("lock_tasks", ids)
}

// LockFreeTasks locks and loads tasks without their tokens, leaving out those that another transaction holds: so a transaction
// that holds no token waits for nobody.
func (t *Tx) LockFreeTasks(ids []string) ([]task.Row, error) {
	return t.lockTasks("lock_free_tasks", ids)
}

func (t *Tx) lockTasks(name string, ids []string) ([]task.Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var found []taskRow
	if err := t.query(&found, name, set{ids}); err != nil {
		return nil, err
	}
	return t.lockedTasks(found)
}

func (t *Tx) lockedTasks(found []taskRow) ([]task.Row, error) {
	t.saw(0)
	for i := range found {
		t.saw(found[i].Now)
	}
	return taskRows(found)
}

// ClaimTasks locks the oldest claimable tasks of each name, at most as many as wanted.
func (t *Tx) ClaimTasks(want []Want) ([]task.Row, error) {
	if len(want) == 0 {
		return nil, nil
	}
	most, left := 0, map[string]int{}
	for _, w := range want {
		most = max(most, w.Max)
		left[w.Task] += w.Max
	}
	var more []any
	if t.db.sqlite {
		more = []any{t.db.clock(), most}
	}
	var found []taskRow
	names := set{column(want, func(w *Want) string { return w.Task }), column(want, func(w *Want) string { return w.Flow }),
		column(want, func(w *Want) int { return w.Max })}
	if err := t.query(&found, "claim_tasks", names, more...); err != nil {
		return nil, err
	}
	found = once(found)
	for i := range found {
		if left[found[i].Task]--; left[found[i].Task] < 0 {
			return nil, fmt.Errorf("claim_tasks took more of %s than was asked for: %w", found[i].Task, ErrLost)
		}
	}
	return t.lockedTasks(found)
}

// once leaves out what was found twice: a task that is wanted of its flow and of any.
func once(found []taskRow) []taskRow {
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(r taskRow) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
}
