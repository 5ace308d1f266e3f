package lsp

import (
	"flowc/grammar"
)

// propose finds out what the place wants and proposes it: what the token before demands, or how a construct may begin or go on.
func (x *completer) propose() {
	if x.k == 0 {
		x.starts(atTop)
		return
	}
	switch x.kind(1) {
	case grammar.Dot:
		x.members()
	case grammar.Arrow:
		x.afterArrow()
	case grammar.LParen, grammar.Comma:
		x.afterComma()
	case grammar.Colon:
		x.afterColon()
	case grammar.Lt:
		if w := x.word(2); w == "list" || w == "map" {
			x.types()
		} else {
			x.values()
		}
	case grammar.DotDot:
		if x.headWord() == "every" {
			x.keywords(0, weekdays...)
		} else {
			x.durations()
		}
	case grammar.Assign:
		x.afterAssign()
	case grammar.LBrack, grammar.Eq, grammar.Ne, grammar.Gt, grammar.Le, grammar.Ge, grammar.Plus, grammar.Minus,
		grammar.Star, grammar.Slash, grammar.Percent, grammar.Question, grammar.Coalesce, grammar.FatArrow, grammar.AndAnd,
		grammar.OrOr, grammar.StringHead:
		x.values()
	case grammar.LBrace:
		if x.isLiteralBrace(x.k - 1) {
			x.recordFields()
		} else {
			x.starts(x.region())
		}
	case grammar.Ident_:
		x.afterWord()
	default:
		x.goOn()
	}
}

func (x *completer) headWord() string {
	if x.head >= 0 && x.head < x.k {
		return x.textOf(x.head)
	}
	return ""
}

// isDecl says whether the item is a declaration at the top of the file.
func (x *completer) isDecl() bool {
	switch x.headWord() {
	case "task", "flow", "fn", "fragment", "event", "internal", "type", "const", "enum", "import", "test":
		return x.region() == atTop
	}
	return false
}

// afterArrow is a target, or the type of a function.
func (x *completer) afterArrow() {
	switch {
	case x.isDecl() && x.headWord() == "fn":
		x.types()
	case x.isDecl() || x.headWord() == "mock":
	default:
		x.targets()
	}
}

// afterWord is what stands behind a word: a keyword wants something, a name lets the construct go on.
func (x *completer) afterWord() {
	if !x.isKeyword(x.k - 1) {
		x.goOn()
		return
	}
	word := x.word(1)
	if x.region() == inTest && x.wantedInTest(word) {
		return
	}
	if !x.wanted(word) {
		x.goOn()
	}
}

// wanted proposes what a keyword wants; it reports false for one that wants nothing.
func (x *completer) wanted(word string) bool {
	switch word {
	case "on", "may", "defer", "wait", "raise", "schedule", "unschedule", "send":
		x.eventsAfter(word)
	case "do", "dispatch":
		declared[*grammar.TaskDecl](x, KindTask, 0)
	case "call":
		declared[*grammar.TaskDecl](x, KindTask, 0)
		declared[*grammar.FlowDecl](x, KindFlow, 1)
	case "invoke", "start":
		declared[*grammar.FlowDecl](x, KindFlow, 0)
	case "to":
		declared[*grammar.FlowDecl](x, KindFlow, 0)
		x.keywords(1, "parent")
	case "use":
		declared[*grammar.FragmentDecl](x, KindFragment, 0)
	case "go":
		x.targets()
	case "initial":
		x.children()
	case "rearm":
		x.timers()
	default:
		return x.wantedValue(word)
	}
	return true
}

func (x *completer) wantedValue(word string) bool {
	switch word {
	case "timeout":
		x.durations()
		x.keywords(2, "at", "never")
	case "after", "within", "idle", "backoff":
		x.durations()
	case "sleep":
		x.durations()
		x.keywords(2, "until")
	case "every":
		x.durations()
		x.keywords(2, append([]string{"day"}, weekdays...)...)
	case "for":
		if h := x.headWord(); h == "every" || h == "wait" || h == "let" {
			x.durations()
		}
	case "at":
		x.instants()
	case "from", "until":
		x.times()
	case "in":
		if x.headWord() == "every" {
			x.zones()
		} else {
			x.values()
		}
	case "when", "if", "while", "note", "refuse", "key", "retry", "times", "concurrency", "and", "or", "not", "unset", "fail", "fails":
		x.values()
	case "as":
		if x.headWord() == "final" {
			x.enumerated(KindMember, outcomes...)
		}
	case "join":
		x.keywords(0, "all", "any", "race")
	case "history":
		x.keywords(0, "deep")
	case "internal":
		x.keywords(0, "event")
	case "run", "entry", "exit", "try", "else":
		if word == "else" {
			x.keywords(0, "if")
		}
	case "catch", "queue", "each", "let", "const", "enum", "type", "event", "task", "fn", "fragment", "flow", "test", "state",
		"region", "parallel", "final", "import", "data":
	default:
		return false
	}
	return true
}

var (
	weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	outcomes = []string{"success", "failure", "cancelled"}
	statuses = []string{"running", "paused", "scheduled", "completed", "failed", "cancelled"}
)

// instants are what stands behind `at`: in a calendar the time of day, otherwise an instant.
func (x *completer) instants() {
	if x.headWord() != "every" {
		x.times()
		return
	}
	for _, clock := range []string{"09:00", "12:00", "18:00", "00:00"} {
		x.add(0, Item{Label: `"` + clock + `"`, Kind: KindValue, Detail: "a time of day"})
	}
}

// afterAssign is a value: of a field's or a constant's own type, or of what is assigned to.
func (x *completer) afterAssign() {
	if region := x.region(); region == inBlock || region == inRoutine {
		if region == inRoutine {
			x.keywords(2, "call", "wait")
		}
		if t := x.assigned(); t != nil {
			x.valuesOf(t)
			return
		}
	}
	if f := innermost[*grammar.Field](x.path); f != nil && f.Type != nil {
		x.valuesOf(x.checked().fieldType(x.tree, f))
		return
	}
	x.values()
}
