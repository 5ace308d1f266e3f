package client_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"flowc/vm/client"
)

// lineIDs are the ids of a history.
func lineIDs(t *testing.T, s *server, token string) []string {
	t.Helper()
	var ids []string
	for line, err := range s.c.History(s.ctx, token, "") {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, line.ID)
	}
	return ids
}

// A watch whose connection is lost again and again misses no line and repeats none, also when attempts fail meanwhile.
func TestWatchResumes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	s.proxy.cutAfter = 1500
	s.work(client.WorkerOptions{Tasks: []string{"charge", "mail"}}, client.ByTask(map[string]client.Handler{
		"charge": func(_ context.Context, task client.Task) (client.Outcome, error) {
			if task.Attempt < 3 {
				return client.Outcome{}, client.Fail("busy", "not yet")
			}
			return receipt, nil
		},
		"mail": returns(client.Done(object{"sent": true}), nil),
	}))
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	var got []string
	for line, err := range s.c.Watch(ctx, token.ID, "") {
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		got = append(got, line.ID)
	}
	if want := lineIDs(t, s, token.ID); !slices.Equal(got, want) {
		t.Errorf("watched\n%v\nof\n%v", got, want)
	}
	if n := len(s.proxy.requests("/watch")); n < 3 {
		t.Errorf("there were only %d connections", n)
	}
}

func TestWatchFromALine(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.start("A")
	if _, err := s.c.Cancel(s.ctx, token.ID, client.Command{}); err != nil {
		t.Fatal(err)
	}
	all := lineIDs(t, s, token.ID)
	var got []string
	for line, err := range s.c.Watch(s.ctx, token.ID, all[1]) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line.ID)
	}
	if !slices.Equal(got, all[2:]) {
		t.Errorf("watched %v of %v", got, all)
	}
	for range s.c.Watch(s.ctx, token.ID, "") {
		break // a caller may stop at any line
	}
	for _, err := range s.c.Watch(s.ctx, "job:nobody", "") {
		problemOf(t, err, client.NotFound)
	}
}

func TestStartAndWait(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.work(client.WorkerOptions{Tasks: []string{"charge"}}, returns(client.Instead("instead", object{"text": "x"}), nil))
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	go func() {
		// the token may not be there yet
		for ctx.Err() == nil {
			if _, err := s.c.Send(ctx, "job:A", client.Event{Name: "begin"}); !errors.Is(err, client.NotFound) {
				return
			}
		}
	}()
	end, err := s.c.StartAndWait(ctx, "job", client.Start{Key: "A", Input: object{"n": 1}})
	var result struct{ Why string }
	if err != nil || !end.Created || end.Final != "done" || end.DecodeResult(&result) != nil || result.Why != "x" {
		t.Errorf("got %+v, %v", end, err)
	}
	again, err := s.c.StartAndWait(ctx, "job", client.Start{Key: "A", Input: object{"n": 1}, ReturnExisting: true})
	if err != nil || again.Created || again.ID != end.ID {
		t.Errorf("got %+v, %v", again, err)
	}
	if err := (client.Token{ID: "x", Status: "failed"}).DecodeResult(&result); err == nil {
		t.Error("a token without a result was read")
	}
}

// A failed token ends the wait, and so does the caller's time.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.begin("A")
	short, cancel := context.WithTimeout(s.ctx, 300*time.Millisecond)
	defer cancel()
	seen, err := s.c.Wait(short, token.ID)
	if !errors.Is(err, context.DeadlineExceeded) || seen.ID != token.ID {
		t.Errorf("got %+v, %v", seen, err)
	}
	s.work(client.WorkerOptions{Tasks: []string{"charge", "mail"}}, client.ByTask(map[string]client.Handler{
		"charge": returns(receipt, nil), "mail": returns(client.Outcome{}, &client.Failure{Code: "x", NoRetry: true}),
	}))
	end := s.wait("A")
	if !end.Failed() || end.Error == nil || end.Error.Message != "no mail" || end.Error.Line == 0 {
		t.Errorf("got %+v", end)
	}
}
