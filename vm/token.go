// Package vm is the step (R1): a pure function of a program, a token's snapshot, a stimulus and an instant. It has no clock, no
// randomness, no I/O. The server, the tests under the virtual clock, the simulator and replay all call Apply.
//
// Instants and durations are whole microseconds (R12); instants count from the Unix epoch.
package vm

import (
	"encoding/json"

	"flowc/validate/value"
	"flowc/vm/machine"
)

// Status is a token's status (R52).
type Status string

// The statuses.
const (
	Scheduled Status = "scheduled"
	Running   Status = "running"
	Paused    Status = "paused"
	Failed    Status = "failed"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
)

// Ended says that nothing can happen to the token any more, a retry of a failed one aside.
func (s Status) Ended() bool { return s == Completed || s == Cancelled }

// A Token is the whole snapshot of one running instance of a flow. Apply never changes the one that it is given, and nobody else
// changes one either: what it holds is shared between snapshots.
type Token struct {
	ID      string
	Flow    string
	Key     string // "" without
	Program string // the hash
	Version int64  // grows by one with each step that changed something

	Status     Status
	Cancelling bool        // `on cancel` was taken: un-paused, no longer pausable (R51)
	Input      value.Value // a record of the flow's inputs
	Data       []value.Value
	Active     []Visit    // the active states with their visits, in pre-order of the file; the root is the first
	Visits     int64      // the number given to the last visit
	Memories   []Memory   // of composites with history: what they were last in
	Timers     []Timer    // everything armed (R11), and what `rearm` or a changed field may arm again, in no order that means anything
	Work       []Work     // offered tasks, by leaf or routine; those of a fan-out are counted in Fans
	Frames     []Frame    // routines
	Children   []Child    // invoked or called children; those of a fan-out are counted in Fans
	Fans       []Fan      // running fan-outs
	Deferred   []Kept     // waiting for a handler, in order
	Kept       []Kept     // what came while paused, in order of receipt (R50)
	SeenCount  int64      // how many events with an id of their own were taken (R55), see seen.go
	seen       *seenList  // of their rows those that are loaded
	seenAll    bool       // all are
	Final      int        // the final state that it ended in, -1
	Outcome    string     // success, failure or cancelled, "" while it has not ended
	Error      *Failure   // why it failed, or failed on the way to its cancellation
	Reason     string     // of its cancellation
	Parent     *ParentRef // nil without
	ParentGone bool       // the parent waits for it no more, so a retry is refused (R53)
	Reported   bool       // the parent was told that it failed
	RestartOf  string     // the token that this one restarts, "" for none

	LastAt    int64 // instant of the last step; no later step is before it (R12)
	CreatedAt int64
	StartAt   int64 // of a scheduled token
	StartedAt int64
	EndedAt   int64
	PausedAt  int64

	PausedSelf     bool // by a command
	PausedByParent bool // by its parent's pause (R54); both may hold
	Totals         ChildTotals
}

// A Visit is one stay in one state.
type Visit struct {
	State     int
	Visit     int64
	EnteredAt int64 // never moves (R72)
	Need      int   // of a parallel joined at so many successes: how many
	Joined    bool  // of a parallel: it got `joined`
}

// A Memory is what a composite with history was last in when it was left.
type Memory struct {
	State  int
	Inside []int // shallow: the child; deep: the leaves
}

// A Timer is one timer. Due is when it fires, Left what remains of a duration while the token is paused or failed.
type Timer struct {
	State   int
	Visit   int64
	Decl    int // in the state's Timers; -1: see Kind
	Kind    TimerKind
	Event   int         // of a scheduled event
	Payload value.Value // likewise
	Due     int64
	Left    int64  // of an instant with Until: what remains of that
	Instant bool   // an instant, or moved to one by hand: a pause does not move it (R15)
	Off     bool   // not armed: it has fired, was stopped, or its instant is null
	Period  int64  // the duration, evaluated once for the visit
	Zone    string // of a calendar timer, likewise
	Fires   int    // how often it has fired
	Times   int    // of an `every … times`, otherwise 0
	Until   int64  // of an `every … for`: no fire at or after it; 0 without
	Fired   int64  // the instant that fired last (R18); counts when Fires > 0

	Dated    bool  // of a data-driven timer: its TIME is not null
	Deadline int64 // then the instant that it comes to, wherever a hand has moved Due
}

// TimerKind says what an undeclared timer is.
type TimerKind uint8

// The kinds of timers.
const (
	Declared       TimerKind = iota // see Decl
	ScheduledEvent                  // `schedule`
	SleepTimer                      // of a routine's `sleep`
	WaitTimer                       // of a routine's `wait … for`
	StartTimer                      // of a token that is not started yet (R56)
)

// A Work is a task that the token waits for.
type Work struct {
	Task  string // the task's id
	State int
	Visit int64
}

// A Frame is a routine that is not at its end.
type Frame struct {
	State int
	Visit int64
	Frame machine.Frame
	Wait  *machine.Suspension // what it waits for, without its arguments
}

// A Child is a token that this one invoked or called. One that failed stays until its state is left, so that a retry of it can
// still complete the state (R53).
type Child struct {
	Token  string
	Flow   string
	State  int
	Visit  int64
	Failed bool
}

// A Fan is a running fan-out (R57). The ids of its tasks and children derive from token, visit and index (FanID). Items and Results
// are rows beside the snapshot, see LoadFans.
type Fan struct {
	State     int
	Visit     int64
	Begun     int64  // the version that began it
	Flow      string // of children; "" of tasks
	Total     int
	Next      int // the first index that is not started
	Limit     int // most that run at once; 0: no limit
	Need      int // of a join of so many successes
	Succeeded int
	Failed    int
	Bytes     int         // of the results' values
	Ended     []uint64    // bits: the indexes that have ended
	Items     []FanItem   // of those from Next on, as far as loaded, by index
	Results   []FanResult // of what ended, as far as loaded, in no order that means anything
}

// A FanItem is one item of a fan-out that is not started.
type FanItem struct {
	Index int             `json:"-"`
	Input json.RawMessage `json:"i"`
	Key   string          `json:"k,omitempty"`
	Keyed bool            `json:"keyed,omitempty"`
}

// A FanResult is one entry of `event.results` of a fan-out.
type FanResult struct {
	Index   int             `json:"-"`
	Final   string          `json:"final,omitempty"`
	Outcome string          `json:"outcome,omitempty"`
	Code    string          `json:"code,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// A Kept is a stimulus that waits.
type Kept struct {
	At       int64
	Stimulus Stimulus
}

// A Failure is why a token failed, or the error that a state is told. Code is one of the language's error codes or one of a
// task's `fails`.
type Failure struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	State    int    `json:"state"`           // from which `error` is looked for; -1: none
	Visit    int64  `json:"visit,omitempty"` // of a routine's state: when it has ended, nobody is told
	Attempts int    `json:"attempts,omitempty"`
	Source   string `json:"source,omitempty"` // the task or flow whose failure it was, "" for code
	CodeRef  int    `json:"codeRef"`          // where in the program; -1: nowhere
	PC       int    `json:"pc"`
	At       int64  `json:"at"`
}

// A ParentRef links a child to its parent.
type ParentRef struct {
	Token string `json:"token"`
	Flow  string `json:"flow"`
	State int    `json:"state"` // of the parent, that waits
	Visit int64  `json:"visit"`
	Index int    `json:"index"`
}

// ChildTotals counts the children ever made.
type ChildTotals struct{ Running, Completed, Failed, Cancelled int }
