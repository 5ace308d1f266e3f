package grammar

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// wordStatement words what looks like a statement of another language.
func wordStatement(lex *lexer.PeekingLexer, first, second *lexer.Token) error {
	name := first.Value
	both := Span{tokenSpan(first).Start, tokenSpan(second).End}
	switch second.Type {
	case LParen:
		return faultAt(tokenSpan(first), fmt.Sprintf("`%s(…)` is not a statement", name),
			fmt.Sprintf("work is `dispatch %s(…)`, in a routine `call %s(…)`, an event `raise %s(…)`; a function's value is used in an expression", name, name, name))
	case Plus, Minus, Star, Slash, Percent:
		here := lex.MakeCheckpoint()
		lex.Next()
		err := wordCompound(lex, name, tokenSpan(first))
		lex.LoadCheckpoint(here)
		return err
	case Eq:
		return faultAt(tokenSpan(second), "`==` compares, and a comparison is not a statement", fmt.Sprintf("an assignment is `%s = VALUE`", name), replace(tokenSpan(second), "="))
	case Colon:
		return faultAt(both, fmt.Sprintf("`%s:` is not a statement", name),
			fmt.Sprintf("an assignment is `%s = VALUE`, a new local `let %s = VALUE`", name, name))
	case Arrow:
		return faultAt(both, "a block cannot lead to a state", "write `-> STATE` in front of the block, or in a routine `go STATE`")
	case Ident_:
		if own, ok := valueTypes[name]; ok && second.Pos.Line == first.Pos.Line {
			return faultAt(both, fmt.Sprintf("`%s %s` is not a statement", name, second.Value), fmt.Sprintf("a local is `let %s: %s = VALUE`", second.Value, own),
				replace(both, "let "+second.Value+": "+own))
		}
	}
	return nil
}

// valueTypes are the types with which other languages begin a local, and what
// the language calls them.
var valueTypes = map[string]string{
	"int": "int", "long": "int", "Int": "int", "integer": "int", "string": "string", "String": "string", "str": "string",
	"bool": "bool", "boolean": "bool", "Boolean": "bool", "decimal": "decimal", "float": "decimal", "double": "decimal",
	"duration": "duration", "time": "time",
}

// wordCompound words the fault for `x += 1`, `x++` and their like; the sign is
// the next token.
func wordCompound(lex *lexer.PeekingLexer, name string, target Span) error {
	sign := lex.Next()
	next := lex.Peek()
	span := Span{tokenSpan(sign).Start, tokenSpan(next).End}
	adjacent := span.Len() == 2
	switch {
	case adjacent && next.Type == sign.Type && (sign.Type == Plus || sign.Type == Minus):
		want := fmt.Sprintf("%s = %s %s 1", name, name, sign.Value)
		return faultAt(span, fmt.Sprintf("there is no `%s%s`", sign.Value, next.Value), "write `"+want+"`", replace(Span{target.Start, span.End}, want))
	case adjacent && next.Type == Assign:
		var fixes []Fix
		lex.Next()
		if single(lex) {
			fixes = []Fix{replace(span, fmt.Sprintf("= %s %s", name, sign.Value))}
		}
		return faultAt(span, fmt.Sprintf("there is no `%s=`", sign.Value), fmt.Sprintf("write `%s = %s %s …`", name, name, sign.Value), fixes...)
	}
	return faultAt(Span{target.Start, tokenSpan(sign).End}, fmt.Sprintf("`%s %s …` is not a statement", name, sign.Value),
		fmt.Sprintf("write `%s = %s %s …`", name, name, sign.Value))
}

// single says whether one operand alone follows on the line.
func single(lex *lexer.PeekingLexer) bool {
	switch lex.Peek().Type {
	case Ident_, Int_, Decimal_, Duration_, String_:
	default:
		return false
	}
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	lex.Next()
	return lex.Peek().Type == RBrace || onNewLine(lex)
}

// wordTarget words the fault for what stands where an assignment's `=` must.
func wordTarget(lex *lexer.PeekingLexer, target Expr) error {
	text := written(target)
	switch t := lex.Peek(); t.Type {
	case Plus, Minus, Star, Slash, Percent:
		return wordCompound(lex, text, target.Span())
	case Eq:
		return faultAt(tokenSpan(t), "`==` compares, and a comparison is not a statement", fmt.Sprintf("an assignment is `%s = VALUE`", clip(text)), replace(tokenSpan(t), "="))
	}
	call, ok := target.(*CallExpr)
	if !ok {
		return missing(lex, "`=` and a value")
	}
	return wordMethod(call)
}

// wordMethod words the fault for `items.push(x)` and `console.log(x)`.
func wordMethod(call *CallExpr) error {
	callee, ok := call.Fun.(*SelectExpr)
	if !ok {
		return faultAt(call.Span(), "a call is not a statement", "what a function gives is used in an expression")
	}
	what, method := written(callee.X), callee.Field.Text
	switch method {
	case "log", "info", "debug", "warn", "error", "print", "println", "printf", "writeln", "WriteLine":
		return faultAt(callee.Span(), fmt.Sprintf("there is no `%s`", written(callee)), "a line in the history is `note \"text\"`, with values as `{…}` in the text")
	case "push", "append", "add", "Add", "push_back":
		if args := call.Args.List(); len(args) == 1 && args[0].Value != nil {
			want := fmt.Sprintf("%s = %s + [%s]", what, what, written(args[0].Value))
			return faultAt(call.Span(), "values have no methods", "a list grows by `"+clip(want)+"`", replace(call.Span(), want))
		}
	}
	return faultAt(call.Span(), "values have no methods, and a call is not a statement", fmt.Sprintf("assign what it is to be: `%s = VALUE`", what))
}

// written is a node's text without its spaces and comments but for one space
// around operators.
func written(n Node) string {
	var b strings.Builder
	tokens := n.(baser).base().Tokens
	for i, t := range tokens {
		if i > 0 && tokenSpan(&tokens[i-1]).End < t.Pos.Offset {
			b.WriteByte(' ')
		}
		b.WriteString(t.Value)
	}
	return b.String()
}
