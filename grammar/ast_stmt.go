package grammar

// Stmt is a statement of an action block or a routine. The parser takes all
// statements in all blocks; which of them may wait is the validator's to say.
type Stmt interface {
	Node
	stmt()
}

// Block is a braced list of statements.
type Block struct {
	region
	Stmts []Stmt
}

// AssignStmt is `x = value`, `x.f = value`, `x[i] = value` and their like.
// Target is a [*NameExpr], [*SelectExpr] or [*IndexExpr]. Value may be a
// [*CallWork] or a [*WaitEvent].
type AssignStmt struct {
	node
	Target Expr
	Value  Expr
}

// UnsetStmt is `unset x["k"]`.
type UnsetStmt struct {
	node
	Target Expr `parser:"'unset' @@"`
}

// LetStmt is `let NAME[: TYPE] = value`. Value may be a [*CallWork] or a
// [*WaitEvent].
type LetStmt struct {
	node
	Name  *Ident   `parser:"'let' @@"`
	Type  TypeExpr `parser:"( Colon @@ )?"`
	Value Expr
}

// IfStmt is `if COND {…}` with its `else if` and `else` branches in order.
type IfStmt struct {
	node
	Cond Expr    `parser:"'if' (?! LBrace) @@"`
	Then *Block  `parser:"@@"`
	Else []*Else `parser:"@@*"`
}

// Else is `else if COND {…}`, or `else {…}` when Cond is nil.
type Else struct {
	node
	Cond Expr   `parser:"( Elif (?! LBrace) @@ | 'else' ( 'if' (?! LBrace) @@ )? )"`
	Body *Block `parser:"@@"`
}

// ForStmt is `for NAME in LIST {…}`.
type ForStmt struct {
	node
	Var  *Ident `parser:"'for' @@"`
	List Expr   `parser:"'in' (?! LBrace) @@"`
	Body *Block `parser:"@@"`
}

// WhileStmt is `while COND {…}`.
type WhileStmt struct {
	node
	Cond Expr   `parser:"'while' (?! LBrace) @@"`
	Body *Block `parser:"@@"`
}

// BreakStmt is `break`.
type BreakStmt struct {
	node
	Word string `parser:"@'break'"`
}

// ContinueStmt is `continue`.
type ContinueStmt struct {
	node
	Word string `parser:"@'continue'"`
}

// RaiseStmt is `raise EVENT(args)`.
type RaiseStmt struct {
	node
	Event *Call `parser:"'raise' @@"`
}

// ScheduleStmt is `schedule EVENT(args) after DUR` or `… at TIME`.
type ScheduleStmt struct {
	node
	Event *Call `parser:"'schedule' @@"`
	After Expr  `parser:"( 'after' @@"`
	At    Expr  `parser:"| 'at' @@ )"`
}

// UnscheduleStmt is `unschedule EVENT`.
type UnscheduleStmt struct {
	node
	Event *Path `parser:"'unschedule' @@"`
}

// RearmStmt is `rearm NAME`; the name may be `timeout`.
type RearmStmt struct {
	node
	Timer *Path `parser:"'rearm' @@"`
}

// DispatchStmt is `dispatch TASK(args) [policy]`. Its clauses are within, retry
// and queue.
type DispatchStmt struct {
	node
	Call    *Call   `parser:"'dispatch' @@"`
	Clauses Clauses `parser:"@@"`
}

// StartStmt is `start FLOW(args) [key EXPR [keep]] [after DUR | at TIME]`.
type StartStmt struct {
	node
	Flow  *Call `parser:"'start' @@"`
	Key   Expr  `parser:"( 'key' @@"`
	Keep  bool  `parser:"  @'keep'? )?"`
	After Expr  `parser:"( 'after' @@"`
	At    Expr  `parser:"| 'at' @@ )?"`
}

