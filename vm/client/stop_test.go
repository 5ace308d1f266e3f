package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/client"
)

// Handlers may go on for the grace, and their outcomes count.
func TestStopLetsHandlersEnd(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	h := newHeld()
	stop := s.work(client.WorkerOptions{Tasks: []string{"charge"}, Grace: patience}, h.do)
	get(t, "the task", h.begun)
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	h.end <- client.Instead("instead", object{"text": "in time"})
	if err := get(t, "the end of the worker", stopped); err != nil {
		t.Error(err)
	}
	if got := s.kinds(token); got != "completed" || s.token("A").Final != "done" {
		t.Errorf("the attempts %s", got)
	}
}

// What a handler leaves at the end of the grace is given back and uses up no attempt.
func TestStopReleases(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	for range 4 { // more often than there are attempts
		h := newHeld()
		stop := s.work(client.WorkerOptions{Tasks: []string{"charge"}, Grace: -1}, h.do)
		if task := get(t, "the task", h.begun); task.Attempt != 1 {
			t.Errorf("it is attempt %d", task.Attempt)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := get(t, "the end of the context", h.cause); !errors.Is(err, client.ErrStopping) {
			t.Errorf("it ended because of %v", err)
		}
	}
	s.work(client.WorkerOptions{Tasks: []string{"charge"}}, returns(client.Instead("instead", object{"text": "x"}), nil))
	s.wait("A")
	if got := s.kinds(token); got != "released released released released completed" {
		t.Errorf("the attempts %s", got)
	}
}

// A handler may give its work back by itself.
func TestHandlerReleases(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	again := atomic.Bool{}
	s.work(client.WorkerOptions{Tasks: []string{"charge"}}, client.ByTask(map[string]client.Handler{
		"charge": func(context.Context, client.Task) (client.Outcome, error) {
			if again.Swap(true) {
				return client.Instead("instead", object{"text": "x"}), nil
			}
			return client.Outcome{}, fmt.Errorf("not now: %w", client.ErrRelease)
		},
	}))
	s.wait("A")
	if got := s.kinds(token); got != "released completed" {
		t.Errorf("the attempts %s", got)
	}
}

// What is claimed while the worker stops never reaches a handler: it is given back.
func TestClaimedAndNotBegun(t *testing.T) {
	t.Parallel()
	s := serve(t)
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	c, err := client.New(client.Options{Server: s.proxy.URL, HTTP: &http.Client{Transport: stopAfterClaim(stop)}})
	if err != nil {
		t.Fatal(err)
	}
	var tokens []client.Token
	for i := range 3 {
		tokens = append(tokens, s.begin(fmt.Sprint(i)))
	}
	err = c.Work(ctx, client.WorkerOptions{Tasks: []string{"charge"}, Concurrency: 5}, func(context.Context, client.Task) (client.Outcome, error) {
		t.Error("a handler has begun")
		return receipt, nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, token := range tokens {
		if got := s.kinds(token); got != "released" {
			t.Errorf("the attempts %s", got)
		}
	}
}

// stopAfterClaim stops the worker when its claim has been answered.
func stopAfterClaim(stop func()) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/v1/tasks/claim" {
			return http.DefaultTransport.RoundTrip(r)
		}
		res, err := http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
		stop()
		return res, err
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Never more handlers run than said, and all work is done; of many tasks none waits for ever.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 12 {
		s.begin(fmt.Sprint(i))
	}
	var now, most atomic.Int32
	busy := func(o client.Outcome) client.Handler {
		return func(ctx context.Context, _ client.Task) (client.Outcome, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			return o, ctx.Err()
		}
	}
	s.work(client.WorkerOptions{Tasks: []string{"nothing", "charge", "never", "mail"}, Concurrency: 3}, client.ByTask(map[string]client.Handler{
		"charge": busy(receipt), "mail": busy(client.Done(object{"sent": true})),
	}))
	for i := range 12 {
		if end := s.wait(fmt.Sprint(i)); end.Final != "done" {
			t.Errorf("%d ended in %s", i, end.Final)
		}
	}
	if most.Load() > 3 {
		t.Errorf("%d handlers ran at once", most.Load())
	}
}

// Once means until nothing is left.
func TestOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 5 {
		s.begin(fmt.Sprint(i))
	}
	var mu sync.Mutex
	done := map[string]int{}
	err := s.c.Work(s.ctx, client.WorkerOptions{Tasks: []string{"charge", "mail"}, Once: true}, client.ByTask(map[string]client.Handler{
		"charge": func(_ context.Context, task client.Task) (client.Outcome, error) {
			mu.Lock()
			defer mu.Unlock()
			done[task.Token]++
			return receipt, nil
		},
		"mail": returns(client.Done(object{"sent": true}), nil),
	}))
	if err != nil || len(done) != 5 {
		t.Errorf("did %v, %v", done, err)
	}
}

// A worker outlives its server's absence.
func TestWorkerWaitsForTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	away := atomic.Bool{}
	away.Store(true)
	claims := make(chan bool, 1000)
	s.proxy.lose(func(r *http.Request) fate {
		if r.URL.Path == "/v1/tasks/claim" && away.Load() {
			claims <- true
			return loseRequest
		}
		return through
	})
	s.begin("A")
	s.work(client.WorkerOptions{Tasks: []string{"charge"}, Poll: time.Second}, returns(client.Instead("instead", object{"text": "x"}), nil))
	for range 3 {
		get(t, "a claim", claims)
	}
	away.Store(false)
	s.wait("A")
}
