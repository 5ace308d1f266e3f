package engine

import "time"

// A Clock is how an engine sleeps and measures how long callers wait. It is never what a step or a timer goes by (R12).
type Clock interface {
	Now() time.Time
	// After sends once the duration has passed. Stop gives the timer's resources back.
	After(time.Duration) (c <-chan time.Time, stop func() bool)
}

type processClock struct{}

func (processClock) Now() time.Time { return time.Now() }

func (processClock) After(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// A signal wakes the one loop that waits for it. Signals that come while it works are one signal.
type signal struct{ c chan struct{} }

func newSignal() *signal { return &signal{c: make(chan struct{}, 1)} }

func (s *signal) send() {
	select {
	case s.c <- struct{}{}:
	default:
	}
}
