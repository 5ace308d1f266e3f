package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"flowc/vm"
)

// What a request about an attempt may meet.
var (
	// ErrLeaseLost: the lease is not the running one (R42).
	ErrLeaseLost = errors.New("the lease is not the task's running one: it has run out, or its attempt is over; what is still to do is claimed anew")
	// ErrNotClaimable: the row cannot be claimed now.
	ErrNotClaimable = errors.New("the task cannot be claimed now")
	// ErrNotMay: the event is not one that the task's `may` names (R45).
	ErrNotMay = errors.New("the event is not one that the task may end with or schedule")
	// ErrOver: the task has ended.
	ErrOver = errors.New("the task is over")
)

// A NotMay is the error of an outcome with an event that the task's `may` does not name (R45). It is an ErrNotMay.
type NotMay struct {
	Event   string
	Pointer string // where the event's name stands in the outcome, a JSON Pointer
}

func (e *NotMay) Error() string { return fmt.Sprintf("%s: %q", ErrNotMay, e.Event) }

// Unwrap returns ErrNotMay.
func (e *NotMay) Unwrap() error { return ErrNotMay }

// A Repeat is the error of a request that is the very same as the one that ended the attempt: it gets the same answer (R42).
type Repeat struct{ Ending Ending }

// Error says so.
func (r *Repeat) Error() string { return "a repeat of the request that ended the attempt" }

// Claim gives the task to a worker under a new lease of the given length. The lease is any string that no other activation has.
func Claim(r Row, worker, lease string, length, now int64) (Row, error) {
	if !r.Claimable(now) {
		return r, ErrNotClaimable
	}
	r.Status, r.Attempt = Claimed, r.Used+1
	r.Lease, r.Worker, r.ClaimedAt = lease, worker, now
	r.LeaseFor, r.LeaseUntil = length, now+length
	if r.Policy.Within > 0 {
		r.Deadline = now + r.Policy.Within
	}
	r.NextAt = r.expiry()
	return r, nil
}

func (r Row) expiry() int64 {
	if r.Deadline > 0 && r.Deadline < r.LeaseUntil {
		return r.Deadline
	}
	return r.LeaseUntil
}

// Heartbeat extends the lease to length from now; 0 is the claim's. An extension never moves the limit of `within`. ErrOver says
// that the token has left (R44), ErrLeaseLost that another attempt runs.
func Heartbeat(r Row, lease string, length, now int64) (Row, error) {
	if r.Status.Over() {
		return r, ErrOver
	}
	if r.Status != Claimed || r.Lease != lease || r.Expired(now) {
		return r, ErrLeaseLost
	}
	if length > 0 {
		r.LeaseFor = length
	}
	r.LeaseUntil = max(r.LeaseUntil, now+r.LeaseFor)
	r.NextAt = r.expiry()
	return r, nil
}

// A Completion is how a worker ends a task well: with a result, or with an event that `may` names.
type Completion struct {
	Result   json.RawMessage
	Event    string
	Payload  json.RawMessage
	Schedule []vm.TaskSchedule
}

// Complete ends the task. The stimulus is for the token, which has the last word: when it refuses, the caller drops the row and
// the lease goes on (R45).
func Complete(r Row, lease string, c Completion, now int64) (Row, *vm.Stimulus, error) {
	hash := hashOf("complete", c)
	if err := r.holds(lease, hash, now); err != nil {
		return r, nil, err
	}
	if err := r.allowed(c); err != nil {
		return r, nil, err
	}
	r = r.ended("completed", "", "", now).over(Done, now)
	r.Used++
	r.Last = &Ending{Lease: lease, Hash: hash}
	return r, r.outcome(c.Event, c.Payload, vm.TaskOutcome{Result: c.Result, Schedule: c.Schedule}), nil
}

func (r Row) allowed(c Completion) error {
	if c.Event != "" && !slices.Contains(r.May, c.Event) {
		return &NotMay{Event: c.Event, Pointer: "/event"}
	}
	for i, s := range c.Schedule {
		if !slices.Contains(r.May, s.Event) {
			return &NotMay{Event: s.Event, Pointer: fmt.Sprintf("/schedule/%d/event", i)}
		}
	}
	return nil
}

// A Failing is how an attempt ends badly. NoRetry gives up all attempts. After asks for a next attempt no sooner than that. Of the
// message at most MaxMessage bytes are kept.
type Failing struct {
	Code    string
	Message string
	NoRetry bool
	After   int64
}

