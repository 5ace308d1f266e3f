package grammar

import (
	"bytes"
	"sort"
	"strings"

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
	// MaxFaults is how many faults of a file are reported at most, of each
	// sort; a file with more is no flow.
	MaxFaults = 1000
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

	rank rank
}

// rank says how a fault stands to those beside it.
type rank int

const (
	strong rank = iota
	junk        // a letter that means nothing: the reason for a fault behind it
	weak        // something left out: the result of a fault behind it
)

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

// Doc is the documentation of a declaration: the `//` lines directly above it,
// without their marks. Lines that silence findings (`// flowc:allow …`) are no
// documentation.
func (f *File) Doc(n Node) string {
	line, _ := f.Position(n.Span().Start)
	last := sort.Search(len(f.Comments), func(i int) bool { return f.Comments[i].Span.Start >= n.Span().Start })
	first := last
	for want := line - 1; first > 0 && f.aloneOn(f.Comments[first-1], want); want-- {
		first--
	}
	var doc []string
	for _, c := range f.Comments[first:last] {
		text := strings.TrimPrefix(c.Text, "//")
		if !strings.HasPrefix(strings.TrimSpace(text), "flowc:allow") {
			doc = append(doc, strings.TrimRight(strings.TrimPrefix(text, " "), " \t"))
		}
	}
	return strings.Join(doc, "\n")
}

// aloneOn says whether a `//` comment is all that stands on a line.
func (f *File) aloneOn(c Comment, line int) bool {
	at, _ := f.Position(c.Span.Start)
	before := f.Src[f.lines[at-1]:c.Span.Start]
	return at == line && !c.Block && len(bytes.TrimSpace(before)) == 0
}

func spanOf(tokens []lexer.Token) Span {
	if len(tokens) == 0 {
		return Span{}
	}
	for len(tokens) > 1 && tokens[0].Type == struck {
		tokens = tokens[1:]
	}
	return Span{tokens[0].Pos.Offset, tokenSpan(&tokens[len(tokens)-1]).End}
}
