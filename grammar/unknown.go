package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// atTheTop lists the declarations, for messages.
const atTheTop = "at the top of a file stand `import`, `const`, `enum`, `type`, `event`, `task`, `fn`, `fragment`, `flow` and `test`"

func placeHelp(what string) string {
	if what == "declaration" {
		return atTheTop
	}
	return ""
}

// signHelp explains a sign that begins nothing.
func signHelp(lex *lexer.PeekingLexer, what string) string {
	before, second := previous(lex), peekSecond(lex)
	switch t := lex.Peek(); {
	case t.Type == Minus && second.Type == Arrow:
		return "the arrow is `->`"
	case what == "statement" && t.Type == Plus && second.Type == Plus:
		return "a field is counted up by `x = x + 1`"
	case t.Type == Minus && second.Type == Minus:
		return "comments begin with `//`"
	case t.Type == Arrow && what == "statement":
		return "a block cannot lead to a state; write `-> STATE` in front of the block, or in a routine `go STATE`"
	case t.Type == Arrow && what == "item" && before != nil && before.Type == Duration_:
		return "a limit leads nowhere by itself: write `on timeout -> STATE` besides, or `after DURATION -> STATE`"
	case t.Type == LParen && what == "item":
		return "an event has no parentheses here; what it brings is `event.FIELD`"
	case t.Type == LBrack && what == "item":
		return "a condition is written `when CONDITION`"
	case t.Type == Comma && what == "item" && cutShort(lex):
		return "a transition leads to one state, and what follows a list of events is `when`, `->` or a block"
	}
	return placeHelp(what)
}

// wordUnknown words the fault for something that begins nothing here.
func wordUnknown(lex *lexer.PeekingLexer, what string, words map[string]bool) error {
	t := lex.Peek()
	span := tokenSpan(t)
	if t.Type != Ident_ {
		if err := cutBy(lex); err != nil {
			return err
		}
		return faultAt(span, fmt.Sprintf("found `%s` where a %s is expected", t.Value, plain(what)), signHelp(lex, what))
	}
	second := peekSecond(lex)
	if err := cutBy(lex); err != nil {
		return err
	}
	if infix[t.Value] && !onNewLine(lex) && cutShort(lex) {
		return faultAt(span, fmt.Sprintf("`%s` does not stand between two values", t.Value), elsewhere[t.Value])
	}
	if help := misplaced(what, t.Value); help != "" {
		return faultAt(span, fmt.Sprintf("`%s` is not a %s", t.Value, plain(what)), help, respelt(what, t, second)...)
	}
	if what == "statement" {
		if err := wordStatement(lex, t, second); err != nil {
			return err
		}
	}
	if near := nearest(t.Value, words); near != "" {
		var fixes []Fix
		if len(t.Value) > 3 {
			fixes = []Fix{replace(span, near)}
		}
		return faultAt(span, fmt.Sprintf("`%s` is not a %s; did you mean `%s`?", t.Value, plain(what), near), synopsis[near], fixes...)
	}
	return faultAt(span, fmt.Sprintf("`%s` is not a %s", t.Value, plain(what)), placeHelp(what))
}

// cutBy words the fault for a word of another language in front of a value or a
// name, which was read as a value of its own.
func cutBy(lex *lexer.PeekingLexer) error {
	before := previous(lex)
	if before == nil || before.Type != Ident_ || onNewLine(lex) {
		return nil
	}
	t, second := lex.Peek(), peekSecond(lex)
	span := tokenSpan(before)
	switch before.Value {
	case "await":
		var fixes []Fix
		if second.Type == LParen {
			fixes = []Fix{replace(span, "call")}
		}
		return faultAt(span, "there is no `await`", elsewhere["await"], fixes...)
	case "if", "switch", "match":
		return faultAt(span, fmt.Sprintf("`%s` is a statement and has no value", before.Value), "a value is chosen by `CONDITION ? VALUE : OTHER`")
	case "wait":
		return faultAt(span, "`wait` waits for an event, and none is named", "an event is `wait EVENT`; to let time pass write `sleep DURATION`, as a statement of its own")
	case "active":
		if t.Type == Ident_ {
			return faultAt(Span{span.Start, tokenSpan(t).End}, "`active` is a function", fmt.Sprintf("write `active(%s)`", t.Value),
				replace(Span{span.Start, tokenSpan(t).End}, "active("+t.Value+")"))
		}
	case "f", "r", "b", "u":
		if (t.Type == String_ || t.Type == StringHead) && t.Pos.Offset == span.End {
			return faultAt(span, fmt.Sprintf("a text has no `%s` in front; values stand in it as `{…}`", before.Value), "", Fix{"remove it", []Edit{{span, ""}}})
		}
	}
	return outcomeOf(lex)
}

