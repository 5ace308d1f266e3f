package engine

import (
	"encoding/json"
	"time"

	"flowc/vm"
)

// An Answer is what a mutation of a token gives: the token as the step left it.
type Answer struct {
	Outcome  vm.AnswerOutcome `json:"outcome"` // accepted, deferred, queued or error
	Created  bool             `json:"created"` // of a start: this request made the token
	Token    *TokenView       `json:"token"`
	Replayed bool             `json:"-"` // the answer of an earlier request with the same idempotency key
}

// A TaskAnswer is what a worker is told about the end of an attempt. The status is the task's after it.
type TaskAnswer struct {
	Task      string     `json:"task"`
	Status    string     `json:"status"`
	Outcome   string     `json:"outcome,omitempty"` // what the token made of it: accepted, queued, error
	NextAt    *time.Time `json:"nextAt,omitempty"`  // of the next attempt
	Token     string     `json:"token"`
	Version   int64      `json:"version"`
	Replayed  bool       `json:"-"`
	Cancelled bool       `json:"cancelled,omitempty"` // the token had left already; nothing was saved
}

// A TokenView is a token as the API shows it; what does not apply is null.
type TokenView struct {
	ID         string          `json:"id"`
	Flow       string          `json:"flow"`
	Key        *string         `json:"key"`
	Program    string          `json:"program"`
	Status     string          `json:"status"`
	Cancelling bool            `json:"cancelling,omitempty"`
	Version    int64           `json:"version"`
	States     []string        `json:"states"`
	Final      *string         `json:"final"`
	Outcome    *string         `json:"outcome"`
	Input      json.RawMessage `json:"input"`
	Data       json.RawMessage `json:"data"`
	Result     json.RawMessage `json:"result"`
	Error      *ErrorView      `json:"error"`
	Reason     *string         `json:"reason"`
	CreatedAt  time.Time       `json:"createdAt"`
	StartAt    *time.Time      `json:"startAt"`
	StartedAt  *time.Time      `json:"startedAt"`
	EndedAt    *time.Time      `json:"endedAt"`
	PausedAt   *time.Time      `json:"pausedAt"`
	Parent     *ParentView     `json:"parent"`
	Children   ChildrenView    `json:"children"`
	RestartOf  *string         `json:"restartOf"`
	Timers     []TimerView     `json:"timers"`
	Tasks      []TokenTaskView `json:"tasks"`               // that are not over, at most the 100 that were offered first
	TaskCount  int             `json:"taskCount"`           // of all
	MoreTasks  string          `json:"moreTasks,omitempty"` // how to read them all, when they are more than shown
	Accepts    []vm.Accept     `json:"accepts"`
	WaitingFor []string        `json:"waitingFor"`
	Queued     int             `json:"queued"`
	Deferred   int             `json:"deferred"`
	// Quarantine is why the token is set aside and not stepped, null in health.
	Quarantine *string `json:"quarantine,omitempty"`
}

// An ErrorView is why a token failed and where.
type ErrorView struct {
	Code    string     `json:"code"`
	Message string     `json:"message"`
	State   *string    `json:"state"`
	File    *string    `json:"file"`
	Line    *int       `json:"line"`
	Column  *int       `json:"column"`
	At      *time.Time `json:"at"`
}

// A ParentView is the token that waits for this one. Hidden: there is one, of a flow that the one who asks may not see.
type ParentView struct {
	ID     string `json:"id"`
	Flow   string `json:"flow"`
	Index  int    `json:"index"`
	Hidden bool   `json:"hidden,omitempty"`
}

