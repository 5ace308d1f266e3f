package lsp

import (
	"flowc/grammar"
)

// names collects where the names of a file stand; a word that stands nowhere there is a keyword.
func names(f *grammar.File) map[grammar.Span]bool {
	out := map[grammar.Span]bool{}
	f.Inspect(func(n grammar.Node) bool {
		if id, ok := n.(*grammar.Ident); ok {
			out[id.Span()] = true
		}
		return true
	})
	return out
}

// tokenAt finds the token at an offset; of two that touch there the one that is a word.
func tokenAt(tokens []grammar.Token, offset int) (grammar.Token, bool) {
	var found grammar.Token
	ok := false
	for _, t := range tokens {
		if t.Span.Start > offset {
			break
		}
		if t.Span.Contains(offset) && t.Span.Len() > 0 && (!ok || found.Kind != grammar.Ident_) {
			found, ok = t, true
		}
	}
	return found, ok
}

// isName says whether the path to a place ends at a name.
func isName(path []grammar.Node) bool {
	if len(path) == 0 {
		return false
	}
	_, ok := path[len(path)-1].(*grammar.Ident)
	return ok
}