// bareClock words the fault for what stands where a calendar's time of day must,
// and offers the quotes that `9:00` lacks.
func bareClock(lex *lexer.PeekingLexer) error {
	if err := moreTimes(lex, lex.Peek()); err != nil {
		return err
	}
	err := missing(lex, "a time of day such as `\"09:00\"`")
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	hour := lex.Next()
	if hour.Type != Int_ || !acceptKind(lex, Colon) || lex.Peek().Type != Int_ {
		return err
	}
	minute := lex.Peek()
	if len(hour.Value) > 2 || len(minute.Value) != 2 {
		return err
	}
	clock := `"` + "00"[len(hour.Value):] + hour.Value + ":" + minute.Value + `"`
	span := Span{tokenSpan(hour).Start, tokenSpan(minute).End}
	return faultAt(span, "a time of day stands in quotes", "write `"+clock+"`", replace(span, clock))
}

// moreTimes words the fault for a calendar with several times of day: a list of them, or more of them behind the first. It is nil
// where no second time follows.
func moreTimes(lex *lexer.PeekingLexer, first *lexer.Token) error {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	span := Span{}
	for joinsTimes(lex.Peek()) {
		lex.Next()
		if lex.Peek().Type == String_ {
			span = Span{tokenSpan(first).Start, tokenSpan(lex.Next()).End}
		}
	}
	if span.Len() == 0 {
		return nil
	}
	return faultAt(span, "a calendar timer has one time of day",
		"write a timer for each: `every day at \"09:00\" in ZONE { … }` and `every day at \"17:30\" in ZONE { … }`")
}

// joinsTimes says whether a token may stand between two times of day, or in front of a list of them.
func joinsTimes(t *lexer.Token) bool {
	return t.Type == Comma || t.Type == LBrack || t.Type == AndAnd || isWord(t, "and") || isWord(t, "at")
}

// outcomeOf words the fault for a final state's outcome without its `as`.
func outcomeOf(lex *lexer.PeekingLexer) error {
	n := int(lex.RawCursor())
	if n < 2 {
		return nil
	}
	words := lex.Range(lexer.RawCursor(n-2), lexer.RawCursor(n))
	if !isWord(&words[0], "final") {
		return nil
	}
	t, second := lex.Peek(), peekSecond(lex)
	span := tokenSpan(t)
	switch t.Type {
	case Colon, Assign, Minus, Arrow:
		if second.Type != Ident_ {
			return nil
		}
		span.End, t = tokenSpan(second).End, second
	case Ident_:
	default:
		return nil
	}
	switch t.Value {
	case "success", "failure", "cancelled":
	default:
		return nil
	}
	return faultAt(span, "the outcome of a final state stands behind `as`", fmt.Sprintf("write `final %s as %s`", words[1].Value, t.Value),
		Fix{"write `as " + t.Value + "`", []Edit{{Span{tokenSpan(&words[1]).End, span.End}, " as " + t.Value}}})
}

func plain(what string) string {
	if what == "item" {
		return "part of a state"
	}
	return what
}

// respelt offers the language's own word where it begins the same thing.
func respelt(what string, t, second *lexer.Token) []Fix {
	if word := ownWords[what][t.Value]; word != "" && second.Type == Ident_ && second.Pos.Line == t.Pos.Line {
		return []Fix{replace(tokenSpan(t), word)}
	}
	return nil
}

// misplaced explains a word that means something in other languages, or in
// another place of this one.
func misplaced(what, word string) string {
	if help, ok := inBlocks[word]; ok && what == "statement" {
		return help
	}
	if help, ok := elsewhere[word]; ok && !(what == "declaration" && stateWords[word]) {
		return help
	}
	switch {
	case what != "declaration" && declWords[word]:
		return "it stands at the top of the file; perhaps a `}` is missing above"
	case what == "declaration" && stateWords[word]:
		return "it stands inside `flow NAME { … }`; perhaps there is a `}` too many above"
	case what == "item" && stmtWords[word]:
		return "it stands in a block: `entry { … }`, `on EVENT { … }` or `run { … }`"
	case what == "statement" && stateWords[word]:
		return "it stands in a state, not in a block; perhaps a `}` is missing above"
	case what == "statement" && testWords[word]:
		return "it stands in a test"
	case what == "statement of a test" && stmtWords[word]:
		return "it stands in a flow, not in a test"
	}
	return ""
}
