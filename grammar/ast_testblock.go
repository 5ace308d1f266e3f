package grammar

// TestStmt is a statement of a test block.
type TestStmt interface {
	Node
	testStmt()
}

// TestBody is the braced body of a test.
type TestBody struct {
	region
	Lines []*TestLine
}

// TestLine is one statement with the token that it is about: `NAME: stmt`
// (Label), `child FLOW N: stmt` (Child) or neither.
type TestLine struct {
	node
	Label *Ident
	Child *ChildRef
	Stmt  TestStmt
}

// ChildRef is `child FLOW N:`; N counts from 1.
type ChildRef struct {
	node
	Flow *Path    `parser:"'child' @@"`
	N    *Literal `parser:"@@ Colon"`
}

// TestAt is `at TIME`, the clock's start.
type TestAt struct {
	node
	Time Expr `parser:"'at' @@"`
}

// TestMock is `mock TASK -> (…)`, `mock TASK fails "code"` or `mock FLOW final
// NAME [-> (…)]`, each with an optional `N times`.
type TestMock struct {
	node
	Name    *Path      `parser:"'mock' @@"`
	Fails   *StringLit `parser:"( 'fails' @@"`
	Final   *Ident     `parser:"| 'final' @@ )?"`
	Results *Args      `parser:"( Arrow @@ )?"`
	Times   *Count     `parser:"@@?"`
}

// Count is `N times`.
type Count struct {
	node
	N *Literal `parser:"@@ 'times'"`
}

// TestStart is `start FLOW(args) [key EXPR] [as NAME] [after DUR]`.
type TestStart struct {
	node
	Flow  *Call  `parser:"'start' @@"`
	Key   Expr   `parser:"( 'key' @@ )?"`
	As    *Ident `parser:"( 'as' @@ )?"`
	After Expr   `parser:"( 'after' @@ )?"`
}

// TestSend is `send EVENT(args) [as "actor"]`.
type TestSend struct {
	node
	Event *Call      `parser:"'send' @@"`
	As    *StringLit `parser:"( 'as' @@ )?"`
}

// TestAdvance is `advance DUR` or `advance to TIME`.
type TestAdvance struct {
	node
	To  Expr `parser:"'advance' ( 'to' @@"`
	Dur Expr `parser:"| @@ )"`
}

// TestClaim is `claim TASK`.
type TestClaim struct {
	node
	Task *Path `parser:"'claim' @@"`
}

// TestComplete is `complete TASK[(args)]`, with an optional `with (field:
// value)` (Results) or `with EVENT(args)` (Event).
type TestComplete struct {
	node
	Task    *Call `parser:"'complete' @@"`
	Results *Args `parser:"( 'with' ( @@"`
	Event   *Call `parser:"| @@ ) )?"`
}

// TestFail is `fail TASK[(args)] "code" [no retry]`.
type TestFail struct {
	node
	Task    *Call      `parser:"'fail' @@"`
	Code    *StringLit `parser:"@@"`
	NoRetry bool       `parser:"( @'no' 'retry' )?"`
}

// TestPause is `pause`.
type TestPause struct {
	node
	Word string `parser:"@'pause'"`
}

// TestResume is `resume`.
type TestResume struct {
	node
	Word string `parser:"@'resume'"`
}

// TestCancel is `cancel ["reason"]`.
type TestCancel struct {
	node
	Word   string     `parser:"@'cancel'"`
	Reason *StringLit `parser:"@@?"`
}

// TestRetry is `retry [at STATE]`.
type TestRetry struct {
	node
	Word  string `parser:"@'retry'"`
	State *Path  `parser:"( 'at' @@ )?"`
}

// TestServer is `restart server`, `stop server` or `start server`; Action is
// the first word.
type TestServer struct {
	node
	Action string `parser:"@( 'restart' | 'stop' | 'start' ) 'server'"`
}

// TestExpect is `expect [not] …`. Before a plain expression `not` belongs to
// the expression, and Not is false.
type TestExpect struct {
	node
	Not  bool
	What Expectation
}

