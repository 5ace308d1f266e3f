package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// A Credential is who may do what. The token itself is kept nowhere, only its hash. Flows, Events and Tasks limit it; an empty
// list sets no limit.
type Credential struct {
	Name, Role, Hash     string
	Flows, Events, Tasks []string
	Actor                string // who made it
	CreatedAt            int64
}

// credentialRow is a row of credentials as the database has it.
type credentialRow struct {
	Name      string `db:"name"`
	Role      string `db:"role"`
	Hash      string `db:"hash"`
	Flows     string `db:"flows"`
	Events    string `db:"events"`
	Tasks     string `db:"tasks"`
	Actor     string `db:"actor"`
	CreatedAt int64  `db:"created_at"`
}

// Credentials is described at Store. One whose limits cannot be read is an error: it must not be taken for one without limits.
func (d *db) Credentials(ctx context.Context) ([]Credential, error) {
	var rows []credentialRow
	if err := d.selectRows(ctx, &rows, d.sql["credentials"]); err != nil {
		return nil, fmt.Errorf("read the credentials: %w", err)
	}
	out := make([]Credential, len(rows))
	for i, r := range rows {
		out[i] = Credential{Name: r.Name, Role: r.Role, Hash: r.Hash, Actor: r.Actor, CreatedAt: r.CreatedAt}
		for text, into := range map[*string]*[]string{&r.Flows: &out[i].Flows, &r.Events: &out[i].Events, &r.Tasks: &out[i].Tasks} {
			if err := json.Unmarshal([]byte(*text), into); err != nil {
				return nil, fmt.Errorf("read the limits of credential %s: %w", r.Name, err)
			}
		}
	}
	return out, nil
}

// InsertCredential keeps a credential; it says whether the name was free.
func (t *Tx) InsertCredential(c Credential) (bool, error) {
	limits := make([]any, 3)
	for i, names := range [][]string{c.Flows, c.Events, c.Tasks} {
		if names == nil {
			names = []string{}
		}
		text, err := json.Marshal(names)
		if err != nil {
			return false, fmt.Errorf("write the limits of credential %s: %w", c.Name, err)
		}
		limits[i] = string(text)
	}
	n, err := t.exec("insert_credential", nil, c.Name, c.Role, c.Hash, limits[0], limits[1], limits[2], c.Actor, c.CreatedAt)
	return n > 0, err
}

// DeleteCredential forgets a credential; it says whether there was one.
func (t *Tx) DeleteCredential(name string) (bool, error) {
	n, err := t.exec("delete_credential", nil, name)
	return n > 0, err
}

// A HeldTask is a task of which nothing is claimed until it is released.
type HeldTask struct {
	Task   string `db:"task"`
	Reason string `db:"reason"`
	Actor  string `db:"actor"`
	At     int64  `db:"at"`
}

// HeldTasks is described at Store.
func (d *db) HeldTasks(ctx context.Context) ([]HeldTask, error) {
	var rows []HeldTask
	err := d.selectRows(ctx, &rows, d.sql["held_tasks"])
	return rows, err
}

// HoldTask keeps a task's work from being claimed. Holding it again changes the reason only.
func (t *Tx) HoldTask(h HeldTask) error {
	_, err := t.exec("hold_task", nil, h.Task, h.Reason, h.Actor, h.At)
	return err
}

// ReleaseTask lets a task's work be claimed again; it says whether it was held.
func (t *Tx) ReleaseTask(task string) (bool, error) {
	n, err := t.exec("release_task", nil, task)
	return n > 0, err
}

// A Queue limits the work of a queue: Concurrency is how many attempts may run at once, Rate how many may be claimed in each span
// of Per microseconds; 0 sets no limit. Left of the rate was what could still be claimed at the instant At.
type Queue struct {
	Name        string  `db:"queue"`
	Concurrency int64   `db:"concurrency"`
	Rate        int64   `db:"rate"`
	Per         int64   `db:"per"`
	Left        float64 `db:"left_over"`
	At          int64   `db:"at"`
}

// Queues is described at Store.
func (d *db) Queues(ctx context.Context) ([]Queue, error) {
	var rows []Queue
	err := d.selectRows(ctx, &rows, d.sql["queues"])
	return rows, err
}

// SetQueue sets the limits of a queue; without any limit its row goes.
func (t *Tx) SetQueue(q Queue) error {
	if q.Concurrency == 0 && q.Rate == 0 {
		_, err := t.exec("drop_queue", nil, q.Name)
		return err
	}
	_, err := t.exec("set_queue", nil, q.Name, q.Concurrency, q.Rate, q.Per, q.Left, q.At)
	return err
}

// LockQueues locks those of the queues that have limits, so that servers claim of them one after the other, and counts the
// attempts that run in each.
func (t *Tx) LockQueues(names []string) ([]Queue, map[string]int64, error) {
	var queues []Queue
	if err := t.query(&queues, "lock_queues", set{names}); err != nil || len(queues) == 0 {
		return nil, nil, err
	}
	var rows []struct {
		Name string `db:"name"`
		N    int64  `db:"n"`
	}
	limited := column(queues, func(q *Queue) string { return q.Name })
	if err := t.query(&rows, "running_in_queues", set{limited}); err != nil {
		return nil, nil, err
	}
	running := map[string]int64{}
	for _, r := range rows {
		running[r.Name] = r.N
	}
	return queues, running, nil
}

// SpendQueues keeps what is left of the rates.
func (t *Tx) SpendQueues(queues []Queue) error {
	return t.execAny("spend_queues", set{
		column(queues, func(q *Queue) string { return q.Name }),
		column(queues, func(q *Queue) string { return strconv.FormatFloat(q.Left, 'g', -1, 64) }),
		column(queues, func(q *Queue) int64 { return q.At })})
}

// A StateCount is how many tokens of a flow are in a state.
type StateCount struct {
	Flow  string `db:"flow"`
	State string `db:"state"`
	N     int64  `db:"n"`
}

// States is described at Store.
func (d *db) States(ctx context.Context, f Filter) ([]StateCount, error) {
	c, err := d.where(ctx, f)
	if err != nil {
		return nil, err
	}
	from := "tokens, LATERAL (SELECT json_array_elements_text(states::json) AS state) s"
	if d.sqlite {
		from = "(SELECT t.*, e.value AS state FROM tokens t, json_each(t.states) e)"
	}
	var rows []StateCount
	q := "SELECT flow, state, count(*) AS n FROM " + from + c.where() + "\nGROUP BY flow, state ORDER BY flow, state"
	if err := d.selectRows(ctx, &rows, q, c.args...); err != nil {
		return nil, fmt.Errorf("count tokens by state: %w", err)
	}
	return rows, nil
}
