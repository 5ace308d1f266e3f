package lsp

import (
	"bytes"
	"slices"

	"flowc/grammar"
	"flowc/grammar/format"
)

// Format gives the edits that bring a file into the one style, none for a file with faults, which stays as it is. Lines that are
// right already are not touched, so that an editor keeps its marks.
func (s *Snapshot) Format(file string) []Edit {
	d := s.Document(file)
	if d == nil {
		return nil
	}
	out, faults := format.Source(file, d.Text)
	if len(faults) > 0 {
		return nil
	}
	if bytes.Contains(d.Text, []byte("\r\n")) && !bytes.Contains(out, []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return lineEdits(file, d.Text, out)
}

// FormatRange is Format for the lines that a stretch touches.
func (s *Snapshot) FormatRange(file string, span grammar.Span) []Edit {
	return slices.DeleteFunc(s.Format(file), func(e Edit) bool {
		return e.Span.End < span.Start || e.Span.Start > span.End
	})
}

// FormatBlock is Format for the lines of the braces that a `}` just before the offset closes.
func (s *Snapshot) FormatBlock(file string, offset int) []Edit {
	tree := s.tree(file)
	if tree == nil || offset == 0 || offset > len(tree.Src) || tree.Src[offset-1] != '}' {
		return nil
	}
	depth := 0
	tokens := grammar.Lex(tree.Src[:offset])
	for i := len(tokens) - 1; i >= 0; i-- {
		switch tokens[i].Kind {
		case grammar.RBrace:
			depth++
		case grammar.LBrace:
			if depth--; depth == 0 {
				return s.FormatRange(file, grammar.Span{Start: tokens[i].Span.Start, End: offset})
			}
		}
	}
	return nil
}

// lineEdits replaces the lines in which two texts differ.
func lineEdits(file string, a, b []byte) []Edit {
	x, y := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	var out []Edit
	at := 0
	for _, h := range diffLines(x, y) {
		for _, line := range x[:h.skip] {
			at += len(line)
		}
		old, text := bytes.Join(x[h.skip:h.skip+h.del], nil), bytes.Join(h.ins, nil)
		out = append(out, Edit{Location{file, grammar.Span{Start: at, End: at + len(old)}}, string(text)})
		at += len(old)
		x = x[h.skip+h.del:]
	}
	return out
}

// A hunk leaves lines as they are, then takes some away and puts others in.
type hunk struct {
	skip, del int
	ins       [][]byte
}

// diffLines finds the hunks between two lists of lines. It pairs equal lines greedily within a window, which for the changes of a
// formatter is as good as the shortest list and takes linear time.
func diffLines(a, b [][]byte) []hunk {
	const window = 50
	var out []hunk
	skip := 0
	for len(a) > 0 || len(b) > 0 {
		if len(a) > 0 && len(b) > 0 && bytes.Equal(a[0], b[0]) {
			a, b = a[1:], b[1:]
			skip++
			continue
		}
		i, j := nextEqual(a, b, window)
		out = append(out, hunk{skip, i, b[:j]})
		a, b = a[i:], b[j:]
		skip = 0
	}
	return out
}

// nextEqual finds the nearest pair of equal lines; without one in the window it takes the window, or all when that is less.
func nextEqual(a, b [][]byte, window int) (i, j int) {
	for sum := 0; sum < 2*window; sum++ {
		for i := max(0, sum-window); i <= min(sum, window); i++ {
			if j := sum - i; i < len(a) && j < len(b) && len(bytes.TrimSpace(a[i])) > 0 && bytes.Equal(a[i], b[j]) {
				return i, j
			}
		}
	}
	return min(len(a), window), min(len(b), window)
}
