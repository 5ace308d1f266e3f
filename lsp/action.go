package lsp

import (
	"bytes"
	"fmt"
	"slices"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// ActionKind says what an action is for.
type ActionKind uint8

// The kinds of actions.
const (
	QuickFix ActionKind = iota
	FixAll              // all certain fixes of the file at once
)

// An Action is a change that an editor offers.
type Action struct {
	Title     string
	Kind      ActionKind
	Finding   *diag.Finding // that it removes, nil for FixAll
	Preferred bool          // the fix is certain and the only one
	Edits     []Edit
}

// Actions lists what can be done about the findings that a stretch touches: their fixes, and the comment that allows them. Where a
// file has fixes at all there is also one that makes all of them.
func (s *Snapshot) Actions(file string, span grammar.Span) []Action {
	found, ok := s.Diagnostics(file)
	if !ok {
		return nil
	}
	src := s.Document(file).Text
	var out, allows []Action
	for i := range found {
		f := &found[i]
		if f.Range.End.Offset < span.Start || f.Range.Start.Offset > span.End {
			continue
		}
		for _, fix := range f.Fixes {
			out = append(out, Action{Title: fix.Title, Kind: QuickFix, Finding: f, Preferred: len(f.Fixes) == 1, Edits: editsOf(file, fix)})
		}
		if a, ok := allow(file, src, f); ok {
			allows = append(allows, a)
		}
	}
	out = append(out, allows...)
	if edits := fixAll(file, found); len(edits) > 0 {
		out = append(out, Action{Title: "Fix all that is certain", Kind: FixAll, Edits: edits})
	}
	return out
}

func editsOf(file string, fix diag.Fix) []Edit {
	var out []Edit
	for _, e := range fix.Edits {
		out = append(out, Edit{Location{file, grammar.Span{Start: e.Range.Start.Offset, End: e.Range.End.Offset}}, e.Text})
	}
	return out
}

// fixAll collects the only fix of each finding, as far as they do not touch each other.
func fixAll(file string, found []diag.Finding) []Edit {
	var out []Edit
	for _, f := range found {
		if len(f.Fixes) != 1 {
			continue
		}
		edits := editsOf(file, f.Fixes[0])
		if !slices.ContainsFunc(edits, func(e Edit) bool { return touches(out, e) }) {
			out = append(out, edits...)
		}
	}
	slices.SortFunc(out, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
	return out
}

func touches(all []Edit, e Edit) bool {
	return slices.ContainsFunc(all, func(o Edit) bool { return o.Span.Start <= e.Span.End && e.Span.Start <= o.Span.End })
}

// allow writes the comment that silences a finding, where the language lets a file go on with it: on the line above and as far
// indented. The reason is left to the author, and a warning asks for it.
func allow(file string, src []byte, f *diag.Finding) (Action, bool) {
	if f.ID == diag.AllowUnused || f.ID == diag.AllowWithoutReason || !validate.MayAllow(f) {
		return Action{}, false
	}
	line := bytes.LastIndexByte(src[:f.Range.Start.Offset], '\n') + 1
	indent := src[line : line+len(src[line:])-len(bytes.TrimLeft(src[line:], " \t"))]
	end := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		end = "\r\n"
	}
	comment := fmt.Sprintf("%s// flowc:allow %s%s", indent, f.ID, end)
	if line == 0 && bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		line = 3
	}
	at := grammar.Span{Start: line, End: line}
	return Action{Title: fmt.Sprintf("Allow `%s` here (and write why)", f.ID), Kind: QuickFix, Finding: f,
		Edits: []Edit{{Location{file, at}, comment}}}, true
}
