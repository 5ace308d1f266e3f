package engine

import (
	"context"
	"sync/atomic"
	"time"

	"flowc/vm/store"
)

// runDue fires timers: it takes tokens straight from tokens.next_due, steps and writes them in one transaction (R11). In between
// it sleeps until the next is due, or until an earlier one is armed (R13).
func (e *Engine) runDue(ctx context.Context, l *loop) error {
	idle := 0
	for ctx.Err() == nil {
		e.counters.dueUntil.Store(0)
		took, err := e.sweep(ctx, "due", work{claim: (*store.Tx).ClaimDue, fire: true})
		if err != nil {
			l.rounded(err)
			sleep(ctx, e.clock, e.poll, nil)
			continue
		}
		if took > 0 {
			idle = 0
			l.rounded(nil)
			continue
		}
		idle++
		l.rounded(e.untilDue(ctx, idle))
	}
	return ctx.Err()
}

// untilDue sleeps until the next timer is due. A timer that is due although none could be claimed is held by another transaction
// or is for another server; idle rounds in a row wait longer.
func (e *Engine) untilDue(ctx context.Context, idle int) error {
	due, now, err := e.store.NextDue(ctx)
	if err != nil {
		sleep(ctx, e.clock, e.poll, nil)
		return err
	}
	wait := e.poll
	if due != 0 {
		e.counters.dueUntil.Store(due)
		wait = min(e.poll, time.Duration(due-now)*time.Microsecond)
		wait = max(wait, e.backOff(idle))
	} else {
		e.counters.dueUntil.Store(1 << 62)
	}
	sleep(ctx, e.clock, wait, e.due.c)
	return nil
}

// backOff is the wait after so many rounds in a row that found work and could take none: somebody else has it locked for a moment,
// or it is for servers of another version.
func (e *Engine) backOff(idle int) time.Duration {
	return min(time.Duration(idle*idle)*time.Millisecond, e.poll)
}

// counters are what Stats and the loops share.
type counters struct {
	dueUntil atomic.Int64 // the instant that the due loop sleeps for; 0: it does not sleep

	steps, batches, retries, halved, quarantined, undeliverable, fired, late atomic.Int64

	stepTime, batchTime, batchSize, timerLate *histogram
}

func newCounters() *counters {
	return &counters{stepTime: newHistogram(secondBounds), batchTime: newHistogram(secondBounds), batchSize: newHistogram(sizeBounds),
		timerLate: newHistogram(secondBounds)}
}

// wakes decides which loops, here and on other servers, have something to do once the batch is committed.
func (r *round) wakes() {
	w := &r.writes
	w.Wake.Inbox = len(w.Inbox) > 0
	w.Wake.Tasks = len(w.NewTasks) > 0 || len(w.Unhold) > 0
	for _, t := range r.tasks {
		w.Wake.Tasks = w.Wake.Tasks || t.changed && !t.row.Status.Over()
	}
	w.Wake.Due = r.e.sooner(r.earliest(), false)
}

// earliest is the soonest timer that the batch armed, 0 for none.
func (r *round) earliest() int64 {
	var due int64
	for _, rows := range [][]store.Token{r.writes.Tokens, r.writes.NewTokens} {
		for i := range rows {
			if n := rows[i].NextDue; n != 0 && (due == 0 || n < due) {
				due = n
			}
		}
	}
	return due
}

// sooner says that a timer is due before the due loop wakes up; busy is the answer while it does not sleep.
func (e *Engine) sooner(due int64, busy bool) bool {
	until := e.counters.dueUntil.Load()
	if until == 0 {
		return busy && due != 0
	}
	return due != 0 && due < until
}

// committed tells everyone concerned that the batch stands.
func (r *round) committed() {
	r.spans()
	e, c := r.e, r.e.counters
	c.batches.Add(1)
	c.steps.Add(int64(r.steps))
	if r.steps > 0 {
		c.batchSize.observe(float64(r.steps))
	}
	for _, late := range r.lates {
		c.timerLate.observe(float64(late) / 1e6)
	}
	c.fired.Add(int64(r.fired))
	c.undeliverable.Add(int64(r.lost))
	c.quarantined.Add(int64(len(r.bad)))
	if r.fired > 0 {
		c.late.Store(r.late)
	}
	wake := r.writes.Wake
	// Looked at again now that others can see the timer: meanwhile the loop may have gone to sleep for a later one. If it is
	// just about to, it finds the signal there.
	wake.Due = e.sooner(r.earliest(), true)
	e.wake(wake)
	for _, l := range r.order {
		if l.stepped || l.placed {
			e.watch.moved(l.row.ID, Mark{l.version(), l.lines}, true)
		}
	}
}

func (e *Engine) wake(w store.Wake) {
	if w.Due {
		e.due.send()
	}
	if w.Inbox {
		e.inbox.send()
	}
	if w.Tasks {
		e.claims.wake.send()
		e.attempts.send()
	}
}

// runHints listens to other servers (R81).
func (e *Engine) runHints(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		err := e.store.Listen(ctx, func(h store.Hint) {
			e.wake(h.Wake)
			e.watch.hear(h)
			l.rounded(nil)
		})
		l.rounded(err)
		if err != nil {
			sleep(ctx, e.clock, e.poll, nil)
			continue
		}
		<-ctx.Done() // nobody to listen to
	}
	return ctx.Err()
}

// runHousekeeping forgets markers after an hour, idempotency records after their time and messages to purged tokens, a little at a
// time.
func (e *Engine) runHousekeeping(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		more := true
		var err error
		for more && err == nil && ctx.Err() == nil {
			err = e.store.Update(ctx, func(tx *store.Tx) error {
				now, err := tx.Now()
				if err != nil {
					return err
				}
				if err := tx.ForgetOrphans(1000); err != nil {
					return err
				}
				more, err = tx.Forget(now-time.Hour.Microseconds(), now-e.limits.IdemKept.Microseconds(), 1000)
				return err
			})
		}
		l.rounded(err)
		sleep(ctx, e.clock, time.Minute, nil)
	}
	return ctx.Err()
}
