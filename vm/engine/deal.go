package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"flowc/vm/store"
	"flowc/vm/task"
)

// round claims once for all who wait. It gives how long to wait before the next time.
func (c *claims) round(ctx context.Context) (time.Duration, error) {
	polls, want := c.wanted()
	if len(polls) == 0 {
		return c.e.poll, nil
	}
	dealt, limited, now, err := c.claim(ctx, polls, want)
	if err != nil {
		c.e.log.Warn("work could not be claimed", "cause", err)
		c.answerOnce(polls, claimed{err: unableTo(err)})
		return 100 * time.Millisecond, err
	}
	c.giveBack(ctx, c.deliver(dealt))
	c.answerOnce(polls, claimed{tasks: []ClaimedTask{}})
	if len(dealt) > 0 {
		c.e.attempts.send() // their leases may run out sooner than what it sleeps for
		return 0, nil
	}
	if limited {
		return min(queueWait, c.e.poll), nil
	}
	at, _, err := c.e.store.NextClaimable(ctx, want)
	if err != nil {
		return 100 * time.Millisecond, err
	}
	if at == 0 {
		return c.e.poll, nil
	}
	return max(min(c.e.poll, time.Duration(at-now)*time.Microsecond), time.Millisecond), nil
}

// queueWait is how soon work of a queue at its limit is looked at again.
const queueWait = 50 * time.Millisecond

// wanted adds up what those who wait want, of any flow or of each that they may have.
func (c *claims) wanted() ([]*poll, []store.Want) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sums := map[store.Want]int{}
	for _, p := range c.polls {
		flows := p.flows
		if flows == nil {
			flows = []string{""}
		}
		for _, t := range p.want {
			for _, flow := range flows {
				sums[store.Want{Task: t.Name, Flow: flow}] += t.Max
			}
		}
	}
	want := make([]store.Want, 0, len(sums))
	for w, n := range sums {
		want = append(want, store.Want{Task: w.Task, Flow: w.Flow, Max: min(n, maxClaim)})
	}
	slices.SortFunc(want, func(a, b store.Want) int { return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Flow, b.Flow)) })
	return slices.Clone(c.polls), want
}

// claim takes the oldest rows and deals them out under leases of their own; both is saved in one transaction. limited says that a
// queue at its limit kept some back.
func (c *claims) claim(ctx context.Context, polls []*poll, want []store.Want) (dealt map[*poll][]task.Row, limited bool, now int64, err error) {
	err = c.e.store.Update(ctx, func(tx *store.Tx) error {
		dealt, limited = map[*poll][]task.Row{}, false
		rows, err := tx.ClaimTasks(want)
		if err != nil {
			return err
		}
		if now, err = tx.Now(); err != nil || len(rows) == 0 {
			return err
		}
		slices.SortStableFunc(rows, func(a, b task.Row) int { return cmp.Compare(a.NextAt, b.NextAt) })
		g, err := newGates(tx, rows, now)
		if err != nil {
			return err
		}
		d := newDeal(polls)
		var out []task.Row
		for _, r := range rows {
			if !g.open(r.Queue) {
				limited = true
				continue
			}
			p := d.next(r)
			if p == nil {
				continue // nobody is left who wants it; it stays offered
			}
			r, err = task.Claim(r, p.worker, uuid.NewString(), p.lease.Microseconds(), now)
			if err != nil {
				continue // its instant has not come on this clock; it stays as it is
			}
			g.pass(r.Queue)
			dealt[p] = append(dealt[p], r)
			out = append(out, r)
		}
		if err := g.spend(tx); err != nil {
			return err
		}
		return tx.Write(&store.Writes{Tasks: out, At: now})
	})
	return dealt, limited, now, err
}

// A deal gives tasks to those who wait, longest first.
type deal struct {
	polls []*poll
	left  map[*poll]map[string]int
}

func newDeal(polls []*poll) *deal {
	d := &deal{polls: polls, left: map[*poll]map[string]int{}}
	for _, p := range polls {
		d.left[p] = map[string]int{}
		for _, t := range p.want {
			d.left[p][t.Name] += t.Max
		}
	}
	return d
}

func (d *deal) next(r task.Row) *poll {
	for _, p := range d.polls {
		if d.left[p][r.Task] > 0 && (p.flows == nil || slices.Contains(p.flows, r.Flow)) {
			d.left[p][r.Task]--
			return p
		}
	}
	return nil
}

// deliver hands out what was dealt and returns what is of those who left meanwhile.
func (c *claims) deliver(dealt map[*poll][]task.Row) (back []task.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, rows := range dealt {
		i := slices.Index(c.polls, p)
		if i < 0 {
			back = append(back, rows...)
			continue
		}
		c.polls = slices.Delete(c.polls, i, i+1)
		got := make([]ClaimedTask, len(rows))
		for k, r := range rows {
			got[k] = claimedTask(r)
		}
		p.done <- claimed{tasks: got}
	}
	return back
}

// answerOnce answers those who do not wait.
func (c *claims) answerOnce(polls []*poll, with claimed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.polls = slices.DeleteFunc(c.polls, func(p *poll) bool {
		if !p.once || !slices.Contains(polls, p) {
			return false
		}
		p.done <- with
		return true
	})
}

// giveBack releases what nobody took; it uses up no attempt. Should that fail, the leases run out.
func (c *claims) giveBack(ctx context.Context, rows []task.Row) {
	var jobs []*job
	for _, t := range rows {
		j := &job{task: t.ID, done: make(chan answered, 1), since: c.e.clock.Now()}
		j.step = func(r *round, l *live) (any, *Error) { return releasing(t.Lease)(r, l, r.tasks[t.ID]) }
		if err := c.e.queue.push(j); err != nil {
			c.e.log.Warn("work that nobody took could not be given back; its lease will run out", "task", t.ID, "cause", err)
			continue
		}
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		select {
		case a := <-j.done:
			if a.err != nil {
				c.e.log.Warn("work that nobody took could not be given back; its lease will run out", "task", j.task, "cause", a.err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (c *claims) refuseAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.polls {
		p.done <- claimed{err: unavailable(nil, "the server is stopping")}
	}
	c.polls, c.closed = nil, true
}

func claimedTask(r task.Row) ClaimedTask {
	t := ClaimedTask{ID: r.ID, Lease: r.Lease, LeaseUntil: instant(r.LeaseUntil), Task: r.Task, Token: r.Token, Flow: r.Flow,
		Attempt: r.Attempt, IdempotencyKey: r.ID, Input: r.Input, May: r.May}
	if t.May == nil {
		t.May = []string{}
	}
	if r.Deadline != 0 {
		t.Deadline = instantOf(r.Deadline)
	}
	return t
}
