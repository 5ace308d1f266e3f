// Package engine is the durable server: it keeps tokens in a store and steps them with package vm, on any number of servers over
// one database. It knows nothing of HTTP; package api and the commands are written against Service.
//
// What is promised: a mutation is answered only after the transaction that holds the whole step has been committed (R4), so an
// answer is never taken back, and a crash at any instruction loses and doubles nothing. What is not: an answer may be lost on
// its way; a caller that repeats with the same Idempotency then gets the first one again.
package engine

import (
	"context"
	"encoding/json"
	"time"

	"flowc/vm"
)

// A Service is everything that the HTTP API and the commands ask of a server. Every error is an *Error, or the context's own.
// The context limits how long a caller waits; a step that has begun is finished whether anyone waits or not.
type Service interface {
	Access
	Queues
	Doctor
	Once

	// Deploy makes programs known and, unless the request says otherwise, current for new tokens (R60).
	Deploy(context.Context, DeployRequest) (DeployResult, error)
	Flows(context.Context) ([]FlowView, error)
	Flow(ctx context.Context, name string) (FlowView, error)
	Versions(ctx context.Context, flow string) ([]VersionView, error)
	// Unknown gives those of the names that no flow has in its current version. It is cheap enough to be asked with every claim.
	Unknown(context.Context, Names) ([]UnknownName, error)

	// StartToken makes a token and takes its first step. A taken key is Conflict, or the existing token with OnConflict Return.
	StartToken(context.Context, StartRequest) (Answer, error)
	// SendEvent gives an event to a token. A refused one is Refused with the states and what they accept.
	SendEvent(context.Context, EventRequest) (Answer, error)
	// Control pauses, resumes, cancels, retries or restarts a token (R50–R53), moves or fires a timer, or sets a data field.
	Control(context.Context, ControlRequest) (Answer, error)

	Token(context.Context, Ref) (TokenView, error)
	// TokenAt is the token as it was at a version, rebuilt from its history (R71). Its tasks are not shown.
	TokenAt(ctx context.Context, token Ref, version int64) (TokenView, error)
	// Why says what a token waits for, who can move it, what happens if nobody does, and why the last event was refused.
	Why(context.Context, WhyRequest) (WhyView, error)
	// Replay makes a token's steps again from its history and compares the whole snapshots (R71).
	Replay(context.Context, Ref) (ReplayResult, error)
	List(context.Context, ListRequest) (TokenPage, error)
	// Count counts what List would give, without paging.
	Count(context.Context, ListRequest) (int64, error)
	// States counts what List would give by flow and active state.
	States(context.Context, ListRequest) ([]StateCount, error)
	// Waiting counts what List would give by flow and by what they wait for; the ended ones are left out.
	Waiting(context.Context, ListRequest) ([]WaitingCount, error)
	History(context.Context, HistoryRequest) (HistoryPage, error)
	// Changed returns once the token's version is above the given one, or when the context ends (then the old version and no
	// error). It holds no connection while it waits, and however many wait, one query looks for them all.
	Changed(ctx context.Context, token Ref, version int64) (int64, error)
	// Grown is Changed for the history: it returns once that has a line beyond the mark, also one that leaves the version as it is.
	Grown(ctx context.Context, token Ref, since Mark) (Mark, error)
	// Timers lists tokens by when their next timer is due, soonest first.
	Timers(context.Context, TimersRequest) (TimerPage, error)
	Tasks(context.Context, TasksRequest) (TaskPage, error)

	// Claim hands out work to a worker, oldest first; it waits up to Wait for the first one and holds no connection meanwhile.
	Claim(context.Context, ClaimRequest) ([]ClaimedTask, error)
	Heartbeat(context.Context, HeartbeatRequest) (HeartbeatResult, error)
	Complete(context.Context, CompleteRequest) (TaskAnswer, error)
	Fail(context.Context, FailRequest) (TaskAnswer, error)
	Release(context.Context, ReleaseRequest) (TaskAnswer, error)
	// OperateTask lets a person retry, complete or fail a task without a lease.
	OperateTask(context.Context, OperateTaskRequest) (TaskAnswer, error)

	Stats(context.Context) (Stats, error)
	Health(context.Context) Health
}

