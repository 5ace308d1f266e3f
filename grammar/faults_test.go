package grammar

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each archive holds texts and, behind each, its faults in full and the text
// with all fixes made.
func TestFaultsGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "faults", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files (%v)", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := &txtar.Archive{Comment: archive.Comment}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".flow") {
				report := strings.TrimSuffix(file.Name, ".flow") + ".txt"
				want.Files = append(want.Files, file, txtar.File{Name: report, Data: []byte(inFull(file))})
			}
		}
		if *update {
			if err := os.WriteFile(name, txtar.Format(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(want))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func inFull(file txtar.File) string {
	f := Parse(file.Name, file.Data)
	var out strings.Builder
	var edits []Edit
	for _, fault := range f.Faults {
		line, column := f.Position(fault.Span.Start)
		fmt.Fprintf(&out, "%d:%d: %s: %s\n\tat %q\n", line, column, fault.ID, fault.Message, f.Src[fault.Span.Start:fault.Span.End])
		if fault.Help != "" {
			fmt.Fprintf(&out, "\thelp: %s\n", fault.Help)
		}
		for _, fix := range fault.Fixes {
			fmt.Fprintf(&out, "\tfix: %s\n", fix.Title)
			edits = append(edits, fix.Edits...)
		}
	}
	if len(edits) > 0 {
		out.WriteString("fixed:\n" + indented(string(applied(f.Src, edits))))
	}
	return out.String()
}

func indented(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n\t") + "\n"
}

// applied carries out edits that do not overlap.
func applied(src []byte, edits []Edit) []byte {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].Span.Start < edits[j].Span.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.Span.Start]...), e.Text...)
		at = e.Span.End
	}
	return append(out, src[at:]...)
}

// Where every fault of a text has a fix, making the fixes leaves none.
func TestFixesMendTheirFaults(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join("testdata", "faults", "*.txtar"))
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if !strings.HasSuffix(file.Name, ".flow") {
				continue
			}
			var edits []Edit
			all := true
			for _, fault := range Parse(file.Name, file.Data).Faults {
				all = all && len(fault.Fixes) > 0
				for _, fix := range fault.Fixes {
					edits = append(edits, fix.Edits...)
				}
			}
			mended := applied(file.Data, edits)
			if f := Parse(file.Name, mended); all && len(f.Faults) > 0 {
				t.Errorf("%s in %s:\n%s\nstill has\n%s", file.Name, name, mended, describe(f))
			}
		}
	}
}
