package engine

import (
	"context"
	"sync"
)

// watch knows who waits for tokens to move. Movements of this server wake them at once; those of others are seen by the poll.
type watch struct {
	mu    sync.Mutex
	waits map[string]map[chan struct{}]bool
}

func newWatch() *watch { return &watch{waits: map[string]map[chan struct{}]bool{}} }

func (w *watch) add(token string) chan struct{} {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits[token] == nil {
		w.waits[token] = map[chan struct{}]bool{}
	}
	w.waits[token][c] = true
	return c
}

func (w *watch) drop(token string, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waits[token], c)
	if len(w.waits[token]) == 0 {
		delete(w.waits, token)
	}
}

func (w *watch) moved(token string, _ int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waits[token] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (w *watch) tokens() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.waits))
	for id := range w.waits {
		ids = append(ids, id)
	}
	return ids
}

// runWatch looks, once a poll and for all who wait, whether another server has moved a token.
func (e *Engine) runWatch(ctx context.Context, l *loop) error {
	known := map[string]int64{}
	for ctx.Err() == nil {
		ids := e.watch.tokens()
		versions, err := e.store.Versions(ctx, ids)
		if err == nil {
			for id, v := range versions {
				if known[id] != v {
					e.watch.moved(id, v)
				}
			}
			known = versions
		}
		l.rounded(err)
		sleep(ctx, e.clock, e.poll, nil)
	}
	return ctx.Err()
}

// Changed is described at Service.
func (e *Engine) Changed(ctx context.Context, ref Ref, version int64) (int64, error) {
	row, err := e.row(ctx, ref)
	if err != nil {
		return 0, err
	}
	c := e.watch.add(row.ID)
	defer e.watch.drop(row.ID, c)
	for {
		now, err := e.store.Versions(ctx, []string{row.ID})
		switch {
		case ctx.Err() != nil:
			return version, nil
		case err != nil:
			return 0, readFault(err, Ref{ID: row.ID})
		}
		v, there := now[row.ID]
		if !there {
			return 0, notFound(Ref{ID: row.ID})
		}
		if v > version {
			return v, nil
		}
		select {
		case <-c:
		case <-ctx.Done():
			return version, nil
		}
	}
}