// Limits of what a caller may ask for. The zero value of each field means the default written beside it.
type Limits struct {
	Batch       int           // stimuli in one transaction: 256
	Queue       int           // stimuli waiting for a batch before callers get Full: 10,000
	Page        int           // most items of a page: 1,000; a page without a limit has 100
	ClaimWait   time.Duration // longest wait of a Claim: 60 s
	Lease       time.Duration // lease of a claim that names none: 60 s
	MaxLease    time.Duration // longest lease: 1 h
	Payload     int           // bytes of an event's payload, a result or an input: 1 MiB
	IdemKept    time.Duration // how long an idempotency record is kept: 7 days (R55)
	CommitFor   time.Duration // how long the fate of a COMMIT without a reply is looked up: 10 s
	ProgramsHot int           // decoded programs kept in memory: 256
}

// Idempotency names a request, so that a repeat gets the first answer again (R55). The same name with another BodyHash is
// IdempotencyMismatch. Accepted, created, queued and refused or conflicting answers are kept, no others.
type Idempotency struct {
	Credential string
	Route      string
	Key        string
	BodyHash   string // any fixed form, such as hex of SHA-256
}

// A Mutation is what every request that changes something may carry.
type Mutation struct {
	Actor       string // the authenticated name, "" without credentials
	IfMatch     *int64 // the token's version that the caller decided on; another one is Stale
	Idempotency *Idempotency
}

// A Ref names a token: by ID, or by Flow and Key.
type Ref struct {
	ID   string
	Flow string
	Key  string
}

// A Deployment is one flow's program, encoded, with what it came from.
type Deployment struct {
	Flow   string
	Hash   string          // program identity (R60)
	Code   []byte          // encoded program
	Source []byte          // positions for errors, encoded beside the program; may be nil
	Files  json.RawMessage // the source files, an object of path → text; may be nil
}

// A DeployRequest makes programs known.
type DeployRequest struct {
	Mutation
	Programs []Deployment
	// OnlyNew leaves the current version of a flow alone when the program is already known: `flowc run` never makes an older
	// version current again, `flowc deploy` does (R60).
	OnlyNew bool
}

// A DeployResult says what became of each program, in the order of the request.
type DeployResult struct {
	Flows    []Deployed `json:"flows"`
	Replayed bool       `json:"-"`
}

// A Deployed is the outcome for one flow. New: the program was not known. Current: new tokens now use it.
type Deployed struct {
	Flow    string `json:"flow"`
	Program string `json:"program"`
	New     bool   `json:"new"`
	Current bool   `json:"current"`
	Before  string `json:"before,omitempty"` // the program that was current before, when it changed
}

// OnConflict says what a start does when its key is taken.
type OnConflict string

// What a start does when its key is taken.
const (
	FailOnConflict   OnConflict = "fail" // the default
	ReturnOnConflict OnConflict = "return"
)

// A StartRequest makes a token of a flow's current program, or of Program. Delay and StartAt make it wait as scheduled (R56);
// at most one is given, StartAt in microseconds since the epoch.
type StartRequest struct {
	Mutation
	Flow       string
	Program    string
	Key        string // at most 200 bytes; "" is no key
	Input      json.RawMessage
	Delay      time.Duration
	StartAt    int64
	OnConflict OnConflict
}

// An EventRequest sends an event. ID is the sender's own name for it, remembered for the token's life: a repeat gets the first
// answer and moves nothing.
type EventRequest struct {
	Mutation
	Token   Ref
	Event   string
	Payload json.RawMessage
	ID      string
}

// An Action is a control command.
type Action string

// The control commands. Retry takes State for `retry at STATE`; Cancel takes Reason; MoveTimer takes Timer and Due; FireTimer
// takes Timer; SetField takes Field, Value and Reason.
const (
	Pause     Action = "pause"
	Resume    Action = "resume"
	Cancel    Action = "cancel"
	Retry     Action = "retry"
	Restart   Action = "restart"
	MoveTimer Action = "move"
	FireTimer Action = "fire"
	SetField  Action = "set"
)

