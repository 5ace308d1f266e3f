package engine

import (
	"context"
	"time"
)

// runAttempts ends attempts whose lease ran out or whose `within` is exceeded (R41). What it finds goes through the batchers like
// a request: only there, with the token locked, it is decided.
func (e *Engine) runAttempts(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		expired, next, now, err := e.store.ExpiredTasks(ctx, e.limits.Batch)
		l.rounded(err)
		if err != nil {
			sleep(ctx, e.clock, e.poll, nil)
			continue
		}
		if len(expired) > 0 {
			e.expire(ctx, expired)
			continue
		}
		wait := e.poll
		if next != 0 {
			wait = max(min(wait, time.Duration(next-now)*time.Microsecond), time.Millisecond)
		}
		sleep(ctx, e.clock, wait, e.attempts.c)
	}
	return ctx.Err()
}

// expire ends the attempts in one batch or few, and waits for them.
func (e *Engine) expire(ctx context.Context, expired map[string]string) {
	var jobs []*job
	for id := range expired {
		j := &job{task: id, done: make(chan answered, 1), since: e.clock.Now()}
		j.step = func(r *round, l *live) (any, *Error) {
			t := r.tasks[id]
			row, st, err := r.e.rules.Expire(t.row, r.now)
			if err != nil {
				return nil, nil // a heartbeat or the outcome came first
			}
			return r.outcome(l, t, row, st, nil, "", nil)
		}
		if e.queue.push(j) == nil {
			jobs = append(jobs, j)
		}
	}
	for _, j := range jobs {
		select {
		case a := <-j.done:
			if a.err != nil {
				e.log.Warn("an attempt could not be ended; it is tried again", "task", j.task, "cause", a.err)
				sleep(ctx, e.clock, 50*time.Millisecond, nil)
			}
		case <-ctx.Done():
			return
		}
	}
}
