package lsp

import (
	"flowc/grammar"
)

// goesOn lists, for the word that begins a construct, the words by which it may go on.
var goesOn = map[string][]string{
	"timeout":  {"from"},
	"after":    {"from", "as", "when", "->"},
	"at":       {"as", "when", "->"},
	"every":    {"at", "in", "for", "times", "as"},
	"on":       {"when", "->"},
	"always":   {"when", "->"},
	"do":       {"within", "retry", "backoff", "queue", "may", "each", "concurrency", "join"},
	"invoke":   {"key", "each", "concurrency", "join"},
	"dispatch": {"within", "retry", "backoff", "queue"},
	"call":     {"within", "retry", "backoff", "queue", "each", "concurrency"},
	"task":     {"->", "fails", "within", "retry", "backoff", "queue"},
	"flow":     {"->"},
	"fn":       {"->"},
	"import":   {"as"},
	"final":    {"as"},
	"use":      {"as"},
	"parallel": {"join"},
	"history":  {"deep"},
	"schedule": {"after", "at"},
	"start":    {"key", "keep", "as", "after", "at"},
	"send":     {"to", "as"},
	"wait":     {"for", "until", "when"},
	"catch":    {"as"},
	"for":      {"in"},
	"mock":     {"fails", "final", "->", "times"},
	"complete": {"with"},
	"fail":     {"no"},
	"expect":   {"in", "at", "times", "state"},
	"retry":    {"at"},
	"let":      {"within", "retry", "backoff", "each", "for", "until", "concurrency"},
}

// goOn proposes how the construct before the placeholder may go on, and what may begin on a new line.
func (x *completer) goOn() {
	region := x.region()
	if x.onNewLine(x.k) || x.k == x.head {
		x.starts(region)
	}
	head := x.headWord()
	if head == "" || x.onNewLine(x.k) && !x.isDecl() {
		return
	}
	used := map[string]bool{}
	for i := x.head; i < x.k; i++ {
		if x.isKeyword(i) || x.tokens[i].Kind == grammar.Arrow {
			used[x.textOf(i)] = true
		}
	}
	for _, w := range goesOn[head] {
		if !used[w] && (w != "backoff" || used["retry"]) && (w != "keep" || used["key"]) {
			x.continuation(w)
		}
	}
	if used["when"] || head == "if" || head == "while" || head == "const" || head == "expect" || head == "let" {
		x.keywords(4, "and", "or", "in")
	}
}

func (x *completer) continuation(word string) {
	i := Item{Label: word, Kind: KindKeyword, doc: func() string { return wordHelp(word) }}
	if word == "->" {
		i.doc = func() string { return "The state that a transition leads to." }
	}
	x.add(1, i)
}
