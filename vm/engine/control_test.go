package engine_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

func idem(key, body string) engine.Mutation {
	return engine.Mutation{Actor: "ann", Idempotency: &engine.Idempotency{Credential: "c", Route: "r", Key: key, BodyHash: body}}
}

func TestR55_ARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	onBoth(t, review, func(s *server) {
		start := engine.StartRequest{Mutation: idem("s", "1"), Flow: "review", Key: "k", Input: json.RawMessage(`{"order": "o"}`)}
		first, err := s.StartToken(s.ctx, start)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.StartToken(s.ctx, start)
		if err != nil || !again.Replayed || !again.Created || jsonOf(again) != jsonOf(first) {
			t.Errorf("%v\n%s\n%s", err, jsonOf(first), jsonOf(again))
		}
		start.Mutation = idem("s", "2")
		if _, err := s.StartToken(s.ctx, start); engine.CodeOf(err) != engine.IdempotencyMismatch {
			t.Errorf("another body: %v", err)
		}
		refused := engine.EventRequest{Mutation: idem("e", "1"), Token: engine.Ref{Flow: "review", Key: "k"}, Event: "approve",
			Payload: json.RawMessage(`{"by": "nobody"}`)}
		var errs [2]error
		for i := range errs {
			_, errs[i] = s.SendEvent(s.ctx, refused)
		}
		if engine.CodeOf(errs[1]) != engine.Refused || jsonOf(errs[0]) != jsonOf(errs[1]) || !errs[1].(*engine.Error).Replayed {
			t.Errorf("%s\n%s", jsonOf(errs[0]), jsonOf(errs[1]))
		}
	})
}

func TestR55_ManyAtOnceWithOneKeyMoveATokenOnce(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "k", `{"order": "o"}`)
		var wg sync.WaitGroup
		answers := make([]string, 20)
		for i := range answers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				a, err := s.SendEvent(s.ctx, engine.EventRequest{Mutation: idem("e", "1"), Token: engine.Ref{ID: v.ID}, Event: "ping"})
				if err != nil {
					t.Error(err)
				}
				answers[i] = jsonOf(a)
			}()
		}
		wg.Wait()
		for _, a := range answers {
			if a != answers[0] {
				t.Errorf("%s\n%s", a, answers[0])
			}
		}
		if got := s.token(v.ID); got.Version != 2 {
			t.Errorf("version %d", got.Version)
		}
	})
}

func TestR55_AnEventsOwnIDMovesOnce(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o"}`)
		for range 3 {
			if a, err := s.SendEvent(s.ctx, engine.EventRequest{Token: engine.Ref{ID: v.ID}, Event: "ping", ID: "p1"}); err != nil || a.Outcome != vm.Accepted {
				t.Fatal(err)
			}
		}
		if got := s.token(v.ID); got.Version != 2 {
			t.Errorf("version %d", got.Version)
		}
	})
}

func TestR55_AStaleDecisionIsRefused(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o"}`)
		old := v.Version
		if _, err := s.send(v.ID, "ping", `{}`); err != nil {
			t.Fatal(err)
		}
		req := engine.EventRequest{Mutation: engine.Mutation{IfMatch: &old}, Token: engine.Ref{ID: v.ID}, Event: "ping"}
		if _, err := s.SendEvent(s.ctx, req); engine.CodeOf(err) != engine.Stale || err.(*engine.Error).Version != 2 {
			t.Errorf("got %v", err)
		}
	})
}

