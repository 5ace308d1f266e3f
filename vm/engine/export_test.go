package engine

// Waiters is how many wait for tokens to move.
func (e *Engine) Waiters() int {
	e.watch.mu.Lock()
	defer e.watch.mu.Unlock()
	n := 0
	for _, w := range e.watch.waits {
		n += len(w)
	}
	return n
}

// Pollers is how many workers wait for work.
func (e *Engine) Pollers() int {
	e.claims.mu.Lock()
	defer e.claims.mu.Unlock()
	return len(e.claims.polls)
}
