package vm

import (
	"encoding/json"

	"flowc/compiler/program"
)

// StimulusKind says what a stimulus is (R2).
type StimulusKind string

// The kinds of stimuli. The last three are made by Apply itself: an error that follows a step, and an event that waited until a
// handler or a `wait` takes it. They are steps of their own in the history, so that replay meets them there.
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

	OnError    StimulusKind = "error"    // Failure, looked for from its state
	OnDeferred StimulusKind = "deferred" // Deferred[Index]
	OnKept     StimulusKind = "kept"     // Kept[0]
)

// A Stimulus is what makes a step. It is written whole into the history, as JSON, so that replay needs nothing else (R71).
type Stimulus struct {
	Kind     StimulusKind    `json:"kind"`
	Actor    string          `json:"actor,omitempty"`   // who, authenticated
	ID       string          `json:"id,omitempty"`      // an event's own id, remembered for the token's life (R55)
	Event    string          `json:"event,omitempty"`   // of OnEvent, OnMessage, OnUndeliverable, and of OnTask that ends with an event
	Payload  json.RawMessage `json:"payload,omitempty"` // its payload
	Start    *NewToken       `json:"start,omitempty"`   // of OnStart
	Timer    *TimerRef       `json:"timer,omitempty"`   // of OnTimer, OnFire, OnMove
	Task     *TaskOutcome    `json:"task,omitempty"`
	Child    *ChildOutcome   `json:"child,omitempty"`
	Tasks    []TaskOutcome   `json:"tasks,omitempty"`    // of OnTask: more outcomes of one fan-out (R57)
	Children []ChildOutcome  `json:"children,omitempty"` // of OnChild: more that wait in the inbox (R57)
	From     string          `json:"from,omitempty"`     // the token that sent it
	State    string          `json:"state,omitempty"`    // of OnRetry: `retry at STATE`
	Reason   string          `json:"reason,omitempty"`   // of OnCancel, OnSet, OnUndeliverable
	Field    string          `json:"field,omitempty"`    // of OnSet
	Value    json.RawMessage `json:"value,omitempty"`
	Due      int64           `json:"due,omitempty"`      // of OnMove
	ByParent bool            `json:"byParent,omitempty"` // a pause, resume or cancel passed on (R54)
	Failure  *Failure        `json:"failure,omitempty"`  // of OnError
	Index    int             `json:"index,omitempty"`    // of OnDeferred
}

// A NewToken is what a token is made of. Input is a JSON object of the flow's inputs; what it leaves out takes its default.
// StartAt (an instant) or Delay (a duration) make it wait as scheduled (R56); 0 is now.
type NewToken struct {
	ID        string          `json:"id"`
	Flow      string          `json:"flow"`
	Key       string          `json:"key,omitempty"`
	Program   string          `json:"program"` // the hash
	Input     json.RawMessage `json:"input,omitempty"`
	StartAt   int64           `json:"startAt,omitempty"`
	Delay     int64           `json:"delay,omitempty"`
	Parent    *ParentRef      `json:"parent,omitempty"`
	RestartOf string          `json:"restartOf,omitempty"`
}

// A TimerRef names an armed timer: `STATE_PATH.NAME` of one visit (the flow's own: NAME). By hand, Visit may be left 0.
type TimerRef struct {
	ID     string `json:"id"`
	Visit  int64  `json:"visit,omitempty"`
	Due    int64  `json:"due,omitempty"`
	Missed int    `json:"missed,omitempty"` // periods that collapsed into this fire (R17)
}