func TestAKeyIsTakenOnce(t *testing.T) {
	onBoth(t, review, func(s *server) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		made, ids := 0, map[string]bool{}
		for i := range 12 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				req := engine.StartRequest{Flow: "review", Key: "one", Input: json.RawMessage(`{"order": "o"}`)}
				if i%2 == 0 {
					req.OnConflict = engine.ReturnOnConflict
				}
				a, err := s.StartToken(s.ctx, req)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					ids[a.Token.ID] = true
					if a.Created {
						made++
					}
				case engine.CodeOf(err) == engine.Conflict:
					ids[err.(*engine.Error).Existing] = true
				default:
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		if made != 1 || len(ids) != 1 {
			t.Errorf("made %d, tokens %v", made, ids)
		}
		bad := engine.StartRequest{Flow: "review", Key: "two", Input: json.RawMessage(`{"order": 1}`)}
		if _, err := s.StartToken(s.ctx, bad); engine.CodeOf(err) != engine.Invalid {
			t.Errorf("got %v", err)
		}
		bad.Input = json.RawMessage(`{"order": "o"}`)
		if _, err := s.StartToken(s.ctx, bad); err != nil {
			t.Errorf("a refused start keeps its key: %v", err)
		}
	})
}

func TestR50_EventsToAPausedTokenAreKeptInOrder(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o", "limit": "1h"}`)
		paused := s.control(v.ID, engine.Pause)
		if paused.Status != "paused" || paused.Timers[0].Due != nil || paused.PausedAt == nil {
			t.Fatalf("paused as %s", jsonOf(paused))
		}
		for _, by := range []string{"nobody", "ann"} {
			a, err := s.send(v.ID, "approve", fmt.Sprintf(`{"by": %q}`, by))
			if err != nil || a.Outcome != vm.Queued {
				t.Fatalf("%v %s", err, a.Outcome)
			}
		}
		if got := s.token(v.ID); got.Queued != 2 {
			t.Errorf("queued %d", got.Queued)
		}
		if got := s.control(v.ID, engine.Resume); got.States[0] != "paying" || string(got.Data) != `{"who":"ann"}` {
			t.Errorf("resumed as %s", jsonOf(got))
		}
	})
}

func TestR51_CancelTakesItsHandlerAndIsIdempotent(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o"}`)
		if got := s.control(v.ID, engine.Cancel); got.Status != "cancelled" || got.Final == nil || *got.Final != "stopped" {
			t.Errorf("cancelled as %s", jsonOf(got))
		}
	})
}

func TestR56_ADelayedStartWaitsAndStarts(t *testing.T) {
	onBoth(t, review, func(s *server) {
		a, err := s.StartToken(s.ctx, engine.StartRequest{Flow: "review", Input: json.RawMessage(`{"order": "o"}`), Delay: 400 * time.Millisecond})
		if err != nil || a.Token.Status != "scheduled" || a.Token.StartAt == nil {
			t.Fatalf("%v %s", err, jsonOf(a))
		}
		got := s.await(a.Token.ID, "running", func(v engine.TokenView) bool { return v.Status == "running" })
		if got.StartedAt.Before(*a.Token.StartAt) {
			t.Errorf("started early: %s", jsonOf(got))
		}
	})
}

func TestR53_ARestartIsANewTokenWithTheSameInput(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "k", `{"order": "o7"}`)
		s.control(v.ID, engine.Cancel)
		got := s.control(v.ID, engine.Restart)
		if got.ID == v.ID || got.RestartOf == nil || *got.RestartOf != v.ID || string(got.Input) != string(v.Input) || got.Status != "running" {
			t.Errorf("restarted as %s", jsonOf(got))
		}
	})
}

const family = `
event paid(n: int)
event poke(n: int)

flow parent(n: int) {
  data { got: int = 0  failed: int = 0  poked: int = 0 }
  on cancel -> stopped
  on poke { poked = poked + event.n }
  initial together
  state together {
    timeout 30d
    invoke child(n: i) each i in range(n) join all
    on joined -> over { got = event.succeeded  failed = event.failed }
    on timeout -> stopped
  }
  final over
  final stopped as cancelled
}

flow child(n: int) -> (twice: int) {
  data { twice: int = n * 2 }
  initial wait
  state wait {
    timeout 30d
    entry { send poke(n: 1) to parent }
    on paid when event.n == n -> good
    on timeout -> bad
  }
  final good
  final bad as failure
}

flow sender(key: string) {
  initial over
  final over { entry { send paid(n: 1) to child[key] start child(n: 9) key key } }
}
`

