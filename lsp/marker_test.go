package lsp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"flowc/grammar"
)

var update = flag.Bool("update", false, "rewrite the golden answers")

// marker is `«query»` or `«query argument»` in a source: the cursor stands there.
var marker = regexp.MustCompile(`«([a-z]+)( [^»]*)?»`)

// A cursor is a marker, with the place that is left when all markers are taken out.
type cursor struct {
	file       string
	offset     int
	query, arg string
}

// TestMarkers asks, at every marker of the archives in testdata/markers, the question that the marker names, and compares with
// the archive's file `want`.
func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "markers", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("found no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := answers(archive)
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *update {
				if i < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					i = len(archive.Files) - 1
				}
				archive.Files[i].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i < 0 {
				t.Fatal("the archive has no file `want`; run with -update and read what it writes")
			}
			if diff := cmp.Diff(string(archive.Files[i].Data), got); diff != "" {
				t.Errorf("the answers differ (-want +got):\n%s", diff)
			}
		})
	}
}

func answers(archive *txtar.Archive) string {
	s := NewSession(Options{})
	var cursors []cursor
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".flow") {
			text, found := unmark(f.Name, string(f.Data))
			cursors = append(cursors, found...)
			s.Open(f.Name, 1, text)
		}
	}
	snap := s.Snapshot()
	var b strings.Builder
	for _, c := range cursors {
		p := snap.Document(c.file).Mapper(UTF8).Position(c.offset)
		fmt.Fprintf(&b, "# %s:%d:%d %s%s\n", c.file, p.Line+1, p.Character+1, c.query, c.arg)
		for _, line := range ask(snap, c) {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// unmark takes the markers out of a text.
func unmark(file, text string) (string, []cursor) {
	var found []cursor
	var out strings.Builder
	last := 0
	for _, m := range marker.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[last:m[0]])
		c := cursor{file: file, offset: out.Len(), query: text[m[2]:m[3]]}
		if m[4] >= 0 {
			c.arg = text[m[4]:m[5]]
		}
		found = append(found, c)
		last = m[1]
	}
	out.WriteString(text[last:])
	return out.String(), found
}

// ask asks one question and writes the answer in lines.
func ask(s *Snapshot, c cursor) []string {
	switch c.query {
	case "hover":
		if h := s.Hover(c.file, c.offset); h != nil {
			return append([]string{place(s, Location{c.file, h.Span})}, strings.Split(h.Text, "\n")...)
		}
		return []string{"nothing"}
	case "complete":
		return completed(s, c)
	case "definition":
		return places(s, s.Definition(c.file, c.offset))
	case "type":
		return places(s, s.TypeDefinition(c.file, c.offset))
	case "references":
		return used(s, s.References(c.file, c.offset))
	case "highlight":
		return used(s, s.Highlights(c.file, c.offset))
	case "rename":
		return renamed(s, c)
	case "signature":
		return signed(s, c)
	case "actions":
		return acted(s, c)
	case "selection":
		var out []string
		for _, span := range s.Selections(c.file, c.offset) {
			out = append(out, fmt.Sprintf("%q", short(string(s.Document(c.file).Text[span.Start:span.End]))))
		}
		return out
	case "callers":
		return called1(s, s.Incoming(c.file, c.offset))
	case "calls":
		return called1(s, s.Outgoing(c.file, c.offset))
	}
	return whole(s, c)
}