// A ControlRequest commands a token. Restart answers with the new token.
type ControlRequest struct {
	Mutation
	Token  Ref
	Action Action
	Reason string
	State  string
	Timer  string // `STATE_PATH.NAME`
	Due    int64  // microseconds
	Field  string
	Value  json.RawMessage
	Key    string // of Restart: the new token's key, "" for none
}

// A ListRequest filters tokens; empty fields do not filter. Order: newest first. A page begins after Cursor.
type ListRequest struct {
	Flow   string
	Flows  []string  // of any of these flows; nil: of all
	Error  string    // failed with this code
	Before time.Time // made before
	After  time.Time // made after
	State  string    // an active state's path
	Status string
	Key    string
	// Waiting is what the token waits for, in the words of Why; the ended ones wait for nothing and are left out.
	Waiting vm.WhyKind
	Limit   int
	Cursor  string
}

// A HistoryRequest reads a token's history from the line after After ("version.n"), oldest first.
type HistoryRequest struct {
	Token Ref
	Flows []string // tokens of other flows are not named in it; nil: all are
	After string
	Limit int
}

// A WhyRequest asks why a token waits.
type WhyRequest struct {
	Token Ref
	Flows []string // children of other flows are not named in the answer; nil: all are
}

// A TimersRequest lists armed timers, soonest first.
type TimersRequest struct {
	Flow   string
	Flows  []string // of any of these flows; nil: of all
	Limit  int
	Cursor string
}

// A TasksRequest filters tasks; without Status those that are not over.
type TasksRequest struct {
	Task   string
	Flows  []string // of any of these flows; nil: of all
	Status string
	Token  Ref // of this token; of one that there is not there is no work
	Limit  int
	Cursor string
}

// A ClaimRequest asks for work. Each named task gives at most its Max.
type ClaimRequest struct {
	Worker string
	Flows  []string // only work of these flows; nil: of any
	Tasks  []ClaimTask
	Wait   time.Duration
	Lease  time.Duration
}

// A ClaimTask asks for at most Max of one task.
type ClaimTask struct {
	Name string `json:"name"`
	Max  int    `json:"max"`
}

// A HeartbeatRequest extends a lease, by Lease or as it was.
type HeartbeatRequest struct {
	Task  string
	Lease string
	For   time.Duration
}

// A HeartbeatResult says until when the lease runs, or that the token has left: the worker stops, and there is no lease.
type HeartbeatResult struct {
	LeaseUntil *time.Time `json:"leaseUntil"`
	Cancelled  bool       `json:"cancelled"`
}

// A Schedule is an event that a worker schedules with its outcome; one of After (µs) and At (µs since the epoch) is set.
type Schedule struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload,omitempty"`
	After   *int64          `json:"after,omitempty"`
	At      *int64          `json:"at,omitempty"`
}

// A CompleteRequest ends a task with a result, or with an event that its `may` names.
type CompleteRequest struct {
	Mutation
	Task     string
	Lease    string
	Result   json.RawMessage
	Event    string
	Payload  json.RawMessage
	Schedule []Schedule
}

// A FailRequest ends an attempt with an error. NoRetry gives up all attempts; RetryAfter asks for a later next attempt.
type FailRequest struct {
	Mutation
	Task       string
	Lease      string
	Code       string
	Message    string
	NoRetry    bool
	RetryAfter time.Duration
}

// A ReleaseRequest gives an attempt back unused.
type ReleaseRequest struct {
	Mutation
	Task  string
	Lease string
}

// A TaskAction is what a person does with a task.
type TaskAction string

// What a person does with a task: offer it again at once, or end it.
const (
	RetryTask    TaskAction = "retry"
	CompleteTask TaskAction = "complete"
	FailTask     TaskAction = "fail"
)

// An OperateTaskRequest ends or retries a task without its lease.
type OperateTaskRequest struct {
	Mutation
	Task    string
	Action  TaskAction
	Result  json.RawMessage
	Code    string
	Message string
}
