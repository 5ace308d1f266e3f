// Package diag holds what the checks of flowc say about a file: findings, the
// registry of all finding ids with their pages, and the writers that print
// findings for people, editors and CI systems.
//
// The package knows no grammar. A finding is built from byte offsets and
// something that turns an offset into a line and a column:
//
//	lines := diag.NewLines(src)
//	f := diag.New(diag.DeadTimer, "a.flow", lines, 40, 55,
//		"this timer can never fire: the state ends after %s", "6h").
//		WithHelp("shorten it below 6h, or lengthen the timeout")
//
// Findings are values. Language faults are findings, never Go errors.
package diag

import (
	"fmt"
	"strings"
)

// Severity says how much a finding matters. Only errors stop a file from being
// compiled.
type Severity int

// The severities, the gravest first.
const (
	Error Severity = iota
	Warning
	Hint
)

// String gives the word that every output format uses.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return "hint"
	}
}

// MarshalText writes the severity as its word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word that MarshalText wrote.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Error, Warning, Hint} {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("read severity: %q is none of error, warning, hint", text)
}

// ID names a kind of finding, in kebab-case. Ids are stable: scripts and
// `flowc:allow` comments depend on them.
type ID string

// Tag tells an editor how to show the range.
type Tag string

// The tags that editors know.
const (
	Unnecessary Tag = "unnecessary" // shown faded: the text could go
	Deprecated  Tag = "deprecated"  // shown struck through
)

// Position is a place in a file. Line and Column count from 1, columns in
// UTF-8 bytes; Offset counts bytes from 0 and stays out of the JSON.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"-"`
}

// Range is a stretch of a file; End is the first position that is outside.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Empty reports whether the range covers no text.
func (r Range) Empty() bool { return r.Start.Offset == r.End.Offset }

// Contains reports whether the byte offset lies in the range.
func (r Range) Contains(offset int) bool {
	return r.Start.Offset <= offset && offset < r.End.Offset
}

// Lines turns a byte offset into a line and a column as Position counts them.
// Offsets outside the file are answered with the nearest place inside.
type Lines interface {
	Position(offset int) (line, column int)
}

// RangeOf builds the range of the bytes from start up to end, exclusive.
func RangeOf(lines Lines, start, end int) Range {
	if end < start {
		end = start
	}
	return Range{Start: at(lines, start), End: at(lines, end)}
}

func at(lines Lines, offset int) Position {
	if lines == nil {
		return Position{Line: 1, Column: 1, Offset: offset}
	}
	line, column := lines.Position(offset)
	return Position{Line: line, Column: column, Offset: offset}
}

// Related is another place that helps to understand a finding.
type Related struct {
	Message string `json:"message"`
	File    string `json:"file"`
	Range   Range  `json:"range"`
}

// Edit replaces a range of the finding's file by a text.
type Edit struct {
	Range Range  `json:"range"`
	Text  string `json:"text"`
}

// Fix is a change that is certain to remove the finding. The edits do not
// overlap.
type Fix struct {
	Title string `json:"title"`
	Edits []Edit `json:"edits"`
}

// Finding is one thing that is wrong, doubtful or worth a hint.
type Finding struct {
	ID       ID
	Severity Severity
	Message  string // what is wrong and why it matters; one line
	Help     string // what to write instead; may be empty
	File     string
	Range    Range
	Related  []Related
	Fixes    []Fix
	Tags     []Tag
}

// New builds a finding for the bytes from start up to end, exclusive, with the
// severity of the registry. An id that the registry does not know becomes an
// error; a test of the caller's package should see to it that none does.
func New(id ID, file string, lines Lines, start, end int, format string, args ...any) Finding {
	return NewAt(id, file, RangeOf(lines, start, end), format, args...)
}

// NewAt is New for a range that the caller has already.
func NewAt(id ID, file string, r Range, format string, args ...any) Finding {
	f := Finding{ID: id, Message: fmt.Sprintf(format, args...), File: file, Range: r}
	if entry, ok := Lookup(id); ok {
		f.Severity = entry.Severity
		if strings.HasPrefix(string(id), "unused-") || id == UnreachableState {
			f.Tags = []Tag{Unnecessary}
		}
	}
	return f
}

// WithHelp returns the finding with a sentence on what to write instead.
func (f Finding) WithHelp(format string, args ...any) Finding {
	f.Help = fmt.Sprintf(format, args...)
	return f
}

// WithRelated returns the finding with one more related place.
func (f Finding) WithRelated(file string, r Range, format string, args ...any) Finding {
	related := Related{Message: fmt.Sprintf(format, args...), File: file, Range: r}
	f.Related = append(f.Related[:len(f.Related):len(f.Related)], related)
	return f
}

// WithFix returns the finding with one more fix.
func (f Finding) WithFix(title string, edits ...Edit) Finding {
	f.Fixes = append(f.Fixes[:len(f.Fixes):len(f.Fixes)], Fix{Title: title, Edits: edits})
	return f
}
