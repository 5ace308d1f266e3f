// Package task is the life of one task row (R40–R47): offered, claimed, backing off, and at last done, failed or withdrawn. It is
// pure: no clock, no I/O, no randomness. The engine keeps the rows in its store and the tests under the virtual clock keep them
// in memory; both call the same functions.
//
// A task row never touches its token. When its last attempt is over it yields one vm.Stimulus, the only thing that the token sees
// (R41). Instants and durations are microseconds.
package task

import (
	"encoding/json"
	"slices"

	"flowc/compiler/program"
	"flowc/vm"
)

// Status is where a task stands.
type Status string

// The statuses. Offered and Backoff may be claimed once NextAt has come; Done, Failed and Withdrawn are the end.
const (
	Offered   Status = "offered"
	Claimed   Status = "claimed"
	Backoff   Status = "backoff"
	Done      Status = "done"
	Failed    Status = "failed"
	Withdrawn Status = "withdrawn"
)

// Over says that the task has ended.
func (s Status) Over() bool { return s == Done || s == Failed || s == Withdrawn }

// MaxAttemptLog is how many ended attempts a row remembers; older ones are dropped from the log, never from the count.
const MaxAttemptLog = 50

// A Row is one task. Status, NextAt and HeldAt are columns of their own in a store, since claims look for them; what carries a
// JSON name is its body.
type Row struct {
	ID         string          `json:"-"`
	Token      string          `json:"-"`
	Flow       string          `json:"-"`
	Task       string          `json:"-"`
	Queue      string          `json:"-"`
	Status     Status          `json:"-"`
	NextAt     int64           `json:"-"` // offered, backoff: claimable from; claimed: when the attempt is over
	HeldAt     int64           `json:"-"` // its token is paused since; 0: it is not
	OfferedAt  int64           `json:"-"`
	EndedAt    int64           `json:"-"`
	Dispatched bool            `json:"-"`
	Input      json.RawMessage `json:"-"`

	State  string         `json:"state,omitempty"`
	Visit  int64          `json:"visit,omitempty"`
	Index  int            `json:"index,omitempty"`
	Policy program.Policy `json:"policy"`
	Fails  []string       `json:"fails,omitempty"`
	May    []string       `json:"may,omitempty"`

	Attempt    int    `json:"attempt"` // the running or last one, from 1; 0 before the first claim
	Used       int    `json:"used"`    // attempts used up; a released one is not
	Lease      string `json:"lease,omitempty"`
	Worker     string `json:"worker,omitempty"`
	ClaimedAt  int64  `json:"claimedAt,omitempty"`
	LeaseFor   int64  `json:"leaseFor,omitempty"`
	LeaseUntil int64  `json:"leaseUntil,omitempty"`
	Deadline   int64  `json:"deadline,omitempty"` // of `within`; 0: none

	LastCode    string    `json:"lastCode,omitempty"` // the last error that a worker reported
	LastMessage string    `json:"lastMessage,omitempty"`
	Log         []Attempt `json:"log,omitempty"`
	Last        *Ending   `json:"last,omitempty"`
}

// An Attempt is one that is over.
type Attempt struct {
	Attempt   int    `json:"attempt"`
	Worker    string `json:"worker"`
	ClaimedAt int64  `json:"claimedAt"`
	EndedAt   int64  `json:"endedAt"`
	Kind      string `json:"kind"` // completed, failed, lease-lost, timeout, released
	Code      string `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`

	// Where it stands in the token's history: the version at which it ended, and the number of its first line. The engine fills
	// them in; 0 until then.
	Version int64 `json:"version,omitempty"`
	Line    int   `json:"line,omitempty"`
}

// An Ending is the last request that ended an attempt, so that its very repeat gets the same answer (R42).
type Ending struct {
	Lease  string          `json:"lease"`
	Hash   string          `json:"hash"`
	Answer json.RawMessage `json:"answer,omitempty"` // the caller's; the engine fills it in
}

// MaxAttempts is how many attempts the policy allows.
func (r Row) MaxAttempts() int { return r.Policy.Retries + 1 }

// Claimable says that a worker may have it at the instant.
func (r Row) Claimable(now int64) bool {
	return (r.Status == Offered || r.Status == Backoff) && r.HeldAt == 0 && r.NextAt <= now
}

// Expired says that a claimed row's lease or time limit is over at the instant.
func (r Row) Expired(now int64) bool { return r.Status == Claimed && r.NextAt <= now }

// New makes the row of an offer.
func New(token, flow string, o vm.Offer, now int64) Row {
	return Row{
		ID: o.ID, Token: token, Flow: flow, Task: o.Task, Queue: o.Queue, Status: Offered, NextAt: now, OfferedAt: now,
		Dispatched: o.Dispatched, Input: o.Input, State: o.State, Visit: o.Visit, Index: o.Index, Policy: o.Policy,
		Fails: o.Fails, May: o.May,
	}
}

func (r Row) ended(kind, code, message string, now int64) Row {
	a := Attempt{Attempt: r.Attempt, Worker: r.Worker, ClaimedAt: r.ClaimedAt, EndedAt: now, Kind: kind, Code: code, Message: message}
	r.Log = append(slices.Clip(r.Log), a)
	if over := len(r.Log) - MaxAttemptLog; over > 0 {
		r.Log = slices.Clone(r.Log[over:])
	}
	r.Lease, r.Worker, r.ClaimedAt, r.LeaseFor, r.LeaseUntil, r.Deadline = "", "", 0, 0, 0, 0
	return r
}

func (r Row) over(s Status, now int64) Row {
	r.Status, r.NextAt, r.EndedAt = s, 0, now
	return r
}