func TestR5_ChildrenAreStartedAndTheirEndsAreToldThroughTheInbox(t *testing.T) {
	onBoth(t, family, func(s *server) {
		v := s.start("parent", "", `{"n": 5}`)
		s.await(v.ID, "poked by all", func(v engine.TokenView) bool { return string(v.Data) == `{"got":0,"failed":0,"poked":5}` })
		page, err := s.List(s.ctx, engine.ListRequest{Flow: "child", Status: "running", State: "wait"})
		if err != nil || len(page.Items) != 5 {
			t.Fatalf("%d children, %v", len(page.Items), err)
		}
		for _, c := range page.Items {
			if c.Parent == nil || c.Parent.ID != v.ID {
				t.Errorf("child %s", jsonOf(c))
			}
			var in struct{ N int }
			_ = json.Unmarshal(c.Input, &in)
			if _, err := s.send(c.ID, "paid", fmt.Sprintf(`{"n": %d}`, in.N)); err != nil {
				t.Error(err)
			}
		}
		end := s.awaitFinal(v.ID, "over")
		if string(end.Data) != `{"got":5,"failed":0,"poked":5}` || end.Children.Completed != 5 {
			t.Errorf("ended as %s", jsonOf(end))
		}
	})
}

func TestR51_ACancelPassesOnToChildren(t *testing.T) {
	onBoth(t, family, func(s *server) {
		v := s.start("parent", "", `{"n": 3}`)
		s.await(v.ID, "poked", func(v engine.TokenView) bool { return string(v.Data) == `{"got":0,"failed":0,"poked":3}` })
		page, err := s.List(s.ctx, engine.ListRequest{Flow: "child"})
		if err != nil {
			t.Fatal(err)
		}
		s.control(v.ID, engine.Cancel)
		for _, c := range page.Items {
			s.await(c.ID, "cancelled", func(v engine.TokenView) bool { return v.Status == "cancelled" })
		}
	})
}

func TestR5_ASendWithoutATakerComesBackAsALine(t *testing.T) {
	onBoth(t, family, func(s *server) {
		taken := s.start("child", "k", `{"n": 2}`)
		v := s.start("sender", "", `{"key": "k"}`)
		s.awaitLines(v.ID, "undeliverable", 2) // the key is taken, and the child refuses paid(1)
		if got := s.token(taken.ID); got.States[0] != "wait" {
			t.Errorf("the child is %s", jsonOf(got))
		}
	})
}

const hasty = `
event go
event hi(n: int)
flow late() {
  data { n: int = 0 }
  initial a
  state a {
    timeout 30d
    on hi { n = n + event.n }
    on timeout -> b
  }
  final b
}
flow hasty(key: string) {
  initial a
  state a {
    timeout 30d
    on go -> b {
      send hi(n: 1) to late[key]
      start late() key key
      send hi(n: 2) to late[key]
    }
    on timeout -> b
  }
  final b
}
`

// What is sent before the start of its receiver has no taker, in one step as in two; the receiver is none the worse for it.
func TestR5_ASendBeforeTheStartInTheSameStepHasNoTaker(t *testing.T) {
	onBoth(t, hasty, func(s *server) {
		v := s.start("hasty", "", `{"key": "k"}`)
		if _, err := s.send(v.ID, "go", ""); err != nil {
			t.Fatal(err)
		}
		s.awaitLines(v.ID, "undeliverable", 1)
		s.eventually("the second one has arrived", func() bool {
			got, err := s.Token(s.ctx, engine.Ref{Flow: "late", Key: "k"})
			return err == nil && string(got.Data) == `{"n":2}`
		})
	})
}

