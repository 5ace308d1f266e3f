package vm

import (
	"encoding/json"

	"flowc/compiler/program"
)

// StimulusKind says what a stimulus is (R2).
type StimulusKind string

// The kinds of stimuli.
const (
	OnStart         StimulusKind = "start"
	OnEvent         StimulusKind = "event" // from outside
	OnTimer         StimulusKind = "timer"
	OnTask          StimulusKind = "task"    // the outcome of a task
	OnChild         StimulusKind = "child"   // a child ended
	OnMessage       StimulusKind = "message" // from another token
	OnPause         StimulusKind = "pause"
	OnResume        StimulusKind = "resume"
	OnCancel        StimulusKind = "cancel"
	OnRetry         StimulusKind = "retry"
	OnUndeliverable StimulusKind = "undeliverable" // a send or start of this token found no taker
	OnFire          StimulusKind = "fire"          // a timer fired by hand
	OnMove          StimulusKind = "move"          // a timer moved by hand
	OnSet           StimulusKind = "set"           // a data field set by hand
)

// A Stimulus is what makes a step. It is written whole into the history, as JSON, so that replay needs nothing else (R71).
type Stimulus struct {
	Kind     StimulusKind    `json:"kind"`
	Actor    string          `json:"actor,omitempty"`   // who, authenticated
	ID       string          `json:"id,omitempty"`      // an event's own id, remembered for the token's life (R55)
	Event    string          `json:"event,omitempty"`   // of OnEvent, OnMessage, and of OnTask that ends with an event
	Payload  json.RawMessage `json:"payload,omitempty"` // its payload
	Timer    *TimerRef       `json:"timer,omitempty"`   // of OnTimer, OnFire, OnMove
	Task     *TaskOutcome    `json:"task,omitempty"`
	Child    *ChildOutcome   `json:"child,omitempty"`
	From     string          `json:"from,omitempty"`   // of OnMessage: the sender's token
	State    string          `json:"state,omitempty"`  // of OnRetry: `retry at STATE`
	Reason   string          `json:"reason,omitempty"` // of OnCancel, OnSet, OnUndeliverable
	Field    string          `json:"field,omitempty"`  // of OnSet
	Value    json.RawMessage `json:"value,omitempty"`
	Due      int64           `json:"due,omitempty"`      // of OnMove
	ByParent bool            `json:"byParent,omitempty"` // a pause, resume or cancel passed on (R54)
}

// A TimerRef names an armed timer: `STATE_PATH.NAME` of one visit.
type TimerRef struct {
	ID     string `json:"id"`
	Visit  int64  `json:"visit"`
	Due    int64  `json:"due"`
	Missed int    `json:"missed,omitempty"` // periods that collapsed into this fire (R17)
}

// A TaskOutcome is how a task ended: with a result, an event (Stimulus.Event), or an error when no attempt is left.
type TaskOutcome struct {
	ID         string          `json:"id"`
	Task       string          `json:"task"`
	Result     json.RawMessage `json:"result,omitempty"`
	Code       string          `json:"code,omitempty"` // of an error
	Message    string          `json:"message,omitempty"`
	Attempts   int             `json:"attempts"`
	Schedule   []TaskSchedule  `json:"schedule,omitempty"`
	Dispatched bool            `json:"dispatched,omitempty"` // nobody waits for it: a line in the history only (R47)
}

// A TaskSchedule is an event that a worker schedules with its outcome (R14). After is microseconds; one of After and At counts.
type TaskSchedule struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload,omitempty"`
	After   *int64          `json:"after,omitempty"`
	At      *int64          `json:"at,omitempty"`
}

