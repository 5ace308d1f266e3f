package engine_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"flowc/vm/store/pgtest"
)

// A doomed fleet is servers that each follow one order and are killed: whatever a token waits for, it waits on the next one.
type doomed struct {
	t     *testing.T
	url   string
	token string
	kills int
	tools []string // the ids of what was claimed of use_tool
}

// tell starts a server, gives it an order and kills it.
func (d *doomed) tell(o order) reply {
	d.t.Helper()
	m, err := spawn(d.url, "", 0)
	if err != nil {
		d.t.Fatal(err)
	}
	o.Token = d.token
	r, err := m.tell(o)
	m.kill()
	d.kills++
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// claims takes one attempt of a task, on a server that does not live to see what comes of it.
func (d *doomed) claims(task string) order {
	d.t.Helper()
	got := d.tell(order{Do: "claim", Name: task}).Task
	if got.Attempt != 1 {
		d.t.Errorf("attempt %d of %s", got.Attempt, task)
	}
	if task == "use_tool" {
		d.tools = append(d.tools, got.ID)
	}
	return order{Task: got.ID, Lease: got.Lease}
}

func (d *doomed) completes(o order, result string) {
	d.t.Helper()
	o.Do, o.Body = "complete", json.RawMessage(result)
	d.tell(o)
}

// TestFleetAgent (R30, R31): the agent of the examples plans, calls tools side by side, waits for an approval and backs off, and at
// each of these suspensions the server is killed. Every call is made once.
func TestFleetAgent(t *testing.T) {
	text, err := os.ReadFile("../../examples/agent.flow")
	if err != nil {
		t.Fatal(err)
	}
	url := pgtest.Reused(t)
	r := reader(t, url, replaceOnce(string(text), "first_pause = 10s", "first_pause = 1s"))
	d := &doomed{t: t, url: url}
	d.token = d.tell(order{Do: "start", Name: "agent", Body: json.RawMessage(`{"goal": "tidy up", "owner": "ann"}`)}).Token.ID

	busy := d.claims("plan")
	busy.Do, busy.Name = "fail", "rate_limited"
	d.tell(busy)
	d.tell(order{Do: "get"}) // killed while the routine sleeps
	d.completes(d.claims("plan"), `{"calls": [{"tool": "list", "input": "a", "risky": false}, {"tool": "delete", "input": "b", "risky": true},
		{"tool": "list", "input": "c", "risky": false}], "answer": null}`)
	d.tell(order{Do: "get"}) // killed while it waits for the approval
	d.tell(order{Do: "send", Name: "approve", Body: json.RawMessage(`{"by": "ann"}`)})
	first, second := d.claims("use_tool"), d.claims("use_tool")
	d.completes(second, `{"output": "two"}`)
	third := d.claims("use_tool")
	d.completes(third, `{"output": "three"}`)
	d.completes(first, `{"output": "one"}`)
	d.completes(d.claims("plan"), `{"calls": [], "answer": "tidy"}`)

	v := r.token(d.token)
	if v.Final == nil || *v.Final != "answered" {
		t.Fatalf("it has not answered: %s", jsonOf(v))
	}
	var result struct {
		Answer    string
		CallsMade int `json:"calls_made"`
		Rounds    int
	}
	if err := json.Unmarshal(v.Result, &result); err != nil || result.Answer != "tidy" || result.CallsMade != 3 || result.Rounds != 2 {
		t.Errorf("the result is %s, %v", v.Result, err)
	}
	for task, want := range map[string]int{"plan": 3, "use_tool": 3, "ask": 1} {
		if n := number(t, url, "SELECT count(*) FROM tasks WHERE task = $1", task); n != want {
			t.Errorf("%d calls of %s, want %d", n, task, want)
		}
	}
	slices.Sort(d.tools)
	if len(slices.Compact(d.tools)) != 3 {
		t.Errorf("the calls of tools were %v", d.tools)
	}
	r.replayed(d.token)
	t.Logf("%d servers were killed, one at each suspension", d.kills)
}
