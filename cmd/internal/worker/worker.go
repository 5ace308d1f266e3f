// Package worker does a server's work by running a program for each task: input JSON on its standard input, result JSON on its
// standard output. Exit code 0 is done, 2 gives up, any other one is a failed attempt.
//
// It holds each task under a lease that it extends while the program runs. When its context ends it claims no more, stops the
// programs and gives their tasks back unused.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"flowc/cmd/internal/client"
	"flowc/vm/api"
	"flowc/vm/engine"
)

// Options say what to work on and how.
type Options struct {
	Client      *client.Client
	Name        string // of the worker, for people
	Task        string
	Command     []string
	Concurrency int           // programs at once: 1
	Lease       time.Duration // 60 s
	Wait        time.Duration // of one claim: 30 s
	Grace       time.Duration // between the request to stop and the kill: 5 s
	Once        bool          // end when nothing is left to do, and do not wait for work
	Env         []string      // of the programs
	Stderr      interface{ Write([]byte) (int, error) }
	Log         *slog.Logger
}

func (o *Options) defaults() {
	if o.Concurrency == 0 {
		o.Concurrency = 1
	}
	if o.Lease == 0 {
		o.Lease = 60 * time.Second
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
}

// Run works until the context ends, then it returns nil. It returns an error only for a refusal that will not go away, such as
// one of the credential; a server that is away is waited for.
func Run(ctx context.Context, o Options) error {
	o.defaults()
	w := &worker{o: o, free: make(chan struct{}, o.Concurrency)}
	defer w.running.Wait()
	for ctx.Err() == nil {
		n := w.reserve(ctx)
		if n == 0 {
			return nil
		}
		tasks, err := w.claim(ctx, n)
		for range n - len(tasks) {
			<-w.free
		}
		if err != nil {
			if final(err) {
				return err
			}
			if ctx.Err() == nil {
				o.Log.Warn("cannot claim work, trying again", "error", err)
			}
			sleep(ctx, time.Second)
			continue
		}
		for _, task := range tasks {
			w.running.Go(func() {
				defer func() { <-w.free }()
				w.do(ctx, task)
			})
		}
		if o.Once && len(tasks) == 0 {
			return nil
		}
	}
	return nil
}

type worker struct {
	o       Options
	free    chan struct{} // holds a place for each program that runs or is claimed for
	running sync.WaitGroup
}

// reserve waits for one free place and takes what else is free.
func (w *worker) reserve(ctx context.Context) int {
	select {
	case w.free <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	n := 1
	for {
		select {
		case w.free <- struct{}{}:
			n++
		default:
			return n
		}
	}
}

func (w *worker) claim(ctx context.Context, n int) ([]engine.ClaimedTask, error) {
	body := map[string]any{
		"worker": w.o.Name, "tasks": []map[string]any{{"name": w.o.Task, "max": n}}, "lease": duration(w.o.Lease),
	}
	if !w.o.Once {
		body["wait"] = duration(w.o.Wait)
	}
	res, err := w.o.Client.Do(ctx, client.Request{Method: "POST", Path: "/v1/tasks/claim", Body: body, NoKey: true})
	if err != nil {
		return nil, err
	}
	var claimed api.Claimed
	return claimed.Tasks, res.Decode(&claimed)
}

// final says whether asking again is of no use.
func final(err error) bool {
	var r *client.Refusal
	return errors.As(err, &r) && r.Status < 500 && r.Status != 429
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
