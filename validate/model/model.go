// Package model is what the checker makes of files without an error: every name resolved, every expression typed, constants
// folded, defaults filled in, fragments spliced. The compiler reads nothing else, and the language server asks it for answers.
//
// A model is immutable once Check has returned it. Indexes are positions in the slices named beside them.
package model

import "flowc/validate/value"

// A Program is all that one check saw: the files named and what they import.
type Program struct {
	Files  []string // names, by the index that Pos.File has
	Enums  []*value.Decl
	Types  []*value.Decl // records
	Events []*Event
	Tasks  []*Task
	Funcs  []*Func
	Flows  []*Flow
	Tests  []*Test
}

// A Pos is a place in a source file: half-open byte offsets.
type Pos struct {
	File       int // in Program.Files
	Start, End int
}

// A Local is a slot of a block, a routine, a function or a lambda: a parameter, a `let`, a loop variable, a caught error.
type Local struct {
	Name string
	Type *value.Type
}

// An Event is a declared event. Fields of Payload are its parameters; `event.actor` is not among them (see EventField).
type Event struct {
	Name     string // with the import's prefix where there is one
	Payload  *value.Decl
	Internal bool
	Doc      string
	Pos      Pos
}

// A Task is a declared task with its folded policy.
type Task struct {
	Name   string
	Params *value.Decl
	Result *value.Decl
	Joined *value.Decl // of the elements of `event.results` when it is done with `each` (JoinedDecl)
	Fails  []string
	Policy Policy
	Doc    string
	Pos    Pos
}

// A Policy says how a task is attempted. Durations are microseconds; 0 means not given.
type Policy struct {
	Within     int64 // limit of one attempt; 0: none but the lease
	Retries    int   // attempts after the first
	Backoff    int64 // first backoff
	BackoffMax int64 // 0: fixed, otherwise doubling up to this
	Queue      string
}

// A Func is a pure function; its parameters are Locals 0..len(Params)-1 of its body.
type Func struct {
	Name   string
	Params []Local
	Locals []Local // the parameters, then what lambdas in the body need
	Result *value.Type
	Body   Expr
	Pos    Pos
}

// A Flow is a flow with its states in pre-order of the file: States[0] is the root, whose body is the flow's.
type Flow struct {
	Name   string
	Input  *value.Decl
	Data   []*DataField // the flow's own, then each `use`'s as `local.field`
	Result []int        // in Data: the fields of `-> (…)`
	Output *value.Decl  // the record of the results, in the order of Result
	Ended  *value.Decl  // what `call FLOW` yields: Output's fields, then `final` and `outcome` (EndedDecl)
	Joined *value.Decl  // of the elements of `event.results` when it is invoked with `each` (JoinedDecl)
	States []*State
	Doc    string
	Pos    Pos
}

// A DataField is a field of the token's data with its default.
type DataField struct {
	Name    string
	Type    *value.Type
	Default *Code // nil: null. Evaluated in the start step, in file order; for a fragment's on entry of its state
	Owner   int   // the state that holds it: 0, or the composite that a fragment became, whose entry sets it anew
	Pos     Pos
}

// StateKind says what a state is.
type StateKind uint8

// The kinds of states. A Region is a composite directly inside a Parallel.
const (
	Leaf StateKind = iota
	Composite
	Parallel
	Region
	Final
)

// Outcome is how a final state ends what it stands in.
type Outcome uint8

// The outcomes, in the order of the built-in enum `outcome`.
const (
	Success Outcome = iota
	Failure
	Cancelled
)

// JoinKind says when a parallel or a fan-out is joined.
type JoinKind uint8

// The kinds of joins; JoinCount waits for Join.Count successes.
const (
	JoinAll JoinKind = iota
	JoinAny
	JoinRace
	JoinCount
)

// A Join is a join's condition.
type Join struct {
	Kind  JoinKind
	Count *Code // of JoinCount: an int
}

// HistoryKind says what entering a composite resumes.
type HistoryKind uint8

// The kinds of history.
const (
	NoHistory HistoryKind = iota
	ShallowHistory
	DeepHistory
)

