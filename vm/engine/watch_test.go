package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
	"flowc/vm/task"
)

const idler = `
event go
event nudge
flow waits() {
  initial here
  state here {
    timeout 30d
    on go -> here
    on nudge { refuse "not yet" }
    on timeout -> over
  }
  final over
}
`

// An asked store counts what those who wait could ask for, and holds the looks of the watch loop back until they are let go.
type asked struct {
	store.Store
	reads, claims atomic.Int64
	looks         chan []string // the tokens of each look; nil: not held back
	gate          chan struct{}
}

func (c *asked) Token(ctx context.Context, id string) (store.Token, error) {
	c.reads.Add(1)
	return c.Store.Token(ctx, id)
}

func (c *asked) Tasks(ctx context.Context, f store.TaskFilter) ([]task.Row, error) {
	c.reads.Add(1)
	return c.Store.Tasks(ctx, f)
}

func (c *asked) NextClaimable(ctx context.Context, want []store.Want) (at, now int64, err error) {
	c.claims.Add(1)
	return c.Store.NextClaimable(ctx, want)
}

func (c *asked) Marks(ctx context.Context, ids []string) (map[string]store.Mark, error) {
	if c.looks != nil {
		c.looks <- ids
		select {
		case <-c.gate:
		case <-ctx.Done():
		}
	}
	return c.Store.Marks(ctx, ids)
}

