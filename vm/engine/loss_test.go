package engine_test

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/lossy"
	"flowc/vm/store/pgtest"
)

// In its full size: go test ./vm/engine -run TestR4_Lost -loss.every 1 -timeout 30m
var lossEvery = flag.Int("loss.every", 11, "lose only every nth request or reply")

// R4, STO-01: whatever request, reply, connection or answer to COMMIT is lost in whatever step, the step is made once, and who was
// told so can find it in the database.
func TestR4_LostRequestsAndRepliesLoseAndDoubleNothing(t *testing.T) {
	for _, m := range moves {
		t.Run(m.name, func(t *testing.T) {
			proxy := lossy.New(t, pgtest.Reused(t))
			s := serve(t, proxy.URL(), store.Options{ListenURL: "off"}, moving)
			losses := 0
			for at := 1; !t.Failed(); at += *lossEvery {
				last := true
				for name, fate := range map[string]lossy.Fate{"request": lossy.LostRequest, "reply": lossy.LostReply} {
					if s.lose(m, proxy, fmt.Sprintf("%s-%s-%d", m.name, name, at), fate, at) {
						losses++
						last = false
					}
				}
				if last {
					break
				}
			}
			t.Logf("%d losses", losses)
			if losses == 0 {
				t.Error("nothing was lost")
			}
		})
	}
}

// lose makes a move of which the nth thing sent, or its reply, is lost. It says whether the move was still under way by then.
func (s *server) lose(m move, proxy *lossy.Proxy, key string, fate lossy.Fate, at int) bool {
	s.t.Helper()
	if m.prepare != nil {
		mustMove(s.t, m.prepare(s.ctx, s.Engine, key))
	}
	lost := false
	proxy.OnRequest(func(n int) lossy.Fate {
		if n != at {
			return lossy.Through
		}
		lost = true
		return fate
	})
	err := s.moveUntilKnown(m, key)
	proxy.OnRequest(nil)
	if err != nil {
		s.t.Fatalf("%s: %v", key, err)
	}
	s.verifyMove(m, key)
	s.finish(key)
	return lost
}

// moveUntilKnown repeats a request with the same key while nobody knows what became of it.
func (s *server) moveUntilKnown(m move, key string) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	for {
		err := m.do(ctx, s.Engine, key)
		code := engine.CodeOf(err)
		if code != engine.Unavailable && code != engine.UnknownOutcome || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}
