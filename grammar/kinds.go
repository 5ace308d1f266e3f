package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// itemWords are the words that begin a declaration, an item of a state, or a
// statement of either kind.
var itemWords = wordSet(`
	import const enum type event internal task fn fragment flow test
	data initial state parallel region final use timeout after at every idle on always entry exit do run invoke
	defer history
	unset if for while break continue raise schedule unschedule rearm dispatch start send note refuse fail call
	sleep try go wait let
	mock advance claim complete pause resume cancel restart stop expect`)

var (
	declarations = &regionKind[Decl]{one: readDecl, starts: startsDecl}
	stateItems   = &regionKind[StateItem]{one: readItem, starts: startsItem}
	statements   = &regionKind[Stmt]{one: readStmt, starts: startsStmt}
	fields       = &regionKind[*Field]{one: readField, starts: startsField}
	enumValues   = &regionKind[*Ident]{one: readEnumValue, starts: startsField}
	waitArms     = &regionKind[*WaitArm]{one: readArm, starts: startsArm}
	testLines    = &regionKind[*TestLine]{one: readTestLine, starts: startsTestLine}
)

// The tables refer to the readers and these, through the blocks inside, to the
// tables; so the words are looked up in sets of their own.
var (
	declWords  = wordSet("import const enum type event internal task fn fragment flow test")
	stateWords = wordSet("data initial state parallel region final use timeout after at every idle on always entry exit do run invoke defer history")
	stmtWords  = wordSet("unset if for while break continue raise schedule unschedule rearm dispatch start send note refuse fail call sleep try go wait let")
	testWords  = wordSet("at mock start send advance claim complete fail pause resume cancel retry restart stop expect")
)

func startsDecl(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	return t.Type == Ident_ && declWords[t.Value]
}

func startsItem(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	return t.Type == Ident_ && stateWords[t.Value]
}

func startsStmt(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	if t.Type != Ident_ {
		return false
	}
	return stmtWords[t.Value] || onNewLine(lex) && startsAssignment(peekSecond(lex).Type)
}

func startsField(lex *lexer.PeekingLexer) bool {
	return lex.Peek().Type == Ident_ && (onNewLine(lex) || peekSecond(lex).Type == Colon)
}

func startsArm(lex *lexer.PeekingLexer) bool {
	return isWord(lex.Peek(), "on") || isWord(lex.Peek(), "after")
}

func startsTestLine(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	return t.Type == Ident_ && (testWords[t.Value] || onNewLine(lex))
}

func readDecl(lex *lexer.PeekingLexer) (Decl, error) {
	t := lex.Peek()
	if rule, ok := rules().decls[t.Value]; ok && t.Type == Ident_ {
		return rule(lex)
	}
	return nil, wordUnknown(lex, "declaration", declWords)
}

func readItem(lex *lexer.PeekingLexer) (StateItem, error) {
	t := lex.Peek()
	if rule, ok := rules().items[t.Value]; ok && t.Type == Ident_ {
		return softly(lex, rule)
	}
	err := wordUnknown(lex, "item", stateWords)
	f, ok := err.(*faultError)
	if !ok || len(respelt("item", t, peekSecond(lex))) == 0 {
		return nil, err
	}
	t.Value = ownWords["item"][t.Value] // read as what it is called here, so that what names it finds it
	item, err := rules().items[t.Value](lex)
	if err == nil {
		err = &softError{*f}
	}
	return item, err
}

func readStmt(lex *lexer.PeekingLexer) (Stmt, error) {
	t := lex.Peek()
	if t.Type != Ident_ {
		return nil, wordUnknown(lex, "statement", stmtWords)
	}
	second := peekSecond(lex)
	if startsAssignment(second.Type) {
		return readAssignOr(lex)
	}
	if t.Value == "wait" && second.Type == LBrace {
		return asSum[Stmt](rules().waitBlock(lex))
	}
	if rule, ok := rules().stmts[t.Value]; ok {
		return softly(lex, rule)
	}
	err := wordUnknown(lex, "statement", stmtWords)
	if f, ok := err.(*faultError); ok && beginsLocal(lex, t, second) {
		let, err := readLet(lex)
		if err == nil {
			err = &softError{*f}
		}
		return let, err
	}
	return nil, err
}

// beginsLocal says whether a statement is a local in the words of another
// language: `var x = 1`, `int x = 1`.
func beginsLocal(lex *lexer.PeekingLexer, t, second *lexer.Token) bool {
	if second.Type != Ident_ || ownWords["statement"][t.Value] == "" && valueTypes[t.Value] == "" {
		return false
	}
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	lex.Next()
	return peekSecond(lex).Type == Assign
}