// askedOf is a server over an asked store, on which nothing is looked for again before an hour has passed.
func askedOf(t *testing.T, url string) (*server, *asked) {
	t.Helper()
	plain := serve(t, url, store.Options{}, idler)
	c := &asked{Store: plain.store, looks: make(chan []string, 100), gate: make(chan struct{}, 100)}
	e, err := engine.New(plain.ctx, engine.Options{Store: c, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(plain.ctx); err != nil {
		t.Fatal(err)
	}
	s := &server{Engine: e, t: t, store: c, ctx: plain.ctx}
	t.Cleanup(func() {
		if err := e.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s, c
}

// However many wait, one query looks for all of them, and none of them makes one of its own: not when it comes, not while it waits,
// and not when its token moves.
func TestAllWhoWaitAreLookedForInOneQuery(t *testing.T) {
	s, c := askedOf(t, pgtest.Reused(t))
	const tokens, each, workers = 50, 40, 500
	var ids []string
	for i := range tokens {
		ids = append(ids, s.start("waits", fmt.Sprint(i), "{}").ID)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	reads := c.reads.Load()
	moved := make(chan string, tokens*each)
	wait := func(id string) {
		all.Go(func() {
			if v, err := s.Changed(ctx, engine.Ref{ID: id}, 1); err == nil && v == 2 {
				moved <- id
			}
		})
	}
	wait(ids[0])
	if first := <-c.looks; !slices.Equal(first, ids[:1]) {
		t.Fatalf("the first look was for %v", first)
	}
	for i := 1; i < tokens*each; i++ {
		wait(ids[i%tokens])
	}
	s.eventually("all wait", func() bool { return s.Waiters() == tokens*each })
	c.gate <- struct{}{}
	if second := <-c.looks; len(second) != tokens {
		t.Errorf("the second look was for %d of %d tokens", len(second), tokens)
	}
	c.gate <- struct{}{}
	for range workers {
		all.Go(func() {
			_, err := s.Claim(ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "none", Max: 1}}, Wait: time.Minute})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	s.eventually("all workers wait", func() bool { return s.Pollers() == workers })
	if _, err := s.send(ids[7], "go", ""); err != nil {
		t.Fatal(err)
	}
	for range each {
		if id := <-moved; id != ids[7] {
			t.Errorf("one who waits for %s was told", id)
		}
	}
	if n := s.Waiters(); n != (tokens-1)*each {
		t.Errorf("%d wait on", n)
	}
	if n := c.reads.Load() - reads; n != 0 {
		t.Errorf("those who wait made %d reads", n)
	}
	if len(c.looks) != 0 {
		t.Errorf("there were more looks: %v", <-c.looks)
	}
	// one worker who comes wakes the one loop that looks for all of them; how often depends on how many come at once
	if n := c.claims.Load(); n > workers {
		t.Errorf("%d workers who wait led to %d looks for work", workers, n)
	}
}

// What moved between a caller's read and its wait is seen at once.
func TestWhatMovedBeforeTheWaitIsSeen(t *testing.T) {
	onBoth(t, idler, func(s *server) {
		v := s.start("waits", "A", "{}")
		if _, err := s.send(v.ID, "go", ""); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Changed(s.ctx, engine.Ref{ID: v.ID}, 1); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
		if m, err := s.Grown(s.ctx, engine.Ref{Flow: "waits", Key: "A"}, engine.Mark{Version: 1, Lines: 99}); err != nil || m.Version != 2 {
			t.Errorf("%v, %v", m, err)
		}
		var fault *engine.Error
		if _, err := s.Changed(s.ctx, engine.Ref{ID: "nobody"}, 1); !errors.As(err, &fault) || fault.Code != engine.NotFound {
			t.Errorf("of no token: %v", err)
		}
	})
}

// A refusal leaves the version as it is (R55); the history has grown all the same.
func TestR55_ARefusalGrowsTheHistory(t *testing.T) {
	onBoth(t, idler, func(s *server) {
		v := s.start("waits", "A", "{}")
		page, err := s.History(s.ctx, engine.HistoryRequest{Token: engine.Ref{ID: v.ID}})
		if err != nil {
			t.Fatal(err)
		}
		grown := make(chan engine.Mark, 1)
		go func() {
			m, err := s.Grown(s.ctx, engine.Ref{ID: v.ID}, page.End)
			if err != nil {
				t.Error(err)
			}
			grown <- m
		}()
		s.eventually("it waits", func() bool { return s.Waiters() == 1 })
		if _, err := s.send(v.ID, "nudge", ""); err == nil {
			t.Error("it was not refused")
		}
		if m := <-grown; m.Version != page.End.Version || m.Lines <= page.End.Lines {
			t.Errorf("from %v to %v", page.End, m)
		}
	})
}

// A waiter is told at once what another server moves, by its hint (R81); and with the poll when hints are lost.
func TestR81_WhatAnotherServerMovesIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		so store.Options
		eo engine.Options
	}{
		"by hint": {eo: engine.Options{Poll: time.Hour}},
		"by poll": {so: store.Options{ListenURL: "off"}, eo: engine.Options{Poll: 20 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Reused(t)
			a, b := serve(t, url, store.Options{}, idler), serveWith(t, url, c.so, c.eo, "")
			v := a.start("waits", "A", "{}")
			told := make(chan error, 1)
			go func() {
				_, err := b.Changed(b.ctx, engine.Ref{ID: v.ID}, 1)
				told <- err
			}()
			b.eventually("it waits", func() bool { return b.Waiters() == 1 })
			for { // a hint that comes before b listens is lost
				if _, err := a.send(v.ID, "go", ""); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-told:
					if err != nil {
						t.Error(err)
					}
					return
				default:
				}
			}
		})
	}
}

// Those who wait for a token that is purged learn it.
func TestAPurgeEndsTheWait(t *testing.T) {
	url := pgtest.Reused(t)
	a, b := serve(t, url, store.Options{}, idler), serveWith(t, url, store.Options{}, engine.Options{Poll: 20 * time.Millisecond}, "")
	v := a.start("waits", "A", "{}")
	ended := a.control(v.ID, engine.Cancel)
	told := make(chan error, 1)
	go func() {
		_, err := b.Changed(b.ctx, engine.Ref{ID: v.ID}, ended.Version)
		told <- err
	}()
	b.eventually("it waits", func() bool { return b.Waiters() == 1 })
	if _, err := a.Purge(a.ctx, engine.PurgeRequest{Tokens: []engine.Ref{{ID: v.ID}}}); err != nil {
		t.Fatal(err)
	}
	var fault *engine.Error
	if err := <-told; !errors.As(err, &fault) || fault.Code != engine.NotFound {
		t.Errorf("got %v", err)
	}
}
