package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// A Loop is a goroutine of the server: it is started once, says when it runs, and stops when told or with a cause.
type Loop interface {
	Name() string
	Started() <-chan struct{} // closed when it runs
	Stop()                    // asks it to stop; Done says when it has
	Done() <-chan struct{}
	Cause() error // why it stopped: nil when it was asked to
}

// loop runs a body until it is stopped. A body reports each full round; one that returns an error or panics is run again after
// the interval, so that one bad round does not end the service.
type loop struct {
	name     string
	interval time.Duration // a full round is due this often; 0: it waits for work without a limit
	body     func(context.Context, *loop) error

	cancel  context.CancelFunc
	started chan struct{}
	done    chan struct{}

	mu    sync.Mutex
	round time.Time
	last  error
	cause error
	clock Clock
}

func newLoop(name string, interval time.Duration, body func(context.Context, *loop) error) *loop {
	return &loop{name: name, interval: interval, body: body, started: make(chan struct{}), done: make(chan struct{})}
}

func (l *loop) Name() string             { return l.name }
func (l *loop) Started() <-chan struct{} { return l.started }
func (l *loop) Done() <-chan struct{}    { return l.done }

func (l *loop) Start(clock Clock, log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	l.clock, l.cancel = clock, cancel
	l.rounded(nil)
	go func() {
		defer close(l.done)
		close(l.started)
		for ctx.Err() == nil {
			err := l.guarded(ctx)
			if ctx.Err() != nil {
				return
			}
			l.failed(err)
			log.Error("a loop's round failed; it goes on", "loop", l.name, "cause", err)
			sleep(ctx, clock, max(l.interval, 100*time.Millisecond), nil)
		}
	}()
}

// guarded turns a panic of the body into an error: a bug in one round must not take the server down.
func (l *loop) guarded(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if err := l.body(ctx, l); err != nil {
		return err
	}
	return errors.New("it ended by itself")
}

func (l *loop) Stop() {
	if l.cancel == nil { // never started
		select {
		case <-l.done:
		default:
			close(l.done)
		}
		return
	}
	l.cancel()
}

func (l *loop) Cause() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// rounded reports a full round and how it went.
func (l *loop) rounded(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = err
	if err == nil {
		l.round = l.clock.Now()
	}
}

func (l *loop) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = err
}

// health: a loop with an interval is late when it made no full round in three of them.
func (l *loop) health(now time.Time) LoopHealth {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := LoopHealth{Name: l.name}
	if round := l.round; !round.IsZero() {
		h.LastRound = &round
	}
	select {
	case <-l.started:
		h.Running = true
	default:
	}
	select {
	case <-l.done:
		h.Running = false
	default:
	}
	if l.last != nil {
		h.Error = plain(l.last)
	}
	h.Late = l.interval > 0 && h.Running && now.Sub(l.round) > 3*l.interval
	return h
}

// sleep waits for the duration, a wake-up, or the end of the context.
func sleep(ctx context.Context, clock Clock, d time.Duration, wake <-chan struct{}) {
	c, stop := clock.After(d)
	defer stop()
	select {
	case <-ctx.Done():
	case <-c:
	case <-wake:
	}
}

// plain is an error's text without what a database said.
func plain(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Error()
	}
	return "see the log"
}
