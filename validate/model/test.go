package model

// A Test is one test block. Its code reads no locals; that of a token's statements reads the data and inputs of the token's flow.
type Test struct {
	Name  string
	Stmts []TestStmt
	Pos   Pos
}

// A TestStmt is one statement of a test block: one of the types below.
type TestStmt interface{ Position() Pos }

// A Subject says which token a statement is about.
type Subject struct {
	Label string // "": the token started last without a label, or the last one
	Flow  *Flow  // the flow that the token runs, nil when there is none yet
	Child *Flow  // with `child FLOW N:` the Nth child of that flow of the subject, otherwise nil
	N     int    // from 1
}

type (
	// A TestAt sets the clock before the first start.
	TestAt struct {
		Placed
		Time *Code
	}
	// A TestMock is `mock TASK …` or `mock FLOW final NAME …`. Times is 0 without `N times`.
	TestMock struct {
		Placed
		Task   *Task
		Flow   *Flow
		Result *Code  // a record of the task's or the flow's results, nil for none
		Code   string // of `fails`
		Fails  bool
		Final  string
		Times  int
	}
	// A TestStart is `start FLOW(args) [key EXPR] [as NAME] [after DUR]`.
	TestStart struct {
		Placed
		Flow  *Flow
		Args  *Code
		Key   *Code
		Label string
		After *Code
	}
	// A TestSend is `send EVENT(args) [as "actor"]`; Expect refused when it stands in an `expect refused`.
	TestSend struct {
		Placed
		Subject Subject
		Event   *Event
		Args    *Code
		Actor   string
	}
	// A TestAdvance moves the clock by By or to To.
	TestAdvance struct {
		Placed
		By, To *Code
	}
	// A TestTask is `claim`, `complete` or `fail` of a task.
	TestTask struct {
		Placed
		Subject Subject
		Op      TaskOp
		Task    *Task
		Match   []ArgMatch // arguments given, by the index of the parameter; none: any
		Result  *Code      // of complete … with (…)
		Event   *Event     // of complete … with EVENT(…)
		Args    *Code
		Code    string // of fail
		NoRetry bool
	}
	// A TestControl is `pause`, `resume`, `cancel ["reason"]`, `retry [at STATE]`.
	TestControl struct {
		Placed
		Subject Subject
		Op      ControlOp
		Reason  string
		State   int // of retry at, -1 without
	}
	// A TestServer is `restart server`, `stop server`, `start server`.
	TestServer struct {
		Placed
		Op ServerOp
	}
	// An Expect is `expect [not] …`.
	Expect struct {
		Placed
		Subject Subject
		Not     bool
		What    Expectation
		Text    string // the expectation as written, for the message
	}
)

// TaskOp names a statement about a task.
type TaskOp uint8

// The statements about tasks.
const (
	ClaimTask TaskOp = iota
	CompleteTask
	FailTask
)

// ControlOp names a control statement.
type ControlOp uint8

// The control statements.
const (
	Pause ControlOp = iota
	Resume
	Cancel
	Retry
)

// ServerOp names a statement about the server.
type ServerOp uint8

// The statements about the server.
const (
	RestartServer ServerOp = iota
	StopServer
	StartServer
)

// An ArgMatch is one argument that an offer must have.
type ArgMatch struct {
	Param int
	Value *Code
}

// An Expectation is what an Expect looks at: one of the types below.
type Expectation any

type (
	// ExpectStates: the active states include these.
	ExpectStates struct{ States []int }
	// ExpectStatus: running, paused, scheduled, completed, failed or cancelled.
	ExpectStatus struct{ Status string }
	// ExpectFinal: the final state it ended in.
	ExpectFinal struct{ State int }
	// ExpectOutcome: success, failure or cancelled.
	ExpectOutcome struct{ Outcome Outcome }
	// ExpectError: the code that it failed with.
	ExpectError struct{ Code string }
	// ExpectTrue: a bool expression over inputs and data. When it is a comparison, Left and Right are its sides, for the message.
	ExpectTrue struct{ Cond, Left, Right *Code }
	// ExpectTimer: a timer that is due in In from now or at At. State is -1 for `timeout` and `idle` without a path: of the
	// innermost active state that has one. Name is "timeout", "idle", an `as` name or an event's name; "" for a state's only other timer.
	ExpectTimer struct {
		State  int
		Name   string
		In, At *Code
	}
	// ExpectNoTimers: nothing is armed.
	ExpectNoTimers struct{}
	// ExpectRefused: the event is sent and refused, with this reason when HasText.
	ExpectRefused struct {
		Event   *Event
		Args    *Code
		Actor   string
		Text    string
		HasText bool
	}
	// ExpectOffered: offers of a state's work, or dispatched work. Times is -1 when any number from 1 will do.
	ExpectOffered struct {
		Task       *Task
		Match      []ArgMatch
		Times      int
		Dispatched bool
	}
	// ExpectChild: children of that flow, in State when it is not -1. Times as in ExpectOffered.
	ExpectChild struct {
		Flow  *Flow
		State int
		Times int
	}
	// ExpectNote: a note with this text.
	ExpectNote struct{ Text string }
	// ExpectAccepts: all these events would be taken now.
	ExpectAccepts struct{ Events []*Event }
)
