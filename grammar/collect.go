package grammar

import (
	"sort"
	"strings"
)

// collect puts together the faults of a file: those that single tokens show,
// those of unbalanced braces, those that the regions kept, and those that the
// finished tree shows. Of several that one mistake has caused it keeps the first
// cause.
func collect(f *File, tokens []Token, root, spelling, unbalanced []Fault) []Fault {
	c := checker{src: f.Src, faults: root}
	for _, d := range f.Decls {
		c.visit(d, nil)
	}
	if len(spelling)+len(unbalanced)+len(c.faults) == 0 {
		return nil
	}
	spelling, reading := sorted(spelling), sorted(c.faults)
	lines := brokenLines(f, tokens)
	reasons := behind(f.Src, keepFaults(spelling, isJunk))
	spelled := spans(spelling)
	reading = keepFaults(reading, func(x Fault) bool {
		line, _ := f.Position(x.Span.Start)
		return !lines[line] && !reasons[x.Span.Start] && !spelled.overlap(x.Span)
	})
	reading = withoutResults(f.Src, reading, spelling)
	told := behind(f.Src, reading)
	earlier := faultyLines(f, reading)
	spelling = keepFaults(spelling, func(x Fault) bool {
		if c.text(x.Span) == ";" {
			line, _ := f.Position(x.Span.Start)
			from, ok := earlier[line]
			return !ok || from > x.Span.Start
		}
		return !isJunk(x) || !told[x.Span.Start]
	})
	if swallowedBrace(f.Src, tokens) {
		unbalanced = nil
	}
	return unrepeated(sorted(append(append(reading, unbalanced...), spelling...)))
}

// sorted puts faults in the order of their places and keeps the first of them.
func sorted(faults []Fault) []Fault {
	sort.SliceStable(faults, func(i, j int) bool { return faults[i].Span.Start < faults[j].Span.Start })
	return faults[:min(len(faults), MaxFaults)]
}

func keepFaults(faults []Fault, keep func(Fault) bool) []Fault {
	kept := make([]Fault, 0, len(faults))
	for _, f := range faults {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// brokenLines are the lines with a text that is not closed: what is read behind
// it makes no sense.
func brokenLines(f *File, tokens []Token) map[int]bool {
	lines := map[int]bool{}
	for _, t := range tokens {
		if t.Kind == OpenString || t.Kind == StringBreak {
			line, _ := f.Position(t.Span.Start)
			lines[line] = true
		}
	}
	return lines
}

// faultyLines gives, for each line with a fault, where the first one begins: a semicolon behind it is part of what is meant there.
func faultyLines(f *File, faults []Fault) map[int]int {
	lines := map[int]int{}
	for _, x := range faults {
		line, _ := f.Position(x.Span.Start)
		if from, ok := lines[line]; !ok || x.Span.Start < from {
			lines[line] = x.Span.Start
		}
	}
	return lines
}

// swallowedBrace says whether a text that is not closed has braces in it, which
// then seem to be missing.
func swallowedBrace(src []byte, tokens []Token) bool {
	for _, t := range tokens {
		if t.Kind == OpenString && strings.ContainsAny(string(src[t.Span.Start:t.Span.End]), "{}") || t.Kind == StringBreak {
			return true
		}
	}
	return false
}

func isJunk(f Fault) bool { return f.rank == junk }

func isWeak(f Fault) bool { return f.rank == weak }

// behind gives the offsets of what stands next, on the same line, behind faults.
func behind(src []byte, faults []Fault) map[int]bool {
	next := map[int]bool{}
	for _, f := range faults {
		i := f.Span.End
		for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
			i++
		}
		next[i] = true
	}
	return next
}

// withoutResults drops a weak fault when the reading stopped directly behind it,
// or a token there is misspelt.
func withoutResults(src []byte, reading, spelling []Fault) []Fault {
	starts := map[int]bool{}
	for _, f := range reading {
		if !isWeak(f) {
			starts[f.Span.Start] = true
		}
	}
	for _, f := range spelling {
		starts[f.Span.Start] = true
	}
	return keepFaults(reading, func(x Fault) bool {
		if !isWeak(x) {
			return true
		}
		for next := range behind(src, []Fault{x}) {
			return !starts[next]
		}
		return true
	})
}

// spanList are ranges in the order of their starts.
type spanList []Span

func spans(faults []Fault) spanList {
	list := make(spanList, len(faults))
	for i, f := range faults {
		list[i] = f.Span
	}
	return list
}

// overlap says whether a range of the list shares a letter with the span. It
// looks at the last few that begin in front of the span's end: single tokens do
// not overlap one another.
func (l spanList) overlap(s Span) bool {
	i := sort.Search(len(l), func(i int) bool { return l[i].Start >= s.End })
	return i > 0 && l[i-1].End > s.Start
}

// unrepeated keeps one of several faults with the same range.
func unrepeated(faults []Fault) []Fault {
	kept := faults[:0]
	for i, f := range faults {
		if i == 0 || f.Span != faults[i-1].Span {
			kept = append(kept, f)
		}
	}
	return kept
}
