package graph

import (
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes the graph for Graphviz: states with states in them are clusters, and what leads from or to one is joined to a
// point inside it and cut off at its border.
func WriteDOT(w io.Writer, g *Graph) error {
	m := &textWriter{ids: identifiers(g)}
	m.line("digraph %s {", quote(g.Flow))
	m.line("  compound=true")
	m.line(`  graph [label=%s, labeljust=l, fontname="sans-serif", style=rounded]`, quote(strings.Join(append([]string{"flow " + g.Flow}, texts(g.States[0])...), "\n")))
	m.line(`  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]`)
	m.line(`  edge [fontname="sans-serif", fontsize=10]`)
	m.dotInside(g.States[0], 1)
	for _, t := range g.Transitions {
		m.dotArrow(t)
	}
	m.line("}")
	_, err := io.WriteString(w, m.b.String())
	return err
}

func texts(s *State) []string {
	var out []string
	for _, l := range s.Lines {
		out = append(out, l.marked())
	}
	return out
}

func (m *textWriter) dotInside(around *State, depth int) {
	pad := strings.Repeat("  ", depth)
	m.line(`%s%s [shape=point, width=0.01, style=invis]`, pad, m.anchor(around))
	if around.initial != nil {
		start := quote("start_" + m.ids[around])
		m.line(`%s%s [shape=circle, width=0.12, label="", style=filled, fillcolor=black]`, pad, start)
		m.line(`%s%s -> %s%s`, pad, start, m.node(around.initial), heads("lhead", m.cluster(around.initial)))
	}
	for _, s := range around.Children {
		if len(s.Children) == 0 {
			m.dotState(pad, s)
			continue
		}
		style := "rounded"
		if s.Kind == "region" {
			style = "dashed"
		}
		m.line("%ssubgraph %s {", pad, m.cluster(s))
		m.line("%s  label=%s; style=%s", pad, quote(m.rows(s)), style)
		m.dotInside(s, depth+1)
		m.line("%s}", pad)
	}
}

// rows is a state's name with its lines below it.
func (m *textWriter) rows(s *State) string {
	name := s.Name
	if s.History != "" {
		name += " (" + s.History + " history)"
	}
	return strings.Join(append([]string{name}, texts(s)...), "\n")
}

var dotColours = map[string]string{"success": "#15803d", "failure": "#b91c1c", "cancelled": "#a16207"}

func (m *textWriter) dotState(pad string, s *State) {
	if s.Kind == "final" {
		m.line(`%s%s [label=%s, peripheries=2, color=%s]`, pad, m.node(s), quote(m.rows(s)), quote(dotColours[s.Outcome]))
		return
	}
	m.line(`%s%s [label=%s]`, pad, m.node(s), quote(m.rows(s)))
}

func (m *textWriter) dotArrow(t *Transition) {
	from, to := m.node(t.From), m.node(t.To)
	label := t.Label()
	if t.Clock {
		label = "⏱ " + label
	}
	tail, head := m.cluster(t.From), m.cluster(t.To)
	if t.From == t.To || inside(t.To, t.From) { // Graphviz does not cut what stays inside
		tail = ""
	}
	if t.From == t.To || inside(t.From, t.To) {
		head = ""
	}
	m.line(`  %s -> %s [label=%s%s%s]`, from, to, quote(label), attribute("ltail", tail), attribute("lhead", head))
}

func attribute(name, cluster string) string {
	if cluster == "" {
		return ""
	}
	return ", " + name + "=" + cluster
}

func heads(name, cluster string) string {
	if cluster == "" {
		return ""
	}
	return " [" + name + "=" + cluster + "]"
}

// node is the node of a state, or the point in its cluster.
func (m *textWriter) node(s *State) string {
	if len(s.Children) > 0 {
		return m.anchor(s)
	}
	return quote(m.ids[s])
}

func (m *textWriter) anchor(s *State) string { return quote("in_" + m.ids[s] + "_") }

func (m *textWriter) cluster(s *State) string {
	if len(s.Children) == 0 || s.Parent == nil {
		return ""
	}
	return quote("cluster_" + m.ids[s])
}

// quote writes a DOT string; line ends become breaks.
func quote(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	parts := strings.Split(s, "\n")
	for i := range parts {
		parts[i] = safe(parts[i])
	}
	return fmt.Sprintf(`"%s"`, strings.Join(parts, `\n`))
}
