package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// A job is one request for one token: what a batch carries out. A batch may be run several times, so a job keeps nothing of a
// run but its answer, which is given when the batch has been committed.
type job struct {
	ref   Ref    // the token; resolved in the batch
	task  string // or the task, whose token it is
	free  bool   // only the task's row is touched, not the token
	begin *beginning
	idem  *Idempotency
	match *int64
	actor string // of a job with an ending
	event string // the own id of the event that it sends, "" for none

	// step carries it out on the locked token. The answer is filled in later when it wants a view of the token.
	step func(r *round, l *live) (any, *Error)
	// ending is the part of step that says how an attempt ends, before the token is asked; nil of jobs that end none.
	ending ending
	// stepTask carries it out on a locked task row alone.
	stepTask func(r *round, t *taskState) (any, *Error)
	// decode reads a recorded answer back.
	decode func(body []byte) (any, error)

	from  trace.SpanContext // the caller's span, when there are traces
	done  chan answered
	state atomic.Int32 // waiting, taken by a batch, or given up by its caller
	left  atomic.Bool  // its caller gave up while a batch had it
	tries int
	since time.Time
	after time.Time // not before, when its token was locked elsewhere
}

// The states of a job.
const (
	waiting int32 = iota
	taken
	givenUp
)

// answered is what became of a job.
type answered struct {
	body     any
	err      *Error
	replayed bool
}

// lane is what must not be in two batches at once: the other batch would find it locked.
func (j *job) lane() string {
	switch {
	case j.begin != nil:
		return ""
	case j.task != "":
		return "task\x00" + j.task
	case j.ref.ID != "":
		return j.ref.ID
	}
	return j.ref.Flow + "\x00" + j.ref.Key
}

// queue holds jobs in order of arrival until a batcher takes them (group commit: whatever came while the last commit ran is the
// next batch).
type queue struct {
	mu     sync.Mutex
	jobs   []*job
	busy   map[string]bool
	limit  int
	closed bool
	ready  *signal
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, busy: map[string]bool{}, ready: newSignal()}
}

func (q *queue) push(j *job) *Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return unavailable(nil, "the server is stopping")
	case len(q.jobs) >= q.limit:
		e := failure(Full, "%d requests wait already", len(q.jobs))
		e.RetryAfter = time.Second
		return e
	}
	q.jobs = append(q.jobs, j)
	q.ready.send()
	return nil
}

// again puts jobs back in front, to be tried after a moment.
func (q *queue) again(jobs []*job) {
	if len(jobs) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	front := make([]*job, 0, len(jobs)+len(q.jobs))
	for _, j := range jobs {
		if !j.left.Load() { // nobody waits for it any more, and nothing of it was done
			j.state.Store(waiting)
			front = append(front, j)
		}
	}
	q.jobs = append(front, q.jobs...)
	q.ready.send()
}

// take gives at most limit jobs whose lanes are in no other batch, in order of arrival, and marks their lanes busy. wait is how
// long the first postponed one is to wait, when that is all there is.
func (q *queue) take(limit int, now time.Time) (batch []*job, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	mine, held := map[string]bool{}, map[string]bool{}
	rest := q.jobs[:0]
	for _, j := range q.jobs {
		lane := j.lane()
		late := j.after.Sub(now)
		switch {
		case len(batch) == limit, held[lane], lane != "" && q.busy[lane] && !mine[lane]:
			rest = append(rest, j)
		case late > 0: // those behind it in its lane wait too, or the order would change
			if lane != "" {
				held[lane] = true
			}
			if wait == 0 || late < wait {
				wait = late
			}
			rest = append(rest, j)
		case !j.state.CompareAndSwap(waiting, taken): // its caller waits no more
		default:
			batch = append(batch, j)
			if lane != "" {
				mine[lane] = true
			}
		}
	}
	clear(q.jobs[len(rest):])
	q.jobs = rest
	for lane := range mine {
		q.busy[lane] = true
	}
	if len(q.jobs) > 0 && len(batch) > 0 {
		q.ready.send() // for the other batcher
	}
	return batch, wait
}

// release says that a batch is over.
func (q *queue) release(batch []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range batch {
		delete(q.busy, j.lane())
	}
	if len(q.jobs) > 0 {
		q.ready.send()
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}

func (q *queue) refuseAll(why *Error) {
	q.mu.Lock()
	jobs := q.jobs
	q.jobs = nil
	q.mu.Unlock()
	for _, j := range jobs {
		if j.state.CompareAndSwap(waiting, taken) {
			j.done <- answered{err: why}
		}
	}
}

// do queues a job and waits for its answer. A caller who gives up takes the job back if no batch has it yet; otherwise the step
// is finished without him.
func (e *Engine) do(ctx context.Context, j *job) (answered, error) {
	j.done, j.since = make(chan answered, 1), e.clock.Now()
	if e.tracing != nil {
		j.from = trace.SpanContextFromContext(ctx)
	}
	if err := e.queue.push(j); err != nil {
		return answered{}, err
	}
	select {
	case a := <-j.done:
		if a.err != nil {
			own := *a.err // several callers may be refused with one error
			own.Replayed = a.replayed
			a.err = &own
			return a, a.err
		}
		return a, nil
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, givenUp) {
			return answered{}, ctx.Err() // nothing was done
		}
		j.left.Store(true)
		e := failure(UnknownOutcome, "the caller gave up while the step was under way; repeat with the same idempotency key")
		e.cause = ctx.Err()
		return answered{}, e
	}
}
