package grammar

import (
	"fmt"
	"strings"
)

// part checks what belongs to no sum.
func (c *checker) part(n Node) {
	switch n := n.(type) {
	case *Field:
		c.notReserved(n.Name)
	case *Fails:
		for _, code := range n.Codes {
			c.plainText(code, "an error code")
		}
	case *Catch:
		for _, code := range n.Codes {
			c.plainText(code, "an error code")
		}
		c.notReserved(n.As)
	case *Each:
		c.notReserved(n.Var)
	case *Calendar:
		c.plainText(n.Time, "a time of day")
		if zone, ok := n.Zone.(*StringLit); ok {
			c.plainText(zone, "a zone")
		}
	case *Days:
		c.day(n.First)
		c.day(n.Last)
	case *ExpectError:
		c.plainText(n.Code, "an error code")
	case *ExpectRefused:
		c.argNames(n.Event)
	case *ExpectOffered:
		c.argNames(n.Task)
	case *ExpectDispatched:
		c.argNames(n.Task)
	}
}

// typeExpr reports a list or a map in the spelling of another language.
func (c *checker) typeExpr(n TypeExpr) {
	if n.Span().Start < c.spelt {
		return // it is part of a type that is reported
	}
	text, why, ok := c.text(n.Span()), "", true
	switch n := n.(type) {
	case *ListType:
		ok = strings.HasPrefix(text, "list") && strings.HasSuffix(text, ">")
	case *MapType:
		ok = strings.HasPrefix(text, "map") && !strings.Contains(text[:n.Elem.Span().Start-n.Span().Start], ",")
		why = ": a map's keys are strings"
	}
	if !ok {
		c.spelt = n.Span().End
		want := c.ownType(n)
		c.add(n.Span(), fmt.Sprintf("`%s` is written `%s`%s", clip(text), clip(want), why), "", replace(n.Span(), want))
	}
}

// ownType is a type in the spelling of the language.
func (c *checker) ownType(n TypeExpr) string {
	switch n := n.(type) {
	case *ListType:
		return "list<" + c.ownType(n.Elem) + ">"
	case *MapType:
		return "map<" + c.ownType(n.Elem) + ">"
	case *OptionalType:
		return c.ownType(n.Elem) + "?"
	}
	return c.text(n.Span())
}

// plainText reports an interpolation where a text is a name.
func (c *checker) plainText(s *StringLit, what string) {
	if s == nil {
		return
	}
	for _, p := range s.Parts {
		if p.Expr != nil {
			c.add(s.Span(), what+" takes no `{…}`", "write `\\{` for a brace")
			return
		}
	}
}

// clauses reports the clauses that do not belong to the word before them.
func (c *checker) clauses(n *Clauses, word, allowed string) {
	c.faults = append(c.faults, n.faults...)
	n.each(func(clause Node) {
		first := clause.(baser).base().Tokens
		if len(first) == 0 {
			return
		}
		name := first[0].Value
		if !wordSet(allowed)[name] {
			c.add(clause.Span(), fmt.Sprintf("`%s` does not belong to `%s`", name, word),
				fmt.Sprintf("`%s` takes `%s`", word, strings.Join(strings.Fields(allowed), "`, `")))
		}
	})
}

// argNames reports arguments without names where they must have one.
func (c *checker) argNames(call *Call) {
	if call != nil {
		c.allNamed(call.Args)
	}
}

func (c *checker) allNamed(args *Args) {
	for _, arg := range args.List() {
		if c.equalsForColon(arg) {
			continue
		}
		if arg.Name == nil && !arg.Broken() {
			c.add(arg.Span(), "this argument has no name", fmt.Sprintf("write `name: %s`", clip(c.text(arg.Span()))))
		}
	}
}

// equalsForColon reports `name = value` for an argument, and takes the place of
// what its parts would be blamed for.
func (c *checker) equalsForColon(arg *Arg) bool {
	value, ok := arg.Value.(*BinaryExpr)
	if arg.Name != nil || !ok || value.Op != "==" || c.text(value.OpSpan) != "=" {
		return false
	}
	name, ok := value.X.(*NameExpr)
	if !ok {
		return false
	}
	span := Span{name.Span().End, value.OpSpan.End}
	arg.Name, arg.Value = name.Name, value.Y
	c.add(value.OpSpan, "an argument is written with `:`, not with `=`", "write `"+name.Name.Text+": "+clip(c.text(value.Y.Span()))+"`", replace(span, ":"))
	return true
}

