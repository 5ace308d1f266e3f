package grammar

import (
	"errors"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// production lists every construct that is read by the tags of its struct. It
// is never parsed itself: it makes participle build all of them at once.
type production struct {
	Import   *ImportDecl   `parser:"  @@"`
	Const    *ConstDecl    `parser:"| @@"`
	Enum     *EnumDecl     `parser:"| @@"`
	Type     *TypeDecl     `parser:"| @@"`
	Event    *EventDecl    `parser:"| @@"`
	Task     *TaskDecl     `parser:"| @@"`
	Fn       *FnDecl       `parser:"| @@"`
	Fragment *FragmentDecl `parser:"| @@"`
	Flow     *FlowDecl     `parser:"| @@"`
	Test     *TestDecl     `parser:"| @@"`
	Field    *Field        `parser:"| @@"`

	Data     *Data     `parser:"| @@"`
	Initial  *Initial  `parser:"| @@"`
	State    *State    `parser:"| @@"`
	Parallel *Parallel `parser:"| @@"`
	Region   *Region   `parser:"| @@"`
	Final    *Final    `parser:"| @@"`
	Use      *Use      `parser:"| @@"`
	Timeout  *Timeout  `parser:"| @@"`
	After    *After    `parser:"| @@"`
	At       *At       `parser:"| @@"`
	Every    *Every    `parser:"| @@"`
	Idle     *Idle     `parser:"| @@"`
	On       *On       `parser:"| @@"`
	Always   *Always   `parser:"| @@"`
	Entry    *Entry    `parser:"| @@"`
	Exit     *Exit     `parser:"| @@"`
	Do       *Do       `parser:"| @@"`
	Run      *Run      `parser:"| @@"`
	Invoke   *Invoke   `parser:"| @@"`
	Defer    *Defer    `parser:"| @@"`
	History  *History  `parser:"| @@"`

	Fails       *Fails       `parser:"| @@"`
	Within      *Within      `parser:"| @@"`
	Retry       *Retry       `parser:"| @@"`
	Queue       *Queue       `parser:"| @@"`
	May         *May         `parser:"| @@"`
	Key         *Key         `parser:"| @@"`
	Each        *Each        `parser:"| @@"`
	Concurrency *Concurrency `parser:"| @@"`
	Join        *Join        `parser:"| @@"`

	Unset      *UnsetStmt      `parser:"| @@"`
	If         *IfStmt         `parser:"| @@"`
	Else       *Else           `parser:"| @@"`
	For        *ForStmt        `parser:"| @@"`
	While      *WhileStmt      `parser:"| @@"`
	Break      *BreakStmt      `parser:"| @@"`
	Continue   *ContinueStmt   `parser:"| @@"`
	Raise      *RaiseStmt      `parser:"| @@"`
	Schedule   *ScheduleStmt   `parser:"| @@"`
	Unschedule *UnscheduleStmt `parser:"| @@"`
	Rearm      *RearmStmt      `parser:"| @@"`
	Dispatch   *DispatchStmt   `parser:"| @@"`
	Start      *StartStmt      `parser:"| @@"`
	Send       *SendStmt       `parser:"| @@"`
	Note       *NoteStmt       `parser:"| @@"`
	Refuse     *RefuseStmt     `parser:"| @@"`
	Fail       *FailStmt       `parser:"| @@"`
	Call       *CallWork       `parser:"| @@"`
	Wait       *WaitEvent      `parser:"| @@"`
	WaitBlock  *WaitBlock      `parser:"| @@"`
	WaitArm    *WaitArm        `parser:"| @@"`
	Sleep      *SleepStmt      `parser:"| @@"`
	Try        *TryStmt        `parser:"| @@"`
	Catch      *Catch          `parser:"| @@"`
	Go         *GoStmt         `parser:"| @@"`

	Child        *ChildRef     `parser:"| @@"`
	TestAt       *TestAt       `parser:"| @@"`
	TestMock     *TestMock     `parser:"| @@"`
	TestStart    *TestStart    `parser:"| @@"`
	TestSend     *TestSend     `parser:"| @@"`
	TestAdvance  *TestAdvance  `parser:"| @@"`
	TestClaim    *TestClaim    `parser:"| @@"`
	TestComplete *TestComplete `parser:"| @@"`
	TestFail     *TestFail     `parser:"| @@"`
	TestPause    *TestPause    `parser:"| @@"`
	TestResume   *TestResume   `parser:"| @@"`
	TestCancel   *TestCancel   `parser:"| @@"`
	TestRetry    *TestRetry    `parser:"| @@"`
	TestServer   *TestServer   `parser:"| @@"`

	State_     *ExpectState      `parser:"| @@"`
	Status     *ExpectStatus     `parser:"| @@"`
	FinalState *ExpectFinal      `parser:"| @@"`
	Outcome    *ExpectOutcome    `parser:"| @@"`
	Error      *ExpectError      `parser:"| @@"`
	Value      *ExpectValue      `parser:"| @@"`
	Timer      *ExpectTimer      `parser:"| @@"`
	NoTimers   *ExpectNoTimers   `parser:"| @@"`
	Refused    *ExpectRefused    `parser:"| @@"`
	Offered    *ExpectOffered    `parser:"| @@"`
	Dispatched *ExpectDispatched `parser:"| @@"`
	ChildState *ExpectChild      `parser:"| @@"`
	NoteText   *ExpectNote       `parser:"| @@"`
	Accepts    *ExpectAccepts    `parser:"| @@"`
}

// ruleSet holds the readers of all constructs by the word that begins them.
type ruleSet struct {
	decls   map[string]func(*lexer.PeekingLexer) (Decl, error)
	items   map[string]func(*lexer.PeekingLexer) (StateItem, error)
	stmts   map[string]func(*lexer.PeekingLexer) (Stmt, error)
	tests   map[string]func(*lexer.PeekingLexer) (TestStmt, error)
	expects map[string]func(*lexer.PeekingLexer) (Expectation, error)
	clauses map[string]func(*lexer.PeekingLexer, *Clauses) (node, bool, error)

	field     func(*lexer.PeekingLexer) (*Field, error)
	branch    func(*lexer.PeekingLexer) (*Else, error)
	catch     func(*lexer.PeekingLexer) (*Catch, error)
	call      func(*lexer.PeekingLexer) (*CallWork, error)
	wait      func(*lexer.PeekingLexer) (*WaitEvent, error)
	waitBlock func(*lexer.PeekingLexer) (*WaitBlock, error)
	waitArm   func(*lexer.PeekingLexer) (*WaitArm, error)
	child     func(*lexer.PeekingLexer) (*ChildRef, error)
	value     func(*lexer.PeekingLexer) (*ExpectValue, error)
	server    func(*lexer.PeekingLexer) (*TestServer, error)
}

var built struct {
	once sync.Once
	set  ruleSet
}

// rules gives the readers; they are built at the first use, which takes a few
// milliseconds, and shared by all goroutines.
func rules() *ruleSet {
	built.once.Do(func() { built.set = buildRules() })
	return &built.set
}

// EBNF is the grammar of the constructs that are read by their structs' tags,
// for the reference and for tests.
func EBNF() string { return newParser().String() }

// newParser builds the grammar from the tags. The grammar is left-factored, so
// no lookahead is needed: whatever has taken a token is committed to, and a
// fault stands where reading really stopped.
func newParser() *participle.Parser[production] {
	return participle.MustBuild[production](
		participle.Lexer(definition{}),
		participle.UseLookahead(0),
		participle.ParseTypeWith(readExpr),
		participle.ParseTypeWith(readType),
	)
}

var trailing = participle.AllowTrailing(true)

// read makes the reader of one construct.
func read[T any](p *participle.Parser[production]) func(*lexer.PeekingLexer) (*T, error) {
	parser, err := participle.ParserForProduction[T](p)
	return func(lex *lexer.PeekingLexer) (*T, error) {
		if err != nil {
			return nil, err
		}
		start := lex.MakeCheckpoint()
		item, err := parser.ParseFromLexer(lex, trailing)
		if err == nil {
			return item, nil
		}
		return item, located(lex, start, err)
	}
}

// located turns participle's error into a fault and moves the lexer to where it
// happened: after a failure it may stand at the start of the branch that failed.
func located(lex *lexer.PeekingLexer, start lexer.Checkpoint, err error) error {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return err
	}
	here := lex.MakeCheckpoint()
	lex.LoadCheckpoint(start)
	keyword := lex.Peek().Value
	lex.LoadCheckpoint(here)
	for t := lex.Peek(); !t.EOF() && t.Pos.Offset < unexpected.Unexpected.Pos.Offset; t = lex.Peek() {
		lex.Next()
	}
	return wordUnexpected(lex, keyword, unexpected)
}

// as makes a reader return a sum that its construct belongs to.
func as[S, T any](p *participle.Parser[production]) func(*lexer.PeekingLexer) (S, error) {
	one := read[T](p)
	return func(lex *lexer.PeekingLexer) (S, error) {
		item, err := one(lex)
		if item == nil {
			var none S
			return none, err
		}
		sum, _ := any(item).(S)
		return sum, err
	}
}
