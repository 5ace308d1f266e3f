package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
)

func TestR71_TheHistoryLeadsToTheSnapshot(t *testing.T) {
	onBoth(t, family+counting, func(s *server) {
		parent := s.start("parent", "", `{"n": 3}`)
		s.await(parent.ID, "poked", func(v engine.TokenView) bool { return string(v.Data) == `{"got":0,"failed":0,"poked":3}` })
		s.control(parent.ID, engine.Pause)
		s.control(parent.ID, engine.Resume)
		c := s.start("counter", "", `{}`)
		for range 5 {
			if err := s.add(c.ID, engine.Mutation{}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.send(c.ID, "nonsense", `{}`); engine.CodeOf(err) != engine.Invalid {
				t.Fatal(err)
			}
		}
		s.control(parent.ID, engine.Cancel)
		page, err := s.List(s.ctx, engine.ListRequest{})
		if err != nil || len(page.Items) != 5 {
			t.Fatalf("%d tokens, %v", len(page.Items), err)
		}
		for _, v := range page.Items {
			s.eventually("the children have ended", func() bool { return v.Flow != "child" || s.token(v.ID).Status == "cancelled" })
			got, err := s.Replay(s.ctx, engine.Ref{ID: v.ID})
			if err != nil || !got.Same || got.Steps == 0 {
				t.Errorf("%s %s: %v %s", v.Flow, v.ID, err, jsonOf(got))
			}
		}
	})
}

func TestR6_ATokenThatWasSetRightGoesOn(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o", "limit": "1s"}`)
		row, err := s.store.Token(s.ctx, v.ID)
		if err != nil {
			t.Fatal(err)
		}
		damage(s, v.ID)
		s.eventually("it is set aside", func() bool {
			q, err := s.Quarantined(s.ctx, 10)
			return err == nil && len(q) == 1
		})
		err = s.store.Update(s.ctx, func(tx *store.Tx) error {
			rows, err := tx.LockTokens([]string{v.ID})
			if err != nil {
				return err
			}
			rows[0].Snapshot = row.Snapshot
			return tx.Write(&store.Writes{Tokens: rows})
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Unquarantine(s.ctx, engine.Mutation{}, engine.Ref{ID: v.ID}); err != nil {
			t.Fatal(err)
		}
		s.awaitFinal(v.ID, "late")
		if _, err := s.Unquarantine(s.ctx, engine.Mutation{}, engine.Ref{ID: v.ID}); engine.CodeOf(err) != engine.NotFound {
			t.Errorf("again: %v", err)
		}
	})
}

func TestR73_APurgeKeepsTheKeyTakenAndLeavesWhatLives(t *testing.T) {
	onBoth(t, review+"\n"+replaceOnce(work, "event extra", "event extra"), func(s *server) {
		ended := s.start("review", "k", `{"order": "o"}`)
		s.control(ended.ID, engine.Cancel)
		live := s.start("review", "live", `{"order": "o"}`)
		letter := s.start("letter", "", `{}`)
		all := engine.PurgeRequest{Before: time.Now().Add(time.Hour), DryRun: true}
		if n, err := s.Purge(s.ctx, all); err != nil || n.Tokens != 1 {
			t.Fatalf("%d, %v", n.Tokens, err)
		}
		all.DryRun = false
		if n, err := s.Purge(s.ctx, all); err != nil || n.Tokens != 1 {
			t.Fatalf("%d, %v", n.Tokens, err)
		}
		if _, err := s.Token(s.ctx, engine.Ref{Flow: "review", Key: "k"}); engine.CodeOf(err) != engine.Purged {
			t.Errorf("by key: %v", err)
		}
		if _, err := s.Token(s.ctx, engine.Ref{ID: ended.ID}); engine.CodeOf(err) != engine.NotFound {
			t.Errorf("by id: %v", err)
		}
		req := engine.StartRequest{Flow: "review", Key: "k", Input: []byte(`{"order": "o"}`)}
		if _, err := s.StartToken(s.ctx, req); engine.CodeOf(err) != engine.Purged {
			t.Errorf("a start: %v", err)
		}
		if _, err := s.SendEvent(s.ctx, engine.EventRequest{Token: engine.Ref{Flow: "review", Key: "k"}, Event: "ping"}); engine.CodeOf(err) != engine.Purged {
			t.Errorf("an event: %v", err)
		}
		s.token(live.ID)
		s.token(letter.ID) // its dispatched work is not over
		if _, err := s.complete(s.claim("mail"), `{}`); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Purge(s.ctx, engine.PurgeRequest{Tokens: []engine.Ref{{ID: letter.ID}, {ID: live.ID}}, Forget: true}); err != nil || n.Tokens != 1 {
			t.Errorf("%d, %v", n.Tokens, err)
		}
		if n, err := s.Count(s.ctx, engine.ListRequest{}); err != nil || n != 1 {
			t.Errorf("%d tokens left, %v", n, err)
		}
	})
}

func TestStopFinishesWhatRunsAndRefusesWhatWaits(t *testing.T) {
	onBoth(t, counting, func(s *server) {
		v := s.start("counter", "", `{}`)
		codes := make(chan engine.Code, 200)
		for range cap(codes) {
			go func() { codes <- engine.CodeOf(s.add(v.ID, engine.Mutation{})) }()
		}
		poll := make(chan error, 1)
		go func() {
			_, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "none", Max: 1}}, Wait: patience})
			poll <- err
		}()
		ctx, cancel := context.WithTimeout(s.ctx, patience)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for range cap(codes) {
			switch c := <-codes; c {
			case "":
				accepted++
			case engine.Unavailable:
			default:
				t.Errorf("got %s", c)
			}
		}
		if got := s.token(v.ID); sum(got) != accepted {
			t.Errorf("%d accepted, %d added", accepted, sum(got))
		}
		if err := <-poll; err != nil && engine.CodeOf(err) != engine.Unavailable {
			t.Errorf("the worker: %v", err)
		}
		if h := s.Health(s.ctx); h.Ready {
			t.Error("it says that it is ready")
		}
		t.Log(fmt.Sprint(accepted, " of 200"))
	})
}
