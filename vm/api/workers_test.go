package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"flowc/vm/engine"
)

const leasedFlow = `
event leave
task job() -> () retry 2 backoff 1s
task slow() -> () queue narrow
task rare() -> () queue rated

flow leased {
  data { code: string? }
  initial busy
  state busy {
    timeout 30d
    do job()
    on leave, timeout -> over
    on completed -> over
    on error -> over { code = event.code }
  }
  final over
}

flow hasty {
  initial busy
  state busy {
    timeout 3s
    do job()
    on completed, error, timeout -> over
  }
  final over
}

flow many {
  initial over
  final over { entry { dispatch slow() dispatch rare() } }
}
`

// claim takes at most so many of a task from any server, waiting for the first.
func (n *nodes) claim(task string, most int, lease string) []engine.ClaimedTask {
	n.t.Helper()
	status, text := n.post("/v1/tasks/claim", fmt.Sprintf(`{"worker":"w","tasks":[{"name":%q,"max":%d}],"wait":"20s","lease":%q}`, task, most, lease))
	var got Claimed
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK {
		n.t.Errorf("claim: %d %s", status, text)
	}
	return got.Tasks
}

func (n *nodes) one(lease string) engine.ClaimedTask {
	n.t.Helper()
	got := n.claim("job", 1, lease)
	if len(got) != 1 {
		n.t.Fatalf("got %d tasks", len(got))
	}
	return got[0]
}

// reports sends a worker's report and wants an answer.
func (n *nodes) reports(c engine.ClaimedTask, what string, status int, texts ...string) {
	n.t.Helper()
	got, text := n.post("/v1/tasks/"+c.ID+"/"+what, `{"lease":"`+c.Lease+`"}`)
	for _, want := range texts {
		if got != status || !strings.Contains(text, want) {
			n.t.Errorf("%s: got %d %s, want %d and %s", what, got, text, status, want)
		}
	}
}

// ended waits for a token's end.
func (n *nodes) ended(token string) engine.TokenView {
	n.t.Helper()
	one := n.any()
	for {
		v, err := one.eng.Token(n.t.Context(), engine.Ref{ID: token})
		if err != nil {
			n.t.Fatal(err)
		}
		if v.EndedAt != nil {
			return v
		}
		if _, err := one.eng.Changed(n.t.Context(), engine.Ref{ID: token}, v.Version); err != nil {
			n.t.Fatal(err)
		}
	}
}

// R44: a worker whose token was cancelled, was moved on by an event or by its timeout hears it at its next heartbeat.
func TestR44_AHeartbeatSaysThatTheWorkIsNotWanted(t *testing.T) {
	onNodes(t, leasedFlow, func(n *nodes) {
		for name, flow := range map[string]string{"cancelled": "leased", "left": "leased", "timed out": "hasty"} {
			token := n.start(flow, "{}")
			c := n.one("60s")
			if flow == "leased" {
				n.reports(c, "heartbeat", 200, `"cancelled":false`, `"leaseUntil":"`)
			}
			switch name {
			case "cancelled":
				n.post("/v1/tokens/"+token+"/cancel", "{}")
			case "left":
				n.post("/v1/tokens/"+token+"/events", `{"event":"leave"}`)
			}
			n.ended(token)
			n.reports(c, "heartbeat", 200, `"cancelled":true`)
			n.reports(c, "complete", 409, "lease-lost")
		}
	})
}

// R41, R42: a release uses up no attempt; a lease that runs out uses up one, and its worker is told; three such end in `error`.
func TestR41_ThreeLostAttemptsEndInError(t *testing.T) {
	onNodes(t, leasedFlow, func(n *nodes) {
		token := n.start("leased", "{}")
		given := n.one("60s")
		n.reports(given, "release", 200, `"status":"offered"`)
		n.reports(given, "heartbeat", 409, "lease-lost")
		var before engine.ClaimedTask
		for attempt := 1; attempt <= 3; attempt++ {
			c := n.one("1s")
			if c.Attempt != attempt || c.ID != given.ID || c.Lease == before.Lease {
				t.Errorf("attempt %d is %+v", attempt, c)
			}
			if before.Lease != "" {
				n.reports(before, "heartbeat", 409, "lease-lost")
				n.reports(before, "complete", 409, "lease-lost")
			}
			before = c
		}
		if v := n.ended(token); string(v.Data) != `{"code":"lease_lost"}` {
			t.Errorf("it ended with %s", v.Data)
		}
	})
}

// A queue's limits hold over all servers, however many workers ask them at once.
func TestLimitsOfAQueueHoldOverAllServers(t *testing.T) {
	onNodes(t, leasedFlow, func(n *nodes) {
		n.post("/v1/queues/narrow", `{"concurrency":2}`)
		n.post("/v1/queues/rated", `{"rate":3,"per":"1h"}`)
		for range 8 {
			n.start("many", "{}")
		}
		got := make(chan engine.ClaimedTask, 100)
		var asking sync.WaitGroup
		for _, task := range []string{"slow", "rare"} {
			for range 6 {
				asking.Go(func() {
					_, text := n.post("/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"`+task+`","max":5}],"wait":"2s"}`)
					var c Claimed
					if err := json.Unmarshal([]byte(text), &c); err != nil {
						t.Error(err)
					}
					for _, one := range c.Tasks {
						got <- one
					}
				})
			}
		}
		asking.Wait()
		close(got)
		counts, last := map[string]int{}, engine.ClaimedTask{}
		for c := range got {
			if counts[c.Task]++; c.Task == "slow" {
				last = c
			}
		}
		if counts["slow"] != 2 || counts["rare"] != 3 {
			t.Fatalf("claimed %v; at most 2 of slow may run, and 3 of rare be claimed in an hour", counts)
		}
		n.reports(last, "complete", 200, `"status":"done"`)
		if again := n.claim("slow", 5, "60s"); len(again) != 1 {
			t.Errorf("one has ended, and %d were claimed", len(again))
		}
	})
}
