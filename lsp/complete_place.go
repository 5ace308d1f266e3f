package lsp

import (
	"bytes"

	"flowc/grammar"
)

// word is the text of a token before the placeholder; back is 1 for the one directly before it.
func (x *completer) word(back int) string {
	i := x.k - back
	if i < 0 {
		return ""
	}
	return x.textOf(i)
}

func (x *completer) textOf(i int) string {
	t := x.tokens[i]
	return string(x.src[t.Span.Start:t.Span.End])
}

func (x *completer) kind(back int) grammar.Kind {
	if i := x.k - back; i >= 0 {
		return x.tokens[i].Kind
	}
	return grammar.EOF
}

// isKeyword says whether a token is a word that is no name.
func (x *completer) isKeyword(i int) bool {
	return i >= 0 && x.tokens[i].Kind == grammar.Ident_ && !x.names[x.tokens[i].Span]
}

// onNewLine says whether a token is the first on its line.
func (x *completer) onNewLine(i int) bool {
	if i == 0 {
		return true
	}
	return bytes.IndexByte(x.src[x.tokens[i-1].Span.End:x.tokens[i].Span.Start], '\n') >= 0
}

// headWords begin a declaration, an item or a statement at the start of a line.
var headWords = wordSet(`import const enum type event internal task fn fragment flow test
	data initial state parallel region final use timeout after at every idle on always entry exit do run invoke defer history
	unset if for while break continue raise schedule unschedule rearm dispatch start send note refuse fail call sleep try go
	wait let mock advance claim complete pause resume cancel retry restart stop expect child`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range bytes.Fields([]byte(words)) {
		set[string(w)] = true
	}
	return set
}

// findHead goes back from the placeholder to the word that begins its item, over whole pairs of brackets.
func (x *completer) findHead() int {
	depth := 0
	open := false // inside brackets of the item
	for i := x.k - 1; i >= 0; i-- {
		switch x.tokens[i].Kind {
		case grammar.RParen, grammar.RBrack:
			depth++
		case grammar.RBrace:
			if depth == 0 && !open && x.endsItem(i) {
				return i + 1
			}
			depth++
		case grammar.LParen, grammar.LBrack:
			if depth == 0 {
				open = true
			}
			depth = max(depth-1, 0)
		case grammar.LBrace:
			if depth > 0 {
				depth--
			} else if !x.isLiteralBrace(i) {
				return i + 1
			}
		case grammar.Colon:
			if depth == 0 && !open && x.isLabel(i) {
				return i + 1
			}
		case grammar.Ident_:
			if depth == 0 && x.onNewLine(i) && headWords[x.textOf(i)] && !x.isMember(i) {
				return i
			}
		}
	}
	return 0
}

// isMember says whether a token stands behind something that wants a name: `.`, `->`, `(` or a comma.
func (x *completer) isMember(i int) bool {
	if i == 0 {
		return false
	}
	switch x.tokens[i-1].Kind {
	case grammar.Dot, grammar.Arrow, grammar.LParen, grammar.Comma, grammar.Colon:
		return true
	}
	return false
}

// endsItem says whether a closing brace ends a block, and not a literal or the part before `else` and `catch`.
func (x *completer) endsItem(i int) bool {
	if i+1 < x.k {
		if next := x.textOf(i + 1); next == "else" || next == "catch" {
			return false
		}
	}
	depth := 0
	for j := i; j >= 0; j-- {
		switch x.tokens[j].Kind {
		case grammar.RBrace:
			depth++
		case grammar.LBrace:
			if depth--; depth == 0 {
				return !x.isLiteralBrace(j)
			}
		}
	}
	return true
}

// isLiteralBrace says whether an opening brace begins a record or a map.
func (x *completer) isLiteralBrace(i int) bool {
	if i == 0 {
		return false
	}
	switch x.tokens[i-1].Kind {
	case grammar.Assign, grammar.LParen, grammar.Comma, grammar.Colon, grammar.LBrack, grammar.Question, grammar.Coalesce, grammar.FatArrow:
		return true
	}
	return false
}

// isLabel says whether a colon ends the label of a line of a test: `NAME:` or `child FLOW N:`.
func (x *completer) isLabel(i int) bool {
	if i == 0 || x.region() != inTest {
		return false
	}
	return x.onNewLine(i-1) || i >= 3 && x.textOf(i-3) == "child" && x.onNewLine(i-3)
}

// A region is what the innermost braces hold.
type region uint8

const (
	atTop region = iota
	inStates
	inParallel
	inFinal
	inBlock
	inRoutine
	inTest
	inFields
	inEnum
	inWait
)

// region finds the braces around the placeholder.
func (x *completer) region() region {
	for i := len(x.path) - 1; i >= 0; i-- {
		if span := x.path[i].Span(); x.span.End <= span.Start {
			continue
		}
		switch x.path[i].(type) {
		case *grammar.StateBody:
			return ownerRegion(x.path[:i])
		case *grammar.Block:
			if innermost[*grammar.Run](x.path[:i]) != nil {
				return inRoutine
			}
			return inBlock
		case *grammar.TestBody:
			return inTest
		case *grammar.FieldBlock:
			return inFields
		case *grammar.EnumBody:
			return inEnum
		case *grammar.WaitBody:
			return inWait
		}
	}
	return atTop
}

func ownerRegion(path []grammar.Node) region {
	if len(path) > 0 {
		switch path[len(path)-1].(type) {
		case *grammar.Parallel:
			return inParallel
		case *grammar.Final:
			return inFinal
		}
	}
	return inStates
}

// here is the state whose code the placeholder is in; for the header of a state the one around it.
func (x *completer) here() *stateNode {
	if x.states == nil {
		return nil
	}
	return x.states.around(x.path)
}