// Fail ends an attempt with an error. When attempts are left the task backs off; otherwise, or when the code is one of `fails`,
// the stimulus carries the error to the token (R41).
func (rules Rules) Fail(r Row, lease string, f Failing, now int64) (Row, *vm.Stimulus, error) {
	hash := hashOf("fail", f)
	if err := r.holds(lease, hash, now); err != nil {
		return r, nil, err
	}
	f.Message = cut(f.Message) // behind the hash: a repeat is one of the message as it was sent
	r.Last = &Ending{Lease: lease, Hash: hash}
	r.LastCode, r.LastMessage = f.Code, f.Message
	r = r.ended("failed", f.Code, f.Message, now)
	r.Used++
	if f.NoRetry || slices.Contains(r.Fails, f.Code) {
		r.Used = max(r.Used, r.MaxAttempts())
		return r.exhausted(f.Code, f.Message, now)
	}
	return rules.next(r, f.Code, f.Message, f.After, now)
}

// Expire ends an attempt whose lease ran out or whose `within` is exceeded; each uses up one attempt (R41).
func (rules Rules) Expire(r Row, now int64) (Row, *vm.Stimulus, error) {
	if !r.Expired(now) {
		return r, nil, ErrNotClaimable
	}
	code, kind, message := "lease_lost", "lease-lost", "the worker's lease ran out"
	if r.Deadline > 0 && r.Deadline <= now && r.Deadline <= r.LeaseUntil {
		code, kind, message = "attempt_timeout", "timeout", "the attempt took longer than its limit"
	}
	r = r.ended(kind, code, message, now)
	r.Used++
	return rules.next(r, code, message, 0, now)
}

// Release gives an attempt back unused: the task is offered again at once (R41).
func Release(r Row, lease string, now int64) (Row, error) {
	hash := hashOf("release", nil)
	if err := r.holds(lease, hash, now); err != nil {
		return r, err
	}
	r = r.ended("released", "", "", now)
	r.Status, r.NextAt = Offered, now
	r.Last = &Ending{Lease: lease, Hash: hash}
	return r, nil
}

func (rules Rules) next(r Row, code, message string, after, now int64) (Row, *vm.Stimulus, error) {
	if r.Used >= r.MaxAttempts() {
		return r.exhausted(code, message, now)
	}
	r.Status, r.NextAt = Backoff, now+max(rules.Delay(r, r.Used), after)
	if r.HeldAt != 0 {
		r.HeldAt = now // the pause takes nothing of a backoff that begins in it (R15)
	}
	return r, nil, nil
}

// exhausted ends the task with the last real error: what a worker said is worth more than a lease that ran out (R41).
func (r Row) exhausted(code, message string, now int64) (Row, *vm.Stimulus, error) {
	if r.LastCode != "" && r.LastCode != code {
		message = cut(fmt.Sprintf("%s; then %s", r.LastMessage, message))
		code = r.LastCode
	}
	r = r.over(Failed, now)
	return r, r.outcome("", nil, vm.TaskOutcome{Code: code, Message: message}), nil
}

func (r Row) outcome(event string, payload json.RawMessage, o vm.TaskOutcome) *vm.Stimulus {
	o.ID, o.Task, o.Visit, o.Index, o.Attempts, o.Dispatched = r.ID, r.Task, r.Visit, r.Index, r.Used, r.Dispatched
	return &vm.Stimulus{Kind: vm.OnTask, Event: event, Payload: payload, Task: &o}
}

// holds checks that the lease is the running one, or that the request repeats the one that ended it.
func (r Row) holds(lease, hash string, now int64) error {
	if r.Last != nil && r.Last.Lease == lease && r.Last.Hash == hash {
		return &Repeat{Ending: *r.Last}
	}
	if r.Status != Claimed || r.Lease != lease || lease == "" || r.Expired(now) {
		return ErrLeaseLost
	}
	return nil
}

func hashOf(kind string, v any) string {
	body, err := json.Marshal(v)
	if err != nil { // only raw JSON that is none can do this; it is refused later, and two such are the same request
		body = []byte(err.Error())
	}
	sum := sha256.Sum256(append([]byte(kind+"\x00"), body...))
	return hex.EncodeToString(sum[:16])
}
