package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub prints the findings as workflow commands, which GitHub shows
// beside the lines of a change.
func WriteGitHub(w io.Writer, r Report) error {
	out := bufio.NewWriter(w)
	for _, f := range r.Findings {
		fmt.Fprintf(out, "::%s %s::%s\n", githubLevel(f.Severity), strings.Join(githubProperties(r, f), ","), githubData(f.fullMessage()))
	}
	return out.Flush()
}

func githubLevel(s Severity) string {
	if s == Hint {
		return "notice"
	}
	return s.String()
}

// githubProperties names the place. Columns are only allowed for a range on
// one line, and the last one is inside.
func githubProperties(r Report, f Finding) []string {
	start, end := f.Range.Start, f.Range.End
	properties := []string{
		"file=" + githubProperty(f.File),
		fmt.Sprintf("line=%d", start.Line),
		fmt.Sprintf("endLine=%d", end.Line),
	}
	if start.Line == end.Line {
		src := r.source(f.File)
		from := runeColumn(src, start)
		to := max(runeColumn(src, end)-1, from)
		properties = append(properties, fmt.Sprintf("col=%d", from), fmt.Sprintf("endColumn=%d", to))
	}
	return append(properties, "title="+githubProperty(string(f.ID)))
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func githubData(s string) string     { return escapeData.Replace(s) }
func githubProperty(s string) string { return escapeProperty.Replace(s) }
