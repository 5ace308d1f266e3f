package client_test

import (
	"fmt"
	"testing"
	"time"

	"flowc/vm/client"
)

// All pages are read, filters are understood by lists, counts and batches alike.
func TestListsAndFilters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const many = 130 // more than a page
	for i := range many {
		s.start(fmt.Sprint(i))
	}
	s.begin("working")
	keys := map[string]bool{}
	for token, err := range s.c.Tokens(s.ctx, client.Filter{Flow: "job", State: "waiting", NewerThan: time.Hour}) {
		if err != nil {
			t.Fatal(err)
		}
		keys[token.Key] = true
	}
	if len(keys) != many || keys["working"] {
		t.Errorf("read %d tokens", len(keys))
	}
	for filter, want := range map[client.Filter]int64{
		{}: many + 1, {State: "charging"}: 1, {Key: "7", Flow: "job"}: 1, {Status: "failed"}: 0, {Error: "x"}: 0, {OlderThan: time.Hour}: 0,
	} {
		if n, err := s.c.Count(s.ctx, filter); err != nil || n != want {
			t.Errorf("%+v: counted %d, %v", filter, n, err)
		}
	}
	for range s.c.Tokens(s.ctx, client.Filter{}) {
		break // a caller may stop at any token
	}
	for _, err := range s.c.Tokens(s.ctx, client.Filter{Status: "odd"}) {
		problemOf(t, err, client.Malformed)
	}
	batch := client.Batch{Action: "pause", Filter: client.Filter{State: "charging", NewerThan: time.Hour}, DryRun: true}
	if got, err := s.c.Batch(s.ctx, batch); err != nil || got.Matched != 1 || got.Changed != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	batch.DryRun = false
	if got, err := s.c.Batch(s.ctx, batch); err != nil || got.Changed != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Every command reaches its token.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.start("A")
	timer, due := token.Timers[0].ID, time.Now().Add(48*time.Hour).UTC().Truncate(time.Second)
	steps := []struct {
		name string
		do   func() (client.Moved, error)
		is   func(client.Token) bool
	}{
		{"pause", func() (client.Moved, error) { return s.c.Pause(s.ctx, token.ID, client.Command{Reason: "r"}) },
			func(t client.Token) bool { return t.Status == "paused" && !t.PausedAt.IsZero() }},
		{"resume", func() (client.Moved, error) { return s.c.Resume(s.ctx, token.ID, client.Command{}) },
			func(t client.Token) bool { return t.Status == "running" && t.PausedAt.IsZero() }},
		{"set", func() (client.Moved, error) {
			return s.c.SetField(s.ctx, token.ID, "count", 7, client.Command{Reason: "r"})
		},
			func(t client.Token) bool { return string(t.Data) == `{"receipt":"","why":"","count":7}` }},
		{"move", func() (client.Moved, error) { return s.c.MoveTimer(s.ctx, token.ID, timer, due, client.Command{}) },
			func(t client.Token) bool { return t.Timers[0].Due.Equal(due) }},
		{"retry", func() (client.Moved, error) { return s.c.Retry(s.ctx, token.ID, "charging", client.Command{}) },
			func(t client.Token) bool { return t.States[0] == "charging" }},
		{"fire", func() (client.Moved, error) {
			return s.c.FireTimer(s.ctx, token.ID, "charging.timeout", client.Command{})
		},
			func(t client.Token) bool { return t.Final == "late" && t.Ended() }},
		{"restart", func() (client.Moved, error) { return s.c.Restart(s.ctx, token.ID, "B", client.Command{}) },
			func(t client.Token) bool { return t.RestartOf == token.ID && t.Key == "B" }},
		{"cancel", func() (client.Moved, error) { return s.c.Cancel(s.ctx, "job:B", client.Command{Reason: "why"}) },
			func(t client.Token) bool { return t.Status == "cancelled" && t.Reason == "why" }},
	}
	for _, step := range steps {
		moved, err := step.do()
		if err != nil || !step.is(moved.Token) {
			t.Errorf("%s: got %+v, %v", step.name, moved, err)
		}
	}
	later, err := s.c.Start(s.ctx, "job", client.Start{Input: object{"n": 1}, Delay: time.Hour})
	if err != nil || later.Status != "scheduled" || time.Until(later.StartAt) < 50*time.Minute {
		t.Errorf("got %+v, %v", later, err)
	}
	at, err := s.c.Start(s.ctx, "job", client.Start{Input: object{"n": 1}, At: due})
	if err != nil || !at.StartAt.Equal(due) {
		t.Errorf("got %+v, %v", at, err)
	}
}
