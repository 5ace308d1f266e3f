package grammar

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

func buildRules() ruleSet {
	p := newParser()
	return ruleSet{
		decls: declRules(p), items: itemRules(p), stmts: stmtRules(p), tests: testRules(p),
		expects: expectRules(p), clauses: clauseRules(p),
		field: read[Field](p), branch: read[Else](p), catch: read[Catch](p), call: read[CallWork](p),
		wait: read[WaitEvent](p), waitBlock: read[WaitBlock](p), waitArm: read[WaitArm](p),
		child: read[ChildRef](p), value: read[ExpectValue](p), server: read[TestServer](p),
	}
}

func declRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer) (Decl, error) {
	return map[string]func(*lexer.PeekingLexer) (Decl, error){
		"import": as[Decl, ImportDecl](p), "const": as[Decl, ConstDecl](p), "enum": as[Decl, EnumDecl](p),
		"type": as[Decl, TypeDecl](p), "event": as[Decl, EventDecl](p), "internal": as[Decl, EventDecl](p),
		"task": as[Decl, TaskDecl](p), "fn": as[Decl, FnDecl](p), "fragment": as[Decl, FragmentDecl](p),
		"flow": as[Decl, FlowDecl](p), "test": as[Decl, TestDecl](p),
	}
}

func itemRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer) (StateItem, error) {
	return map[string]func(*lexer.PeekingLexer) (StateItem, error){
		"data": as[StateItem, Data](p), "initial": as[StateItem, Initial](p), "state": as[StateItem, State](p),
		"parallel": as[StateItem, Parallel](p), "region": as[StateItem, Region](p), "final": as[StateItem, Final](p),
		"use": as[StateItem, Use](p), "timeout": as[StateItem, Timeout](p), "after": as[StateItem, After](p),
		"at": as[StateItem, At](p), "every": as[StateItem, Every](p), "idle": as[StateItem, Idle](p),
		"on": as[StateItem, On](p), "always": as[StateItem, Always](p), "entry": as[StateItem, Entry](p),
		"exit": as[StateItem, Exit](p), "do": as[StateItem, Do](p), "run": as[StateItem, Run](p),
		"invoke": as[StateItem, Invoke](p), "defer": as[StateItem, Defer](p), "history": as[StateItem, History](p),
	}
}

func stmtRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer) (Stmt, error) {
	return map[string]func(*lexer.PeekingLexer) (Stmt, error){
		"unset": as[Stmt, UnsetStmt](p), "if": as[Stmt, IfStmt](p), "for": as[Stmt, ForStmt](p),
		"while": as[Stmt, WhileStmt](p), "break": as[Stmt, BreakStmt](p), "continue": as[Stmt, ContinueStmt](p),
		"raise": as[Stmt, RaiseStmt](p), "schedule": as[Stmt, ScheduleStmt](p),
		"unschedule": as[Stmt, UnscheduleStmt](p), "rearm": as[Stmt, RearmStmt](p),
		"dispatch": as[Stmt, DispatchStmt](p), "start": as[Stmt, StartStmt](p), "send": as[Stmt, SendStmt](p),
		"note": as[Stmt, NoteStmt](p), "refuse": as[Stmt, RefuseStmt](p), "fail": as[Stmt, FailStmt](p),
		"call": as[Stmt, CallWork](p), "sleep": as[Stmt, SleepStmt](p), "try": as[Stmt, TryStmt](p),
		"go": as[Stmt, GoStmt](p), "wait": as[Stmt, WaitEvent](p), "let": readLet,
	}
}

func testRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer) (TestStmt, error) {
	server := as[TestStmt, TestServer](p)
	return map[string]func(*lexer.PeekingLexer) (TestStmt, error){
		"at": as[TestStmt, TestAt](p), "mock": as[TestStmt, TestMock](p), "start": as[TestStmt, TestStart](p),
		"send": as[TestStmt, TestSend](p), "advance": as[TestStmt, TestAdvance](p), "claim": as[TestStmt, TestClaim](p),
		"complete": as[TestStmt, TestComplete](p), "fail": as[TestStmt, TestFail](p), "pause": as[TestStmt, TestPause](p),
		"resume": as[TestStmt, TestResume](p), "cancel": as[TestStmt, TestCancel](p), "retry": as[TestStmt, TestRetry](p),
		"restart": server, "stop": server, "expect": readExpect,
	}
}

func expectRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer) (Expectation, error) {
	return map[string]func(*lexer.PeekingLexer) (Expectation, error){
		"state": as[Expectation, ExpectState](p), "status": as[Expectation, ExpectStatus](p),
		"final": as[Expectation, ExpectFinal](p), "outcome": as[Expectation, ExpectOutcome](p),
		"error": as[Expectation, ExpectError](p), "timer": as[Expectation, ExpectTimer](p),
		"no": as[Expectation, ExpectNoTimers](p), "refused": as[Expectation, ExpectRefused](p),
		"offered": as[Expectation, ExpectOffered](p), "dispatched": as[Expectation, ExpectDispatched](p),
		"child": as[Expectation, ExpectChild](p), "note": as[Expectation, ExpectNote](p),
		"accepts": as[Expectation, ExpectAccepts](p),
	}
}

// clause makes the reader of one clause; it reports whether the clause stands a
// second time.
func clause[T any](p *participle.Parser[production], slot func(*Clauses) **T) func(*lexer.PeekingLexer, *Clauses) (node, bool, error) {
	one := read[T](p)
	return func(lex *lexer.PeekingLexer, c *Clauses) (node, bool, error) {
		start := lex.RawCursor()
		read, err := one(lex)
		at := slot(c)
		twice := *at != nil
		if !twice && read != nil {
			*at = read
		}
		return node{Tokens: from(lex, start)}, twice, err
	}
}

func clauseRules(p *participle.Parser[production]) map[string]func(*lexer.PeekingLexer, *Clauses) (node, bool, error) {
	return map[string]func(*lexer.PeekingLexer, *Clauses) (node, bool, error){
		"fails":       clause(p, func(c *Clauses) **Fails { return &c.Fails }),
		"within":      clause(p, func(c *Clauses) **Within { return &c.Within }),
		"retry":       clause(p, func(c *Clauses) **Retry { return &c.Retry }),
		"queue":       clause(p, func(c *Clauses) **Queue { return &c.Queue }),
		"may":         clause(p, func(c *Clauses) **May { return &c.May }),
		"key":         clause(p, func(c *Clauses) **Key { return &c.Key }),
		"each":        clause(p, func(c *Clauses) **Each { return &c.Each }),
		"concurrency": clause(p, func(c *Clauses) **Concurrency { return &c.Concurrency }),
		"join":        clause(p, func(c *Clauses) **Join { return &c.Join }),
	}
}
