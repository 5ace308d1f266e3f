package validate

import (
	"bytes"
	"sort"
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
)

// An allow is a comment `// flowc:allow ID reason`, which silences one finding on the line below it.
type allow struct {
	span    grammar.Span
	line    int
	id      diag.ID
	reason  bool
	used    bool
	refused bool // it names an error that cannot be allowed
}

const allowMark = "flowc:allow"

func (c *checker) collectAllows(f *file) {
	for _, com := range f.ast.Comments {
		if com.Block {
			continue
		}
		text := strings.TrimSpace(strings.TrimPrefix(com.Text, "//"))
		if !strings.HasPrefix(text, allowMark) {
			continue
		}
		words := strings.Fields(strings.TrimPrefix(text, allowMark))
		line, _ := f.ast.Position(com.Span.Start)
		a := &allow{span: com.Span, line: line, reason: len(words) > 1}
		if len(words) > 0 {
			a.id = diag.ID(words[0])
		}
		f.allows = append(f.allows, a)
	}
}

// silence drops the findings that a comment on the line above allows, and reports comments that silence nothing or say not why.
// Comments on lines that follow one another all speak of the line below the last of them.
func (c *checker) silence() {
	var kept []*diag.Finding
	for _, f := range c.findings {
		if a := c.allowed(f); a != nil {
			if a.used = true; MayAllow(f) {
				continue
			}
			a.refused = true
		}
		kept = append(kept, f)
	}
	c.findings = kept
	for _, f := range c.files {
		e := &env{file: f}
		for _, a := range f.allows {
			c.checkAllow(e, a)
		}
	}
}

func (c *checker) checkAllow(e *env, a *allow) {
	_, known := diag.Lookup(a.id)
	switch {
	case a.id == "":
		c.report(e.at(a.span), diag.AllowUnused, "this comment does not say which finding it allows").help("write `// flowc:allow ID reason`")
	case !known:
		ids := make([]string, 0, 100)
		for _, entry := range diag.All() {
			ids = append(ids, string(entry.ID))
		}
		n := c.report(e.at(a.span), diag.AllowUnused, "there is no finding `%s`, so this comment silences nothing", a.id)
		if near := diag.Nearest(string(a.id), ids); near != "" {
			n.help("did you mean `%s`?", near)
		}
	case !a.used:
		c.report(e.at(a.span), diag.AllowUnused, "there is no `%s` on the line below, so this comment silences nothing", a.id).help("remove the comment")
	case a.refused:
		c.report(e.at(a.span), diag.AllowUnused, "a `%s` cannot be allowed: without mending it there is nothing to run", a.id).help("mend it, and remove the comment")
	case !a.reason:
		c.report(e.at(a.span), diag.AllowWithoutReason, "this comment does not say why `%s` is all right here", a.id).
			help("write the reason behind it: `// flowc:allow %s because …`", a.id)
	}
}

// MayAllow reports whether a file may go on with the finding: not with one that leaves it unclear what is meant.
func MayAllow(f *diag.Finding) bool {
	if f.Severity != diag.Error {
		return true
	}
	switch f.ID {
	case diag.NoWayOut, diag.UnhandledCompleted, diag.AlwaysCycle, diag.AlwaysWithoutElse, diag.ShadowedHandler, diag.ScheduleInExit,
		diag.ExpiredWithoutIdle, diag.ExpiredNotFinal, diag.CancelNotFinal, diag.JoinImpossible, diag.EveryForTooShort,
		diag.DeadTimer, diag.ScheduledEventNotHandled, diag.RetryExceedsTimeout, diag.UnknownErrorCode:
		return true
	}
	return false
}

func (c *checker) allowed(f *diag.Finding) *allow {
	file := c.byName[f.File]
	if file == nil {
		return nil
	}
	line := f.Range.Start.Line - 1
	for i := len(file.allows) - 1; i >= 0; i-- {
		a := file.allows[i]
		if a.line == line {
			if a.id == f.ID && !a.used {
				return a
			}
			line--
		}
	}
	return nil
}

// doc returns the `//` comments directly above a node, without their marks.
func (f *file) doc(n grammar.Node) string {
	span := n.Span()
	if span.Len() == 0 || len(f.ast.Comments) == 0 {
		return ""
	}
	line, _ := f.ast.Position(span.Start)
	i := sort.Search(len(f.ast.Comments), func(i int) bool { return f.ast.Comments[i].Span.Start >= span.Start }) - 1
	var lines []string
	for ; i >= 0; i-- {
		com := f.ast.Comments[i]
		at, column := f.ast.Position(com.Span.Start)
		if com.Block || at != line-1 || !blank(f.ast.Src[com.Span.Start-column+1:com.Span.Start]) {
			break
		}
		line = at
		text := strings.TrimPrefix(strings.TrimPrefix(com.Text, "//"), " ")
		if !strings.HasPrefix(strings.TrimSpace(text), allowMark) {
			lines = append([]string{strings.TrimRight(text, " \t\r")}, lines...)
		}
	}
	return strings.Join(lines, "\n")
}

func blank(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

// checkStyle asks for snake_case.
func (c *checker) checkStyle(e *env, id *grammar.Ident) {
	if id == nil || e.use != nil || isSnake(id.Text) || c.styled[id] {
		return
	}
	c.styled[id] = true
	c.report(e.of(id), diag.StyleName, "names are written in snake_case: `%s`", snake(id.Text))
}

func isSnake(s string) bool {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

func snake(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		ch := s[i]
		if 'A' <= ch && ch <= 'Z' {
			if i > 0 && s[i-1] != '_' && !('A' <= s[i-1] && s[i-1] <= 'Z') {
				out = append(out, '_')
			}
			ch += 'a' - 'A'
		}
		out = append(out, ch)
	}
	return string(out)
}