// Expectation is what an expect looks at.
type Expectation interface {
	Node
	expectation()
}

// ExpectState is `state NAME, …`.
type ExpectState struct {
	node
	States []*Path `parser:"'state' @@ ( Comma @@ )*"`
}

// ExpectStatus is `status NAME`.
type ExpectStatus struct {
	node
	Status *Ident `parser:"'status' @@"`
}

// ExpectFinal is `final NAME`.
type ExpectFinal struct {
	node
	Name *Path `parser:"'final' @@"`
}

// ExpectOutcome is `outcome NAME`.
type ExpectOutcome struct {
	node
	Outcome *Ident `parser:"'outcome' @@"`
}

// ExpectError is `error "code"`.
type ExpectError struct {
	node
	Code *StringLit `parser:"'error' @@"`
}

// ExpectValue is a boolean expression.
type ExpectValue struct {
	node
	X Expr `parser:"@@"`
}

// ExpectTimer is `timer NAME in DUR` or `timer NAME at TIME`.
type ExpectTimer struct {
	node
	Timer *Path `parser:"'timer' @@"`
	In    Expr  `parser:"( 'in' @@"`
	At    Expr  `parser:"| 'at' @@ )"`
}

// ExpectNoTimers is `no timers`.
type ExpectNoTimers struct {
	node
	Word string `parser:"@'no' 'timers'"`
}

// ExpectRefused is `refused EVENT(args) ["text"]`.
type ExpectRefused struct {
	node
	Event *Call      `parser:"'refused' @@"`
	Text  *StringLit `parser:"@@?"`
}

// ExpectOffered is `offered TASK[(args)] [N times]`.
type ExpectOffered struct {
	node
	Task  *Call  `parser:"'offered' @@"`
	Times *Count `parser:"@@?"`
}

// ExpectDispatched is `dispatched TASK[(args)] [N times]`.
type ExpectDispatched struct {
	node
	Task  *Call  `parser:"'dispatched' @@"`
	Times *Count `parser:"@@?"`
}

// ExpectChild is `child FLOW [state NAME] [N times]`.
type ExpectChild struct {
	node
	Flow  *Path  `parser:"'child' @@"`
	State *Path  `parser:"( 'state' @@ )?"`
	Times *Count `parser:"@@?"`
}

// ExpectNote is `note "text"`.
type ExpectNote struct {
	node
	Text *StringLit `parser:"'note' @@"`
}

// ExpectAccepts is `accepts EVENT, …`.
type ExpectAccepts struct {
	node
	Events []*Path `parser:"'accepts' @@ ( Comma @@ )*"`
}

func (*TestAt) testStmt()       {}
func (*TestMock) testStmt()     {}
func (*TestStart) testStmt()    {}
func (*TestSend) testStmt()     {}
func (*TestAdvance) testStmt()  {}
func (*TestClaim) testStmt()    {}
func (*TestComplete) testStmt() {}
func (*TestFail) testStmt()     {}
func (*TestPause) testStmt()    {}
func (*TestResume) testStmt()   {}
func (*TestCancel) testStmt()   {}
func (*TestRetry) testStmt()    {}
func (*TestServer) testStmt()   {}
func (*TestExpect) testStmt()   {}

func (*ExpectState) expectation()      {}
func (*ExpectStatus) expectation()     {}
func (*ExpectFinal) expectation()      {}
func (*ExpectOutcome) expectation()    {}
func (*ExpectError) expectation()      {}
func (*ExpectValue) expectation()      {}
func (*ExpectTimer) expectation()      {}
func (*ExpectNoTimers) expectation()   {}
func (*ExpectRefused) expectation()    {}
func (*ExpectOffered) expectation()    {}
func (*ExpectDispatched) expectation() {}
func (*ExpectChild) expectation()      {}
func (*ExpectNote) expectation()       {}
func (*ExpectAccepts) expectation()    {}
