package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

const review = `
event approve(by: string)
event ping
task charge(order: string) -> (receipt: string) fails "declined" retry 1 backoff 1s

flow review(order: string, limit: duration = 30d) {
  data { who: string? }
  on cancel -> stopped
  initial waiting
  state waiting {
    timeout limit
    on approve when event.by != "nobody" -> paying { who = event.by }
    on ping {}
    on timeout -> late
  }
  state paying {
    timeout 30d
    do charge(order: order)
    on completed -> done
    on error -> failed
    on timeout -> late
  }
  final done
  final failed as failure
  final late as failure
  final stopped as cancelled
}
`

func TestATokenGoesFromStartToEnd(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "k1", `{"order": "o1"}`)
		if v.Status != "running" || len(v.States) != 1 || v.States[0] != "waiting" || len(v.Timers) != 1 || v.Timers[0].ID != "waiting.timeout" {
			t.Fatalf("started as %s", jsonOf(v))
		}
		if v.Key == nil || *v.Key != "k1" || string(v.Input) != `{"order":"o1","limit":"30d"}` {
			t.Errorf("key %v, input %s", v.Key, v.Input)
		}
		a, err := s.send(v.ID, "approve", `{"by": "ann"}`)
		if err != nil || a.Outcome != vm.Accepted || a.Token.States[0] != "paying" || len(a.Token.Tasks) != 1 || a.Token.Tasks[0].Status != "offered" {
			t.Fatalf("%v, %s", err, jsonOf(a))
		}
		task := s.claim("charge")
		if task.Token != v.ID || string(task.Input) != `{"order":"o1"}` || task.Attempt != 1 {
			t.Errorf("claimed %s", jsonOf(task))
		}
		done, err := s.Complete(s.ctx, engine.CompleteRequest{Task: task.ID, Lease: task.Lease, Result: json.RawMessage(`{"receipt": "r"}`)})
		if err != nil || done.Status != "done" || done.Outcome != "accepted" {
			t.Fatalf("%v, %s", err, jsonOf(done))
		}
		end := s.awaitFinal(v.ID, "done")
		if end.Status != "completed" || len(end.Timers) != 0 || len(end.Tasks) != 0 || end.EndedAt == nil || string(end.Data) != `{"who":"ann"}` {
			t.Errorf("ended as %s", jsonOf(end))
		}
		if h := s.history(v.ID); len(h) < 5 || h[0].ID != "1.1" {
			t.Errorf("history %s", jsonOf(h))
		}
	})
}

func TestR11_ATimerFiresWhenItIsDueAndNotBefore(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o", "limit": "1s"}`)
		end := s.awaitFinal(v.ID, "late")
		late := end.EndedAt.Sub(*v.Timers[0].Due)
		if late < 0 || late > 5*time.Second {
			t.Errorf("fired %s after its due time", late)
		}
	})
}

func TestARefusedEventSaysWhatIsAccepted(t *testing.T) {
	onBoth(t, review, func(s *server) {
		v := s.start("review", "", `{"order": "o"}`)
		_, err := s.send(v.ID, "approve", `{"by": "nobody"}`)
		var e *engine.Error
		if engine.CodeOf(err) != engine.Refused {
			t.Fatalf("got %v", err)
		}
		e = err.(*engine.Error)
		if len(e.State) != 1 || e.State[0] != "waiting" || len(e.Accepts) != 2 || e.Version != 1 {
			t.Errorf("%s", jsonOf(e))
		}
		_, err = s.send(v.ID, "approve", `{"by": 4}`)
		if engine.CodeOf(err) != engine.Invalid || len(err.(*engine.Error).Fields) == 0 {
			t.Errorf("got %v", err)
		}
		if _, err = s.send("nobody", "approve", `{}`); engine.CodeOf(err) != engine.NotFound {
			t.Errorf("got %v", err)
		}
		h := s.history(v.ID)
		last := h[len(h)-1]
		if last.Kind != "event-refused" || last.ID[:2] != "1." {
			t.Errorf("a refusal is a line of the version that it did not change: %s", jsonOf(last))
		}
	})
}
