package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// WorkerOptions say what a worker does and how. Only Tasks must be given.
type WorkerOptions struct {
	Tasks       []string      // the names of the tasks
	Name        string        // of the worker, for people; "": the host and the process
	Concurrency int           // handlers at once: 1
	Lease       time.Duration // how long work is the worker's without a heartbeat, in whole seconds: 60 s
	Poll        time.Duration // how long one claim waits for work: 30 s
	// Grace is how long handlers may go on once the worker stops: 10 s. Then their contexts end, and what they leave is given back
	// unused. Below zero: at once.
	Grace time.Duration
	Once  bool         // end when no work is left, instead of waiting for more
	Log   *slog.Logger // nil: none
}

func (o *WorkerOptions) defaults() error {
	if len(o.Tasks) == 0 {
		return errors.New("a worker needs the name of at least one task")
	}
	if o.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "worker"
		}
		o.Name = fmt.Sprintf("%s/%d", host, os.Getpid())
	}
	o.Concurrency = max(o.Concurrency, 1)
	if o.Lease <= 0 {
		o.Lease = 60 * time.Second
	}
	o.Lease = min((o.Lease + time.Second - 1).Truncate(time.Second), time.Hour) // what the server makes of it
	if o.Poll <= 0 {
		o.Poll = 30 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Work claims work and gives it to the handler until the context ends; then it returns nil, once all handlers have. Work that was
// claimed and not begun is given back. It returns an error only for a refusal that will not go away, such as one of the
// credential; a server that is away is waited for.
//
// While a handler runs its lease is extended at every third of it. Its context ends when the work is not wanted any more, when
// the lease is lost, at the end of the attempt's time, and when the worker has to stop; context.Cause says which. An outcome is
// reported until the server has it, under one key, so that it counts once.
func (c *Client) Work(ctx context.Context, o WorkerOptions, do Handler) error {
	if err := o.defaults(); err != nil {
		return err
	}
	hard, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	w := &worker{c: c, o: o, do: do, hard: hard, places: make(chan struct{}, o.Concurrency), turn: turn{tasks: o.Tasks},
		warned: map[string]bool{}}
	ended := context.AfterFunc(ctx, func() { w.letGo(stop) })
	defer ended()
	defer w.running.Wait()
	return w.loop(ctx)
}

// A worker is one call of Work.
type worker struct {
	c       *Client
	o       WorkerOptions
	do      Handler
	hard    context.Context // ends when handlers may not go on
	places  chan struct{}   // holds one for each handler that runs or is claimed for
	running sync.WaitGroup
	turn    turn
	asked   bool            // some claim has been made for all tasks
	warned  map[string]bool // what the log has said of tasks that the server does not know
}

// letGo ends the handlers' contexts after the grace.
func (w *worker) letGo(stop context.CancelCauseFunc) {
	if w.o.Grace > 0 {
		timer := time.NewTimer(w.o.Grace)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-w.hard.Done(): // all have returned
			return
		}
	}
	stop(ErrStopping)
}

func (w *worker) loop(ctx context.Context) error {
	for failures := 0; ctx.Err() == nil; {
		n := w.reserve(ctx)
		if n == 0 {
			return nil
		}
		tasks, err := w.claim(ctx, n)
		w.free(n - min(n, len(tasks)))
		w.begin(ctx, tasks, n)
		if err == nil {
			failures = 0
			if w.o.Once && len(tasks) == 0 {
				return nil
			}
			continue
		}
		if final(err) {
			return err
		}
		if ctx.Err() == nil {
			w.o.Log.Warn("work cannot be claimed, trying again", "error", err)
			failures++
			pause(ctx, wait(failures, err))
		}
	}
	return nil
}

// reserve waits for one free place and takes what else is free. 0: the context has ended.
func (w *worker) reserve(ctx context.Context) int {
	select {
	case w.places <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case w.places <- struct{}{}:
		default:
			return n
		}
	}
}

func (w *worker) free(n int) {
	for range n {
		<-w.places
	}
}

// begin gives work to handlers, n at most. What is over, and all of it when the worker stops, is given back.
func (w *worker) begin(ctx context.Context, tasks []Task, n int) {
	for i, task := range tasks {
		if i >= n || ctx.Err() != nil {
			w.running.Go(func() { w.giveBack(task) })
			if i < n {
				w.free(1)
			}
			continue
		}
		w.running.Go(func() {
			defer w.free(1)
			w.attempt(task)
		})
	}
}

func (w *worker) giveBack(task Task) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.hard), w.o.Lease)
	defer cancel()
	if err := w.send(ctx, task, "release", map[string]string{"lease": task.Lease}); err != nil {
		w.o.Log.Warn("work could not be given back; its lease will run out", "id", task.ID, "error", err)
	}
}

// send reports on a task, for as long as the context allows.
func (w *worker) send(ctx context.Context, task Task, verb string, body any) error {
	_, err := w.c.Do(ctx, Request{Method: http.MethodPost, Path: path("tasks", task.ID, verb), Body: body, Tries: 1000})
	return err
}

// final says whether asking again is of no use.
func final(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status < http.StatusInternalServerError && !p.Temporary() && p.Status != http.StatusRequestTimeout
}
