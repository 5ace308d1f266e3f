package grammar

import (
	"fmt"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// wordUnexpected words the fault for a token that participle did not expect
// while it read the construct that begins with the keyword.
func wordUnexpected(lex *lexer.PeekingLexer, keyword string, err *participle.UnexpectedTokenError) error {
	f, _ := missing(lex, expected(lex, err)).(*faultError)
	if f.Help == "" {
		f.Help = synopsis[keyword]
	}
	switch t := lex.Peek(); {
	case keyword == "for" && t.Type == DotDot:
		f.Help = "numbers in a row are `range(N)`, from 0 to N-1"
	case (keyword == "if" || keyword == "while" || keyword == "else") && (isWord(t, "then") || isWord(t, "do")):
		f.Message = fmt.Sprintf("there is no `%s` behind a condition", t.Value)
		f.Fixes = []Fix{{"remove it", []Edit{{Span{tokenSpan(previous(lex)).End, tokenSpan(t).End}, ""}}}}
	}
	if keyword == "wait" {
		f.Fault = sleepFault(lex, f.Fault)
	}
	if f.Help == "" {
		f.Fault = optionalField(lex, f.Fault)
	}
	if before := previous(lex); before != nil && lex.Peek().Type == Ident_ && before.Type == Ident_ && f.Help == "" {
		f.Fault = wordField(lex, f.Fault, before)
	}
	return f
}

// sleepFault offers `sleep` for a `wait` that names a time instead of an event.
func sleepFault(lex *lexer.PeekingLexer, f Fault) Fault {
	before, t := previous(lex), lex.Peek()
	if before == nil || !isWord(before, "wait") || t.Type != Duration_ && t.Type != BadNumber || onNewLine(lex) {
		return f
	}
	f.Span = Span{tokenSpan(before).Start, tokenSpan(t).End}
	f.Message = "`wait` waits for an event, and this is a time"
	f.Help = fmt.Sprintf("let time pass by `sleep %s`", t.Value)
	f.Fixes = []Fix{replace(tokenSpan(before), "sleep")}
	return f
}

// optionalField moves the `?` of `x?: int` to where it stands in the language.
func optionalField(lex *lexer.PeekingLexer, f Fault) Fault {
	mark := lex.Peek()
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	before := previous(lex)
	if before == nil || before.Type != Ident_ || mark.Type != Question || peekSecond(lex).Type != Colon {
		return f
	}
	lex.Next()
	lex.Next()
	f.Message = "a field that may be null has its `?` behind the type"
	t, err := readType(lex)
	if err != nil || t == nil || strings.HasSuffix(previous(lex).Value, "?") {
		f.Help = fmt.Sprintf("write `%s: TYPE?`", before.Value)
		return f
	}
	end := t.Span().End
	f.Help = fmt.Sprintf("write `%s: %s?`", before.Value, written(t))
	f.Fixes = []Fix{{"move it behind the type", []Edit{{tokenSpan(mark), ""}, {Span{end, end}, "?"}}}}
	return f
}

// wordField offers the colon that a field lacks.
func wordField(lex *lexer.PeekingLexer, f Fault, before *lexer.Token) Fault {
	if !strings.Contains(f.Message, "where `:`") {
		return f
	}
	if own, ok := valueTypes[before.Value]; ok { // `int x`
		meant := lex.Peek().Value + ": " + own
		span := Span{tokenSpan(before).Start, tokenSpan(lex.Peek()).End}
		f.Message, f.Help = "a field has its type behind its name", fmt.Sprintf("write `%s`", meant)
		f.Span, f.Fixes = span, []Fix{replace(span, meant)}
		return f
	}
	end := tokenSpan(before).End
	f.Help = fmt.Sprintf("a field is written `%s: %s`", before.Value, lex.Peek().Value)
	f.Fixes = []Fix{{"write `:`", []Edit{{Span{end, end}, ":"}}}}
	return f
}

// expected gives what participle expected, in the words of the language.
func expected(lex *lexer.PeekingLexer, err *participle.UnexpectedTokenError) string {
	_, text, found := strings.Cut(err.Message(), "(expected ")
	before := ""
	if t := previous(lex); t != nil {
		before = t.Value
	}
	if !found {
		return noun("Expr", before)
	}
	var words []string
	for _, first := range firsts(strings.TrimSuffix(text, ")")) {
		word := noun(first, before)
		if word != "" && (len(words) == 0 || words[len(words)-1] != word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "something else"
	}
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " or " + words[n]
	}
	return words[0]
}

// firsts gives the elements with which a rule in EBNF may begin.
func firsts(rule string) []string {
	rule = strings.TrimSpace(rule)
	if rule == "" {
		return nil
	}
	if rule[0] != '(' {
		first, rest, _ := strings.Cut(rule, " ")
		name := strings.TrimRight(first, "?*+")
		if name == first {
			return []string{first}
		}
		return append([]string{name}, firsts(rest)...)
	}
	alternatives, rest := splitGroup(rule)
	var found []string
	for _, a := range alternatives {
		found = append(found, firsts(a)...)
	}
	if strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "*") {
		found = append(found, firsts(rest[1:])...)
	}
	return found
}

