package lsp

import (
	"cmp"
	"slices"
	"strings"

	"flowc/grammar"
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// A Hint is a text that an editor shows between the letters.
type Hint struct {
	Offset int
	Label  string
	// Before says that it stands before what it is about (the name of a parameter), and not behind it.
	Before bool
	Doc    string
}

// Hints gives, for a stretch of a file, the names of the parameters of positional arguments, and what durations that are no
// literals fold to.
func (s *Snapshot) Hints(file string, span grammar.Span) []Hint {
	c := s.check(file)
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	h := hinting{c: c, file: i, tree: c.Sources[i].AST, all: c.visible(file)}
	h.tree.Inspect(func(n grammar.Node) bool {
		at := n.Span()
		if at.End < span.Start || at.Start > span.End {
			return false
		}
		if call, ok := n.(*grammar.CallExpr); ok {
			h.parameters(call)
		}
		return true
	})
	h.durations(span)
	slices.SortStableFunc(h.out, func(a, b Hint) int { return cmp.Compare(a.Offset, b.Offset) })
	return h.out
}

type hinting struct {
	c    *checked
	file int
	tree *grammar.File
	all  []symbol
	out  []Hint
}

func (h *hinting) parameters(call *grammar.CallExpr) {
	if call.Fun == nil {
		return
	}
	label := strings.ReplaceAll(text(h.tree, call.Fun), " ", "")
	var names []string
	if d, _ := find[*grammar.FnDecl](h.all, label); d != nil {
		for _, p := range d.Params.List() {
			names = append(names, identText(p.Name))
		}
	} else if f, ok := builtin.Lookup(label); ok {
		names = builtinParams(f.Signature)
	}
	if len(names) < 2 {
		return // what the only argument means, the function's name says
	}
	for i, a := range call.Args.List() {
		if i >= len(names) || a.Value == nil || !plainName(names[i]) || text(h.tree, a.Value) == names[i] {
			continue
		}
		h.out = append(h.out, Hint{Offset: a.Span().Start, Label: names[i] + ":", Before: true})
	}
}

// plainName leaves out parameters that a built-in's signature shows by an example, and single letters, which say nothing.
func plainName(s string) bool {
	return len(s) > 1 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// durations shows what constants and sums of durations fold to, the outermost expression only.
func (h *hinting) durations(span grammar.Span) {
	end := -1
	for _, t := range h.c.Info.Types {
		if t.File != h.file || t.Span.Start < end || t.Span.End < span.Start || t.Span.Start > span.End {
			continue
		}
		if t.Type.Kind != value.Duration || t.Const == nil {
			continue
		}
		end = t.Span.End
		seconds := t.Const.Micros() / 1_000_000
		if got := grammar.FormatSeconds(seconds); got != string(h.tree.Src[t.Span.Start:t.Span.End]) {
			h.out = append(h.out, Hint{Offset: t.Span.End, Label: "= " + got, Doc: inSeconds(seconds)})
		}
	}
}
