package task_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/task"
)

const second = 1_000_000

var exact = task.Rules{NoJitter: true}

func row(p program.Policy) task.Row {
	return task.New("token", "flow", vm.Offer{ID: "t1", Task: "charge", Visit: 3, Index: 2, Policy: p, Fails: []string{"declined"},
		May: []string{"late"}}, 100*second)
}

func claim(t *testing.T, r task.Row, lease string, now int64) task.Row {
	t.Helper()
	r, err := task.Claim(r, "w", lease, 30*second, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestR40_AClaimIsALeaseAndNobodyElseGetsIt(t *testing.T) {
	r := claim(t, row(program.Policy{Within: 10 * second}), "a", 100*second)
	if r.Status != task.Claimed || r.Attempt != 1 || r.NextAt != 110*second || r.LeaseUntil != 130*second {
		t.Errorf("%+v", r)
	}
	if _, err := task.Claim(r, "w", "b", second, 101*second); !errors.Is(err, task.ErrNotClaimable) {
		t.Errorf("a second claim: %v", err)
	}
	if _, err := task.Claim(row(program.Policy{}), "w", "a", second, 99*second); !errors.Is(err, task.ErrNotClaimable) {
		t.Errorf("before its time: %v", err)
	}
}

func TestR41_BackoffDoublesUpToItsLimitAndThenTheErrorComesOnce(t *testing.T) {
	r := row(program.Policy{Retries: 3, Backoff: 2 * second, BackoffMax: 5 * second})
	now := int64(100 * second)
	for i, want := range []int64{2, 4, 5} {
		r = claim(t, r, string(rune('a'+i)), now)
		var st *vm.Stimulus
		var err error
		r, st, err = exact.Fail(r, r.Lease, task.Failing{Code: "x", Message: "m"}, now+second)
		if err != nil || st != nil || r.Status != task.Backoff || r.NextAt != now+second+want*second {
			t.Fatalf("after %d: %v %+v", i+1, err, r)
		}
		now = r.NextAt
	}
	r = claim(t, r, "z", now)
	r, st, err := exact.Fail(r, "z", task.Failing{Code: "y", Message: "m"}, now)
	if err != nil || r.Status != task.Failed || st.Task.Code != "y" || st.Task.Attempts != 4 || st.Task.Index != 2 || st.Task.Visit != 3 {
		t.Errorf("%v %+v", err, st)
	}
	if len(r.Log) != 4 {
		t.Errorf("log %+v", r.Log)
	}
}

func TestR41_TheLastRealErrorIsTold(t *testing.T) {
	r := claim(t, row(program.Policy{Retries: 1}), "a", 100*second)
	r, _, _ = exact.Fail(r, "a", task.Failing{Code: "card_declined", Message: "no money"}, 101*second)
	r = claim(t, r, "b", 101*second)
	r, st, err := exact.Expire(r, 131*second)
	if err != nil || st == nil || st.Task.Code != "card_declined" || r.Status != task.Failed {
		t.Fatalf("%v %+v", err, st)
	}
	if want := "no money; then the worker's lease ran out"; st.Task.Message != want {
		t.Errorf("message %q", st.Task.Message)
	}
}

func TestR41_ACodeOfFailsAndNoRetryUseUpAll(t *testing.T) {
	for _, f := range []task.Failing{{Code: "declined"}, {Code: "other", NoRetry: true}} {
		r := claim(t, row(program.Policy{Retries: 9}), "a", 100*second)
		r, st, err := exact.Fail(r, "a", f, 101*second)
		if err != nil || st == nil || st.Task.Code != f.Code || r.Status != task.Failed {
			t.Errorf("%+v: %v %+v", f, err, r)
		}
	}
}

func TestR41_AWorkerMayAskForALaterRetryOnly(t *testing.T) {
	r := claim(t, row(program.Policy{Retries: 1, Backoff: 10 * second}), "a", 100*second)
	later, _, _ := exact.Fail(r, "a", task.Failing{Code: "x", After: 60 * second}, 100*second)
	sooner, _, _ := exact.Fail(r, "a", task.Failing{Code: "x", After: second}, 100*second)
	if later.NextAt != 160*second || sooner.NextAt != 110*second {
		t.Errorf("later %d, sooner %d", later.NextAt, sooner.NextAt)
	}
}

func TestR41_WithinIsATimeoutAndTheLeaseALoss(t *testing.T) {
	r := claim(t, row(program.Policy{Within: 10 * second}), "a", 100*second)
	r, err := task.Heartbeat(r, "a", 60*second, 109*second)
	if err != nil || r.NextAt != 110*second {
		t.Fatalf("a heartbeat moved the limit: %v %+v", err, r)
	}
	if _, st, err := exact.Expire(r, 109*second); err == nil {
		t.Errorf("it expired early: %+v", st)
	}
	_, st, err := exact.Expire(r, 110*second)
	if err != nil || st.Task.Code != "attempt_timeout" {
		t.Errorf("%v %+v", err, st)
	}
	r = claim(t, row(program.Policy{}), "a", 100*second)
	_, st, err = exact.Expire(r, 130*second)
	if err != nil || st.Task.Code != "lease_lost" {
		t.Errorf("%v %+v", err, st)
	}
}

func TestR42_ALeaseThatRanOutIsLostBeforeAnyoneLooks(t *testing.T) {
	r := claim(t, row(program.Policy{}), "a", 100*second)
	if _, _, err := task.Complete(r, "a", task.Completion{}, 130*second); !errors.Is(err, task.ErrLeaseLost) {
		t.Errorf("completed: %v", err)
	}
	if _, err := task.Heartbeat(r, "a", 0, 130*second); !errors.Is(err, task.ErrLeaseLost) {
		t.Errorf("heartbeat: %v", err)
	}
	if _, _, err := task.Complete(r, "b", task.Completion{}, 110*second); !errors.Is(err, task.ErrLeaseLost) {
		t.Errorf("another lease: %v", err)
	}
}

func TestR42_TheVerySameRequestIsARepeat(t *testing.T) {
	r := claim(t, row(program.Policy{Retries: 1}), "a", 100*second)
	c := task.Completion{Result: json.RawMessage(`{"x":1}`)}
	done, st, err := task.Complete(r, "a", c, 101*second)
	if err != nil || st.Task.Attempts != 1 {
		t.Fatal(err)
	}
	var repeat *task.Repeat
	if _, _, err := task.Complete(done, "a", c, 500*second); !errors.As(err, &repeat) {
		t.Errorf("a repeat: %v", err)
	}
	c.Result = json.RawMessage(`{"x":2}`)
	if _, _, err := task.Complete(done, "a", c, 102*second); !errors.Is(err, task.ErrLeaseLost) {
		t.Errorf("another result: %v", err)
	}
	f := task.Failing{Code: "x"}
	failed, _, _ := exact.Fail(r, "a", f, 101*second)
	again := claim(t, failed, "b", 101*second)
	if _, _, err := exact.Fail(again, "a", f, 102*second); !errors.As(err, &repeat) {
		t.Errorf("a failure repeated while the next attempt runs: %v", err)
	}
}

func TestR45_OnlyEventsOfMay(t *testing.T) {
	r := claim(t, row(program.Policy{}), "a", 100*second)
	if _, _, err := task.Complete(r, "a", task.Completion{Event: "other"}, 101*second); !errors.Is(err, task.ErrNotMay) {
		t.Errorf("event: %v", err)
	}
	bad := task.Completion{Event: "late", Schedule: []vm.TaskSchedule{{Event: "late"}, {Event: "other"}}}
	_, _, err := task.Complete(r, "a", bad, 101*second)
	var not *task.NotMay
	if !errors.Is(err, task.ErrNotMay) || !errors.As(err, &not) || not.Pointer != "/schedule/1/event" {
		t.Errorf("schedule: %v, at %+v", err, not)
	}
	_, st, err := task.Complete(r, "a", task.Completion{Event: "late"}, 101*second)
	if err != nil || st.Event != "late" {
		t.Errorf("%v %+v", err, st)
	}
}

// Fifty attempts of a worker that reports its whole log each time leave a small row, and a repeat of the report is still one.
func TestR41_AMessageIsCutWhereItIsKept(t *testing.T) {
	long := task.Failing{Code: "x", Message: strings.Repeat("ä", task.MaxMessage)}
	r := row(program.Policy{Retries: 60})
	var now int64
	var lease string
	for i := range 60 {
		now += 3600 * second
		lease = fmt.Sprint(i)
		r = claim(t, r, lease, now)
		var err error
		if r, _, err = exact.Fail(r, lease, long, now); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range append(r.Log, task.Attempt{Message: r.LastMessage}) {
		if len(a.Message) > task.MaxMessage || len(a.Message) < task.MaxMessage-2 || !utf8.ValidString(a.Message) {
			t.Fatalf("kept %d bytes, valid %v", len(a.Message), utf8.ValidString(a.Message))
		}
		if want := " … (cut: the message had 16384 bytes)"; !strings.HasSuffix(a.Message, want) {
			t.Fatalf("the message ends in %q", a.Message[len(a.Message)-50:])
		}
	}
	var repeat *task.Repeat
	if _, _, err := exact.Fail(r, lease, long, now); !errors.As(err, &repeat) {
		t.Errorf("a repeat: %v", err)
	}
	r = claim(t, r, "b", now+3600*second)
	_, st, err := exact.Fail(r, "b", long, now+3600*second)
	if err != nil || st == nil || len(st.Task.Message) > task.MaxMessage {
		t.Fatalf("the last failure: %v, %+v", err, st)
	}
	_, st, err = task.EndByHand(row(program.Policy{}), vm.TaskOutcome{Code: "x", Message: long.Message}, now)
	if err != nil || len(st.Task.Message) > task.MaxMessage {
		t.Errorf("ended by hand: %v, %d bytes", err, len(st.Task.Message))
	}
	whole := strings.Repeat("a", task.MaxMessage)
	r, _, _ = exact.Fail(claim(t, row(program.Policy{Retries: 1}), "a", now), "a", task.Failing{Code: "x", Message: whole}, now)
	if r.LastMessage != whole {
		t.Error("a message that fits was cut")
	}
	expired, st, err := exact.Expire(claim(t, r, "b", now), now+1000*second)
	if err != nil || st == nil || len(st.Task.Message) != task.MaxMessage || !strings.HasSuffix(st.Task.Message, "bytes)") {
		t.Errorf("after a lost lease: %v, %+v", err, expired.Status)
	}
}

func TestR15_ABackoffGetsThePausedTimeBack(t *testing.T) {
	r := claim(t, row(program.Policy{Retries: 3, Backoff: 10 * second}), "a", 100*second)
	backing, _, _ := exact.Fail(r, "a", task.Failing{Code: "x"}, 100*second)
	held := task.Hold(backing, 104*second)
	if held.Claimable(1000 * second) {
		t.Error("a held task is claimable")
	}
	if got := task.Unhold(held, 200*second); got.NextAt != 206*second {
		t.Errorf("next at %d", got.NextAt)
	}
	running := task.Hold(r, 101*second)
	begun, _, _ := exact.Fail(running, "a", task.Failing{Code: "x"}, 110*second)
	if got := task.Unhold(begun, 150*second); got.NextAt != 160*second {
		t.Errorf("a backoff that began in the pause: next at %d", got.NextAt)
	}
}

func TestR46_WithdrawnIsTheEnd(t *testing.T) {
	r := task.Withdraw(claim(t, row(program.Policy{}), "a", 100*second), 101*second)
	if _, err := task.Heartbeat(r, "a", 0, 102*second); !errors.Is(err, task.ErrOver) {
		t.Errorf("heartbeat: %v", err)
	}
	if _, err := task.OfferNow(r, 102*second); !errors.Is(err, task.ErrOver) {
		t.Errorf("offered: %v", err)
	}
	if _, _, err := task.EndByHand(r, vm.TaskOutcome{}, 102*second); !errors.Is(err, task.ErrOver) {
		t.Errorf("ended: %v", err)
	}
}

func TestJitterIsAHashAndNeverMakesAWaitLonger(t *testing.T) {
	r := row(program.Policy{Retries: 5, Backoff: 8 * second, BackoffMax: 60 * second})
	seen := map[int64]bool{}
	for used := 1; used <= 5; used++ {
		got, most := (task.Rules{}).Delay(r, used), exact.Delay(r, used)
		if got > most || got < most/2 || got != (task.Rules{}).Delay(r, used) {
			t.Errorf("after %d: %d, without jitter %d", used, got, most)
		}
		seen[most-got] = true
	}
	if len(seen) < 3 {
		t.Errorf("hardly any jitter: %v", seen)
	}
}

// TestAnyOrderOfOperationsKeepsTheInvariants runs random operations: attempts are never more than allowed, exactly one outcome
// comes, at the end, and only one lease is good at a time.
func TestAnyOrderOfOperationsKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := program.Policy{Retries: rapid.IntRange(0, 4).Draw(t, "retries"), Backoff: rapid.Int64Range(0, 5*second).Draw(t, "backoff"),
			Within: rapid.Int64Range(0, 3*second).Draw(t, "within")}
		r, now, lease, outcomes := row(p), int64(100*second), 0, 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += rapid.Int64Range(0, 3*second).Draw(t, "pass")
			before := r
			var st *vm.Stimulus
			var err error
			switch rapid.IntRange(0, 8).Draw(t, "op") {
			case 0, 1:
				lease++
				r, err = task.Claim(r, "w", string(rune(lease+'A')), second, now)
			case 2:
				r, st, err = exact.Fail(r, r.Lease, task.Failing{Code: "x"}, now)
			case 3:
				r, st, err = exact.Expire(r, now)
			case 4:
				r, err = task.Release(r, r.Lease, now)
			case 5:
				r, err = task.Heartbeat(r, r.Lease, 0, now)
			case 6:
				r = task.Hold(r, now)
			case 7:
				r = task.Unhold(r, now)
			case 8:
				if rapid.IntRange(0, 9).Draw(t, "rare") == 0 {
					r, st, err = task.Complete(r, r.Lease, task.Completion{}, now)
				}
			}
			if err != nil && jsonOf(before) != jsonOf(r) {
				t.Fatalf("a refused operation changed the row:\n%s\n%s", jsonOf(before), jsonOf(r))
			}
			if st != nil {
				outcomes++
			}
			if r.Used > r.MaxAttempts() || r.Attempt > r.MaxAttempts() {
				t.Fatalf("%d used, attempt %d of %d", r.Used, r.Attempt, r.MaxAttempts())
			}
			if (r.Status == task.Claimed) != (r.Lease != "") {
				t.Fatalf("status %s with lease %q", r.Status, r.Lease)
			}
			if over := r.Status.Over(); over != (outcomes == 1) || outcomes > 1 {
				t.Fatalf("%d outcomes at status %s", outcomes, r.Status)
			}
		}
	})
}

func jsonOf(r task.Row) string {
	b, _ := json.Marshal(r)
	return string(b) + string(r.Status)
}
