package engine

import (
	"context"
	"time"
)

// Stats is described at Service.
func (e *Engine) Stats(ctx context.Context) (Stats, error) {
	c, err := e.store.Counts(ctx)
	if err != nil {
		return Stats{}, readFault(err, Ref{})
	}
	n, m := e.counters, e.store.Metrics()
	s := Stats{
		Tokens: c.Tokens, Tasks: c.Tasks, Inbox: c.Inbox, Quarantined: c.Quarantined, OldestOffer: map[string]int64{},
		LastPoll: e.claims.lastPolls(), Steps: n.steps.Load(), Batches: n.batches.Load(), BatchRetries: m.Retries,
		Reconnects: m.Reconnects, Undeliverable: n.undeliverable.Load(), TimersFired: n.fired.Load(), TimerLateMs: n.late.Load() / 1000,
	}
	s.StepTime, s.BatchTime, s.BatchSize, s.TimerLate = n.stepTime.read(), n.batchTime.read(), n.batchSize.read(), n.timerLate.read()
	if c.NextDue != 0 {
		s.OldestDueMs = max(0, (c.Now-c.NextDue)/1000)
	}
	if c.OldestMessage != 0 {
		s.OldestInboxMs = max(0, (c.Now-c.OldestMessage)/1000)
	}
	s.OverduePaused, s.FailedDispatches = c.OverduePaused, c.FailedDispatches
	if s.HeldTasks, err = e.HeldTasks(ctx); err != nil {
		return Stats{}, err
	}
	for task, at := range c.OldestOffers {
		s.OldestOffer[task] = max(0, (c.Now-at)/1000)
	}
	return s, nil
}

func (c *claims) lastPolls() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, out := c.e.clock.Now(), map[string]int64{}
	for task, at := range c.last {
		out[task] = now.Sub(at).Milliseconds()
	}
	return out
}

// Health is described at Service.
func (e *Engine) Health(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	h := Health{Ready: true}
	now := e.clock.Now()
	for _, l := range e.loops {
		one := l.health(now)
		if h.Loops = append(h.Loops, one); (one.Late || !one.Running) && h.Ready {
			h.Ready, h.Reason = false, "the "+one.Name+" loop has made no full round in time"
		}
	}
	if err := e.store.Writable(ctx); err != nil {
		h.Ready, h.Reason = false, "the database cannot be written"
	}
	return h
}