// softly reads an item behind whose keyword another language would write `:` or
// `=`: that is reported, and the item is read as if it were not there.
func softly[T item](lex *lexer.PeekingLexer, rule func(*lexer.PeekingLexer) (T, error)) (T, error) {
	second := peekSecond(lex)
	if second.Type != Colon && second.Type != Assign {
		return rule(lex)
	}
	word := lex.Peek()
	span := tokenSpan(second)
	soft := &softError{faultError{Fault{ID: IDSyntax, Span: span,
		Message: fmt.Sprintf("there is no `%s` after `%s`", second.Value, word.Value), Help: synopsis[word.Value],
		Fixes: []Fix{{Title: "remove it", Edits: []Edit{{Span{tokenSpan(word).End, span.End}, ""}}}}}}}
	second.Type = struck
	if peekSecond(lex).Pos.Offset == span.End {
		soft.Fixes[0].Edits[0].Text = " "
	}
	read, err := rule(lex)
	if err != nil {
		return read, err
	}
	return read, soft
}

// asSum returns what a reader gave as a sum, without a typed nil.
func asSum[S any, T any](read *T, err error) (S, error) {
	sum, _ := any(read).(S)
	if read == nil {
		var none S
		return none, err
	}
	return sum, err
}

// readAssignOr reads an assignment, which a word with `[` behind it begins before any other reading. Where it is none and the word
// begins a statement, as in `if [] == x { … }`, that is read and the parentheses are reported that it lacks.
func readAssignOr(lex *lexer.PeekingLexer) (Stmt, error) {
	here, t := lex.MakeCheckpoint(), lex.Peek()
	s, err := readAssign(lex)
	rule, ok := rules().stmts[t.Value]
	if err == nil || !ok || peekFrom(lex, here).Type != LBrack {
		return s, err
	}
	after := lex.MakeCheckpoint()
	if span := valueBehind(lex, here); span.Len() > 0 {
		lex.LoadCheckpoint(here)
		if read, failed := rule(lex); failed == nil {
			return read, &softError{faultError{Fault{ID: IDSyntax, Span: Span{tokenSpan(t).Start, span.End},
				Message: fmt.Sprintf("`%s [` begins an assignment to a part of a field called `%s`, so a value behind `%s` cannot begin with `[`", t.Value, t.Value, t.Value),
				Help:    "put the value in parentheses",
				Fixes:   []Fix{{"put it in parentheses", []Edit{{Span{span.Start, span.Start}, "("}, {Span{span.End, span.End}, ")"}}}}}}}
		}
	}
	lex.LoadCheckpoint(after)
	return s, err
}

// peekFrom looks at the token behind the one at a checkpoint.
func peekFrom(lex *lexer.PeekingLexer, at lexer.Checkpoint) *lexer.Token {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	lex.LoadCheckpoint(at)
	return peekSecond(lex)
}

// valueBehind is where the value stands behind the word at a checkpoint; empty when there is none.
func valueBehind(lex *lexer.PeekingLexer, at lexer.Checkpoint) Span {
	lex.LoadCheckpoint(at)
	lex.Next()
	start := tokenSpan(lex.Peek()).Start
	if _, err := (&exprReader{lex: lex}).expr(); err != nil {
		return Span{}
	}
	return Span{start, tokenSpan(previous(lex)).End}
}

func readAssign(lex *lexer.PeekingLexer) (Stmt, error) {
	start := lex.RawCursor()
	s := new(AssignStmt)
	var err error
	if s.Target, err = readTarget(lex); err != nil {
		return nil, err
	}
	if !acceptKind(lex, Assign) {
		return nil, wordTarget(lex, s.Target)
	}
	s.Value, err = readValue(lex)
	s.Tokens = from(lex, start)
	return s, err
}

// readLet reads a let by hand, because its value may be a call or a wait.
func readLet(lex *lexer.PeekingLexer) (Stmt, error) {
	start := lex.RawCursor()
	lex.Next()
	s := new(LetStmt)
	var err error
	if s.Name, err = readIdent(lex); err != nil {
		return s, err
	}
	var soft error
	if colon := lex.Peek(); colon.Type == Colon && peekSecond(lex).Type == Assign {
		lex.Next()
		span := Span{tokenSpan(colon).Start, tokenSpan(lex.Peek()).End}
		soft = &softError{faultError{Fault{ID: IDSyntax, Span: span, Message: "there is no `:=`", Help: fmt.Sprintf("write `let %s = …`", s.Name.Text), Fixes: []Fix{replace(span, "=")}}}}
	} else if acceptKind(lex, Colon) {
		s.Type, err = readType(lex)
		if err == participle.NextMatch {
			err = missing(lex, "a type")
		}
		if err != nil {
			return s, err
		}
	}
	if !acceptKind(lex, Assign) {
		return s, missing(lex, "`=` and a value")
	}
	s.Value, err = readValue(lex)
	s.Tokens = from(lex, start)
	if err == nil {
		err = soft
	}
	return s, err
}

