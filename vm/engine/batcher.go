package engine

import (
	"context"
	"errors"
	"time"

	"flowc/vm/store"
)

// maxTries is how often a job comes back because its token is locked elsewhere before its caller is told to try later. The
// waits between add up to more than ten seconds.
const maxTries = 600

// runBatcher turns what waits in the queue into batches, one after the other (group commit).
func (e *Engine) runBatcher(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		jobs, wait := e.queue.take(e.limits.Batch, e.clock.Now())
		if len(jobs) == 0 {
			if wait > 0 {
				sleep(ctx, e.clock, wait, e.queue.ready.c)
				continue
			}
			select {
			case <-ctx.Done():
			case <-e.queue.ready.c:
			}
			continue
		}
		e.runJobs(ctx, jobs)
		e.queue.release(jobs)
		l.rounded(nil)
	}
	return ctx.Err()
}

// runJobs carries out jobs in one transaction. When what they write is refused the batch is halved until the bad one is alone
// (R6).
func (e *Engine) runJobs(ctx context.Context, jobs []*job) {
	r, err := e.round(ctx, work{jobs: jobs})
	switch {
	case err == nil:
		e.queue.again(r.again)
		for j, a := range r.answers {
			j.done <- a
		}
	case !store.Blames(err):
		e.log.Warn("a batch was not carried out", "jobs", len(jobs), "cause", err)
		refuse(jobs, unableTo(err))
	case len(jobs) > 1:
		e.counters.halved.Add(1)
		e.runJobs(ctx, jobs[:len(jobs)/2])
		e.runJobs(ctx, jobs[len(jobs)/2:])
	default:
		e.refuseBad(ctx, jobs[0], err)
	}
}

func refuse(jobs []*job, why *Error) {
	for _, j := range jobs {
		own := *why
		j.done <- answered{err: &own}
	}
}

func unableTo(err error) *Error {
	if errors.Is(err, store.ErrUnknown) {
		e := failure(UnknownOutcome, "the database did not say whether the step was saved; repeat with the same idempotency key")
		e.RetryAfter, e.cause = time.Second, err
		return e
	}
	return unavailable(err, "the database is not available")
}

// refuseBad ends the one job that cannot be written, and sets its token aside when there is one.
func (e *Engine) refuseBad(ctx context.Context, j *job, cause error) {
	if id := e.tokenOf(ctx, j); id != "" {
		e.setAside(ctx, id, cause)
		j.done <- answered{err: quarantined(cause)}
		return
	}
	e.log.Error("a request cannot be carried out", "cause", cause)
	j.done <- answered{err: unavailable(cause, "the request cannot be saved")}
}

func (e *Engine) tokenOf(ctx context.Context, j *job) string {
	switch {
	case j.begin != nil:
		return ""
	case j.task != "":
		rows, err := e.store.Tasks(ctx, store.TaskFilter{ID: j.task, All: true, Limit: 1})
		if err != nil || len(rows) == 0 {
			return ""
		}
		return rows[0].Token
	case j.ref.ID != "":
		return j.ref.ID
	}
	k, err := e.store.Key(ctx, j.ref.Flow, j.ref.Key)
	if err != nil {
		return ""
	}
	return k.Token
}

// setAside quarantines a token, so that it holds up nobody else (R6).
func (e *Engine) setAside(ctx context.Context, id string, cause error) {
	e.counters.quarantined.Add(1)
	e.log.Error("a token is set aside; see flowc doctor", "token", id, "cause", cause)
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.Quarantine(id, cause.Error()) })
	if err != nil {
		e.log.Error("a bad token could not be set aside; it is tried again", "token", id, "cause", err)
	}
}

func quarantined(cause error) *Error {
	e := failure(Quarantined, "the token is set aside, since it cannot be stepped; see flowc doctor")
	e.cause = cause
	return e
}

// runTokens carries out what loops found: tokens by id, when a claim of several failed.
func (e *Engine) runTokens(ctx context.Context, kind string, ids []string) {
	_, err := e.round(ctx, work{ids: ids, fire: true, inbox: true})
	switch {
	case err == nil:
	case !store.Blames(err):
		e.log.Warn("a batch was not carried out", "loop", kind, "tokens", len(ids), "cause", err)
	case len(ids) > 1:
		e.counters.halved.Add(1)
		e.runTokens(ctx, kind, ids[:len(ids)/2])
		e.runTokens(ctx, kind, ids[len(ids)/2:])
	default:
		e.setAside(ctx, ids[0], err)
	}
}
