package engine_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
)

const work = `
event extra(n: int)
task job(n: int) -> (m: int) fails "fatal" retry 2 backoff 1s
task brief(n: int) -> (m: int) within 1s
task mail(to: string) retry 1 backoff 1s

flow one(n: int) -> (m: int?) {
  data { m: int?  code: string? }
  initial busy
  state busy {
    timeout 30d
    do job(n: n) may extra
    on completed -> done { m = event.m }
    on extra -> done { m = event.n }
    on error -> failed { code = event.code }
    on timeout -> failed
  }
  final done
  final failed as failure
}

flow short() {
  data { code: string? }
  initial busy
  state busy {
    timeout 30d
    do brief(n: 1)
    on completed -> done
    on error -> failed { code = event.code }
    on timeout -> failed
  }
  final done
  final failed as failure
}

flow letter() {
  initial over
  final over { entry { dispatch mail(to: "x") } }
}
`

func (s *server) fail(t engine.ClaimedTask, code string) (engine.TaskAnswer, error) {
	return s.Fail(s.ctx, engine.FailRequest{Task: t.ID, Lease: t.Lease, Code: code, Message: "because"})
}

func (s *server) complete(t engine.ClaimedTask, result string) (engine.TaskAnswer, error) {
	return s.Complete(s.ctx, engine.CompleteRequest{Task: t.ID, Lease: t.Lease, Result: json.RawMessage(result)})
}

func TestTasksAreListedByTheKeyOfTheirToken(t *testing.T) {
	onBoth(t, work, func(s *server) {
		s.start("one", "other", `{"n": 1}`)
		v := s.start("one", "K", `{"n": 2}`)
		for ref, want := range map[engine.Ref]int{{ID: v.ID}: 1, {Flow: "one", Key: "K"}: 1, {Flow: "one", Key: "nobody"}: 0, {Flow: "one"}: 0, {}: 2} {
			page, err := s.Tasks(s.ctx, engine.TasksRequest{Token: ref})
			if err != nil || len(page.Items) != want || want == 1 && page.Items[0].Token != v.ID {
				t.Errorf("%+v: %v, %s", ref, err, jsonOf(page))
			}
		}
	})
}

func TestR41_AttemptsBackOffAndTheLastErrorIsToldOnce(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		for i := 1; i <= 3; i++ {
			c := s.claim("job")
			if c.Attempt != i || c.IdempotencyKey == "" {
				t.Errorf("attempt %s", jsonOf(c))
			}
			a, err := s.fail(c, "broken")
			if err != nil {
				t.Fatal(err)
			}
			if want := map[int]string{1: "backoff", 2: "backoff", 3: "failed"}[i]; a.Status != want {
				t.Errorf("after attempt %d it is %s", i, a.Status)
			}
		}
		end := s.awaitFinal(v.ID, "failed")
		if string(end.Data) != `{"m":null,"code":"broken"}` {
			t.Errorf("data %s", end.Data)
		}
		kinds := map[string]int{}
		for _, l := range s.history(v.ID) {
			kinds[l.Kind]++
		}
		if kinds["attempt-failed"] != 3 || kinds["task-claimed"] != 3 || kinds["task-failed"] != 1 {
			t.Errorf("history has %v", kinds)
		}
	})
}

func TestR41_ACodeOfFailsUsesUpAllAttempts(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		a, err := s.fail(s.claim("job"), "fatal")
		if err != nil || a.Status != "failed" {
			t.Fatalf("%v %s", err, jsonOf(a))
		}
		s.awaitFinal(v.ID, "failed")
	})
}

func TestR42_ALateCompletionIsLeaseLostAndTheVerySameOneIsAnsweredAgain(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		first, err := s.complete(c, `{"m": 2}`)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.complete(c, `{"m": 2}`)
		if err != nil || jsonOf(again) != jsonOf(first) {
			t.Errorf("the repeat: %v, %s, first %s", err, jsonOf(again), jsonOf(first))
		}
		if _, err := s.complete(c, `{"m": 3}`); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("another result: %v", err)
		}
		if _, err := s.fail(c, "x"); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("a failure after it: %v", err)
		}
		s.awaitFinal(v.ID, "done")
	})
}

func TestR43_AMisfittingResultIsAnErrorOfThatAttempt(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		_, err := s.complete(c, `{"m": "two"}`)
		if engine.CodeOf(err) != engine.Invalid {
			t.Fatalf("got %v", err)
		}
		got := s.token(v.ID)
		if got.Tasks[0].Status != "backoff" || got.Tasks[0].Attempt != 1 {
			t.Errorf("the task is %s", jsonOf(got.Tasks))
		}
	})
}