// splitGroup cuts a rule that begins with a group into the group's alternatives
// and what follows.
func splitGroup(rule string) (alternatives []string, rest string) {
	depth, start := 0, 1
	for i := 0; i < len(rule); i++ {
		switch rule[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return append(alternatives, rule[start:i]), rule[i+1:]
			}
		case '|':
			if depth == 1 {
				alternatives = append(alternatives, rule[start:i])
				start = i + 1
			}
		}
	}
	return append(alternatives, rule[start:]), ""
}

// nounAfter says what kind of value or name follows a word.
var nounAfter = map[string]string{
	"after": "a duration", "idle": "a duration", "every": "a duration or `day`", "timeout": "a duration",
	"within": "a duration", "sleep": "a duration", "advance": "a duration", "backoff": "a duration",
	"at": "a time", "from": "a time", "until": "a time", "to": "a flow", "when": "a condition", "if": "a condition",
	"while": "a condition", "in": "a list", "times": "a number", "retry": "a number", "concurrency": "a number",
	"initial": "a state", "go": "a state", "->": "a state", "on": "an event", "raise": "an event",
	"schedule": "an event", "unschedule": "an event", "defer": "an event", "may": "an event", "wait": "an event",
	"send": "an event", "refused": "an event", "accepts": "an event", "do": "a task", "dispatch": "a task",
	"call": "a task or a flow", "claim": "a task", "complete": "a task", "fail": "a text", "offered": "a task",
	"dispatched": "a task", "invoke": "a flow", "start": "a flow", "mock": "a task or a flow", "use": "a fragment",
	"note": "a text", "refuse": "a text", "key": "a key", "rearm": "a timer", "timer": "a timer",
}

// noun words one element of a rule; "" for what is not worth a word.
func noun(element, before string) string {
	if strings.HasPrefix(element, `"`) {
		return "`" + strings.Trim(element, `"`) + "`"
	}
	if strings.HasPrefix(element, "<") {
		name := strings.Trim(element, "<>")
		for symbol, kind := range symbols {
			if strings.EqualFold(symbol, name) {
				return "`" + canonical[kind] + "`"
			}
		}
		return ""
	}
	switch element {
	case "Expr", "Path", "Call", "SelectExpr":
		if word := nounAfter[before]; word != "" {
			return word
		}
		if element == "Expr" {
			return "a value"
		}
		return "a name"
	case "Ident":
		return "a name"
	case "TypeExpr":
		return "a type"
	case "StringLit":
		return "a text in double quotes"
	case "Block", "StateBody", "FieldBlock", "EnumBody", "TestBody", "WaitBody":
		return "`{`"
	case "Params", "Args":
		return "`(`"
	case "Literal", "Count":
		return "a number"
	case "Target":
		return "`->`"
	}
	return ""
}

// nearest finds the word that a misspelt one is probably meant as.
func nearest(word string, words map[string]bool) string {
	best, bestAt := "", 3
	if len(word) < 3 {
		return ""
	}
	names := make([]string, 0, len(words))
	for name := range words {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if d := distance(word, name); d < bestAt && d < max(2, len(name)/2) {
			best, bestAt = name, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, change or swap.
func distance(a, b string) int {
	if len(a) > 24 || len(b) > 24 {
		return 99
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
