package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/store"
	"flowc/vm/store/lossy"
	"flowc/vm/store/pgtest"
)

func TestALostReplyToCommitIsNoFaultAndNotASecondRow(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := open(t, p.URL(), store.Options{Pool: 2})
	p.OnCommit(func(n int) lossy.Fate { return lossy.Fate(n % 3) }) // lost reply, lost request, through, …
	for i := range 30 {
		update(t, s, func(tx *store.Tx) error {
			return tx.Write(&store.Writes{NewTokens: []store.Token{token(fmt.Sprintf("t%02d", i), 0)}})
		})
	}
	p.OnCommit(nil)
	if n, err := s.Count(context.Background(), store.Filter{}); err != nil || n != 30 {
		t.Errorf("%d rows, %v", n, err)
	}
	m := s.Metrics()
	if m.Settled == 0 || m.Unknown != 0 || m.Commits != 30 {
		t.Errorf("%+v", m)
	}
}

func TestAFateThatCannotBeLookedUpIsUnknown(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := open(t, p.URL(), store.Options{CommitFor: 200 * time.Millisecond})
	p.OnCommit(func(int) lossy.Fate {
		go p.Cut()
		return lossy.LostReply
	})
	err := s.Update(context.Background(), func(tx *store.Tx) error {
		return tx.Write(&store.Writes{NewTokens: []store.Token{token("t", 0)}})
	})
	if !errors.Is(err, store.ErrUnknown) || store.Blames(err) {
		t.Fatalf("got %v", err)
	}
	p.OnCommit(nil)
	p.Heal()
	if n, err := s.Count(context.Background(), store.Filter{}); err != nil || n > 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestATransactionIsRepeatedUntilTheDatabaseIsBack(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := open(t, p.URL(), store.Options{Patience: time.Minute})
	update(t, s, func(tx *store.Tx) error { return tx.Write(&store.Writes{NewTokens: []store.Token{token("a", 0)}}) })
	p.Cut()
	done := make(chan error, 1)
	go func() {
		done <- s.Update(context.Background(), func(tx *store.Tx) error {
			return tx.Write(&store.Writes{NewTokens: []store.Token{token("b", 0)}})
		})
	}()
	for s.Metrics().Retries == 0 { // until it has met the fault
		select {
		case err := <-done:
			t.Fatalf("it ended while the database was away: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	p.Heal()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n, err := s.Count(context.Background(), store.Filter{}); err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestADatabaseThatStaysAwayIsUnavailableInTime(t *testing.T) {
	p := lossy.New(t, pgtest.Reused(t))
	s := open(t, p.URL(), store.Options{Patience: 300 * time.Millisecond})
	p.Cut()
	began := time.Now()
	err := s.Update(context.Background(), func(*store.Tx) error { return nil })
	if !errors.Is(err, store.ErrUnavailable) || store.Blames(err) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("it took %s", d)
	}
	if err := s.Writable(context.Background()); err == nil {
		t.Error("it is said to be writable")
	}
}

func TestTransientFaultsAtEveryStatementAreRepeated(t *testing.T) {
	for _, back := range []string{"postgres", "sqlite"} {
		t.Run(back, func(t *testing.T) {
			var statement atomic.Value
			statement.Store("")
			hits := map[string]int{}
			var mu sync.Mutex
			fault := func(name string) error {
				mu.Lock()
				defer mu.Unlock()
				if hits[name]++; name == statement.Load() {
					statement.Store("")
					return fmt.Errorf("made up: %w", store.ErrTransient)
				}
				return nil
			}
			url := filepath.Join(t.TempDir(), "flow.db")
			if back == "postgres" {
				url = pgtest.Reused(t)
			}
			s := open(t, url, store.Options{Fault: fault})
			for i, name := range []string{"insert_tokens", "insert_history", "insert_inbox", "insert_tasks", "insert_answered", "mark", "commit"} {
				statement.Store(name)
				id := fmt.Sprintf("t%d", i)
				h := store.History{Token: id, Version: 1, Line: 1, Stimulus: "{}", Lines: "[]"}
				w := store.Writes{NewTokens: []store.Token{token(id, 0)}, History: []store.History{h},
					Inbox:    []store.Inbox{{Receiver: id, Sender: id, SenderVersion: 1, N: 1, Stimulus: "{}"}},
					Answered: []store.Answered{{Credential: id, Route: "r", Key: "k", Status: "ok", Body: "{}"}}}
				task := offer(id, "x", 1)
				w.NewTasks = append(w.NewTasks, task)
				insert(t, s, w)
				if statement.Load() != "" {
					t.Errorf("%s was not met", name)
				}
			}
			if n, err := s.Count(context.Background(), store.Filter{}); err != nil || n != 7 {
				t.Errorf("%d rows, %v", n, err)
			}
			if m := s.Metrics(); m.Retries != 7 {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestASecondProcessIsKeptOutOfASQLiteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flow.db")
	open(t, path, store.Options{})
	if _, err := store.Open(context.Background(), path, store.Options{}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("got %v", err)
	}
}

func TestR62_ANewerSchemaIsRefused(t *testing.T) {
	for _, back := range []string{"postgres", "sqlite"} {
		t.Run(back, func(t *testing.T) {
			url := filepath.Join(t.TempDir(), "flow.db")
			if back == "postgres" {
				url = pgtest.New(t)
			}
			s, err := store.Open(context.Background(), url, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			store.SetSchemaVersion(t, s, 9999)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Open(context.Background(), url, store.Options{}); !errors.Is(err, store.ErrNewerSchema) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestServersThatStartTogetherMigrateOnce(t *testing.T) {
	url := pgtest.New(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := store.Open(context.Background(), url, store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		}()
	}
	wg.Wait()
}

func TestR6_WhatAnotherTransactionHoldsIsLeftOut(t *testing.T) {
	s := open(t, pgtest.Reused(t), store.Options{Pool: 3})
	insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 5), token("b", 6), token("c", 7)}})
	update(t, s, func(outer *store.Tx) error {
		if _, err := outer.LockTokens([]string{"b"}); err != nil {
			return err
		}
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.LockTokens([]string{"a", "b"})
			if got := ids(rows); len(got) != 1 || got[0] != "a" {
				t.Errorf("locked %v", got)
			}
			if there, err := tx.Exist([]string{"b", "z"}); err != nil || !there["b"] || there["z"] {
				t.Errorf("exist %v, %v", there, err)
			}
			return err
		})
		update(t, s, func(tx *store.Tx) error {
			rows, err := tx.ClaimDue(2, nil)
			if got := ids(rows); len(got) != 2 || got[0] != "a" || got[1] != "c" {
				t.Errorf("claimed %v", got)
			}
			return err
		})
		return nil
	})
}
