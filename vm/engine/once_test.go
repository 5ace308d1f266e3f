package engine_test

import (
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

const atOnce = `
flow brief {
  initial s
  state s { always -> done }
  final done
}`

func keyed(key string) engine.Mutation {
	return engine.Mutation{Actor: "ann", Idempotency: &engine.Idempotency{Credential: "ann", Route: "r", Key: key, BodyHash: "h"}}
}

// R55: of requests with one key that come at once one is carried out, and all get its answer: also where each but the first finds
// nothing left to do.
func TestR55_OneOfManyAtOnceIsCarriedOut(t *testing.T) {
	onBoth(t, atOnce, func(s *server) {
		if _, err := s.HoldTask(s.ctx, engine.HoldRequest{Mutation: keyed("hold"), Task: "charge"}); err != nil {
			t.Fatal(err)
		}
		for name, do := range map[string]func() (bool, error){
			"create": func() (bool, error) {
				made, err := s.CreateCredential(s.ctx, engine.CredentialRequest{Mutation: keyed("create"), Seed: "s", Credential: engine.Credential{Name: "a", Role: "viewer", Hash: "x"}})
				if err == nil && (made.Hash != "x" || made.Seed != "s" || made.Credential.Actor != "ann") {
					err = errors.New(jsonOf(made))
				}
				return made.Replayed, err
			},
			"release": func() (bool, error) { return s.ReleaseHeld(s.ctx, keyed("release"), "charge") },
		} {
			var first, again atomic.Int64
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					switch replayed, err := do(); {
					case err != nil:
						t.Errorf("%s: %v", name, err)
					case replayed:
						again.Add(1)
					default:
						first.Add(1)
					}
				})
			}
			all.Wait()
			if first.Load() != 1 || again.Load() != 7 {
				t.Errorf("%s: %d were carried out, %d repeated", name, first.Load(), again.Load())
			}
		}
	})
}

// R55: a purge that was cut short goes on under its key, and its answer counts what was done before.
func TestR55_APurgeGoesOnUnderItsKey(t *testing.T) {
	const n = 450
	for name, where := range map[string]func(*testing.T) string{
		"postgres": func(t *testing.T) string { return pgtest.Reused(t) },
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "flow.db") },
	} {
		t.Run(name, func(t *testing.T) {
			var purges atomic.Int64
			s := serve(t, where(t), store.Options{Fault: func(statement string) error {
				if statement == "purgeable" && purges.Add(1) == 3 {
					return errors.New("the plug was pulled")
				}
				return nil
			}}, atOnce)
			for i := range n {
				s.start("brief", strconv.Itoa(i), `{}`)
			}
			req := engine.PurgeRequest{Mutation: keyed("purge"), Before: time.Now().Add(time.Hour)}
			if got, err := s.Purge(s.ctx, req); err == nil || got.Tokens != 400 {
				t.Fatalf("it was not cut short: %+v %v", got, err)
			}
			for again := range 2 {
				got, err := s.Purge(s.ctx, req)
				if err != nil || got.Tokens != n || got.More || got.Replayed != (again == 1) {
					t.Fatalf("%+v %v", got, err)
				}
			}
			req.Idempotency.BodyHash = "another"
			if _, err := s.Purge(s.ctx, req); engine.CodeOf(err) != engine.IdempotencyMismatch {
				t.Errorf("another purge under its key: %v", err)
			}
		})
	}
}

// R55: a request of several steps takes its key before the first and is answered once it has ended.
func TestR55_ARequestThatHasBegunGoesOnUntilItEnds(t *testing.T) {
	onBoth(t, atOnce, func(s *server) {
		i := *keyed("batch").Idempotency
		for range 2 {
			if answer, err := s.Begin(s.ctx, i); err != nil || answer != nil {
				t.Fatalf("%s %v", answer, err)
			}
		}
		other := i
		other.BodyHash = "another"
		if _, err := s.Begin(s.ctx, other); engine.CodeOf(err) != engine.IdempotencyMismatch {
			t.Fatal(err)
		}
		for _, answer := range []string{`{"changed":1}`, `{"changed":2}`} { // the first to end is right
			if err := s.End(s.ctx, i, []byte(answer)); err != nil {
				t.Fatal(err)
			}
		}
		if answer, err := s.Begin(s.ctx, i); err != nil || string(answer) != `{"changed":1}` {
			t.Fatalf("%s %v", answer, err)
		}
	})
}
