package oracle

// A World is the model's tokens under one clock.
type World struct {
	Now   int64
	Began int64
	Jobs  []*Job // the tasks, in the order of their offers

	tokens []*Token
	inbox  []func() // messages on their way
}

// NewWorld is an empty World at an instant.
func NewWorld(now int64) *World { return &World{Now: now, Began: now} }

func newToken(w *World, f *Flow) *Token {
	return &Token{
		world: w, flow: f, visits: map[*State]int{}, memory: map[*State][]*State{}, routine: map[*State]int{}, joined: map[*State]bool{},
	}
}

// Start makes a token, later when there is a delay (R56).
func (w *World) Start(f *Flow, delay int64) *Token {
	t := newToken(w, f)
	w.tokens = append(w.tokens, t)
	t.Status, t.startAt = Scheduled, w.Now+delay
	if delay == 0 {
		t.begin()
		t.FireDue()
	}
	return t
}

func (w *World) send(message func()) { w.inbox = append(w.inbox, message) }

// Rest lets everything happen that can happen now: messages before leases, leases before timers.
func (w *World) Rest() {
	for {
		switch {
		case len(w.inbox) > 0:
			m := w.inbox[0]
			w.inbox = w.inbox[1:]
			m()
			continue
		case w.expire():
			continue
		}
		t, due := w.soonest()
		if t == nil || due > w.Now {
			break
		}
		t.FireDue()
	}
	for _, t := range w.tokens {
		t.moves = 0
	}
}

// expire lets the first lease that has run out use up its attempt.
func (w *World) expire() bool {
	for _, j := range w.Jobs {
		if !j.over && j.claimed && j.next <= w.Now {
			j.Fail(false)
			return true
		}
	}
	return false
}

func (w *World) soonest() (first *Token, at int64) {
	for _, t := range w.tokens {
		if due, ok := t.nextDue(); ok && (first == nil || due < at) {
			first, at = t, due
		}
	}
	return first, at
}

// Advance moves the clock with a server that runs: it stops wherever something is due.
func (w *World) Advance(to int64) {
	for w.Rest(); ; w.Rest() {
		next := to
		if t, due := w.soonest(); t != nil {
			next = min(next, due)
		}
		for _, j := range w.Jobs {
			if !j.over && j.next > w.Now {
				next = min(next, j.next)
			}
		}
		if w.Now = max(w.Now, next); w.Now >= to {
			w.Rest()
			return
		}
	}
}

// Skip moves the clock while no server runs; what is overdue happens at its end (R24).
func (w *World) Skip(to int64) {
	w.Now = to
	w.Rest()
}
