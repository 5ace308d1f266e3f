package store

import (
	"encoding/json"
	"fmt"

	"flowc/vm/task"
)

// Write writes a batch: one statement a table that the batch touches, always in the same order, so that no two transactions wait
// for each other in a circle.
func (t *Tx) Write(w *Writes) error {
	for _, part := range []func(*Writes) error{
		t.insertTokens, t.updateTokens, t.setLines, t.insertHistory, t.insertInbox, t.writeFans, t.insertEventIDs, t.writeTasks, t.insertAnswers, t.wake,
	} {
		if err := part(w); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) insertTokens(w *Writes) error {
	r := w.NewTokens
	return t.execEach("insert_tokens", set{
		column(r, func(k *Token) string { return k.ID }), column(r, func(k *Token) string { return k.Flow }),
		column(r, func(k *Token) string { return k.Key }), column(r, func(k *Token) string { return k.Program }),
		column(r, func(k *Token) string { return k.Status }), column(r, func(k *Token) int64 { return k.Version }),
		column(r, func(k *Token) int { return k.Lines }), column(r, func(k *Token) int64 { return k.NextDue }),
		column(r, func(k *Token) string { return k.states() }), column(r, func(k *Token) []byte { return k.Snapshot }),
		column(r, func(k *Token) string { return string(k.Data) }),
		column(r, func(k *Token) string { return k.Parent }), column(r, func(k *Token) string { return k.RestartOf }),
		column(r, func(k *Token) int64 { return k.CreatedAt }), column(r, func(k *Token) int64 { return k.UpdatedAt }),
		column(r, func(k *Token) string { return k.Error }), column(r, func(k *Token) int64 { return k.HeldDue }),
		column(r, func(k *Token) string { return k.Waiting })})
}

func (k *Token) states() string {
	if k.States == "" {
		return "[]"
	}
	return k.States
}

func (t *Tx) updateTokens(w *Writes) error {
	r := w.Tokens
	return t.execEach("update_tokens", set{
		column(r, func(k *Token) string { return k.ID }), column(r, func(k *Token) string { return k.Program }),
		column(r, func(k *Token) string { return k.Status }), column(r, func(k *Token) int64 { return k.Version }),
		column(r, func(k *Token) int { return k.Lines }), column(r, func(k *Token) int64 { return k.NextDue }),
		column(r, func(k *Token) string { return k.states() }), column(r, func(k *Token) []byte { return k.Snapshot }),
		column(r, func(k *Token) string { return string(k.Data) }), column(r, func(k *Token) int64 { return k.UpdatedAt }),
		column(r, func(k *Token) int64 { return k.Was }), column(r, func(k *Token) string { return k.Error }),
		column(r, func(k *Token) int64 { return k.HeldDue }), column(r, func(k *Token) string { return k.Waiting })})
}

func (t *Tx) insertHistory(w *Writes) error {
	r := w.History
	return t.execEach("insert_history", set{
		column(r, func(h *History) string { return h.Token }), column(r, func(h *History) int64 { return h.Version }),
		column(r, func(h *History) int { return h.Line }), column(r, func(h *History) int64 { return h.At }),
		column(r, func(h *History) string { return h.Stimulus }), column(r, func(h *History) string { return h.Lines })})
}

func (t *Tx) insertInbox(w *Writes) error {
	r := w.Inbox
	err := t.execEach("insert_inbox", set{
		column(r, func(i *Inbox) string { return i.Receiver }), column(r, func(i *Inbox) string { return i.Sender }),
		column(r, func(i *Inbox) int64 { return i.SenderVersion }), column(r, func(i *Inbox) int { return i.N }),
		column(r, func(i *Inbox) string { return i.Stimulus }), column(r, func(i *Inbox) int64 { return i.At })})
	if err != nil {
		return err
	}
	if err := t.execEach("delete_inbox", set{w.Taken}); err != nil {
		return err
	}
	return t.execAny("postpone_inbox", set{w.Postpone}, w.At+PostponedFor.Microseconds())
}

func (t *Tx) writeTasks(w *Writes) error {
	if err := t.insertTasks(w.NewTasks); err != nil {
		return err
	}
	if err := t.updateTasks(w.Tasks); err != nil {
		return err
	}
	if err := t.execAny("withdraw_tasks", set{w.Withdraw}, w.At); err != nil {
		return err
	}
	if err := t.execAny("hold_tasks", shifts(w.Hold)); err != nil {
		return err
	}
	return t.execAny("unhold_tasks", shifts(w.Unhold))
}

func shifts(s []Shift) set {
	return set{column(s, func(s *Shift) string { return s.Token }), column(s, func(s *Shift) int64 { return s.At })}
}

func (t *Tx) insertTasks(rows []task.Row) error {
	bodies, err := bodies(rows)
	if err != nil {
		return err
	}
	return t.execEach("insert_tasks", set{
		column(rows, func(r *task.Row) string { return r.ID }), column(rows, func(r *task.Row) string { return r.Token }),
		column(rows, func(r *task.Row) string { return r.Flow }), column(rows, func(r *task.Row) string { return r.Task }),
		column(rows, func(r *task.Row) string { return r.Queue }), column(rows, func(r *task.Row) string { return string(r.Status) }),
		column(rows, func(r *task.Row) int64 { return r.NextAt }), column(rows, func(r *task.Row) int64 { return r.HeldAt }),
		column(rows, func(r *task.Row) bool { return r.Dispatched }), column(rows, func(r *task.Row) int64 { return r.OfferedAt }),
		column(rows, func(r *task.Row) int64 { return r.EndedAt }), column(rows, func(r *task.Row) string { return string(r.Input) }),
		bodies})
}

func (t *Tx) updateTasks(rows []task.Row) error {
	bodies, err := bodies(rows)
	if err != nil {
		return err
	}
	return t.execEach("update_tasks", set{
		column(rows, func(r *task.Row) string { return r.ID }), column(rows, func(r *task.Row) string { return string(r.Status) }),
		column(rows, func(r *task.Row) int64 { return r.NextAt }), column(rows, func(r *task.Row) int64 { return r.HeldAt }),
		column(rows, func(r *task.Row) int64 { return r.EndedAt }), bodies})
}

func bodies(rows []task.Row) ([]string, error) {
	out := make([]string, len(rows))
	for i := range rows {
		b, err := json.Marshal(rows[i])
		if err != nil {
			return nil, fmt.Errorf("write task %s as JSON: %w", rows[i].ID, err)
		}
		out[i] = string(b)
	}
	return out, nil
}

func (t *Tx) insertAnswers(w *Writes) error {
	r := w.Answered
	n := len(r)
	if n == 0 {
		return nil
	}
	wrote, err := t.exec("insert_answered", set{
		column(r, func(a *Answered) string { return a.Credential }), column(r, func(a *Answered) string { return a.Route }),
		column(r, func(a *Answered) string { return a.Key }), column(r, func(a *Answered) string { return a.Hash }),
		column(r, func(a *Answered) string { return a.Status }), column(r, func(a *Answered) string { return a.Body }),
		column(r, func(a *Answered) int64 { return a.At })})
	if err != nil {
		return err
	}
	if wrote != int64(n) { // another server answered the same request; the batch runs again and finds its record
		return fmt.Errorf("an idempotency key was used at the same time elsewhere: %w", ErrTransient)
	}
	return nil
}