// clip shortens a text for a message.
func clip(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

func (c *checker) expr(n Expr) {
	switch n := n.(type) {
	case *BinaryExpr:
		c.binary(n)
	case *UnaryExpr:
		if c.text(n.OpSpan) == "!" {
			c.add(n.OpSpan, "`!` in front of a condition is written `not`", "", Fix{"write `not`", []Edit{{n.OpSpan, "not "}}})
		}
	case *LambdaExpr:
		c.notReserved(n.Param)
	case *CallExpr:
		for _, arg := range n.Args.List() {
			if arg.Name != nil {
				span := Span{arg.Name.Span().Start, arg.Value.Span().Start}
				c.add(arg.Name.Span(), "the arguments of a function have no names", "", Fix{"remove the name", []Edit{{span, ""}}})
			}
		}
	case *CallWork:
		c.clauses(&n.Clauses, "call", "within retry queue each concurrency")
		c.argNames(n.Call)
	}
}

func (c *checker) binary(n *BinaryExpr) {
	if n.Op == "==" && c.text(n.OpSpan) == "=" {
		c.add(n.OpSpan, "`=` assigns; a comparison is `==`", "write `"+clip(c.text(n.X.Span()))+" == "+clip(c.text(n.Y.Span()))+"`", replace(n.OpSpan, "=="))
		return
	}
	if text := c.text(n.OpSpan); class[text[0]] == classLetter && strings.Join(strings.Fields(text), " ") != n.Op {
		c.add(n.OpSpan, fmt.Sprintf("`%s` is written `%s`", strings.Join(strings.Fields(text), " "), n.Op), "", replace(n.OpSpan, n.Op))
		return
	}
	if text := c.text(n.Span()); looksLikeDate(text) {
		c.add(n.Span(), "`"+text+"` is a subtraction, not a date", "a date is a text, `\""+text+"\"`, and an instant `time(\""+text+"T00:00:00Z\")`")
		return
	}
	if left, ok := n.X.(*BinaryExpr); ok && compares(n.Op) && compares(left.Op) {
		middle := c.text(left.Y.Span())
		at := Span{n.OpSpan.Start, n.OpSpan.Start}
		c.add(n.OpSpan, "comparisons are not chained",
			fmt.Sprintf("join two comparisons by `and`: `%s and %s %s …`", clip(c.text(left.Span())), clip(middle), n.Op),
			Fix{"join two comparisons by `and`", []Edit{{at, "and " + middle + " "}}})
	}
}

func compares(op string) bool {
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "in", "not in":
		return true
	}
	return false
}

// otherDays are the words of other calendars, and what they are here.
var otherDays = map[string]string{
	"monday": "mon", "tuesday": "tue", "wednesday": "wed", "thursday": "thu", "friday": "fri", "saturday": "sat",
	"sunday": "sun", "tues": "tue", "weds": "wed", "thur": "thu", "thurs": "thu", "mo": "mon", "tu": "tue", "we": "wed",
	"th": "thu", "fr": "fri", "sa": "sat", "su": "sun", "days": "day", "daily": "day", "weekday": "mon..fri",
	"weekdays": "mon..fri", "workday": "mon..fri", "workdays": "mon..fri", "weekend": "sat, sun", "weekends": "sat, sun",
}

// day reports a word that is no day. It was read all the same, so that the rest
// of the calendar could be.
func (c *checker) day(id *Ident) {
	if id == nil || dayWords[id.Text] {
		return
	}
	meant := strings.ToLower(id.Text)
	if !dayWords[meant] {
		meant = otherDays[meant]
	}
	if meant == "" {
		c.add(id.Span(), fmt.Sprintf("`%s` is no day of a calendar", id.Text), "write `day` for every day, a weekday (`mon` to `sun`), several (`mon, thu`) or a span (`mon..fri`)")
		return
	}
	c.add(id.Span(), fmt.Sprintf("`%s` is written `%s`", id.Text, meant), "", Fix{"write `" + meant + "`", []Edit{{id.Span(), meant}}})
}

// looksLikeDate recognises `2026-12-24`, which nobody means as a subtraction.
func looksLikeDate(text string) bool {
	if len(text) != len("2026-12-24") || text[4] != '-' || text[7] != '-' {
		return false
	}
	return allDigits(text[:4]) && allDigits(text[5:7]) && allDigits(text[8:])
}

func allDigits(text string) bool {
	for i := range len(text) {
		if class[text[i]] != classDigit {
			return false
		}
	}
	return true
}