func TestR60_TokensStayOnTheirProgram(t *testing.T) {
	onBoth(t, review, func(s *server) {
		old := s.start("review", "", `{"order": "o"}`)
		before := compiled(t, review)
		newer := compiled(t, replaceOnce(review, "on ping {}", "on ping { note \"pinged\" }"))
		got, err := s.Deploy(s.ctx, engine.DeployRequest{Programs: newer})
		if err != nil || !got.Flows[0].New || !got.Flows[0].Current || got.Flows[0].Before != before[0].Hash {
			t.Fatalf("%v %s", err, jsonOf(got))
		}
		if v := s.start("review", "", `{"order": "o"}`); v.Program == old.Program {
			t.Error("a new token uses the old program")
		}
		if v := s.token(old.ID); v.Program != old.Program {
			t.Error("the old token moved")
		}
		got, err = s.Deploy(s.ctx, engine.DeployRequest{Programs: before, OnlyNew: true})
		if err != nil || got.Flows[0].New || got.Flows[0].Current {
			t.Errorf("run made an older version current: %v %s", err, jsonOf(got))
		}
		got, err = s.Deploy(s.ctx, engine.DeployRequest{Programs: before})
		if err != nil || got.Flows[0].New || !got.Flows[0].Current {
			t.Errorf("deploy did not: %v %s", err, jsonOf(got))
		}
		versions, err := s.Versions(s.ctx, "review")
		if err != nil || len(versions) != 2 {
			t.Errorf("%v %s", err, jsonOf(versions))
		}
	})
}

func TestR80_ListsAndTimersPage(t *testing.T) {
	onBoth(t, review, func(s *server) {
		want := map[string]bool{}
		for i := range 7 {
			want[s.start("review", fmt.Sprintf("k%d", i), `{"order": "o"}`).ID] = true
		}
		seen := map[string]bool{}
		req := engine.ListRequest{Flow: "review", Limit: 3}
		for {
			page, err := s.List(s.ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range page.Items {
				if seen[v.ID] || !want[v.ID] {
					t.Errorf("token %s twice or unknown", v.ID)
				}
				seen[v.ID] = true
			}
			if req.Cursor = page.Next; req.Cursor == "" {
				break
			}
		}
		if len(seen) != 7 {
			t.Errorf("%d tokens", len(seen))
		}
		timers, err := s.Timers(s.ctx, engine.TimersRequest{Limit: 4})
		if err != nil || len(timers.Items) != 4 || timers.Next == "" || timers.Items[0].Due.After(*timers.Items[3].Due) {
			t.Errorf("%v %s", err, jsonOf(timers))
		}
		if n, err := s.Count(s.ctx, engine.ListRequest{State: "waiting"}); err != nil || n != 7 {
			t.Errorf("%d %v", n, err)
		}
		if st, err := s.Stats(s.ctx); err != nil || st.Tokens["running"] != 7 || st.Steps < 7 {
			t.Errorf("%v %s", err, jsonOf(st))
		}
		if h := s.Health(s.ctx); !h.Ready || len(h.Loops) < 7 {
			t.Errorf("health %s", jsonOf(h))
		}
	})
}

func TestR15_TheHistoryHoldsTheOldAndTheNewInstant(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("short", "", `{}`)
		due := v.Timers[0].Due
		if due == nil {
			t.Fatalf("the timer is %s", jsonOf(v.Timers))
		}
		s.control(v.ID, engine.Pause)
		s.control(v.ID, engine.Resume)
		later := due.Add(time.Hour)
		req := engine.ControlRequest{Token: engine.Ref{ID: v.ID}, Action: engine.MoveTimer, Timer: v.Timers[0].ID, Due: later.UnixMicro()}
		if _, err := s.Control(s.ctx, req); err != nil {
			t.Fatal(err)
		}
		was := *due
		for _, l := range s.history(v.ID) {
			if l.Kind != "timer-moved" {
				continue
			}
			if l.Was == nil || !l.Was.Equal(was) || l.Due == nil || !l.Due.After(was) {
				t.Errorf("moved from %s: %s", was, jsonOf(l))
				continue
			}
			was = *l.Due
		}
		if !was.Equal(later) {
			t.Errorf("the last line says %s, not %s", was, later)
		}
	})
}
