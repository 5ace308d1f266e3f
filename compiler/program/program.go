// Package program is what the compiler makes and the virtual machine runs: the tables of a flow and of all flows that it starts
// or invokes, and their code. It has an encoding with a version, a verifier, a disassembler and the hash that names it (R60).
//
// A Program is immutable and holds no positions: those are in the Source stored beside it, so that moving a line does not make
// another program. Indexes are positions in the slices named beside them; -1 is none.
package program

import (
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// A Program is the closure of one flow. Tokens of any of its Flows may run on it: a child runs on its parent's program.
type Program struct {
	Flow   string // the flow that it is deployed as: Flows[0].Name
	Flows  []*Flow
	Events []Event // the declared events that its flows mention
	Tasks  []Task
	Types  []*value.Decl // enums and records
	Consts []value.Value
	Codes  []Code

	Builtins []string // the built-ins that its codes use, by name
	Policies []Policy // of its dispatches

	funcs []*builtin.Func // those of Builtins, see Link
}

// An Event is a declared event.
type Event struct {
	Name     string
	Payload  *value.Decl
	Internal bool
}

// A Task is a declared task. Durations are microseconds, 0 is none.
type Task struct {
	Name           string
	Params, Result *value.Decl
	Fails          []string
	Policy         Policy
}

// A Policy says how a task is attempted; the same fields as in the language.
type Policy struct {
	Within     int64  // limit of one attempt; 0: none but the lease
	Retries    int    // attempts after the first
	Backoff    int64  // wait before the second attempt
	BackoffMax int64  // 0: fixed, otherwise doubling from Backoff up to this
	Queue      string // "default" when not given
}

// A Flow is a flow; States[0] is its root.
type Flow struct {
	Name   string
	Input  *value.Decl
	Data   []DataField
	Result []int // in Data
	States []State
}

// A DataField is a field of the data. Owner is the state whose entry sets it anew: 0 for the flow's own.
type DataField struct {
	Name    string
	Type    *value.Type
	Default int // code, -1: null
	Owner   int
}

// StateKind, Outcome, JoinKind, HistoryKind, TimerKind, TargetKind and WorkKind have the meaning of their namesakes in the model.
type (
	StateKind   uint8
	Outcome     uint8
	JoinKind    uint8
	HistoryKind uint8
	TimerKind   uint8
	TargetKind  uint8
	WorkKind    uint8
	Reserved    uint8
)

// The kinds of states.
const (
	Leaf StateKind = iota
	Composite
	Parallel
	Region
	Final
)

// The outcomes of final states.
const (
	Success Outcome = iota
	Failure
	Cancelled
)

// The kinds of joins.
const (
	JoinAll JoinKind = iota
	JoinAny
	JoinRace
	JoinCount
)

// The kinds of history.
const (
	NoHistory HistoryKind = iota
	ShallowHistory
	DeepHistory
)

// The kinds of declared timers.
const (
	Timeout TimerKind = iota
	After
	At
	Every
	Calendar
	Idle
)

// The kinds of targets.
const (
	Stay TargetKind = iota
	ToState
	ToSelf
)

// The kinds of work.
const (
	Do WorkKind = iota
	Run
	Invoke
)

// The reserved events.
const (
	NotReserved Reserved = iota
	OnTimeout
	OnError
	OnCompleted
	OnJoined
	OnExpired
	OnCancel
)

// A State is a state of a flow, in pre-order of the file.
type State struct {
	Name     string
	Path     string // `a.b.c`, "" for the root
	Kind     StateKind
	Parent   int
	Children []int
	Initial  int // a child, -1
	Last     int // the last state of its subtree: s contains t when s <= t <= Last
	Outcome  Outcome
	Join     JoinKind
	JoinN    int // code of JoinCount
	History  HistoryKind

	Entry, Exit int // codes
	Handlers    []Handler
	Always      []Always
	Timers      []Timer
	Never       bool
	Work        *Work
	Defer       []int // events
}

// A Trigger is an event that a handler takes.
type Trigger struct {
	Reserved Reserved
	Event    int // -1 when reserved
}

// A Handler is `on …`. PayloadGuard says that the guard reads the event's payload, so that `accepts` can only say "conditional".
// RefuseOnly says that every way through the block ends in `refuse`, so that `accepts` does not count it.
type Handler struct {
	Order        int
	Triggers     []Trigger
	Guard        int // code
	PayloadGuard bool
	RefuseOnly   bool
	Target       Target
	Block        int // code
}

// A Target is where a transition leads.
type Target struct {
	Kind  TargetKind
	State int
}

// An Always is an automatic transition.
type Always struct {
	Order  int
	Guard  int
	Target Target
	Block  int
}

// A Timer is a declared timer; codes are -1 where the kind has none.
type Timer struct {
	Kind      TimerKind
	Order     int
	Name      string // the API's NAME in `STATE_PATH.NAME`, unique in its state: "timeout", "idle", the `as` name, or made (`after1`)
	Dur, Time int    // codes
	ReadsData []int  // data fields that Time reads
	For       int    // code
	Times     int    // code
	Days      uint8  // of Calendar: bit 0 Monday … bit 6 Sunday
	Clock     int    // of Calendar: seconds since local midnight
	Zone      int    // code
	Guard     int
	Target    Target
	Block     int
}

// A Work is a leaf's work.
type Work struct {
	Kind        WorkKind
	Task        int    // in Tasks
	Flow        int    // in Flows
	Args        int    // code: a record; with Each its local 0 is the item
	Policy      Policy // of Do: the task's with the use's overrides
	May         []int  // events
	Each        int    // code: a list
	Concurrency int    // code: an int
	Join        JoinKind
	JoinN       int
	Key         int // code of Invoke; with Each its local 0 is the item
	Routine     int // code
}

// A Local is a slot of a code.
type Local struct {
	Name string
	Type *value.Type
}

// A Code is a piece of code: an expression, a block, a function or a routine. Ins is described in machine.go.
type Code struct {
	Flow, State int // where it stands, -1 for functions
	Params      int // the first so many Locals are set by the caller
	Locals      []Local
	Ins         []Ins
	Tries       []Try
	Calls       []Call   // what its OpCallTask, OpCallTasks and OpCallFlow call
	Waits       []Wait   // what its OpWait and OpWaitCases wait for
	Lambdas     []Lambda // of its OpLambda
}

// A Try sends an error raised at From <= pc < To to Handler when Codes is empty or holds its code; inner ones stand first. The
// caught error is put into the local Var (-1: nowhere), whose type is a record with the string fields code and message.
type Try struct {
	From, To, Handler int
	Codes             []string
	Var               int
}
