package diag

import (
	"bytes"
	"sort"
)

// LineTable maps the byte offsets of one file to lines and columns. It ends a
// line at every \n; a \r before it belongs to the line.
type LineTable struct {
	starts []int // offset of the first byte of each line
	size   int
}

// NewLines builds the table of a file.
func NewLines(src []byte) *LineTable {
	t := &LineTable{starts: []int{0}, size: len(src)}
	for from := 0; ; {
		i := bytes.IndexByte(src[from:], '\n')
		if i < 0 {
			return t
		}
		from += i + 1
		t.starts = append(t.starts, from)
	}
}

// Position gives the line and the column of an offset, both from 1.
func (t *LineTable) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), t.size)
	line = sort.SearchInts(t.starts, offset+1)
	return line, offset - t.starts[line-1] + 1
}

// lineOf returns the text of a line, counted from 1, without its end, and
// whether the file has that line.
func lineOf(src []byte, line int) (string, bool) {
	for n := 1; ; n++ {
		end := bytes.IndexByte(src, '\n')
		if n == line {
			if end >= 0 {
				src = src[:end]
			}
			return string(bytes.TrimSuffix(src, []byte("\r"))), true
		}
		if end < 0 {
			return "", false
		}
		src = src[end+1:]
	}
}
