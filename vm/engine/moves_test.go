package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
)

// What the fault tests do to tokens: each kind of step once, with a key, so that a repeat can be told from a second one.

const moving = `
event go
task charge() -> (receipt: string)
flow kid() {
  initial k
  state k {
    timeout 30d
    on timeout -> late
  }
  final late
}
flow move(due: time?) {
  data { n: int = 0 }
  on cancel -> stopped
  initial waiting
  state waiting {
    timeout at due
    on go -> charging { n = n + 1 }
    on timeout -> late
  }
  state charging {
    timeout 30d
    do charge()
    on completed -> parent
    on error -> late
    on timeout -> late
  }
  state parent {
    timeout 30d
    invoke kid()
    on completed -> late
    on error -> late
    on timeout -> late
  }
  final late as failure
  final stopped as cancelled
}
`

// A move is one kind of step. prepare makes the token up to before it, do moves it, done says what must then be true once.
type move struct {
	name    string
	prepare func(ctx context.Context, e *engine.Engine, key string) error
	do      func(ctx context.Context, e *engine.Engine, key string) error
	lines   string // the kind of line of which the history then has exactly one
	final   func(engine.TokenView) bool
}

var moves = []move{
	{name: "start", do: moveStart, lines: "started", final: inState("waiting")},
	{name: "event", prepare: moveStart, do: moveEvent, lines: "event-accepted", final: inState("charging")},
	{name: "timer", do: moveTimer, lines: "timer-fired", final: func(v engine.TokenView) bool { return v.Final != nil && *v.Final == "late" }},
	{name: "task", prepare: moveClaim, do: moveTask, lines: "task-completed", final: inState("parent")},
	{name: "pause", prepare: moveClaim, do: moveControl(engine.Pause), lines: "control", final: func(v engine.TokenView) bool { return v.Status == "paused" }},
	{name: "cancel", prepare: moveParent, do: moveControl(engine.Cancel), lines: "control", final: func(v engine.TokenView) bool { return v.Status == "cancelled" }},
}

// leases are what the preparations claimed, by the token's key.
var leases sync.Map

func inState(state string) func(engine.TokenView) bool {
	return func(v engine.TokenView) bool { return len(v.States) == 1 && v.States[0] == state }
}

func moveRef(key string) engine.Ref { return engine.Ref{Flow: "move", Key: key} }

// once names a request, so that the same one again is a repeat.
func once(name, key string) engine.Mutation {
	return engine.Mutation{Idempotency: &engine.Idempotency{Credential: "test", Route: name, Key: key, BodyHash: "same"}}
}

func startMoving(ctx context.Context, e *engine.Engine, key, input string) error {
	_, err := e.StartToken(ctx, engine.StartRequest{Mutation: once("start", key), Flow: "move", Key: key, Input: json.RawMessage(input)})
	return err
}

func moveStart(ctx context.Context, e *engine.Engine, key string) error {
	return startMoving(ctx, e, key, `{"due": null}`)
}

func moveEvent(ctx context.Context, e *engine.Engine, key string) error {
	_, err := e.SendEvent(ctx, engine.EventRequest{Mutation: once("event", key), Token: moveRef(key), Event: "go"})
	return err
}

// moveTimer starts a token whose timer is due in a moment and waits until it has fired. A repeat is answered by the first start.
func moveTimer(ctx context.Context, e *engine.Engine, key string) error {
	if v, err := e.Token(ctx, moveRef(key)); err == nil {
		return awaitEnd(ctx, e, v)
	}
	due := time.Now().Add(30 * time.Millisecond).UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	if err := startMoving(ctx, e, key, fmt.Sprintf(`{"due": %q}`, due)); err != nil {
		return err
	}
	v, err := e.Token(ctx, moveRef(key))
	if err != nil {
		return err
	}
	return awaitEnd(ctx, e, v)
}

func awaitEnd(ctx context.Context, e *engine.Engine, v engine.TokenView) error {
	for v.EndedAt == nil {
		if _, err := e.Changed(ctx, engine.Ref{ID: v.ID}, v.Version); err != nil {
			return err
		}
		next, err := e.Token(ctx, engine.Ref{ID: v.ID})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v = next
	}
	return nil
}