func TestR45_AnEventOfMayEndsTheTaskAndOthersAreInvalid(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		if len(c.May) != 1 || c.May[0] != "extra" {
			t.Errorf("may %v", c.May)
		}
		req := engine.CompleteRequest{Task: c.ID, Lease: c.Lease, Event: "other", Payload: json.RawMessage(`{}`)}
		if _, err := s.Complete(s.ctx, req); engine.CodeOf(err) != engine.Invalid {
			t.Errorf("another event: %v", err)
		}
		req.Event, req.Payload = "extra", json.RawMessage(`{"n": 7}`)
		if _, err := s.Complete(s.ctx, req); err != nil {
			t.Fatal(err)
		}
		if end := s.awaitFinal(v.ID, "done"); string(end.Result) != `{"m":7}` {
			t.Errorf("result %s", end.Result)
		}
	})
}

func TestR45_WhatIsScheduledAmissUsesUpNoAttempt(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		hour := time.Hour.Microseconds()
		req := engine.CompleteRequest{Task: c.ID, Lease: c.Lease, Result: json.RawMessage(`{"m": 2}`)}
		for at, bad := range map[string]engine.Schedule{
			"/schedule/1/event":     {Event: "other", After: &hour},
			"/schedule/1/payload/n": {Event: "extra", Payload: json.RawMessage(`{"n": "x"}`), After: &hour},
		} {
			req.Schedule = []engine.Schedule{{Event: "extra", Payload: json.RawMessage(`{"n": 1}`), After: &hour}, bad}
			_, err := s.Complete(s.ctx, req)
			var fault *engine.Error
			if !errors.As(err, &fault) || fault.Code != engine.Invalid || len(fault.Fields) != 1 || fault.Fields[0].Pointer != at {
				t.Errorf("want a fault at %s, got %s", at, jsonOf(fault))
			}
			if got := s.token(v.ID).Tasks[0]; got.Status != "claimed" || got.Attempt != 1 {
				t.Errorf("after a fault at %s the task is %s", at, jsonOf(got))
			}
		}
		req.Schedule = nil
		if _, err := s.Complete(s.ctx, req); err != nil {
			t.Errorf("the lease does not go on: %v", err)
		}
		s.awaitFinal(v.ID, "done")
	})
}

func TestR41_ALeaseThatRunsOutIsALostAttempt(t *testing.T) {
	onBoth(t, work, func(s *server) {
		s.start("one", "", `{"n": 1}`)
		got, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "job", Max: 3}}, Wait: patience,
			Lease: 300 * time.Millisecond})
		if err != nil || len(got) != 1 {
			t.Fatal(err, len(got))
		}
		second := s.claim("job") // offered again after the lease and the backoff
		if second.ID != got[0].ID || second.Attempt != 2 || second.Lease == got[0].Lease {
			t.Errorf("second %s", jsonOf(second))
		}
		if _, err := s.complete(got[0], `{"m": 1}`); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("the late one: %v", err)
		}
	})
}

func TestR41_WithinLimitsAnAttemptThatHeartbeats(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("short", "", `{}`)
		c := s.claim("brief")
		if c.Deadline == nil || c.Deadline.After(c.LeaseUntil) {
			t.Fatalf("deadline %v", c.Deadline)
		}
		beat, err := s.Heartbeat(s.ctx, engine.HeartbeatRequest{Task: c.ID, Lease: c.Lease, For: time.Minute})
		if err != nil || beat.Cancelled {
			t.Fatal(err)
		}
		end := s.awaitFinal(v.ID, "failed")
		if string(end.Data) != `{"code":"attempt_timeout"}` {
			t.Errorf("data %s", end.Data)
		}
		beat, err = s.Heartbeat(s.ctx, engine.HeartbeatRequest{Task: c.ID, Lease: c.Lease})
		if err != nil || !beat.Cancelled {
			t.Errorf("a heartbeat after the end: %v %v", beat, err)
		}
	})
}

func TestR41_ReleasingUsesUpNoAttempt(t *testing.T) {
	onBoth(t, work, func(s *server) {
		s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		if _, err := s.Release(s.ctx, engine.ReleaseRequest{Task: c.ID, Lease: c.Lease}); err != nil {
			t.Fatal(err)
		}
		if again := s.claim("job"); again.Attempt != 1 || again.Lease == c.Lease {
			t.Errorf("again %s", jsonOf(again))
		}
	})
}