// A State is a state, a region, a parallel or a final state.
type State struct {
	Index    int
	Name     string // the last part of Path; "" for the root
	Path     string // from below the root, `a.b.c`; "" for the root
	Kind     StateKind
	Parent   int   // -1 for the root
	Children []int // in file order
	Initial  int   // of Composite and Region (and a root that holds states): a child; otherwise -1
	Outcome  Outcome
	Join     Join // of Parallel
	History  HistoryKind

	Entry, Exit *Code      // nil without one
	Handlers    []*Handler // in file order; `always` and timers are not among them
	Always      []*Always
	Timers      []*Timer // in file order; a state's `timeout` and `idle` are among them
	Never       bool     // `timeout never`
	Work        *Work    // of a Leaf, nil without
	Defer       []*Event

	Doc string
	Pos Pos // of the name, or of the keyword where there is none
}

// Reserved names a reserved event.
type Reserved uint8

// The reserved events. NotReserved: a declared one.
const (
	NotReserved Reserved = iota
	OnTimeout
	OnError
	OnCompleted
	OnJoined
	OnExpired
	OnCancel
)

// A Trigger is one event that a handler names.
type Trigger struct {
	Reserved Reserved
	Event    *Event // when NotReserved
}

// A Handler is `on EVENT, … [when G] [-> T] {…}`.
type Handler struct {
	Order    int // among all handlers, timers and `always` of the flow, by place in the file (after splicing)
	Triggers []Trigger
	Guard    *Code // nil: true
	Target   Target
	Block    *Code // nil: none
	Pos      Pos
}

// TargetKind says what a handler or a timer does with the state.
type TargetKind uint8

// The kinds of targets. Stay: no arrow; ToSelf: `-> self`.
const (
	Stay TargetKind = iota
	ToState
	ToSelf
)

// A Target is where a transition leads.
type Target struct {
	Kind  TargetKind
	State int // for ToState
	Pos   Pos
}

// An Always is an automatic transition.
type Always struct {
	Order  int
	Guard  *Code
	Target Target
	Block  *Code
	Pos    Pos
}

// TimerKind says what a timer of a state is.
type TimerKind uint8

// The kinds of timers that a state declares.
const (
	Timeout  TimerKind = iota // `timeout …`: fires the reserved event
	After                     // `after DUR …`
	At                        // `at TIME …`
	Every                     // `every DUR …`
	Calendar                  // `every day at …`
	Idle                      // `idle DUR`
)

// A Timer is one timer of a state. Dur and Time are what the kind takes: `after DUR`: Dur; `after DUR from TIME`: both;
// `at TIME`: Time. ReadsData says that Time reads a data field and so is evaluated again after each move that changed one of
// them (R18).
type Timer struct {
	Kind      TimerKind
	Order     int
	Name      string // the `as` name, "timeout", "idle", or ""
	Dur       *Code
	Time      *Code
	ReadsData []int // in Flow.Data
	For       *Code // of Every
	Times     *Code // of Every
	Days      []int // of Calendar: weekdays, Monday 0 … Sunday 6; all seven for `day`
	Clock     int   // of Calendar: seconds since local midnight
	Zone      *Code // of Calendar: a string
	Guard     *Code // of After and At
	Target    Target
	Block     *Code
	Pos       Pos
}

// WorkKind says what a leaf's work is.
type WorkKind uint8

// The kinds of work.
const (
	Do WorkKind = iota
	Run
	Invoke
)

// A Work is `do`, `run` or `invoke`.
type Work struct {
	Kind        WorkKind
	Task        *Task
	Flow        *Flow
	Args        *Code // yields a record: the task's or flow's input (with `each`: evaluated per item, the item is Local 0)
	Policy      *PolicyOverride
	May         []*Event
	Each        *Code // the list, nil without `each`
	Concurrency *Code // an int, nil: no limit
	Join        Join
	Key         *Code // of Invoke
	Routine     *Code // of Run
	Pos         Pos
}

// A PolicyOverride is what a use says of a task's policy; nil parts keep the declaration's.
type PolicyOverride struct {
	Within     *int64
	Retries    *int
	Backoff    *int64
	BackoffMax *int64
	Queue      *string
}

// A Code is a piece of code with a place of its own for locals: an expression (Result is set, Stmts nil) or a block (Stmts).
type Code struct {
	State  int // the state that holds it: `entered_at`, `schedule`'s visit and name look-up refer to it
	Locals []Local
	Result Expr
	Stmts  []Stmt
	Pos    Pos
}
