package lsp

import (
	"fmt"
	"strings"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/describe"
	"flowc/validate/model"
	"flowc/validate/value"
)

// numbers are the lines that say what a declaration means in effect. Those of a flow and its states are worked out of the flow as it
// is when nothing about it is wrong (see sound), and otherwise as it was when nothing was, with a line that says so.
func (c *checked) numbers(d *validate.Def) []string {
	switch n := d.Node.(type) {
	case *grammar.ConstDecl:
		return lines(c.constant(d, n))
	case *grammar.TaskDecl:
		for _, t := range c.Partial.Tasks {
			if declaredAt(t.Pos, d) {
				return lines(sentence(describe.Task(t.Policy)))
			}
		}
	case *grammar.FlowDecl:
		for _, f := range c.Partial.Flows {
			if declaredAt(f.Pos, d) {
				return c.ofFlow(f, func(f *model.Flow, source describe.Source) string { return latestEnd(describe.LatestEnd(f, source)) })
			}
		}
	case *grammar.State, *grammar.Parallel, *grammar.Region, *grammar.Use:
		if f, s := c.stateAt(d); s != nil {
			return c.ofFlow(f, func(f *model.Flow, source describe.Source) string { return visit(f, s.Path, source) })
		}
	}
	return nil
}

// wasGood stands above numbers of a flow about which something is wrong now.
const wasGood = "*When it was last without a mistake:*"

// ofFlow says something about a flow.
func (c *checked) ofFlow(f *model.Flow, say func(*model.Flow, describe.Source) string) []string {
	if c.sound(f) {
		return lines(say(f, c.source))
	}
	if last, ok := c.last[flowKey{c.Sources[f.Pos.File].Name, f.Name}]; ok {
		if said := say(last.flow, last.source); said != "" {
			return lines(wasGood, said)
		}
	}
	return nil
}

// visit says what a visit of the state with this path comes to; nothing when the flow has no such state.
func visit(f *model.Flow, path string, source describe.Source) string {
	for _, s := range f.States {
		if s.Path == path {
			return "- " + strings.ReplaceAll(describe.StateText(f, s.Index, source), "\n", "\n- ")
		}
	}
	return ""
}

func lines(all ...string) []string {
	var out []string
	for _, line := range all {
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// source gives the text of a file by its index.
func (c *checked) source(file int) []byte {
	if file < 0 || file >= len(c.Sources) {
		return nil
	}
	return c.Sources[file].AST.Src
}

func declaredAt(p model.Pos, d *validate.Def) bool {
	return p.File == d.File && p.Start == d.Span.Start
}

// stateAt finds the state that a name declares.
func (c *checked) stateAt(d *validate.Def) (*model.Flow, *model.State) {
	for _, f := range c.Partial.Flows {
		for _, s := range f.States {
			if declaredAt(s.Pos, d) {
				return f, s
			}
		}
	}
	return nil, nil
}

// latestEnd says when a token of a flow ends at the latest, or why nothing says so.
func latestEnd(b describe.Bound) string {
	if b.Known {
		return fmt.Sprintf("Latest end %s after the start.", lasting(b.Micros))
	}
	return sentence("latest end " + b.String())
}

// sentence makes a phrase one.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// lasting is a duration in the language and in seconds.
func lasting(micros int64) string {
	seconds := micros / 1_000_000
	return fmt.Sprintf("%s (%s)", grammar.FormatSeconds(seconds), inSeconds(seconds))
}

// constant gives what a constant's value folds to, where that is worth a line: a duration, or what is no literal.
func (c *checked) constant(d *validate.Def, n *grammar.ConstDecl) string {
	if n.Value == nil {
		return ""
	}
	span := n.Value.Span()
	for _, t := range c.Info.Types {
		if t.File != d.File || t.Span != span || t.Const == nil {
			continue
		}
		if t.Type.Kind == value.Duration {
			return spanText(*t.Const)
		}
		if _, literal := n.Value.(*grammar.Literal); literal {
			return ""
		}
		if got, err := value.Text(*t.Const); err == nil && len(got) < 200 {
			return fmt.Sprintf("`%s`: %s", t.Type, got)
		}
	}
	return ""
}
