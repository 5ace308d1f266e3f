// Package sim runs tokens under a virtual clock: the test blocks of `flowc test` and the terminal of `flowc simulate`. Every step
// is vm.Apply, the one that the server calls; what is here is what a database, workers and a clock are for the server.
//
// Time moves only when it is told to, and only when nothing more can happen at the instant it stands at. Jitter is zero.
package sim

import (
	"errors"
	"fmt"
	"time"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

// Epoch is where the clock of a World starts: 2026-01-01T00:00:00Z, in microseconds.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// restLimit bounds what may happen at one instant, so that tokens that wake each other for ever end a test and not the machine.
const restLimit = 200_000

// ErrRestless says that a World did not come to rest at one instant.
var ErrRestless = errors.New("the tokens never come to rest: they keep waking each other at one instant")

// A World is a set of tokens under one virtual clock. It is not safe for concurrent use.
type World struct {
	now    int64
	down   bool
	tokens []*Token // in order of creation
	byID   map[string]*Token
	byKey  map[key]*Token
	tasks  []*Work // in order of their offers
	open   []*Work // those of them that are not over
	byTask map[string]*Work
	inbox  []letter
	mocks  mocks
	leases int

	audited bool
}

type key struct{ flow, key string }

// A Token is a token of the World with its history.
type Token struct {
	vm      *vm.Token
	program *program.Program
	flow    *program.Flow
	steps   []vm.Step
	mocked  bool            // it ended at once, and has no snapshot
	entered map[string]bool // states, for the coverage
	moves   map[int]bool    // handlers, timers and automatic transitions, likewise
	full    []letter        // what came when it kept so much that it takes no more; it comes again when the token goes on
	shelf   *shelf          // its rows, under the audit
}

// A Work is a task's row with whose it is.
type Work struct {
	row   task.Row
	token *Token
	input value.Value
}

// A letter is a message on its way.
type letter struct {
	from *Token
	vm.Message
}

// NewWorld returns an empty World at Epoch.
func NewWorld() *World {
	return &World{now: Epoch, byID: map[string]*Token{}, byKey: map[key]*Token{}, byTask: map[string]*Work{}, mocks: mocks{}}
}

// Tokens are all tokens in the order of their creation.
func (w *World) Tokens() []*Token { return w.tokens }

// Now is the World's instant in microseconds.
func (w *World) Now() int64 { return w.now }

// Give hands one stimulus to a token, nil for what is due by the clock, and keeps all that the step gives back. What follows from it
// happens at the next Rest.
func (w *World) Give(t *Token, s *vm.Stimulus) (vm.Answer, error) {
	r, err := w.step(t, s)
	if err != nil {
		return vm.Answer{}, fmt.Errorf("a step of %s: %w", t.flow.Name, err)
	}
	before := vm.Running
	if t.vm != nil {
		before = t.vm.Status
	}
	if t.vm = r.Token; t.vm == nil {
		return r.Answer, nil
	}
	t.steps = append(t.steps, r.Steps...)
	t.took(r)
	for _, o := range r.Offers {
		if err := w.offer(t, o); err != nil {
			return vm.Answer{}, err
		}
	}
	for _, id := range r.Withdraw {
		w.withdraw(id)
	}
	for _, m := range r.Messages {
		w.inbox = append(w.inbox, letter{t, m})
	}
	if before != t.vm.Status {
		w.hold(t)
		w.inbox, t.full = append(t.full, w.inbox...), nil
	}
	return r.Answer, nil
}

// Rest lets everything happen that is due at the instant the clock stands at.
func (w *World) Rest() error {
	for range restLimit {
		moved, err := w.once()
		if err != nil || !moved {
			return err
		}
	}
	return ErrRestless
}

// once does one thing that can be done now: messages before work, work before timers, as the server's loops would find them.
func (w *World) once() (bool, error) {
	if w.down {
		return false, nil
	}
	if len(w.inbox) > 0 {
		m := w.inbox[0]
		w.inbox = w.inbox[1:]
		return true, w.deliver(m)
	}
	if moved, err := w.work(); moved || err != nil {
		return moved, err
	}
	if t, due := w.soonest(); t != nil && due <= w.now {
		_, err := w.Give(t, nil)
		return true, err
	}
	return false, nil
}

// soonest is the token with the earliest timer; of several the one that was made first.
func (w *World) soonest() (*Token, int64) {
	var first *Token
	var at int64
	for _, t := range w.tokens {
		if due, ok := vm.NextDue(t.vm); ok && (first == nil || due < at) {
			first, at = t, due
		}
	}
	return first, at
}

// Advance moves the clock to an instant; everything due on the way happens at its own instant.
func (w *World) Advance(to int64) error {
	if w.down {
		w.now = to
		return nil
	}
	for {
		next, ok := w.next()
		if !ok || next > to {
			w.now = max(w.now, to)
			return w.Rest()
		}
		w.now = max(w.now, next)
		if err := w.Rest(); err != nil {
			return err
		}
	}
}

// next is the earliest instant at which something is due.
func (w *World) next() (int64, bool) {
	t, at := w.soonest()
	ok := t != nil
	if due, any := w.nextTask(); any && (!ok || due < at) {
		at, ok = due, true
	}
	return at, ok
}

// Stop lets time pass without anything firing, as if no server ran.
func (w *World) Stop() { w.down = true }

// Start lets what is overdue fire, at the present instant.
func (w *World) Start() error {
	w.down = false
	if err := w.Reload(); err != nil {
		return err
	}
	return w.Rest()
}

// Reload drops what is in memory and reads it again from what would be in the store: the encoded snapshots.
func (w *World) Reload() error {
	for _, t := range w.tokens {
		if err := t.reload(); err != nil {
			return err
		}
	}
	return nil
}