// A TaskOutcome is how a task ended: with a result, an event (Stimulus.Event), or an error when no attempt is left. Visit and
// Index are those of its Offer.
type TaskOutcome struct {
	ID         string          `json:"id"`
	Task       string          `json:"task"`
	Visit      int64           `json:"visit,omitempty"`
	Index      int             `json:"index,omitempty"`
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
	Code    string          `json:"code,omitempty"` // why it failed: its own error's code
	Message string          `json:"message,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Again   bool            `json:"again,omitempty"` // it had failed before and was retried
}

// AnswerOutcome is what the sender of a stimulus is told.
type AnswerOutcome string

// The outcomes of an answer. Invalid: it does not fit the types or is not the sender's to send (422). LeaseLost: the task has
// been withdrawn. Full: too much is kept already (429); the stimulus has to come again later, also when it waits in an inbox.
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

// An Answer is what the caller gets. Repeated: the event's id was seen before, and this is the first one's outcome (R55).
type Answer struct {
	Outcome  AnswerOutcome
	Code     string   // a stable code of a refusal, see answers.go
	Reason   string   // for a person
	State    []string // the active leaves, of a refusal
	Accepts  []Accept // likewise
	Errors   []FieldError
	Repeated bool
	Left     []string // of OnTask with several outcomes: the ids of Tasks that came too late, since one before them decided the join
}

// A FieldError is a field that does not fit, by JSON Pointer.
type FieldError struct{ Pointer, Detail string }

// An Accept is an event that a handler in reach would take now, or that would wait.
type Accept struct {
	Event       string `json:"event"`
	Conditional bool   `json:"conditional"`
	Deferred    bool   `json:"deferred"`
}

// A Step is one step's history row (R70). A Changed one made this version; of the others (a refusal, a line about
// dispatched work) the version is the token's and stays, so whoever stores it numbers it within the version.
type Step struct {
	Version  int64
	Changed  bool
	At       int64
	Stimulus Stimulus
	Lines    []Line
}

// A Line is one line of a step's history; its number is `version.n`. Kind is a stable word: entered, left, timer-set, timer-moved,
// timer-stopped, timer-fired, event-accepted, event-refused, event-deferred, event-queued, event-dropped, event-scheduled,
// task-offered, task-dispatched, task-withdrawn, task-completed, task-failed, note, control, error, raised, raised-unhandled,
// sent, undeliverable, scheduled, started, completed, joined, ended, failed, child-started, child-ended, child-cancelled.
type Line struct {
	Kind       string         `json:"kind"`
	State      string         `json:"state,omitempty"`
	Visit      int64          `json:"visit,omitempty"`
	Name       string         `json:"name,omitempty"` // the timer, event, task or flow
	Text       string         `json:"text,omitempty"` // why, or the note
	Due        int64          `json:"due,omitempty"`
	Was        int64          `json:"was,omitempty"`    // of timer-moved: the due time before
	LateMicros int64          `json:"late,omitempty"`   // of timer-fired
	Missed     int            `json:"missed,omitempty"` // periods that collapsed into this fire (R17)
	ID         string         `json:"id,omitempty"`     // of a task or a child
	Code       *Place         `json:"code,omitempty"`   // of an error: its place in the program
	More       map[string]any `json:"more,omitempty"`
}

// A Place is an instruction of a program, for the error's place in the source.
type Place struct {
	Code int `json:"code"`
	PC   int `json:"pc"`
}

// An Offer is a task row to be made.
type Offer struct {
	ID         string
	Task       string
	Queue      string
	State      string // path of the leaf, "" when dispatched
	Visit      int64
	Index      int // of a fan-out
	Input      json.RawMessage
	Policy     program.Policy
	Fails      []string
	May        []string
	Dispatched bool
}

// A Message is an inbox row for another token (R5): unique by (sender, Version, N).
type Message struct {
	Version  int64 // the sender's
	N        int
	To       string // the receiver's id; "" when addressed by Flow and Key
	Flow     string
	Key      string
	Keyed    bool
	Keep     bool // a start whose key is taken is no failure
	Stimulus Stimulus
	Start    *NewToken // makes the receiver: the Stimulus is its OnStart
}

// A Result is what Apply did. Token is the new snapshot, or the old one when nothing changed. Offers are to be made before tasks
// are withdrawn: what one step offers, a later one of the same call may withdraw.
type Result struct {
	Token       *Token
	DataChanged bool // what EncodeToken gives as data has changed
	Steps       []Step
	Offers      []Offer
	Withdraw    []string // ids of tasks that nobody waits for any more
	Messages    []Message
	FanRows     []FanRow    // rows of fan-outs to be saved, in order: a later one takes the place of an earlier one of the same index
	ClosedFans  []FanRef    // fan-outs that are over, whose rows go; none of FanRows made before is of one that begins later
	Seen        []SeenEvent // the ids of events that were taken, to be saved
	Answer      Answer
	Taken       []int // the order in the file of each handler, timer and automatic transition that ran, for coverage
}
