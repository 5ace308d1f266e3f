package cmd

import (
	"fmt"
	"strings"

	"flowc/grammar"
	"flowc/lsp"
)

func (q query) locations(all []lsp.Location) []answer {
	var out []answer
	for _, l := range all {
		out = append(out, q.at(l, ""))
	}
	return out
}

func (q query) uses(all []lsp.Use) []answer {
	var out []answer
	for _, u := range all {
		text := ""
		switch {
		case u.Declaration:
			text = "declaration"
		case u.Write:
			text = "write"
		}
		out = append(out, q.at(u.Location, text))
	}
	return out
}

func (q query) hover() []answer {
	h := q.Hover(q.file, q.offset)
	if h == nil {
		return nil
	}
	return []answer{{Text: h.Text}}
}

func (q query) completion() []answer {
	var out []answer
	for _, i := range q.Complete(q.file, q.offset) {
		text := i.Label
		if i.Detail != "" {
			text += "\t" + i.Detail
		}
		out = append(out, answer{Text: text})
	}
	return out
}

func (q query) signature() []answer {
	s := q.Signature(q.file, q.offset)
	if s == nil {
		return nil
	}
	text := s.Label
	if s.Active >= 0 && s.Active < len(s.Params) {
		text += "\t" + s.Params[s.Active].Label
	}
	return []answer{{Text: text}}
}

func (q query) calls(all []lsp.Calls) []answer {
	var out []answer
	for _, c := range all {
		for _, at := range c.Places {
			out = append(out, q.at(at, c.Name))
		}
	}
	return out
}

func (q query) selection() []answer {
	var out []answer
	for _, span := range q.Selections(q.file, q.offset) {
		end := q.here(grammar.Span{Start: span.End}, "")
		out = append(out, q.here(span, fmt.Sprintf("to %d:%d", end.Line, end.Column)))
	}
	return out
}

func (q query) symbols(all []lsp.Symbol, container string) []answer {
	var out []answer
	for _, s := range all {
		name := s.Name
		if container != "" {
			name = container + "." + name
		}
		out = append(out, q.here(s.NameSpan, strings.TrimSpace(name+" "+s.Detail)))
		out = append(out, q.symbols(s.Children, name)...)
	}
	return out
}

func (q query) folds() []answer {
	var out []answer
	for _, f := range q.Folds(q.file) {
		out = append(out, q.here(f.Span, fmt.Sprintf("to %d", q.here(grammar.Span{Start: f.Span.End}, "").Line)))
	}
	return out
}

func (q query) hints() []answer {
	var out []answer
	for _, h := range q.Hints(q.file, q.all()) {
		out = append(out, q.here(grammar.Span{Start: h.Offset}, h.Label))
	}
	return out
}

func (q query) all() grammar.Span { return grammar.Span{End: len(q.Document(q.file).Text)} }

func (q query) tokens() []answer {
	var out []answer
	text := q.Document(q.file).Text
	for _, t := range q.SemanticTokens(q.file) {
		out = append(out, q.here(t.Span, lsp.TokenTypes[t.Type]+" "+string(text[t.Span.Start:t.Span.End])))
	}
	return out
}

func (q query) links() []answer {
	var out []answer
	for _, l := range q.Links(q.file) {
		out = append(out, q.here(l.Span, l.Target))
	}
	return out
}

func (q query) lenses() []answer {
	var out []answer
	for _, l := range q.Lenses(q.file) {
		out = append(out, q.here(l.Span, strings.TrimSpace(l.Title+" "+l.Test)))
	}
	return out
}

func (q query) diagnostics() []answer {
	var out []answer
	found, _ := q.Diagnostics(q.file)
	for _, f := range found {
		out = append(out, answer{File: f.File, Line: f.Range.Start.Line, Column: f.Range.Start.Column,
			Text: fmt.Sprintf("%s: %s [%s]", f.Severity, f.Message, f.ID)})
	}
	return out
}

func (q query) actions() []answer {
	span := q.all()
	if q.place {
		span = grammar.Span{Start: q.offset, End: q.offset}
	}
	var out []answer
	for _, a := range q.Actions(q.file, span) {
		at := answer{Text: a.Title}
		if a.Finding != nil {
			at = answer{File: q.file, Line: a.Finding.Range.Start.Line, Column: a.Finding.Range.Start.Column, Text: a.Title}
		}
		out = append(out, at)
	}
	return out
}
