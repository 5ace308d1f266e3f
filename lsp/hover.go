package lsp

import (
	"fmt"
	"strings"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// A Hover is what stands at a place, as Markdown.
type Hover struct {
	Span grammar.Span
	Text string
}

// Hover says what stands at the offset: the declaration of a name with its documentation and its effective numbers, the length of
// a duration, the type of an expression, what a keyword means. It is nil where there is nothing to say.
func (s *Snapshot) Hover(file string, offset int) *Hover {
	c, ref := s.ref(file, offset)
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	if ref != nil {
		return &Hover{ref.Span, c.describe(ref.Def)}
	}
	h := hovering{c: c, file: i, tree: c.Sources[i].AST, offset: offset}
	token, ok := tokenAt(grammar.Lex(h.tree.Src), offset)
	if !ok {
		return nil
	}
	h.path = pathTo(h.tree, offset)
	if text := h.token(token); text != "" {
		return &Hover{token.Span, text}
	}
	return nil
}

// hovering is a place that no declared name stands at.
type hovering struct {
	c      *checked
	file   int
	tree   *grammar.File
	offset int
	path   []grammar.Node
}

func (h hovering) token(t grammar.Token) string {
	word := string(h.tree.Src[t.Span.Start:t.Span.End])
	switch t.Kind {
	case grammar.Duration_, grammar.BadNumber:
		return h.duration()
	case grammar.Ident_:
		return h.word(word, t.Span)
	case grammar.Int_, grammar.Decimal_, grammar.String_, grammar.StringHead, grammar.StringMid, grammar.StringTail:
		return h.typed()
	}
	return ""
}

// duration is a literal with its length in seconds.
func (h hovering) duration() string {
	l := innermost[*grammar.Literal](h.path)
	if l == nil {
		return ""
	}
	seconds, ok := l.Seconds()
	if !ok {
		return ""
	}
	return fmt.Sprintf("`%s` = %s", l.Meant, inSeconds(seconds))
}

func inSeconds(n int64) string {
	if n == 1 {
		return "1 second"
	}
	return grouped(n) + " seconds"
}

// grouped writes a number with commas between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// word is a word that refers to no declaration: a keyword, or a name of the language itself.
func (h hovering) word(word string, span grammar.Span) string {
	if !isName(h.path) || h.path[len(h.path)-1].Span() != span {
		return wordHelp(word)
	}
	if doc := reservedDocs[word]; doc != "" && h.isEvent() {
		return code("on "+word) + "\n\n" + doc
	}
	if innermost[*grammar.NamedType](h.path) != nil && typeDocs[word] != "" {
		return code(word) + "\n\n" + typeDocs[word]
	}
	if word == "event" {
		return h.event()
	}
	if f, ok := builtin.Lookup(h.dotted(word)); ok {
		return code(f.Signature) + "\n\n" + f.Doc
	}
	if word == "self" {
		return wordHelp(word)
	}
	return h.typed()
}

// isEvent says whether the name stands where an event does.
func (h hovering) isEvent() bool {
	for i := len(h.path) - 2; i >= 0 && i >= len(h.path)-3; i-- {
		switch h.path[i].(type) {
		case *grammar.On, *grammar.WaitArm:
			return true
		}
	}
	return false
}

// dotted is the name with what stands before its dot: `token.id`.
func (h hovering) dotted(word string) string {
	if sel := innermost[*grammar.SelectExpr](h.path); sel != nil {
		if full := strings.ReplaceAll(text(h.tree, sel), " ", ""); strings.HasPrefix(full, "token.") {
			return full
		}
	}
	return word
}

// event lists the fields that `event` has in this handler.
func (h hovering) event() string {
	fields := h.c.Info.EventFields(h.file, h.offset)
	if len(fields) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Type)
	}
	return "What the handler took:\n\n" + code(strings.TrimSuffix(b.String(), "\n"))
}

// typed is the type of the smallest expression here.
func (h hovering) typed() string {
	t := h.c.typeAt(h.file, h.offset)
	if t == nil {
		return ""
	}
	out := code(t.Type.String())
	if t.Const != nil && t.Type.Kind == value.Duration {
		out += "\n\n" + spanText(*t.Const)
	}
	return out
}

// typeAt finds the smallest expression around an offset that has a type.
func (c *checked) typeAt(file, offset int) *validate.TypeAt {
	var best *validate.TypeAt
	for i := range c.Info.Types {
		t := &c.Info.Types[i]
		if t.File == file && t.Span.Contains(offset) && (best == nil || t.Span.Len() <= best.Span.Len()) {
			best = t
		}
	}
	return best
}

// spanText is a folded duration: `2d` = 172,800 seconds.
func spanText(v value.Value) string {
	seconds := v.Micros() / 1_000_000
	return fmt.Sprintf("`%s` = %s", grammar.FormatSeconds(seconds), inSeconds(seconds))
}

func code(text string) string { return "```flow\n" + text + "\n```" }
