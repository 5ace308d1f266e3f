package lsp

import (
	"strings"

	"flowc/grammar"
)

// openBracket finds the innermost bracket that is open before a token; -1 when there is none.
func (x *completer) openBracket(before int) int {
	depth := 0
	for i := before - 1; i >= 0; i-- {
		switch x.tokens[i].Kind {
		case grammar.RParen, grammar.RBrack, grammar.RBrace:
			depth++
		case grammar.LParen, grammar.LBrack, grammar.LBrace:
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// A call is a use or a call whose parentheses are open.
type call struct {
	paren int
	label string // what is called, `lib.total`; empty for parentheses of other sorts
	word  string // the word before it
	arg   string // the name of the argument that the placeholder is the value of
}

// callAt looks at what stands before an opening parenthesis.
func (x *completer) callAt(paren int) call {
	c := call{paren: paren}
	i := paren - 1
	for ; i >= 0 && x.tokens[i].Kind == grammar.Ident_; i -= 2 {
		c.label = strings.TrimSuffix(x.textOf(i)+"."+c.label, ".")
		if i == 0 || x.tokens[i-1].Kind != grammar.Dot {
			i--
			break
		}
	}
	if c.label == "" && (x.word(x.k-paren+1) == "->") {
		c.label, c.word = x.textOf(max(paren-2, 0)), "mock"
		return c
	}
	if c.label == "with" {
		c.word = "with"
	} else if i >= 0 {
		c.word = x.textOf(i)
	}
	if x.k >= 2 && x.kind(1) == grammar.Colon && x.kind(2) == grammar.Ident_ && (x.kind(3) == grammar.LParen || x.kind(3) == grammar.Comma) {
		c.arg = x.word(2)
	}
	return c
}

// takes gives what a call takes, and whether its arguments have names.
func (x *completer) takes(c call) (fields []*grammar.Field, file *grammar.File, named bool) {
	switch c.word {
	case "mock":
		return x.resultsOf(c.label)
	case "with":
		if x.headWord() == "complete" && x.head+1 < x.k {
			return x.resultsOf(x.textOf(x.head + 1))
		}
		return nil, nil, true
	}
	s, ok := calledAs(x.all, c.word, c.label)
	if !ok {
		return nil, nil, useWords[c.word] != ""
	}
	fields, named = s.params()
	return fields, s.file, named
}

// useWords says what sort of declaration the name behind a word is.
var useWords = map[string]string{
	"do": "task", "dispatch": "task", "offered": "task", "dispatched": "task", "complete": "task", "fail": "task", "call": "task flow",
	"invoke": "flow", "start": "flow", "use": "fragment",
	"raise": "event", "schedule": "event", "send": "event", "refused": "event", "with": "event",
}

// calledAs finds the declaration that a use names; without a word that says more it is a function.
func calledAs(all []symbol, word, label string) (symbol, bool) {
	sorts := useWords[word]
	for _, s := range all {
		if s.label != label {
			continue
		}
		sort := "fn"
		switch s.decl.(type) {
		case *grammar.TaskDecl:
			sort = "task"
		case *grammar.FlowDecl:
			sort = "flow"
		case *grammar.EventDecl:
			sort = "event"
		case *grammar.FragmentDecl:
			sort = "fragment"
		case *grammar.FnDecl:
		default:
			continue
		}
		if sorts == "" && sort == "fn" || strings.Contains(sorts, sort) && sorts != "" {
			return s, true
		}
	}
	return symbol{}, false
}

// given lists the names of the arguments that are written already.
func (x *completer) given(paren int) map[string]bool {
	out := map[string]bool{}
	depth := 0
	for i := paren + 1; i+1 < len(x.tokens) && depth >= 0; i++ {
		switch x.tokens[i].Kind {
		case grammar.LParen, grammar.LBrack, grammar.LBrace:
			depth++
		case grammar.RParen, grammar.RBrack, grammar.RBrace:
			depth--
		case grammar.Ident_:
			if depth == 0 && x.tokens[i+1].Kind == grammar.Colon {
				out[x.textOf(i)] = true
			}
			if depth == 0 && i > x.k && x.onNewLine(i) && headWords[x.textOf(i)] {
				return out
			}
		}
	}
	return out
}

// argBefore is the name of the argument in which a token stands.
func (x *completer) argBefore(paren, at int) string {
	name, depth := "", 0
	for i := paren + 1; i < at; i++ {
		switch x.tokens[i].Kind {
		case grammar.LParen, grammar.LBrack, grammar.LBrace:
			depth++
		case grammar.RParen, grammar.RBrack, grammar.RBrace:
			depth--
		case grammar.Ident_:
			if depth == 0 && x.tokens[i+1].Kind == grammar.Colon {
				name = x.textOf(i)
			}
		}
	}
	return name
}