// ChildrenView counts the children ever made.
type ChildrenView struct {
	Running   int `json:"running"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
}

// A TimerView is one armed timer. Due is null while a pause holds its remainder.
type TimerView struct {
	ID          string     `json:"id"`
	Kind        string     `json:"kind"`
	State       string     `json:"state"`
	Visit       int64      `json:"visit"`
	Event       *string    `json:"event"`
	Due         *time.Time `json:"due"`
	RemainingMs *int64     `json:"remainingMs"`
	// Overdue: an instant that fell due while the token is paused; it fires on resume (R15).
	Overdue bool `json:"overdue,omitempty"`
}

// A TokenTaskView is a task in its token's view.
type TokenTaskView struct {
	ID          string     `json:"id"`
	Task        string     `json:"task"`
	State       string     `json:"state"`
	Status      string     `json:"status"`
	Attempt     int        `json:"attempt"` // the running or last one, from 1; 0 before the first claim
	Used        int        `json:"used"`    // attempts used up; one that was given back is not
	MaxAttempts int        `json:"maxAttempts"`
	NextAt      *time.Time `json:"nextAt"` // claimable from; of claimed work: when the attempt is over without a heartbeat
}

// A TokenPage is one page of tokens; Next is "" on the last.
type TokenPage struct {
	Items []TokenView `json:"items"`
	Next  string      `json:"next,omitempty"`
}

// A HistoryPage is one page of a history; Next is the After of the following page, "" when there is none yet.
// Token is its id, End and Status are the token's when the page was read: without a Next it has every line up to the End.
type HistoryPage struct {
	Items  []HistoryLine `json:"items"`
	Next   string        `json:"next,omitempty"`
	Token  string        `json:"-"`
	End    Mark          `json:"-"`
	Status vm.Status     `json:"-"`
}

// A HistoryLine is one line, numbered `version.n`. The attempts of tasks, which change no version, have numbers of the version at
// which they ended (R70); so the numbers of a history rise, without each being there.
type HistoryLine struct {
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Stimulus string          `json:"stimulus"`
	Actor    string          `json:"actor,omitempty"`
	Kind     string          `json:"kind"`
	State    string          `json:"state,omitempty"`
	Visit    int64           `json:"visit,omitempty"`
	Name     string          `json:"name,omitempty"`
	Text     string          `json:"text,omitempty"`
	Due      *time.Time      `json:"due,omitempty"`
	Was      *time.Time      `json:"was,omitempty"` // of a timer that moved: its due time before (R15)
	LateMs   int64           `json:"lateMs,omitempty"`
	Missed   int             `json:"missed,omitempty"`
	More     map[string]any  `json:"more,omitempty"`
	Payload  json.RawMessage `json:"payload,omitempty"` // of the step's stimulus, on the step's first line

	from string // the token that sent the step's stimulus
}

// A TimerPage is one page of timers.
type TimerPage struct {
	Items []TokenTimerView `json:"items"`
	Next  string           `json:"next,omitempty"`
}

// A TokenTimerView is a timer with its token.
type TokenTimerView struct {
	TimerView
	Token string  `json:"token"`
	Flow  string  `json:"flow"`
	Key   *string `json:"key"`
}

// A TaskPage is one page of tasks.
type TaskPage struct {
	Items []TaskView `json:"items"`
	Next  string     `json:"next,omitempty"`
}

// A TaskView is a task with its attempts.
type TaskView struct {
	TokenTaskView
	Token      string          `json:"token"`
	Flow       string          `json:"flow"`
	Queue      string          `json:"queue"`
	Input      json.RawMessage `json:"input"`
	Dispatched bool            `json:"dispatched"`
	Held       bool            `json:"held"`     // its token is paused
	TaskHeld   bool            `json:"taskHeld"` // nothing of this task is claimed until it is released
	Worker     *string         `json:"worker"`
	LeaseUntil *time.Time      `json:"leaseUntil"`
	OfferedAt  time.Time       `json:"offeredAt"`
	Attempts   []AttemptView   `json:"attempts"`
}

// An AttemptView is one attempt that is over. Kind: failed, lease-lost, timeout, released.
type AttemptView struct {
	Attempt   int       `json:"attempt"`
	Worker    string    `json:"worker"`
	ClaimedAt time.Time `json:"claimedAt"`
	EndedAt   time.Time `json:"endedAt"`
	Kind      string    `json:"kind"`
	Code      string    `json:"code,omitempty"`
	Message   string    `json:"message,omitempty"`
}

// A ClaimedTask is an attempt given to a worker.
type ClaimedTask struct {
	ID             string          `json:"id"`
	Lease          string          `json:"lease"`
	LeaseUntil     time.Time       `json:"leaseUntil"`
	Task           string          `json:"task"`
	Token          string          `json:"token"`
	Flow           string          `json:"flow"`
	Attempt        int             `json:"attempt"`
	IdempotencyKey string          `json:"idempotencyKey"` // the same on every delivery of the task
	Input          json.RawMessage `json:"input"`
	Deadline       *time.Time      `json:"deadline"` // of `within`
	May            []string        `json:"may"`
	Traceparent    string          `json:"traceparent,omitempty" doc:"Of W3C Trace Context: the span of this attempt, where the server makes traces"`
}

// A FlowView is a flow that the server knows.
type FlowView struct {
	Name     string    `json:"name"`
	Current  string    `json:"current"` // program
	Since    time.Time `json:"since"`
	Versions int       `json:"versions"`
}

// A VersionView is one program of a flow.
type VersionView struct {
	Program    string          `json:"program"`
	Current    bool            `json:"current"`
	DeployedAt time.Time       `json:"deployedAt"`
	Actor      string          `json:"actor,omitempty"`
	Files      json.RawMessage `json:"files,omitempty"`
}

// Stats are counts over the whole database and this server's counters since it started.
type Stats struct {
	Tokens        map[string]int64 `json:"tokens"` // by status
	Tasks         map[string]int64 `json:"tasks"`  // by status
	Inbox         int64            `json:"inbox"`  // messages that wait
	Quarantined   int64            `json:"quarantined"`
	OldestDueMs   int64            `json:"oldestDueMs"` // how long the most overdue timer waits; 0 when none is overdue
	OldestOffer   map[string]int64 `json:"oldestOfferMs"`
	HeldTasks     []HeldTask       `json:"heldTasks" nullable:"false"`
	OldestInboxMs int64            `json:"oldestInboxMs"` // how long the oldest message waits
	// OverduePaused counts paused tokens of which an instant has passed; it fires when they are resumed (R15).
	OverduePaused    int64            `json:"overduePaused"`
	FailedDispatches int64            `json:"failedDispatches"` // dispatched work that was given up
	LastPoll         map[string]int64 `json:"lastPollMs"`       // since a worker last asked this server, by task
	// Times are in seconds, lateness of timers too; a batch's size is its steps.
	StepTime  Histogram `json:"-"`
	BatchTime Histogram `json:"-"`
	BatchSize Histogram `json:"-"`
	TimerLate Histogram `json:"-"`

	Steps         int64 `json:"steps"`
	Batches       int64 `json:"batches"`
	BatchRetries  int64 `json:"batchRetries"`
	Reconnects    int64 `json:"reconnects"`
	Undeliverable int64 `json:"undeliverable"`
	TimersFired   int64 `json:"timersFired"`
	TimerLateMs   int64 `json:"timerLateMs"` // of the latest batch with timers, its worst
}

// Health says whether this server works. Ready is false when a loop has made no full round in three of its intervals, or the
// database cannot be written.
type Health struct {
	Ready  bool         `json:"ready"`
	Reason string       `json:"reason,omitempty"`
	Loops  []LoopHealth `json:"loops"`
}

// A LoopHealth is the health of one loop.
type LoopHealth struct {
	Name      string     `json:"name"`
	Running   bool       `json:"running"`
	LastRound *time.Time `json:"lastRound"` // nil before it has begun
	Late      bool       `json:"late"`
	Error     string     `json:"error,omitempty"` // of the last round, "" when it went well
}
