package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// claims hands out work. Workers who wait hold no connection: one loop claims for all of them at once, when something was
// offered or is due again, and gives what it got to those who wait longest.
type claims struct {
	e    *Engine
	wake *signal

	mu     sync.Mutex
	closed bool
	polls  []*poll
	last   map[string]time.Time // when a worker last asked, by task
}

// poll is one worker who waits.
type poll struct {
	worker string
	lease  time.Duration
	want   []ClaimTask
	flows  []string // of these flows only; nil: of any
	done   chan claimed
	once   bool // looks once and does not wait
}

type claimed struct {
	tasks []ClaimedTask
	err   *Error
}

func newClaims(e *Engine) *claims {
	return &claims{e: e, wake: newSignal(), last: map[string]time.Time{}}
}

// maxClaim is the most that one claim gives of one task.
const maxClaim = 1000

// Claim is described at Service.
func (e *Engine) Claim(ctx context.Context, req ClaimRequest) ([]ClaimedTask, error) {
	began := time.Now()
	tasks, err := e.claim(ctx, req)
	e.tracing.claimed(ctx, began, req.Worker, tasks)
	return tasks, err
}

func (e *Engine) claim(ctx context.Context, req ClaimRequest) ([]ClaimedTask, error) {
	p := &poll{worker: req.Worker, lease: req.Lease, flows: req.Flows, done: make(chan claimed, 1), once: req.Wait <= 0}
	if p.lease <= 0 {
		p.lease = e.limits.Lease
	}
	p.lease = min(p.lease, e.limits.MaxLease)
	for _, t := range req.Tasks {
		if t.Max < 1 || t.Max > maxClaim {
			return nil, failure(Invalid, "max of task %s is %d", t.Name, t.Max).at("/tasks", "max is from 1 to 1000")
		}
		p.want = append(p.want, t)
	}
	if len(p.want) == 0 {
		return nil, failure(Malformed, "no task is named").at("/tasks", "empty")
	}
	if fault := e.claims.add(p); fault != nil {
		return nil, fault
	}
	end, stop := e.clock.After(min(max(req.Wait, 0), e.limits.ClaimWait))
	defer stop()
	if req.Wait <= 0 { // one look, however long it takes
		end = nil
	}
	select {
	case c := <-p.done:
		return c.result()
	case <-ctx.Done():
	case <-end:
	}
	if c, had := e.claims.leave(p); had { // what was claimed in this moment is his
		return c.result()
	}
	return []ClaimedTask{}, nil
}

func (c claimed) result() ([]ClaimedTask, error) {
	if c.err != nil {
		return nil, c.err
	}
	return c.tasks, nil
}

func (c *claims) add(p *poll) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return unavailable(nil, "the server is stopping")
	case len(c.polls) >= c.e.limits.Queue:
		return failure(Full, "%d workers wait already", len(c.polls))
	}
	for _, t := range p.want {
		c.last[t.Name] = c.e.clock.Now()
	}
	c.polls = append(c.polls, p)
	c.wake.send()
	return nil
}

// leave takes a poll out, or gives what it has been given.
func (c *claims) leave(p *poll) (claimed, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.polls = slices.DeleteFunc(c.polls, func(q *poll) bool { return q == p })
	select {
	case got := <-p.done:
		return got, true
	default:
		return claimed{}, false
	}
}

// run claims for all who wait.
func (c *claims) run(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		wait, err := c.round(ctx)
		l.rounded(err)
		if wait > 0 {
			sleep(ctx, c.e.clock, wait, c.wake.c)
		}
	}
	return ctx.Err()
}
