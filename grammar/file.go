package grammar

import (
	"sort"

	"github.com/alecthomas/participle/v2/lexer"
)

// The ids of the faults that this package reports.
const (
	IDSyntax         = "syntax"
	IDDurationSyntax = "duration-syntax"
	IDNestedTooDeep  = "nested-too-deep"
	IDFileTooLarge   = "file-too-large"
)

// Limits of the language.
const (
	// MaxFileSize is the largest file that is read, in bytes.
	MaxFileSize = 10 << 20
	// MaxDepth is the deepest nesting of brackets and operators.
	MaxDepth = 200
	// MaxExprNodes is the largest number of nodes in one expression.
	MaxExprNodes = 10_000
	// MaxDurationSeconds is the longest duration, 3650d.
	MaxDurationSeconds = 3650 * 24 * 60 * 60
)

// File is one parsed file. It is not changed after [Parse] returns.
type File struct {
	Name  string
	Src   []byte
	Decls []Decl
	// Faults are sorted by place.
	Faults []Fault
	// Comments are all comments in file order.
	Comments []Comment

	lines []int // offset of the first byte of each line
}

// Fault is a mistake found by reading the text.
type Fault struct {
	ID      string
	Span    Span
	Message string // what is wrong, in the words of the language
	Help    string // what to write instead; may be empty
	Fixes   []Fix
}

// Fix is a change that certainly mends the fault.
type Fix struct {
	Title string
	Edits []Edit
}

// Edit replaces the text in the range.
type Edit struct {
	Span Span
	Text string
}

// Comment is a `//` comment without its line end, or a `/* … */` comment.
type Comment struct {
	Span  Span
	Text  string // with its marks
	Block bool   // whether it is a /* … */ comment
}

// region is a node that recovers from faults inside it and keeps them.
type region struct {
	node
	faults []Fault
}

// Position gives the line and the column of a byte offset, both from 1; columns
// count bytes of UTF-8. Offsets outside the file are moved to its nearest end.
func (f *File) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(f.Src))
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset })
	if line == 0 {
		return 1, offset + 1
	}
	return line, offset - f.lines[line-1] + 1
}

func spanOf(tokens []lexer.Token) Span {
	if len(tokens) == 0 {
		return Span{}
	}
	last := tokens[len(tokens)-1]
	return Span{tokens[0].Pos.Offset, last.Pos.Offset + len(last.Value)}
}