// A ChildOutcome is how a child ended or that it failed.
type ChildOutcome struct {
	Token   string          `json:"token"`
	Flow    string          `json:"flow"`
	Index   int             `json:"index"`
	State   int             `json:"state"` // of the parent, as in its ParentRef
	Visit   int64           `json:"visit"`
	Final   string          `json:"final,omitempty"`
	Outcome string          `json:"outcome,omitempty"` // "" when it failed
	Result  json.RawMessage `json:"result,omitempty"`
	Code    string          `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

// AnswerOutcome is what the sender of a stimulus is told.
type AnswerOutcome string

// The outcomes of an answer. Invalid: it does not fit the types or is not the sender's to send (422). LeaseLost: the task has
// been withdrawn. Full: too much is kept already (429).
const (
	Accepted      AnswerOutcome = "accepted"
	DeferredEvent AnswerOutcome = "deferred"
	Queued        AnswerOutcome = "queued"
	Refused       AnswerOutcome = "refused"
	ErrorOutcome  AnswerOutcome = "error"
	Invalid       AnswerOutcome = "invalid"
	LeaseLost     AnswerOutcome = "lease-lost"
	Full          AnswerOutcome = "full"
)

// An Answer is what the caller gets.
type Answer struct {
	Outcome AnswerOutcome
	Code    string   // a stable code of a refusal: `event-refused`, `token-ended`, `token-failed`, `not-started`, `unknown-event`, `reserved-event`, `internal-event`, `payload-invalid` …
	Reason  string   // for a person
	State   []string // the active leaves, of a refusal
	Accepts []Accept
	Errors  []FieldError
}

// A FieldError is a field that does not fit, by JSON Pointer.
type FieldError struct{ Pointer, Detail string }

// An Accept is an event that a handler in reach would take now, or that would wait.
type Accept struct {
	Event       string `json:"event"`
	Conditional bool   `json:"conditional"`
	Deferred    bool   `json:"deferred"`
}

// A Step is one step's history row (R70).
type Step struct {
	Version  int64
	At       int64
	Stimulus Stimulus
	Lines    []Line
}

// A Line is one line of a step's history; its number is `version.n`. Kind is a stable word: entered, left, timer-set, timer-moved,
// timer-stopped, timer-fired, event-accepted, event-refused, event-deferred, event-dropped, task-offered, task-withdrawn,
// task-completed, task-failed, note, control, error, raised-unhandled, undeliverable, started, ended, failed, child-started, child-ended.
type Line struct {
	Kind       string         `json:"kind"`
	State      string         `json:"state,omitempty"`
	Visit      int64          `json:"visit,omitempty"`
	Name       string         `json:"name,omitempty"` // the timer, event, task or flow
	Text       string         `json:"text,omitempty"`
	Due        int64          `json:"due,omitempty"`
	LateMicros int64          `json:"late,omitempty"`
	Missed     int            `json:"missed,omitempty"`
	More       map[string]any `json:"more,omitempty"`
}

// An Offer is a task row to be made.
type Offer struct {
	ID         string
	Task       string
	Queue      string
	State      string // path of the leaf, "" when dispatched
	Visit      int64
	Index      int
	Input      json.RawMessage
	Policy     program.Policy
	Fails      []string
	May        []string
	Dispatched bool
}

// A Message is an inbox row for another token (R5): unique by (sender, sender's version, n).
type Message struct {
	N        int
	To       string // the receiver's id; "" when addressed by Flow and Key, or when the message makes it
	Flow     string
	Key      string
	Keyed    bool
	Keep     bool // a start whose key is taken is no failure
	Stimulus Stimulus
	Start    *StartMessage // makes the receiver
}

// A StartMessage makes a token: a child, or one of its own.
type StartMessage struct {
	Token   string // its id
	Program string
	Input   json.RawMessage
	StartAt int64 // 0: now
	Parent  *ParentRef
}

// A Result is what Apply did. Token is the new snapshot, or the old one when nothing changed.
type Result struct {
	Token    *Token
	Steps    []Step
	Offers   []Offer
	Withdraw []string // ids of tasks that nobody waits for any more
	Messages []Message
	Answer   Answer
}