func moveClaim(ctx context.Context, e *engine.Engine, key string) error {
	if err := moveStart(ctx, e, key); err != nil {
		return err
	}
	if err := moveEvent(ctx, e, key); err != nil {
		return err
	}
	v, err := e.Token(ctx, moveRef(key))
	if err != nil {
		return err
	}
	got, err := e.Claim(ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "charge", Max: 1}}, Wait: time.Minute})
	if err != nil || len(got) != 1 || got[0].Token != v.ID {
		return fmt.Errorf("claimed %v of %s: %w", got, v.ID, err)
	}
	leases.Store(key, got[0])
	return nil
}

func moveTask(ctx context.Context, e *engine.Engine, key string) error {
	got, _ := leases.Load(key)
	c := got.(engine.ClaimedTask)
	_, err := e.Complete(ctx, engine.CompleteRequest{Mutation: once("task", key), Task: c.ID, Lease: c.Lease, Result: json.RawMessage(`{"receipt": "r"}`)})
	return err
}

func moveParent(ctx context.Context, e *engine.Engine, key string) error {
	if err := moveClaim(ctx, e, key); err != nil {
		return err
	}
	return moveTask(ctx, e, key)
}

func moveControl(action engine.Action) func(context.Context, *engine.Engine, string) error {
	return func(ctx context.Context, e *engine.Engine, key string) error {
		_, err := e.Control(ctx, engine.ControlRequest{Mutation: once(string(action), key), Token: moveRef(key), Action: action})
		return err
	}
}

// verifyMove checks that the step was made exactly once, and that nothing else is there that it did not make.
func (s *server) verifyMove(m move, key string) {
	t := s.t
	t.Helper()
	k, err := s.Token(s.ctx, moveRef(key))
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	v := s.await(k.ID, "where "+m.name+" leads", m.final)
	n := 0
	for _, l := range s.history(v.ID) {
		if l.Kind == m.lines {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%s: the history has %d lines %s", key, n, m.lines)
	}
	if r, err := s.Replay(s.ctx, engine.Ref{ID: v.ID}); err != nil || !r.Same {
		t.Errorf("%s: the replay differs: %s %v", key, r.Reason, err)
	}
	same, err := s.List(s.ctx, engine.ListRequest{Flow: "move", Key: key})
	if err != nil || len(same.Items) != 1 {
		t.Errorf("%s: there are %d tokens, %v", key, len(same.Items), err)
	}
	tasks, err := s.Tasks(s.ctx, engine.TasksRequest{Token: engine.Ref{ID: v.ID}})
	if open := len(tasks.Items); err != nil || open != map[string]int{"event": 1, "pause": 1}[m.name] {
		t.Errorf("%s: %d tasks are open, %v", key, open, err)
	}
	if m.name == "task" || m.name == "cancel" {
		s.verifyKids(m, v.ID)
	}
}

// verifyKids checks that a parent has one child, which is cancelled with it.
func (s *server) verifyKids(m move, parent string) {
	s.t.Helper()
	want := map[string]string{"task": "running", "cancel": "cancelled"}[m.name]
	s.eventually("the child is "+want, func() bool {
		page, err := s.List(s.ctx, engine.ListRequest{Flow: "kid", Limit: 1000})
		if err != nil {
			return false
		}
		mine := 0
		for _, kid := range page.Items {
			if kid.Parent != nil && kid.Parent.ID == parent && kid.Status == want {
				mine++
			}
		}
		return mine == 1
	})
}

// mustMove fails the test when a preparation does.
func mustMove(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finish leaves no task for the next preparation to claim.
func (s *server) finish(key string) {
	s.t.Helper()
	v, err := s.Token(s.ctx, moveRef(key))
	if err == nil && v.EndedAt == nil {
		_, err = s.Control(s.ctx, engine.ControlRequest{Token: engine.Ref{ID: v.ID}, Action: engine.Cancel})
	}
	mustMove(s.t, err)
}
