package grammar

import (
	"fmt"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// brace is a `{` that waits for its `}`.
type brace struct {
	token  int // its index
	line   int
	indent int // of the line's first token
}

// repair is a change to the token stream that balances its braces.
type repair struct {
	before int  // index of the token that it stands before
	kind   Kind // the brace to insert, or struck to leave the token out
}

// balancer finds where braces are missing or superfluous. The parser relies on
// every `{` having its `}`.
type balancer struct {
	src     string
	tokens  []lexer.Token
	stack   []brace
	repairs []repair
	faults  []Fault
}

// balance gives a stream of tokens in which braces are balanced.
func balance(src string, tokens []lexer.Token) ([]lexer.Token, []Fault) {
	if surplus, ok := countBraces(tokens); ok && surplus == 0 {
		return tokens, nil
	}
	b := balancer{src: src, tokens: tokens}
	b.byIndent()
	if surplus, _ := countBraces(tokens); len(b.faults) > max(surplus, -surplus)+1 {
		b = balancer{src: src, tokens: tokens}
		b.byCount()
		for i := range b.faults {
			b.faults[i].Fixes = nil // nothing tells where the braces belong
		}
	}
	return b.apply(), b.faults
}

// countBraces gives the number of braces left open; it reports false when one
// is closed that is not open.
func countBraces(tokens []lexer.Token) (surplus int, ok bool) {
	ok = true
	for i := range tokens {
		switch tokens[i].Type {
		case LBrace:
			surplus++
		case RBrace:
			surplus--
			ok = ok && surplus >= 0
		}
	}
	return surplus, ok
}

// byIndent trusts the author's indentation: what is inside a block is indented
// more than the line that opens it, and the closing brace as much.
func (b *balancer) byIndent() {
	line, indent, depth := 0, 0, 0
	for i := range b.tokens {
		t := &b.tokens[i]
		first := t.Pos.Line != line
		if first {
			line = t.Pos.Line
			here := b.indentOf(t)
			b.dedent(i, here, t.Type == RBrace)
			if t.Type == Ident_ && itemWords[t.Value] {
				depth = 0 // whatever was open above
			}
			if depth <= 0 && !goesOn(t) {
				indent = here
			}
		}
		switch t.Type {
		case LParen:
			depth++
		case RParen:
			depth--
		case LBrace:
			b.stack = append(b.stack, brace{i, line, indent})
		case RBrace:
			b.closeByIndent(i, first, indent)
		}
	}
	b.endOfFile()
}

// goesOn says whether a line that begins with the token goes on with the header
// above it, whose indentation then counts.
func goesOn(t *lexer.Token) bool {
	return t.Type == Arrow || t.Type == Ident_ && continuing[t.Value]
}

func (b *balancer) indentOf(t *lexer.Token) int {
	return t.Pos.Offset - 1 - strings.LastIndexByte(b.src[:t.Pos.Offset], '\n')
}

// dedent closes the blocks of earlier lines that a line with this indentation
// cannot belong to.
func (b *balancer) dedent(i, indent int, closes bool) {
	for n := len(b.stack); n > 0; n = len(b.stack) {
		top := b.stack[n-1]
		if top.indent < indent || top.indent == indent && (closes || b.continues(i)) {
			return
		}
		b.unclosed(top, i)
		b.stack = b.stack[:n-1]
	}
}

// continues says whether the token may stand below an opening line without
// being a new item.
func (b *balancer) continues(i int) bool {
	switch b.tokens[i].Type {
	case RParen, RBrack, LBrace:
		return true
	}
	return false
}

func (b *balancer) closeByIndent(i int, first bool, indent int) {
	n := len(b.stack)
	if n > 0 && (!first || b.stack[n-1].indent == indent || b.stack[n-1].line == b.tokens[i].Pos.Line) {
		b.stack = b.stack[:n-1]
		return
	}
	if first {
		if header := b.headerAbove(i, indent); header >= 0 {
			b.missingOpen(header)
			return
		}
	}
	b.stray(i)
}

// headerAbove finds the last token of the nearest line above with the same
// indentation, when that line opens no block.
func (b *balancer) headerAbove(i, indent int) int {
	const far = 10_000 // tokens; no header is farther from its brace
	end := i
	for k := i - 1; k >= max(0, i-far); k-- {
		if k > 0 && b.tokens[k-1].Pos.Line == b.tokens[k].Pos.Line {
			continue
		}
		in := b.indentOf(&b.tokens[k])
		if in < indent {
			return -1
		}
		if in > indent {
			end = k
			continue
		}
		if last := end - 1; b.opensBlock(k, last) {
			return last
		}
		return -1
	}
	return -1
}

// opensBlock says whether the line from k to last begins with a word that has a
// body and lacks the brace.
func (b *balancer) opensBlock(k, last int) bool {
	for j := k; j <= last; j++ {
		if b.tokens[j].Type == LBrace {
			return false
		}
	}
	return bodied[b.tokens[k].Value]
}

// bodied are the words whose items may have a body in braces.
var bodied = map[string]bool{
	"flow": true, "fragment": true, "test": true, "enum": true, "type": true, "data": true, "state": true,
	"parallel": true, "region": true, "on": true, "after": true, "every": true, "at": true, "always": true,
	"entry": true, "exit": true, "run": true, "if": true, "for": true, "while": true, "try": true, "wait": true,
}

func (b *balancer) missingOpen(last int) {
	b.repairs = append(b.repairs, repair{last + 1, LBrace})
	span := tokenSpan(&b.tokens[last])
	f := Fault{ID: IDSyntax, Span: span, Message: fmt.Sprintf("`{` is missing after `%s`", b.tokens[last].Value)}
	brace := " {"
	if b.tokens[last].Type == OpenString { // a brace alone would become a part of the text
		brace = `" {`
		f.Message, f.Help = "this text is not closed on its line, and `{` is missing after it", "write `\"` where it ends"
	}
	f.Fixes = []Fix{{"write `" + strings.TrimSpace(brace) + "`", []Edit{{Span{span.End, span.End}, brace}}}}
	b.faults = append(b.faults, f)
}

// unclosed reports a `{` whose `}` belongs before the token at index i.
func (b *balancer) unclosed(open brace, i int) {
	b.repairs = append(b.repairs, repair{i, RBrace})
	end := tokenSpan(&b.tokens[i-1]).End
	b.faults = append(b.faults, Fault{ID: IDSyntax, Span: tokenSpan(&b.tokens[open.token]),
		Message: "this `{` is never closed",
		Help:    fmt.Sprintf("write `}` before line %d", b.tokens[i].Pos.Line),
		Fixes:   []Fix{{"write `}`", []Edit{{Span{end, end}, "\n" + strings.Repeat(" ", open.indent) + "}"}}}}})
}

// endOfFile closes what is open at the end; that is one mistake, however many
// braces it takes.
func (b *balancer) endOfFile() {
	n := len(b.stack)
	if n == 0 {
		return
	}
	end := tokenSpan(&b.tokens[len(b.tokens)-1]).End
	var text strings.Builder
	for i := n - 1; i >= 0; i-- {
		b.repairs = append(b.repairs, repair{len(b.tokens), RBrace})
		text.WriteString("\n" + strings.Repeat(" ", b.stack[i].indent) + "}")
	}
	f := Fault{ID: IDSyntax, Span: tokenSpan(&b.tokens[b.stack[n-1].token]),
		Message: "this `{` is never closed; the file ends before its `}`",
		Fixes:   []Fix{{"write `}` at the end of the file", []Edit{{Span{end, end}, text.String()}}}}}
	if n > 1 {
		f.Message = fmt.Sprintf("this `{` is never closed, nor are %d around it; the file ends before their `}`", n-1)
	}
	b.faults = append(b.faults, f)
	b.stack = nil
}

func (b *balancer) stray(i int) {
	b.repairs = append(b.repairs, repair{i, struck})
	span := tokenSpan(&b.tokens[i])
	b.faults = append(b.faults, Fault{ID: IDSyntax, Span: span, Message: "this `}` closes nothing",
		Help: "remove it, or write the `{` that it closes"})
}

// byCount pairs braces as they come.
func (b *balancer) byCount() {
	for i := range b.tokens {
		switch b.tokens[i].Type {
		case LBrace:
			b.stack = append(b.stack, brace{token: i})
		case RBrace:
			if n := len(b.stack); n > 0 {
				b.stack = b.stack[:n-1]
			} else {
				b.stray(i)
			}
		}
	}
	b.endOfFile()
}

// apply carries out the repairs. An inserted brace is an empty token behind the
// token before it.
func (b *balancer) apply() []lexer.Token {
	sort.SliceStable(b.repairs, func(i, j int) bool { return b.repairs[i].before < b.repairs[j].before })
	out := make([]lexer.Token, 0, len(b.tokens)+len(b.repairs))
	next := 0
	for i := 0; i <= len(b.tokens); i++ {
		skip := false
		for ; next < len(b.repairs) && b.repairs[next].before == i; next++ {
			if b.repairs[next].kind == struck {
				skip = true
				continue
			}
			out = append(out, b.inserted(i, b.repairs[next].kind))
		}
		if i < len(b.tokens) && !skip {
			out = append(out, b.tokens[i])
		}
	}
	return out
}

func (b *balancer) inserted(i int, kind Kind) lexer.Token {
	if i == 0 {
		return lexer.Token{Type: kind, Pos: lexer.Position{Line: 1}}
	}
	before := &b.tokens[i-1]
	return lexer.Token{Type: kind, Pos: lexer.Position{Offset: tokenSpan(before).End, Line: before.Pos.Line}}
}
