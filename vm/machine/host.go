// Package machine runs code: expressions, blocks and the segments of routines, between one suspension and the next. It knows
// nothing of states, timers or tokens; what code may touch is the Host that the step gives it.
package machine

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// A Host is what running code sees and changes of its token. Instants and durations are microseconds.
type Host interface {
	Now() int64       // the step's instant
	EnteredAt() int64 // of the state that holds the code
	StartedAt() int64
	TokenID() string
	TokenKey() (string, bool)

	Input(i int) value.Value
	Data(i int) value.Value
	SetData(i int, v value.Value)
	EventField(name string) value.Value // of the event being handled; null when there is none of that name
	Active(state int) bool

	Raise(event int, payload value.Value)
	// Schedule arms the event's timer: after dur when at is false, else at the instant. An error is a run-time error of the
	// language (null_value, duration_too_long).
	Schedule(event int, payload value.Value, when int64, at bool) *value.Error
	Unschedule(event int)
	Rearm(state, timer, event int) *value.Error // timer -1: the scheduled event's
	Dispatch(task int, args value.Value, policy program.Policy)
	Start(s Start)
	Send(s Send)
	Note(text string)
}

// A Start is `start FLOW(args) …`.
type Start struct {
	Flow  int
	Args  value.Value
	Key   string
	Keyed bool
	Keep  bool
	When  int64 // duration after now, or the instant when At
	Later bool  // When counts
	At    bool
}

// A Send is `send EVENT(args) to FLOW[KEY] | parent`.
type Send struct {
	Event   int
	Payload value.Value
	Parent  bool
	Flow    string
	Key     string
}

// A Frame is where code stands: it is data, so that a routine's is saved with its token (R30). The operand stack is empty
// whenever a frame is saved.
type Frame struct {
	Code   int
	PC     int
	Locals []value.Value
	// Event is the payload that a `wait` case took; its fields hide the Host's in the case's body.
	Event      *value.Value
	EventIndex int         // in Program.Events, for the payload's type
	Actor      value.Value // of Event: its sender's name, or null
	Outer      []Taken     // the events of the cases around that one, the outermost first
}

// A Taken is an event that a `wait` took. Actor is its sender's name, or null.
type Taken struct {
	Event   int // in Program.Events
	Payload value.Value
	Actor   value.Value
}

// Kind says how a run ended.
type Kind uint8

// The ways in which a run ends.
const (
	Done      Kind = iota // to the end; Value is an expression's result
	Suspended             // at Suspend; go on with Resume
	Gone                  // `go TARGET`
	Refused               // `refuse "text"`
	Failed                // `fail "message"`
	Raised                // a run-time error that nothing caught, or a limit (see Ending.Limit): Err
)

// An Ending is how a run ended.
type Ending struct {
	Kind    Kind
	Value   value.Value
	Text    string // of Refused and Failed
	Target  program.Target
	Suspend *Suspension
	Err     *value.Error
	PC      int // where, for the error's place in the source
	Code    int
}

// SuspendKind says what a routine waits for.
type SuspendKind uint8

// What a routine may wait for.
const (
	CallTask  SuspendKind = iota
	CallTasks             // over a list
	CallFlow
	Sleep
	Wait // one event or several cases
)

// A Suspension is what a routine waits for. Resume takes the result (CallTask and CallFlow: a record; CallTasks: a list; Sleep:
// null; Wait: through ResumeWait) or the error.
type Suspension struct {
	Kind        SuspendKind
	Task        int
	Flow        int
	Args        []value.Value // one, or one for each item
	Policy      program.Policy
	Concurrency int // 0: no limit
	Key         string
	Keyed       bool
	Timed       bool // When counts: Sleep, and a Wait with a limit
	At          bool // When is an instant, otherwise a duration
	When        int64
	Cases       []WaitCase
	Result      *value.Type // of what Resume takes from CallTask, CallTasks and CallFlow; nil when the routine keeps nothing of it
}

// A WaitCase is one `on` of a wait; a plain `wait EVENT` has one case without a guard.
type WaitCase struct {
	Events []int
	Guard  int // code over the frame's locals, -1: true
}
