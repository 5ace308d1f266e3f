package engine

import (
	"flowc/vm/store"
	"flowc/vm/task"
)

// gates keep queues to their limits within one claim. The queues' rows are locked, so that servers claim of a limited queue one
// after the other and see what the others took.
type gates struct {
	queues  map[string]*store.Queue
	running map[string]int64
	passed  map[string]bool
}

func newGates(tx *store.Tx, rows []task.Row, now int64) (*gates, error) {
	g := &gates{queues: map[string]*store.Queue{}, passed: map[string]bool{}}
	var names []string
	seen := map[string]bool{}
	for i := range rows {
		if q := rows[i].Queue; !seen[q] {
			seen[q] = true
			names = append(names, q)
		}
	}
	limited, running, err := tx.LockQueues(names)
	if err != nil {
		return nil, err
	}
	g.running = running
	for i := range limited {
		refill(&limited[i], now)
		g.queues[limited[i].Name] = &limited[i]
	}
	return g, nil
}

// refill adds what a rate allows since it was last looked at, and never more than one span's worth.
func refill(q *store.Queue, now int64) {
	if q.Rate == 0 || q.Per == 0 {
		return
	}
	passed := max(now-q.At, 0)
	q.Left = min(float64(q.Rate), q.Left+float64(passed)*float64(q.Rate)/float64(q.Per))
	q.At = max(q.At, now)
}

// open says whether a task of the queue may be claimed now.
func (g *gates) open(queue string) bool {
	q := g.queues[queue]
	switch {
	case q == nil:
		return true
	case q.Concurrency > 0 && g.running[queue] >= q.Concurrency:
		return false
	}
	return q.Rate == 0 || q.Left >= 1
}

// pass counts a claim.
func (g *gates) pass(queue string) {
	q := g.queues[queue]
	if q == nil {
		return
	}
	g.running[queue]++
	if q.Rate > 0 {
		q.Left--
		g.passed[queue] = true
	}
}

// spend keeps what is left of the rates that were used.
func (g *gates) spend(tx *store.Tx) error {
	var out []store.Queue
	for name := range g.passed {
		out = append(out, *g.queues[name])
	}
	return tx.SpendQueues(out)
}