// whole answers questions about a file.
func whole(s *Snapshot, c cursor) []string {
	var out []string
	all := grammar.Span{End: len(s.Document(c.file).Text)}
	switch c.query {
	case "symbols":
		return symbolLines(s, c.file, s.Symbols(c.file), "")
	case "workspace":
		for _, f := range s.WorkspaceSymbols(strings.TrimSpace(c.arg), 100) {
			out = append(out, place(s, f.Location)+" in "+f.Container)
		}
	case "folds":
		for _, f := range s.Folds(c.file) {
			end := s.Document(c.file).Mapper(UTF8).Position(f.Span.End)
			out = append(out, fmt.Sprintf("%s to line %d %s", place(s, Location{c.file, grammar.Span{Start: f.Span.Start, End: f.Span.Start}}), end.Line+1, f.Kind))
		}
	case "hints":
		for _, h := range s.Hints(c.file, all) {
			p := s.Document(c.file).Mapper(UTF8).Position(h.Offset)
			out = append(out, fmt.Sprintf("%d:%d %s", p.Line+1, p.Character+1, h.Label))
		}
	case "links":
		for _, l := range s.Links(c.file) {
			out = append(out, place(s, Location{c.file, l.Span})+" -> "+l.Target)
		}
	case "lenses":
		for _, l := range s.Lenses(c.file) {
			out = append(out, place(s, Location{c.file, l.Span})+" "+l.Title)
		}
	case "tokens":
		for _, tok := range s.SemanticTokens(c.file) {
			line := fmt.Sprintf("%-11s %s", TokenTypes[tok.Type], s.Document(c.file).Text[tok.Span.Start:tok.Span.End])
			for i, m := range TokenModifiers {
				if tok.Modifiers&(1<<i) != 0 {
					line += " +" + m
				}
			}
			out = append(out, line)
		}
	case "format":
		for _, e := range s.Format(c.file) {
			out = append(out, fmt.Sprintf("%s becomes %q", place(s, e.Location), e.Text))
		}
	case "diagnostics":
		found, _ := s.Diagnostics(c.file)
		for _, f := range found {
			out = append(out, fmt.Sprintf("%d:%d %s %s", f.Range.Start.Line, f.Range.Start.Column, f.ID, f.Message))
		}
	default:
		out = append(out, "no such question")
	}
	return out
}

func completed(s *Snapshot, c cursor) []string {
	items := s.Complete(c.file, c.offset)
	var out []string
	for i, item := range items {
		if c.arg == "" && i == 12 {
			out = append(out, fmt.Sprintf("… %d in all", len(items)))
			break
		}
		line := item.Label
		if c.arg != "" {
			line = fmt.Sprintf("%s | %s | %q", item.Label, item.Detail, item.Insert)
			if doc := item.Documentation(); doc != "" {
				line += " | " + strings.ReplaceAll(doc, "\n", " ")
			}
		}
		out = append(out, line)
	}
	return out
}

func renamed(s *Snapshot, c cursor) []string {
	edits, err := s.Rename(c.file, c.offset, strings.TrimSpace(c.arg))
	if err != nil {
		return []string{"refused: " + err.Error()}
	}
	var out []string
	for _, e := range edits {
		out = append(out, place(s, e.Location))
	}
	return out
}

func signed(s *Snapshot, c cursor) []string {
	sig := s.Signature(c.file, c.offset)
	if sig == nil {
		return []string{"nothing"}
	}
	out := []string{sig.Label}
	if sig.Active >= 0 && sig.Active < len(sig.Params) {
		out = append(out, "at "+sig.Params[sig.Active].Label)
	}
	return out
}

func acted(s *Snapshot, c cursor) []string {
	var out []string
	for _, a := range s.Actions(c.file, grammar.Span{Start: c.offset, End: c.offset}) {
		line := a.Title
		for _, e := range a.Edits {
			line += fmt.Sprintf(" | %s becomes %q", place(s, e.Location), e.Text)
		}
		out = append(out, line)
	}
	return out
}

func used(s *Snapshot, all []Use) []string {
	var out []string
	for _, u := range all {
		line := place(s, u.Location)
		if u.Declaration {
			line += " declaration"
		}
		if u.Write {
			line += " write"
		}
		out = append(out, line)
	}
	return out
}

func called1(s *Snapshot, all []Calls) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
		for _, l := range c.Places {
			out = append(out, "  "+place(s, l))
		}
	}
	return out
}

func symbolLines(s *Snapshot, file string, all []Symbol, indent string) []string {
	var out []string
	for _, sym := range all {
		out = append(out, indent+sym.Name+" "+sym.Detail)
		out = append(out, symbolLines(s, file, sym.Children, indent+"  ")...)
	}
	return out
}

func places(s *Snapshot, all []Location) []string {
	if len(all) == 0 {
		return []string{"nothing"}
	}
	var out []string
	for _, l := range all {
		out = append(out, place(s, l))
	}
	return out
}

// place is a location with its letters.
func place(s *Snapshot, l Location) string {
	d := s.Document(l.File)
	if d == nil {
		return l.File
	}
	p := d.Mapper(UTF8).Position(l.Span.Start)
	return fmt.Sprintf("%s:%d:%d %q", l.File, p.Line+1, p.Character+1, short(string(d.Text[l.Span.Start:l.Span.End])))
}

func short(s string) string {
	if len(s) > 40 {
		return s[:20] + "…" + s[len(s)-17:]
	}
	return s
}
