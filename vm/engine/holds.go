package engine

import (
	"context"
	"time"

	"flowc/vm/store"
)

// Queues is how operators hold back work: a task whose provider is down, or a queue that must not run too much at once. *Engine
// is one.
type Queues interface {
	// HeldTasks lists the tasks of which nothing is claimed.
	HeldTasks(context.Context) ([]HeldTask, error)
	// HoldTask keeps a task's work from being claimed, on all servers. What is claimed already may end.
	HoldTask(context.Context, HoldRequest) (HeldTask, error)
	// ReleaseHeld lets a task's work be claimed again. NotFound: it is not held.
	ReleaseHeld(ctx context.Context, m Mutation, task string) (replayed bool, err error)
	// QueueLimits lists the queues that have limits.
	QueueLimits(context.Context) ([]QueueLimit, error)
	// LimitQueue sets the limits of a queue; one without any has none.
	LimitQueue(context.Context, Mutation, QueueLimit) (replayed bool, err error)
}

var _ Queues = (*Engine)(nil)

// A HeldTask is a task of which nothing is claimed until it is released.
type HeldTask struct {
	Task   string    `json:"task"`
	Reason string    `json:"reason,omitempty"`
	Actor  string    `json:"actor,omitempty"`
	At     time.Time `json:"at"`
	// Warnings, of HoldTask only, say that no flow has the task: it may be misspelt, or be deployed later.
	Warnings []string `json:"warnings,omitempty"`
	Replayed bool     `json:"-"` // of HoldTask: the answer of an earlier request with the same idempotency key
}

// A HoldRequest holds a task, for Actor.
type HoldRequest struct {
	Mutation
	Task   string
	Reason string
}

// A QueueLimit limits the work of a queue over all servers: at most Concurrency attempts at once, at most Rate claims in each span
// of Per. 0 sets no limit.
type QueueLimit struct {
	Queue       string
	Concurrency int64
	Rate        int64
	Per         time.Duration
}

// HeldTasks is described at Queues.
func (e *Engine) HeldTasks(ctx context.Context) ([]HeldTask, error) {
	rows, err := e.store.HeldTasks(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]HeldTask, len(rows))
	for i, r := range rows {
		out[i] = HeldTask{Task: r.Task, Reason: r.Reason, Actor: r.Actor, At: instant(r.At)}
	}
	return out, nil
}

// HoldTask is described at Queues.
func (e *Engine) HoldTask(ctx context.Context, req HoldRequest) (HeldTask, error) {
	held, again, err := once(ctx, e, req.Idempotency, func(tx *store.Tx, now int64) (HeldTask, *Error, error) {
		err := tx.HoldTask(store.HeldTask{Task: req.Task, Reason: req.Reason, Actor: req.Actor, At: now})
		return HeldTask{Task: req.Task, Reason: req.Reason, Actor: req.Actor, At: instant(now)}, nil, err
	})
	held.Replayed = again
	if err == nil {
		unknown, _ := e.Unknown(ctx, Names{Tasks: []string{req.Task}}) // the task is held without
		held.Warnings = Warnings(unknown)
	}
	return held, err
}

// ReleaseHeld is described at Queues.
func (e *Engine) ReleaseHeld(ctx context.Context, m Mutation, task string) (bool, error) {
	replayed, err := e.remove(ctx, m, "the task "+task+" is not held", func(tx *store.Tx) (bool, error) {
		was, err := tx.ReleaseTask(task)
		if err != nil || !was {
			return was, err
		}
		return true, tx.Write(&store.Writes{Wake: store.Wake{Tasks: true}})
	})
	if err == nil {
		e.wake(store.Wake{Tasks: true})
	}
	return replayed, err
}

// QueueLimits is described at Queues.
func (e *Engine) QueueLimits(ctx context.Context) ([]QueueLimit, error) {
	rows, err := e.store.Queues(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]QueueLimit, len(rows))
	for i, r := range rows {
		out[i] = QueueLimit{Queue: r.Name, Concurrency: r.Concurrency, Rate: r.Rate, Per: time.Duration(r.Per) * time.Microsecond}
	}
	return out, nil
}

// LimitQueue is described at Queues. A new rate begins with a whole span's claims.
func (e *Engine) LimitQueue(ctx context.Context, m Mutation, q QueueLimit) (bool, error) {
	_, replayed, err := once(ctx, e, m.Idempotency, func(tx *store.Tx, now int64) (struct{}, *Error, error) {
		return struct{}{}, nil, tx.SetQueue(store.Queue{Name: q.Queue, Concurrency: q.Concurrency, Rate: q.Rate, Per: q.Per.Microseconds(),
			Left: float64(q.Rate), At: now})
	})
	if err == nil {
		e.wake(store.Wake{Tasks: true})
	}
	return replayed, err
}
