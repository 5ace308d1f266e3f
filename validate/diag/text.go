package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text says how WriteText prints.
type Text struct {
	Color bool // for a terminal that wants it
}

// WriteText prints findings for people: a line with place, severity, message
// and id, the source line with the range underlined, what to write instead, and
// the related places.
func WriteText(w io.Writer, r Report, opts Text) error {
	out := bufio.NewWriter(w)
	for _, f := range r.Findings {
		opts.finding(out, r, f)
	}
	return out.Flush()
}

func (t Text) finding(out *bufio.Writer, r Report, f Finding) {
	fmt.Fprintf(out, "%s: %s: %s [%s]\n", place(f.File, f.Range), t.paint(f.Severity.String(), f.Severity), oneLine(f.Message), f.ID)
	t.excerpt(out, r.source(f.File), f)
	if f.Help != "" {
		fmt.Fprintf(out, "help: %s\n", strings.ReplaceAll(f.Help, "\n", "\n      "))
	}
	for _, rel := range f.Related {
		fmt.Fprintf(out, "note: %s: %s\n", place(rel.File, rel.Range), oneLine(rel.Message))
	}
}

func place(file string, r Range) string {
	return fmt.Sprintf("%s:%d:%d", shown(file), r.Start.Line, r.Start.Column)
}

// excerpt prints the line on which a finding starts and underlines its range,
// as far as it lies on that line.
func (t Text) excerpt(out *bufio.Writer, src []byte, f Finding) {
	if src == nil {
		return
	}
	line, ok := lineOf(src, f.Range.Start.Line)
	if !ok {
		return
	}
	from := min(f.Range.Start.Column-1, len(line))
	to := len(line)
	if f.Range.End.Line == f.Range.Start.Line {
		to = min(max(f.Range.End.Column-1, from), len(line))
	}
	before, marked, after := window(line, from, to)
	fmt.Fprintf(out, "    %s\n", shown(before+marked+after))
	fmt.Fprintf(out, "    %s%s\n", blank(before), t.paint(underline(marked), f.Severity))
}

// A line longer than this is shown in part.
const (
	maxBefore = 120
	maxMarked = 160
	maxAfter  = 60
)

// window cuts a line into what stands before, in and after the range, and each
// part to a length that a terminal can show.
func window(line string, from, to int) (before, marked, after string) {
	before, marked, after = line[:from], line[from:to], line[to:]
	if len(before) > maxBefore {
		before = "…" + before[runeStart(before, len(before)-maxBefore):]
	}
	if len(marked) > maxMarked {
		marked, after = marked[:runeStart(marked, maxMarked)]+"…", ""
	}
	if len(after) > maxAfter {
		after = after[:runeStart(after, maxAfter)] + "…"
	}
	return before, marked, after
}

// runeStart moves an index back to where a rune begins.
func runeStart(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func oneLine(s string) string {
	return shown(strings.Join(strings.Fields(s), " "))
}

func (t Text) paint(s string, severity Severity) string {
	if !t.Color {
		return s
	}
	colors := map[Severity]string{Error: "31", Warning: "33", Hint: "36"}
	return "\x1b[1;" + colors[severity] + "m" + s + "\x1b[0m"
}
