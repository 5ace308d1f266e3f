package grammar

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/participle/v2/lexer"
)

// Parse reads a file. It never fails and never panics: what is wrong with the
// text is in the file's Faults, what could be read in its Decls. A file that is
// too large or nested too deeply has a fault and no declarations.
//
// The name is only recorded. The source must not be changed afterwards.
func Parse(name string, src []byte) *File {
	f := &File{Name: name, Src: src}
	if len(src) > MaxFileSize {
		f.Faults = []Fault{{ID: IDFileTooLarge,
			Message: fmt.Sprintf("the file has more than %d MiB", MaxFileSize>>20),
			Help:    "split it into several files and import them"}}
		return f
	}
	f.lines = lineStarts(src)
	text := string(src)
	tokens := Lex(src)
	f.Comments = comments(text, tokens)
	if span, deep := tooDeep(tokens, text); deep {
		f.Faults = []Fault{deepFault(span)}
		return f
	}
	spelling := spellingFaults(text, tokens)
	read := significant(tokens, text)
	spelling = append(spelling, respell(read)...)
	read, unbalanced := balance(text, read)
	var root region
	f.Decls, root = readFile(read, len(src))
	f.Faults = collect(f, tokens, root.faults, spelling, unbalanced)
	return f
}

func lineStarts(src []byte) []int {
	lines := make([]int, 1, bytes.Count(src, []byte{'\n'})+1)
	for i, c := range src {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func comments(src string, tokens []Token) (found []Comment) {
	for _, t := range tokens {
		if t.Kind == LineComment || t.Kind == BlockComment {
			found = append(found, Comment{t.Span, src[t.Span.Start:t.Span.End], t.Kind == BlockComment})
		}
	}
	return found
}

// readFile reads the declarations of a file from its significant tokens.
func readFile(tokens []lexer.Token, size int) ([]Decl, region) {
	var root region
	lex, err := lexer.Upgrade(&tokenList{tokens: tokens, end: size}, struck)
	if err != nil {
		return nil, root
	}
	var decls []Decl
	for !lex.Peek().EOF() {
		decls = append(decls, readRegion(&root, lex, declarations)...)
	}
	return decls, root
}

// ReadAll reads a file's text. It stops right behind [MaxFileSize] bytes, and
// [Parse] of what it gives then reports the file as too large, so that a file
// of any size costs little.
func ReadAll(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, MaxFileSize+1))
}

// ReadFile is [ReadAll] for a file on disk.
func ReadFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	src, err := ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return src, nil
}
