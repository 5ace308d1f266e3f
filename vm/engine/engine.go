package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"flowc/vm/store"
	"flowc/vm/task"
)

// Options of an engine; the zero value is a server over a database in memory.
type Options struct {
	Store  store.Store // stays the caller's to close; nil: one in memory, closed with the engine
	Clock  Clock       // how loops sleep and how long callers wait; the process's when nil. Steps take the database's clock (R12)
	Logger *slog.Logger
	Limits Limits
	Poll   time.Duration // the backstop of every loop when no signal comes: 1 s (R13)
	Rules  task.Rules
	// Traces takes a span of each step, with the ids of SpanIDs; nil: none are made.
	Traces trace.TracerProvider
}

// An Engine is one server. It keeps nothing in memory that matters: what it holds are callers who wait and decoded programs.
type Engine struct {
	store    store.Store
	ownStore bool
	clock    Clock
	log      *slog.Logger
	limits   Limits
	poll     time.Duration
	rules    task.Rules

	queue    *queue
	programs *programs
	watch    *watch
	claims   *claims
	known    *known
	due      *signal
	inbox    *signal
	attempts *signal
	loops    []*loop
	counters *counters
	tracing  *tracing

	mu      sync.Mutex
	started bool
}

// New makes an engine that does not run yet. Reads work at once, mutations wait for Start.
func New(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{store: o.Store, clock: o.Clock, log: o.Logger, limits: o.Limits.withDefaults(), poll: o.Poll, rules: o.Rules}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.clock == nil {
		e.clock = processClock{}
	}
	if e.poll == 0 {
		e.poll = time.Second
	}
	if e.store == nil {
		s, err := store.Open(ctx, ":memory:", store.Options{Logger: e.log})
		if err != nil {
			return nil, fmt.Errorf("open a database in memory: %w", err)
		}
		e.store, e.ownStore = s, true
	}
	e.counters, e.tracing = newCounters(), newTracing(o.Traces)
	e.queue = newQueue(e.limits.Queue)
	e.programs = newPrograms(e.limits.ProgramsHot)
	e.watch = newWatch()
	e.due, e.inbox, e.attempts = newSignal(), newSignal(), newSignal()
	e.claims = newClaims(e)
	e.known = &known{e: e}
	e.loops = e.makeLoops()
	return e, nil
}

func (l Limits) withDefaults() Limits {
	d := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	t := func(n *time.Duration, v time.Duration) {
		if *n == 0 {
			*n = v
		}
	}
	d(&l.Batch, 256)
	d(&l.Queue, 10_000)
	d(&l.Page, 1000)
	d(&l.Payload, 1<<20)
	d(&l.ProgramsHot, 256)
	t(&l.ClaimWait, time.Minute)
	t(&l.Lease, time.Minute)
	t(&l.MaxLease, time.Hour)
	t(&l.IdemKept, 7*24*time.Hour)
	return l
}

func (e *Engine) makeLoops() []*loop {
	loops := []*loop{
		newLoop("due", e.poll, e.runDue),
		newLoop("inbox", e.poll, e.runInbox),
		newLoop("attempts", e.poll, e.runAttempts),
		newLoop("claims", e.poll, e.claims.run),
		newLoop("watch", e.poll, e.runWatch),
		newLoop("tell", 0, e.runTell),
		newLoop("housekeeping", time.Minute, e.runHousekeeping),
		newLoop("hints", 0, e.runHints),
	}
	for i := range e.store.Batchers() {
		loops = append(loops, newLoop(fmt.Sprintf("batcher %d", i+1), 0, e.runBatcher))
	}
	return loops
}

// Start starts the loops. The context is only for starting: the engine runs until Stop.
func (e *Engine) Start(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.started {
		return errors.New("the engine has been started already")
	}
	e.started = true
	for _, l := range e.loops {
		l.Start(e.clock, e.log)
	}
	for _, l := range e.loops {
		select {
		case <-l.Started():
		case <-ctx.Done():
			return fmt.Errorf("start the %s loop: %w", l.Name(), ctx.Err())
		}
	}
	return nil
}

// Stop stops gracefully: no new work is taken, transactions that run are finished and answered, callers in the queue get
// Unavailable. It returns when every loop has ended, or with the context's error.
func (e *Engine) Stop(ctx context.Context) error {
	e.queue.close()
	for _, l := range e.loops {
		l.Stop()
	}
	for _, l := range e.loops {
		select {
		case <-l.Done():
		case <-ctx.Done():
			return fmt.Errorf("wait for the %s loop to stop: %w", l.Name(), ctx.Err())
		}
	}
	e.queue.refuseAll(failure(Unavailable, "the server is stopping"))
	e.claims.refuseAll()
	if e.ownStore {
		return e.store.Close()
	}
	return nil
}

var _ Service = (*Engine)(nil)
