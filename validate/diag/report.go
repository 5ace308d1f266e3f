package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Report is what a check of some files found; every writer takes one.
type Report struct {
	// Files are the names of all files that were checked, with findings or
	// without.
	Files []string
	// Findings are in the order of Normalize.
	Findings []Finding
	// Source returns the text of a file, nil when it cannot be had. The writers
	// need it to show lines and to count columns as others count them. It may
	// be nil.
	Source func(file string) []byte
	// Strict treats warnings as failures where a format knows passed and failed.
	Strict bool
}

// Count gives the number of findings of a severity.
func (r Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Failed reports whether the findings should end a check with exit code 1.
func (r Report) Failed() bool {
	return r.Count(Error) > 0 || r.Strict && r.Count(Warning) > 0
}

func (r Report) source(file string) []byte {
	if r.Source == nil {
		return nil
	}
	return r.Source(file)
}

// Normalize sorts findings by file, line and column and drops all but the first
// of those that have the same id and the same range. The slice is changed in
// place.
func Normalize(findings []Finding) []Finding {
	slices.SortStableFunc(findings, compare)
	return slices.CompactFunc(findings, same)
}

func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
		cmp.Compare(a.Range.Start.Column, b.Range.Start.Column),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Range.End.Line, b.Range.End.Line),
		cmp.Compare(a.Range.End.Column, b.Range.End.Column),
	)
}

func same(a, b Finding) bool {
	return a.File == b.File && a.ID == b.ID && a.Range == b.Range && a.Message == b.Message && inner(a) == inner(b)
}

// inner is the place that a finding is about when it stands elsewhere: findings about the body of a fragment all stand at its use.
func inner(f Finding) Related {
	if len(f.Related) == 0 {
		return Related{}
	}
	return f.Related[0]
}

// Apply returns the source with the edits of a fix made. It refuses edits that
// overlap or lie outside the source.
func Apply(src []byte, fix Fix) ([]byte, error) {
	edits := slices.Clone(fix.Edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset)
	})
	var out []byte
	last := 0
	for _, e := range edits {
		from, to := e.Range.Start.Offset, e.Range.End.Offset
		if from < last || to < from || to > len(src) {
			return nil, fmt.Errorf("apply %q: edit of bytes %d to %d does not fit after byte %d of %d", fix.Title, from, to, last, len(src))
		}
		out = append(append(out, src[last:from]...), e.Text...)
		last = to
	}
	return append(out, src[last:]...), nil
}
