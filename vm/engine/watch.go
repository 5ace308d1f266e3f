package engine

import (
	"context"
	"sync"
	"time"

	"flowc/vm/store"
)

// A Mark is how far a token's history goes: to its Version, and to so many Lines of it. Marks of a token only rise.
type Mark struct {
	Version int64
	Lines   int
}

func markOf(m store.Mark) Mark { return Mark{m.Version, m.Lines} }

// beyond says that the mark lies further on than another.
func (m Mark) beyond(o Mark) bool {
	return m.Version > o.Version || m.Version == o.Version && m.Lines > o.Lines
}

// everyLine is more lines than a version ever has: what lies beyond is a later version.
const everyLine = int(^uint(0) >> 1)

// watch knows who waits for tokens to move. Those who wait make no query of their own and hold no connection: what this server
// moves is told to them from memory, what others move by hints, and one loop looks for all of them, at once for those who have
// just come, since the token may have moved before they came, and again with each poll, since a hint may be lost (R81).
type watch struct {
	mu    sync.Mutex
	waits map[string]map[*waiter]bool
	fresh []string // tokens of those who have come since the last look
	all   bool     // everyone is to be looked for
	look  *signal

	moves map[string]Mark // by this server, to be told to the others
	tell  *signal
}

// waiter waits for one token to move beyond a mark. It is told once.
type waiter struct {
	token string
	since Mark
	told  chan told
}

type told struct {
	mark Mark
	gone bool // the token is not there any more
}

func newWatch() *watch {
	return &watch{waits: map[string]map[*waiter]bool{}, look: newSignal(), moves: map[string]Mark{}, tell: newSignal()}
}

func (w *watch) add(token string, since Mark) *waiter {
	c := &waiter{token: token, since: since, told: make(chan told, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits[token] == nil {
		w.waits[token] = map[*waiter]bool{}
	}
	w.waits[token][c] = true
	w.fresh = append(w.fresh, token)
	w.look.send()
	return c
}

func (w *watch) drop(c *waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(c)
}

func (w *watch) forget(c *waiter) {
	delete(w.waits[c.token], c)
	if len(w.waits[c.token]) == 0 {
		delete(w.waits, c.token)
	}
}

// moved tells those who wait for the token. here: this server moved it, and others are to know.
func (w *watch) moved(token string, to Mark, here bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if here {
		w.moves[token] = to
		w.tell.send()
	}
	for c := range w.waits[token] {
		if to.beyond(c.since) {
			c.told <- told{mark: to}
			w.forget(c)
		}
	}
}

// gone tells those who wait for a token that there is none.
func (w *watch) gone(token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waits[token] {
		c.told <- told{gone: true}
		w.forget(c)
	}
}

// hear takes what another server tells.
func (w *watch) hear(h store.Hint) {
	for _, m := range h.Moved {
		w.moved(m.Token, markOf(m), false)
	}
	if h.All {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = true
		w.look.send()
	}
}

// wanted gives the tokens that are to be looked for now: with a poll or a hint all that anyone waits for, otherwise those of which
// someone waits who has just come.
func (w *watch) wanted(poll bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := poll || w.all
	seen := make(map[string]bool, len(w.fresh))
	for _, id := range w.fresh {
		seen[id] = w.waits[id] != nil
	}
	w.fresh, w.all = nil, false
	ids := make([]string, 0, len(seen))
	if all {
		for id := range w.waits {
			ids = append(ids, id)
		}
		return ids
	}
	for id, waits := range seen {
		if waits {
			ids = append(ids, id)
		}
	}
	return ids
}

// takeMoves gives what this server has moved since the last time.
func (w *watch) takeMoves() []store.Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]store.Mark, 0, len(w.moves))
	for id, m := range w.moves {
		out = append(out, store.Mark{Token: id, Version: m.Version, Lines: m.Lines})
	}
	clear(w.moves)
	return out
}

// A look or a telling is followed by none for so long: what comes meanwhile goes together.
const (
	lookEvery = 10 * time.Millisecond
	tellEvery = 20 * time.Millisecond
)

// runWatch looks for all who wait in one query.
func (e *Engine) runWatch(ctx context.Context, l *loop) error {
	var polled time.Time
	for ctx.Err() == nil {
		poll := e.clock.Now().Sub(polled) >= e.poll
		err := e.look(ctx, e.watch.wanted(poll))
		l.rounded(err)
		if poll || err != nil { // after an error all are looked for with the next poll
			polled = e.clock.Now()
		}
		sleep(ctx, e.clock, lookEvery, nil)
		sleep(ctx, e.clock, max(e.poll-e.clock.Now().Sub(polled), 0), e.watch.look.c)
	}
	return ctx.Err()
}

// look tells those who wait for the tokens where these are.
func (e *Engine) look(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	marks, err := e.store.Marks(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if m, there := marks[id]; there {
			e.watch.moved(id, markOf(m), false)
		} else {
			e.watch.gone(id)
		}
	}
	return nil
}

// runTell tells other servers what this one has moved. What cannot be told they find with their poll.
func (e *Engine) runTell(ctx context.Context, l *loop) error {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-e.watch.tell.c:
		}
		l.rounded(e.store.Tell(ctx, e.watch.takeMoves()))
		sleep(ctx, e.clock, tellEvery, nil)
	}
	return ctx.Err()
}

// Changed is described at Service.
func (e *Engine) Changed(ctx context.Context, ref Ref, version int64) (int64, error) {
	m, err := e.Grown(ctx, ref, Mark{version, everyLine})
	return m.Version, err
}

// Grown is described at Service.
func (e *Engine) Grown(ctx context.Context, ref Ref, since Mark) (Mark, error) {
	if ref.ID == "" {
		row, err := e.row(ctx, ref)
		if err != nil {
			return Mark{}, err
		}
		ref = Ref{ID: row.ID}
	}
	c := e.watch.add(ref.ID, since)
	defer e.watch.drop(c)
	select {
	case t := <-c.told:
		if t.gone {
			return Mark{}, notFound(ref)
		}
		return t.mark, nil
	case <-ctx.Done():
		return since, nil
	}
}