func TestR46_APausedTokensTasksCannotBeClaimedAndItsRunningAttemptMayFinish(t *testing.T) {
	onBoth(t, work, func(s *server) {
		running := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		offered := s.start("one", "", `{"n": 2}`)
		s.control(running.ID, engine.Pause)
		s.control(offered.ID, engine.Pause)
		none, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "job", Max: 1}}})
		if err != nil || len(none) != 0 {
			t.Fatalf("claimed %s, %v", jsonOf(none), err)
		}
		a, err := s.complete(c, `{"m": 2}`)
		if err != nil || a.Outcome != "queued" {
			t.Fatalf("%v %s", err, jsonOf(a))
		}
		s.control(running.ID, engine.Resume)
		s.awaitFinal(running.ID, "done")
		s.control(offered.ID, engine.Resume)
		if got := s.claim("job"); got.Token != offered.ID {
			t.Errorf("claimed %s", jsonOf(got))
		}
	})
}

func TestR44_AHeartbeatSaysThatTheTokenHasLeft(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		s.control(v.ID, engine.Cancel)
		beat, err := s.Heartbeat(s.ctx, engine.HeartbeatRequest{Task: c.ID, Lease: c.Lease})
		if err != nil || !beat.Cancelled || beat.LeaseUntil != nil {
			t.Errorf("%+v, %v", beat, err)
		}
		if _, err := s.complete(c, `{"m": 1}`); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("completed: %v", err)
		}
	})
}

func TestR47_DispatchedWorkOutlivesItsToken(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("letter", "", `{}`)
		if v.Status != "completed" {
			t.Fatalf("it is %s", v.Status)
		}
		c := s.claim("mail")
		if a, err := s.complete(c, `{}`); err != nil || a.Status != "done" {
			t.Fatalf("%v %s", err, jsonOf(a))
		}
		h := s.history(v.ID)
		found := false
		for _, l := range h {
			found = found || l.Kind == "task-completed"
		}
		if !found || s.token(v.ID).Version != v.Version {
			t.Errorf("history %s", jsonOf(h))
		}
	})
}

func TestR40_ClaimsAreDealtOutToThoseWhoWait(t *testing.T) {
	onBoth(t, work, func(s *server) {
		const n = 40
		var wg sync.WaitGroup
		got := make(chan string, n*2)
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 5 {
					c, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "job", Max: 1}}, Wait: patience})
					if err != nil || len(c) != 1 {
						t.Errorf("claimed %d, %v", len(c), err)
						return
					}
					got <- c[0].ID
				}
			}()
		}
		for range n {
			s.start("one", "", `{"n": 1}`)
		}
		wg.Wait()
		close(got)
		seen := map[string]bool{}
		for id := range got {
			if seen[id] {
				t.Errorf("task %s was given out twice", id)
			}
			seen[id] = true
		}
		if len(seen) != n {
			t.Errorf("%d tasks were given out, not %d", len(seen), n)
		}
	})
}

func TestATaskIsRetriedCompletedAndFailedByHand(t *testing.T) {
	onBoth(t, work, func(s *server) {
		v := s.start("one", "", `{"n": 1}`)
		c := s.claim("job")
		if _, err := s.OperateTask(s.ctx, engine.OperateTaskRequest{Task: c.ID, Action: engine.RetryTask}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.complete(c, `{"m": 1}`); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("the old lease: %v", err)
		}
		req := engine.OperateTaskRequest{Task: c.ID, Action: engine.CompleteTask, Result: json.RawMessage(`{"m": 5}`)}
		if _, err := s.OperateTask(s.ctx, req); err != nil {
			t.Fatal(err)
		}
		if end := s.awaitFinal(v.ID, "done"); string(end.Result) != `{"m":5}` {
			t.Errorf("result %s", end.Result)
		}
		v = s.start("one", "", `{"n": 1}`)
		fail := engine.OperateTaskRequest{Task: v.Tasks[0].ID, Action: engine.FailTask, Code: "given_up"}
		if _, err := s.OperateTask(s.ctx, fail); err != nil {
			t.Fatal(err)
		}
		s.awaitFinal(v.ID, "failed")
		if _, err := s.OperateTask(s.ctx, fail); engine.CodeOf(err) != engine.LeaseLost {
			t.Errorf("a task that is over: %v", err)
		}
	})
}
