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
		return faultAt(span, fmt.Sprintf("found `%s` where a %s is expected", t.Value, plain(what)), signHelp(lex, what))
	}
	second := peekSecond(lex)
	if help := misplaced(what, t.Value); help != "" {
		return faultAt(span, fmt.Sprintf("`%s` is not a %s", t.Value, plain(what)), help)
	}
	if what == "statement" {
		if err := wordStatement(t, second); err != nil {
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

func plain(what string) string {
	if what == "item" {
		return "part of a state"
	}
	return what
}

// misplaced explains a word that means something in other languages, or in
// another place of this one.
func misplaced(what, word string) string {
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

// wordStatement words what looks like a statement of another language.
func wordStatement(first, second *lexer.Token) error {
	span := Span{tokenSpan(first).Start, tokenSpan(second).End}
	name := first.Value
	switch second.Type {
	case LParen:
		return faultAt(tokenSpan(first), fmt.Sprintf("`%s(…)` is not a statement", name),
			fmt.Sprintf("work is `dispatch %s(…)`, in a routine `call %s(…)`, an event `raise %s(…)`; a function's value is used in an expression", name, name, name))
	case Plus, Minus, Star, Slash, Percent:
		return faultAt(span, fmt.Sprintf("`%s %s …` is not a statement", name, second.Value),
			fmt.Sprintf("write `%s = %s %s …`", name, name, second.Value))
	case Colon:
		return faultAt(span, fmt.Sprintf("`%s:` is not a statement", name),
			fmt.Sprintf("an assignment is `%s = VALUE`, a new local `let %s = VALUE`", name, name))
	case Arrow:
		return faultAt(span, "a block cannot lead to a state", "write `-> STATE` in front of the block, or in a routine `go STATE`")
	}
	return nil
}
