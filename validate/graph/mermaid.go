package graph

import (
	"fmt"
	"io"
	"strings"

	"flowc/validate/model"
)

// WriteMermaid writes the graph as a Mermaid stateDiagram-v2.
func WriteMermaid(w io.Writer, g *Graph) error {
	m := &textWriter{ids: identifiers(g)}
	m.line("stateDiagram-v2")
	m.line("  %%%% flow %s", g.Flow)
	for _, outcome := range model.OutcomeDecl.Members {
		m.line("  classDef %s %s", outcome, mermaidColours[outcome])
	}
	m.mermaidInside(g, g.States[0], 1)
	for _, l := range g.States[0].Lines {
		m.line("  %%%% %s", oneLine(l.Text))
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

var mermaidColours = map[string]string{
	"success":   "fill:#dcfce7,stroke:#15803d,color:#14532d",
	"failure":   "fill:#fee2e2,stroke:#b91c1c,color:#7f1d1d",
	"cancelled": "fill:#fef9c3,stroke:#a16207,color:#713f12",
}

// A textWriter writes indented lines.
type textWriter struct {
	b   strings.Builder
	ids map[*State]string
}

func (m *textWriter) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

// mermaidInside writes what is in a state: its states, where it begins, and the transitions that stay in it; Mermaid would draw a
// state inside wherever it is named first. It draws a transition of a state to one inside it badly, so such a one begins at a
// state of its own, as do those of the flow's body.
func (m *textWriter) mermaidInside(g *Graph, around *State, depth int) {
	pad := strings.Repeat("  ", depth)
	if around.initial != nil {
		m.line("%s[*] --> %s", pad, m.ids[around.initial])
	}
	for i, s := range around.Children {
		if s.Kind == "region" && i > 0 {
			m.line("%s--", pad)
		}
		m.mermaidState(g, s, depth)
	}
	named := false
	for _, t := range g.Transitions {
		switch {
		case t.From == around && (t.Inside || around.Parent == nil):
			any := "from_" + m.ids[around]
			if !named {
				m.line(`%sstate "%s" as %s`, pad, pillText(&box{state: around}, true), any)
				named = true
			}
			m.mermaidArrow(pad, any, m.target(t), t)
		case scope(t) == around && !t.Inside && t.From.Parent != nil:
			m.mermaidArrow(pad, m.ids[t.From], m.target(t), t)
		}
	}
}

// scope is the innermost state around both ends of a transition in which it can be written: a parallel holds only regions.
func scope(t *Transition) *State {
	s := t.From.Parent
	for s != nil && s.Parent != nil && (s == t.To || !inside(t.To, s) || s.Kind == "parallel") {
		s = s.Parent
	}
	return s
}

// target is the id of a transition's target; that of the flow's body is where it begins.
func (m *textWriter) target(t *Transition) string {
	if t.To.Parent == nil {
		return m.ids[t.To.initial]
	}
	return m.ids[t.To]
}

func (m *textWriter) mermaidArrow(pad, from, to string, t *Transition) {
	label := t.Label()
	if t.Clock {
		label = "⏱ " + label
	}
	m.line("%s%s --> %s: %s", pad, from, to, mermaidText(label))
}

func (m *textWriter) mermaidState(g *Graph, s *State, depth int) {
	pad, id := strings.Repeat("  ", depth), m.ids[s]
	name := s.Name
	if s.History != "" {
		name += " (" + s.History + " history)"
	}
	if len(s.Children) > 0 {
		m.line(`%sstate "%s" as %s {`, pad, mermaidText(name), id)
		m.mermaidInside(g, s, depth+1)
		m.line("%s}", pad)
		m.mermaidNote(pad, s)
		return
	}
	m.line(`%sstate "%s" as %s`, pad, mermaidText(name), id)
	for _, l := range s.Lines {
		m.line("%s%s: %s", pad, id, mermaidText(l.marked()))
	}
	if s.Kind == "final" {
		m.line("%s%s --> [*]", pad, id)
		m.line("%sclass %s %s", pad, id, s.Outcome)
	}
}

// mermaidNote puts what a composite does into a note, since only a state without states in it has rows.
func (m *textWriter) mermaidNote(pad string, s *State) {
	if len(s.Lines) == 0 || s.Kind == "region" { // a region has no place for a note beside it
		for _, l := range s.Lines {
			m.line("%s%%%% %s: %s", pad, s.Path, oneLine(l.Text))
		}
		return
	}
	m.line("%snote right of %s", pad, m.ids[s])
	for _, l := range s.Lines {
		m.line("%s  %s", pad, mermaidText(l.marked()))
	}
	m.line("%send note", pad)
}

// marked is a line with a clock before it where it is a timer.
func (l Line) marked() string {
	if l.Kind == TimerLine {
		return "⏱ " + l.Text
	}
	return l.Text
}

// mermaidText escapes what Mermaid would read as its own.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		if strings.ContainsRune(`#;:"<>&%{}\`, r) || r == '`' {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(safe(s)), " ") }

// identifiers gives every state a name of letters, digits and `_` that no other has: its path where that goes.
func identifiers(g *Graph) map[*State]string {
	ids, taken := map[*State]string{}, map[string]bool{}
	for _, s := range g.States {
		id := strings.ReplaceAll(s.Path, ".", "_")
		if id == "" {
			id = "flow"
		}
		for taken[id] || reservedWords[strings.ToLower(id)] || strings.HasPrefix(id, "from_") {
			id = fmt.Sprintf("%s_%d", "s_"+id, s.Index)
		}
		ids[s], taken[id] = id, true
	}
	return ids
}

// reservedWords are words of Mermaid and DOT that cannot be names.
var reservedWords = map[string]bool{
	"state": true, "note": true, "end": true, "as": true, "direction": true, "class": true, "classdef": true, "style": true, "hide": true,
	"scale": true, "click": true, "href": true, "default": true, "fork": true, "join": true, "choice": true, "title": true, "acctitle": true, "accdescr": true,
	"node": true, "edge": true, "graph": true, "digraph": true, "subgraph": true, "strict": true,
}
