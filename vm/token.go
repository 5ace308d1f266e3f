// Package vm is the step (R1): a pure function of a program, a token's snapshot, a stimulus and an instant. It has no clock, no
// randomness, no I/O. The server, the tests under the virtual clock, the simulator and replay all call Apply.
//
// Instants and durations are whole microseconds (R12); instants count from the Unix epoch.
package vm

import (
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

// A Token is the whole snapshot of one running instance of a flow. Apply never changes the one that it is given.
type Token struct {
	ID      string
	Flow    string
	Key     string // "" without
	Program string // the hash
	Version int64  // grows by one with each step that changed something

	Status         Status
	Cancelling     bool        // `on cancel` was taken: un-paused, no longer pausable (R51)
	Input          value.Value // a record of the flow's inputs
	Data           []value.Value
	Active         []Visit       // the active states with their visits, in pre-order of the file; the root is the first
	Visits         int64         // the number given to the last visit
	Resume         map[int][]int // by composite with history: what it was last in
	Timers         []Timer       // everything armed (R11), in no order that means anything
	Work           []Work        // offered tasks, by leaf or routine
	Frames         []Frame       // routines
	Children       []Child       // running children; those of a fan-out are counted in Fans
	Fans           []Fan         // running fan-outs
	Deferred       []Kept        // waiting for a handler, in order
	Kept           []Kept        // what came while paused, in order of receipt (R50)
	Final          int           // the final state that it ended in, -1
	Outcome        string        // success, failure or cancelled, "" while it has not ended
	Error          *Failure      // why it failed, or failed on the way to its cancellation
	Reason         string        // of its cancellation
	Parent         *ParentRef
	RestartOf      string
	LastAt         int64 // instant of the last step; no later step is before it (R12)
	CreatedAt      int64
	StartAt        int64 // of a scheduled token
	StartedAt      int64
	EndedAt        int64
	PausedAt       int64
	PausedByParent bool
	Totals         ChildTotals
	Queued         int64 // n of the last task, child or message made by this token's current version
}

// A Visit is one stay in one state.
type Visit struct {
	State     int
	Visit     int64
	EnteredAt int64 // never moves (R72)
}

// A Timer is one armed timer. Due is when it fires, Left what remains of a duration while the token is paused or failed.
type Timer struct {
	State   int
	Visit   int64
	Decl    int // in the state's Timers; -1: see Kind
	Kind    TimerKind
	Event   int         // of a scheduled event
	Payload value.Value // likewise
	Due     int64
	Left    int64
	Instant bool  // an instant: a pause does not move it (R15)
	Fires   int   // of an `every`: how often it has fired
	Until   int64 // of an `every … for`: no fire at or after it; 0 without
	Fired   int64 // of a data-driven one: the instant that fired last (R18)
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
	Fan   bool
	Index int // of a fan-out
}

// A Frame is a routine that is not at its end.
type Frame struct {
	State int
	Visit int64
	Frame machine.Frame
	Wait  *machine.Suspension // what it waits for
}

// A Child is a token that this one invoked or called.
type Child struct {
	Token string
	Flow  string
	State int
	Visit int64
	Index int // of a fan-out, otherwise 0
	Fan   bool
}

// A Fan is a running fan-out (R57): the snapshot holds counts, the results stay with the children's or tasks' rows until the join.
type Fan struct {
	State, Total, Next, Succeeded, Failed, Open int
	Visit                                       int64
	Items                                       []value.Value // arguments of those not started yet
	Results                                     []FanResult   // of what ended
}

// A FanResult is one entry of `event.results`.
type FanResult struct {
	Index   int
	Name    string
	Final   string
	Outcome string
	Code    string
	Value   *value.Value
}

// A Kept is a stimulus that waits.
type Kept struct {
	At       int64
	Stimulus Stimulus
}

// A Failure is why a token failed. Code is one of the language's error codes or one of a task's `fails`.
type Failure struct {
	Code, Message string
	State         int // -1: none
	Attempts      int
	Source        string // the task or flow whose failure it was, "" for code
	CodeRef, PC   int    // where in the program; -1: nowhere
	At            int64
}

// A ParentRef links a child to its parent.
type ParentRef struct {
	Token string
	Flow  string
	State int // of the parent, that waits
	Visit int64
	Index int
}

// ChildTotals counts the children ever made.
type ChildTotals struct{ Running, Completed, Failed, Cancelled int }