// SendStmt is `send EVENT(args) to FLOW[KEY]` or `… to parent`.
type SendStmt struct {
	node
	Event  *Call `parser:"'send' @@"`
	Parent bool  `parser:"'to' ( @'parent'"`
	Flow   *Path `parser:"| @@"`
	Key    Expr  `parser:"  LBrack @@ RBrack )"`
}

// NoteStmt is `note TEXT`.
type NoteStmt struct {
	node
	Text Expr `parser:"'note' @@"`
}

// RefuseStmt is `refuse TEXT`.
type RefuseStmt struct {
	node
	Text Expr `parser:"'refuse' @@"`
}

// FailStmt is `fail TEXT`.
type FailStmt struct {
	node
	Text Expr `parser:"'fail' @@"`
}

// CallWork is `call TASK(args) [policy]` or `call FLOW(args)`: a statement of
// its own, or the value of a let or an assignment. Its clauses are within,
// retry, queue, each and concurrency.
type CallWork struct {
	node
	Call    *Call   `parser:"'call' @@"`
	Clauses Clauses `parser:"@@"`
}

// WaitEvent is `wait EVENT [for DUR | until TIME]`: a statement of its own, or
// the value of a let or an assignment.
type WaitEvent struct {
	node
	Event *Path `parser:"'wait' @@"`
	For   Expr  `parser:"( 'for' @@"`
	Until Expr  `parser:"| 'until' @@ )?"`
}

// WaitBlock is `wait { on EVENT [when COND] {…} … after DUR {…} }`.
type WaitBlock struct {
	node
	Body *WaitBody `parser:"'wait' @@"`
}

// WaitBody is the braced list of a wait's arms.
type WaitBody struct {
	region
	Arms []*WaitArm
}

// WaitArm is `on EVENT, … [when COND] {…}` (Events is set) or `after DUR {…}`
// (After is set).
type WaitArm struct {
	node
	Events []*Path `parser:"( 'on' @@ ( Comma @@ )*"`
	After  Expr    `parser:"| 'after' @@ )"`
	When   *When   `parser:"@@?"`
	Body   *Block  `parser:"@@"`
}

// SleepStmt is `sleep DUR` or `sleep until TIME`.
type SleepStmt struct {
	node
	Until Expr `parser:"'sleep' ( 'until' @@"`
	Dur   Expr `parser:"| @@ )"`
}

// TryStmt is `try {…} catch … {…}`.
type TryStmt struct {
	node
	Body    *Block   `parser:"'try' @@"`
	Catches []*Catch `parser:"@@*"`
}

// Catch is `catch ["code", …] [as NAME] {…}`; no codes means any error.
type Catch struct {
	node
	Word  string       `parser:"@'catch'"`
	Codes []*StringLit `parser:"( @@ ( Comma @@ )* )?"`
	As    *Ident       `parser:"( 'as' @@ )?"`
	Body  *Block       `parser:"@@"`
}

// GoStmt is `go STATE`.
type GoStmt struct {
	node
	Target *Path `parser:"'go' @@"`
}

func (*AssignStmt) stmt()     {}
func (*UnsetStmt) stmt()      {}
func (*LetStmt) stmt()        {}
func (*IfStmt) stmt()         {}
func (*ForStmt) stmt()        {}
func (*WhileStmt) stmt()      {}
func (*BreakStmt) stmt()      {}
func (*ContinueStmt) stmt()   {}
func (*RaiseStmt) stmt()      {}
func (*ScheduleStmt) stmt()   {}
func (*UnscheduleStmt) stmt() {}
func (*RearmStmt) stmt()      {}
func (*DispatchStmt) stmt()   {}
func (*StartStmt) stmt()      {}
func (*SendStmt) stmt()       {}
func (*NoteStmt) stmt()       {}
func (*RefuseStmt) stmt()     {}
func (*FailStmt) stmt()       {}
func (*CallWork) stmt()       {}
func (*WaitEvent) stmt()      {}
func (*WaitBlock) stmt()      {}
func (*SleepStmt) stmt()      {}
func (*TryStmt) stmt()        {}
func (*GoStmt) stmt()         {}
