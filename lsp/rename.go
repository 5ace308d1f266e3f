package lsp

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// An Edit replaces a stretch of a file.
type Edit struct {
	Location
	Text string
}

// PrepareRename gives the name at the offset; the error says why nothing there can be renamed.
func (s *Snapshot) PrepareRename(file string, offset int) (grammar.Span, error) {
	_, ref := s.ref(file, offset)
	if ref == nil {
		return grammar.Span{}, fmt.Errorf("nothing that a file declares stands here")
	}
	return ref.Span, nil
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// reservedWords can be no names.
var reservedWords = wordSet("true false null and or not in self event")

// Rename gives the edits that rename what stands at the offset, in all files of the workspace. It refuses, with the reason, a name
// that cannot be one, and one that would change what any file means: the edited files are checked, and every place must refer to
// what it referred to before.
func (s *Snapshot) Rename(file string, offset int, name string) ([]Edit, error) {
	switch {
	case !nameForm.MatchString(name):
		return nil, fmt.Errorf("`%s` is no name: names are letters, digits and `_`, and do not begin with a digit", name)
	case reservedWords[name]:
		return nil, fmt.Errorf("`%s` is a word of the language", name)
	}
	c, def := s.everywhere(file, offset)
	if def == nil {
		return nil, fmt.Errorf("nothing that a file declares stands here")
	}
	if def.Kind == validate.DefEvent && reservedDocs[name] != "" {
		return nil, fmt.Errorf("`%s` is a reserved event", name)
	}
	if name == def.Name {
		return nil, nil
	}
	var edits []Edit
	for _, u := range c.uses(def) {
		edits = append(edits, Edit{u.Location, name})
	}
	if err := s.proves(c, def, edits, name); err != nil {
		return nil, err
	}
	return edits, nil
}

// proves checks the renamed files together with those that already mention the new name.
func (s *Snapshot) proves(c *checked, def *validate.Def, edits []Edit, name string) error {
	var docs []*Document
	for _, src := range c.Sources {
		if text, changed := apply(src.AST.Src, src.Name, edits); changed {
			docs = append(docs, &Document{Name: src.Name, Text: text})
		}
	}
	var files []string
	for _, src := range c.Sources {
		files = append(files, src.Name)
	}
	for _, f := range s.mentioning(name, files[0]) {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	before, after := s.check(files...), s.with(docs...).check(files...)
	if f := firstNew(before.Findings, after.Findings); f != nil {
		return fmt.Errorf("`%s` cannot be called `%s`: %s (%s:%d)", def.Name, name, f.Message, f.File, f.Range.Start.Line)
	}
	return sameRefs(before, after, edits, name)
}

// apply makes the edits of one file.
func apply(src []byte, file string, edits []Edit) ([]byte, bool) {
	var out bytes.Buffer
	last, changed := 0, false
	for _, e := range edits {
		if e.File != file || e.Span.Start < last {
			continue
		}
		out.Write(src[last:e.Span.Start])
		out.WriteString(e.Text)
		last, changed = e.Span.End, true
	}
	out.Write(src[last:])
	return out.Bytes(), changed
}

// firstNew finds the first error of which there are more than before.
func firstNew(before, after []diag.Finding) *diag.Finding {
	type key struct {
		file string
		id   diag.ID
	}
	count := map[key]int{}
	for _, f := range before {
		count[key{f.File, f.ID}]++
	}
	for i, f := range after {
		k := key{f.File, f.ID}
		if count[k]--; count[k] < 0 && f.Severity == diag.Error {
			return &after[i]
		}
	}
	return nil
}

// sameRefs compares what every name in the files refers to, before and after: a rename may not capture a name, nor be captured.
func sameRefs(before, after *checked, edits []Edit, name string) error {
	shifted := func(file string, at int) int {
		shift := 0
		for _, e := range edits {
			if e.File == file && e.Span.Start < at {
				shift += len(e.Text) - e.Span.Len()
			}
		}
		return at + shift
	}
	// Two names may begin at one place: `local.field` and its `local`.
	want := map[Location]Location{}
	moved := func(file string, span grammar.Span) Location {
		return Location{file, grammar.Span{Start: shifted(file, span.Start), End: shifted(file, span.End)}}
	}
	for _, r := range before.Info.Refs {
		want[moved(before.Sources[r.File].Name, r.Span)] = moved(before.Sources[r.Def.File].Name, r.Def.Span)
	}
	for _, r := range after.Info.Refs {
		at, to := after.at(r.File, r.Span), after.at(r.Def.File, r.Def.Span)
		if was, ok := want[at]; ok && was != to {
			line, _ := after.Sources[r.File].AST.Position(r.Span.Start)
			return fmt.Errorf("with the name `%s` the one at %s:%d would mean something else", name, at.File, line)
		}
	}
	return nil
}