// readValue reads what may stand behind the `=` of a let or an assignment:
// `call` and `wait` are keywords where a name follows.
func readValue(lex *lexer.PeekingLexer) (Expr, error) {
	t := lex.Peek()
	if t.Type == Ident_ && peekSecond(lex).Type == Ident_ {
		switch t.Value {
		case "call":
			return asSum[Expr](rules().call(lex))
		case "wait":
			return asSum[Expr](rules().wait(lex))
		}
	}
	x, err := readExpr(lex)
	if err == participle.NextMatch {
		err = missing(lex, "a value")
	}
	return x, err
}

// readField reads a field of a braced list, where commas are optional.
func readField(lex *lexer.PeekingLexer) (*Field, error) {
	if t := lex.Peek(); t.Type != Ident_ {
		return nil, missing(lex, "a field (`name: type`)")
	}
	f, err := rules().field(lex)
	if err == nil {
		acceptKind(lex, Comma)
	}
	return f, err
}

func readEnumValue(lex *lexer.PeekingLexer) (*Ident, error) {
	name, err := readIdent(lex)
	if err == nil {
		acceptKind(lex, Comma)
	}
	return name, err
}

func readArm(lex *lexer.PeekingLexer) (*WaitArm, error) {
	if !startsArm(lex) {
		return nil, faultAt(tokenSpan(lex.Peek()), fmt.Sprintf("found `%s` in a wait", lex.Peek().Value),
			"a wait holds `on EVENT {…}` and `after DUR {…}`")
	}
	return rules().waitArm(lex)
}

// Parse implements participle.Parseable. It reads clauses in any order; it
// takes a word as a clause unless the word begins an assignment.
func (n *Clauses) Parse(lex *lexer.PeekingLexer) error {
	start := lex.RawCursor()
	for {
		t := lex.Peek()
		rule, ok := rules().clauses[t.Value]
		if !ok || t.Type != Ident_ || startsAssignment(peekSecond(lex).Type) {
			break
		}
		read, twice, err := rule(lex, n)
		if err != nil {
			return err
		}
		if twice {
			n.faults = append(n.faults, Fault{ID: IDSyntax, Span: read.Span(),
				Message: fmt.Sprintf("`%s` stands here twice", t.Value), Help: "keep one of them"})
		}
	}
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable. A calendar begins with `day` or a
// weekday; a constant of that name is written in parentheses.
func (n *Calendar) Parse(lex *lexer.PeekingLexer) error {
	if t := lex.Peek(); t.Type != Ident_ || !dayWords[t.Value] && !likeCalendar(lex) {
		return participle.NextMatch
	}
	start := lex.RawCursor()
	for {
		days, err := readDays(lex)
		if err != nil {
			return err
		}
		n.Days = append(n.Days, days)
		if !acceptKind(lex, Comma) {
			break
		}
	}
	if !acceptWord(lex, "at") {
		return missing(lex, "`at \"HH:MM\"`")
	}
	n.Time = new(StringLit)
	if err := n.Time.Parse(lex); err != nil {
		n.Time = nil
		return bareClock(lex)
	}
	if err := moreTimes(lex, lex.Peek()); err != nil {
		return err
	}
	if acceptWord(lex, "in") {
		zone, err := (&exprReader{lex: lex}).postfix()
		if err != nil {
			return err
		}
		n.Zone = zone
	}
	n.Tokens = from(lex, start)
	return nil
}

var dayWords = wordSet("day mon tue wed thu fri sat sun")

func readDays(lex *lexer.PeekingLexer) (*Days, error) {
	start := lex.RawCursor()
	d := new(Days)
	var err error
	if d.First, err = readDay(lex); err != nil {
		return nil, err
	}
	if acceptKind(lex, DotDot) {
		if d.Last, err = readDay(lex); err != nil {
			return nil, err
		}
	}
	d.Tokens = from(lex, start)
	return d, nil
}

// likeCalendar says whether the words in front read like a calendar, however
// its day is spelt: a word and `at` with a text.
func likeCalendar(lex *lexer.PeekingLexer) bool {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	for acceptKind(lex, Ident_) {
		if acceptWord(lex, "at") {
			return lex.Peek().Type == String_
		}
		if !acceptKind(lex, Comma) && !acceptKind(lex, DotDot) {
			return false
		}
	}
	return false
}

func readDay(lex *lexer.PeekingLexer) (*Ident, error) {
	if lex.Peek().Type != Ident_ {
		return nil, missing(lex, "a weekday (`mon` to `sun`) or `day`")
	}
	return readIdent(lex)
}
