package diag

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files and docs/findings")

const source = "event go()\n" +
	"\ttimeout 6 h // naïve 日本語\n" +
	"/* 😀\t世界 */ on go -> thre\n" +
	"state x {\n  broken\n}\n"

// sample has a finding of each severity, tabs and wide letters before a range,
// a range over several lines, an empty range, a fix, a related place, and a
// second file of which no source is at hand.
func sample(t *testing.T) Report {
	t.Helper()
	lines := NewLines([]byte(source))
	find := func(text string) (int, int) {
		i := strings.Index(source, text)
		if i < 0 {
			t.Fatalf("no %q in the sample", text)
		}
		return i, i + len(text)
	}
	from, to := find("6 h")
	duration := New(DurationSyntax, "dir/a b.flow", lines, from, to, "`6 h` is not a duration: the unit follows the number").
		WithHelp("write `6h`").
		WithFix("Write 6h", Edit{RangeOf(lines, from+1, to-1), ""})
	from, to = find("thre")
	state := New(UnknownState, "dir/a b.flow", lines, from, to, "no state is called `%s`", "thre").
		WithRelated("dir/a b.flow", RangeOf(lines, 0, 5), "did you mean this, 100%%: %s", "three")
	from, to = find("state x {\n  broken\n}")
	unreachable := New(UnreachableState, "dir/a b.flow", lines, from, to, "nothing leads to `x`\nso it is <never> entered")
	end := New(StyleName, "dir/a b.flow", lines, len(source), len(source), "snake_case is the style")
	other := New(UnusedEvent, "b,c:d.flow", lines, 0, 5, "nobody mentions `go`")
	return Report{
		Files:    []string{"b,c:d.flow", "clean.flow", "dir/a b.flow"},
		Findings: Normalize([]Finding{end, state, unreachable, duration, other, duration}),
		Source: func(file string) []byte {
			if file == "dir/a b.flow" {
				return []byte(source)
			}
			return nil
		},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

func TestWriteText(t *testing.T) {
	var out bytes.Buffer
	if err := WriteText(&out, sample(t), Text{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", out.Bytes())
}

func TestWriteTextInColor(t *testing.T) {
	var out bytes.Buffer
	if err := WriteText(&out, sample(t), Text{Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.color.txt", out.Bytes())
}

func TestWriteJSON(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, sample(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", out.Bytes())
	var back struct{ Findings []Finding }
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Findings) != 5 || back.Findings[0].ID != UnusedEvent || back.Findings[0].Severity != Warning {
		t.Errorf("read back: %+v", back.Findings)
	}
}

func TestWriteJSONWithoutFindings(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, Report{Files: []string{"a.flow"}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"findings":[],"files":1,"errors":0,"warnings":0}` + "\n"; out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

func TestWriteSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSARIF(&out, sample(t), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	// The pages of the rules would make the golden change with every page.
	var log map[string]any
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	driver := log["runs"].([]any)[0].(map[string]any)["tool"].(map[string]any)["driver"].(map[string]any)
	for _, rule := range driver["rules"].([]any) {
		help := rule.(map[string]any)["help"].(map[string]any)
		if help["markdown"] == "" || help["markdown"] != help["text"] {
			t.Errorf("a rule without its page: %v", rule)
		}
		delete(rule.(map[string]any), "help")
	}
	plain, err := json.MarshalIndent(log, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.sarif", append(plain, '\n'))
}

// fingerprints gives the fingerprints in a report's SARIF log, in the order of its results.
func fingerprints(t *testing.T, r Report) []string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteSARIF(&out, r, ""); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, result := range log.Runs[0].Results {
		all = append(all, result.Fingerprints[fingerprintKey])
	}
	return all
}

// TestSARIFFingerprintsHoldWhenLinesMove adds lines in front of every finding, indents their lines, and makes an unrelated one
// before them.
func TestSARIFFingerprintsHoldWhenLinesMove(t *testing.T) {
	moved := sample(t)
	indented := strings.ReplaceAll("\n// more\n"+source, "\n\t", "\n\t\t")
	moved.Source = func(file string) []byte {
		if file == "dir/a b.flow" {
			return []byte(indented)
		}
		return nil
	}
	for i := range moved.Findings {
		moved.Findings[i].Range.Start.Line += 2
		moved.Findings[i].Range.End.Line += 2
	}
	first := New(Syntax, "dir/a b.flow", NewLines([]byte(indented)), 1, 3, "something else")
	moved.Findings = Normalize(append(moved.Findings, first))

	before, after := fingerprints(t, sample(t)), fingerprints(t, moved)
	if len(before) != 5 || len(after) != 6 {
		t.Fatalf("%d and %d results", len(before), len(after))
	}
	if got := slices.DeleteFunc(after, func(f string) bool { return !slices.Contains(before, f) }); !slices.Equal(got, before) {
		t.Errorf("the fingerprints became %q from %q", got, before)
	}
}

// TestSARIFFingerprintsTellFindingsApart holds two findings of one id on lines of one text apart.
func TestSARIFFingerprintsTellFindingsApart(t *testing.T) {
	text := []byte("on go -> a\non go -> a\non go -> b\n")
	r := Report{Source: func(string) []byte { return text }}
	for at := 9; at < len(text); at += 11 {
		r.Findings = append(r.Findings, New(UnknownState, "a.flow", NewLines(text), at, at+1, "unknown"))
	}
	got := fingerprints(t, r)
	if slices.Sort(got); len(slices.Compact(got)) != 3 {
		t.Errorf("three findings have the fingerprints %q", got)
	}
}

func TestWriteGitHub(t *testing.T) {
	var out bytes.Buffer
	if err := WriteGitHub(&out, sample(t)); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.github.txt", out.Bytes())
}

func TestWriteJUnit(t *testing.T) {
	for name, strict := range map[string]bool{"report.junit.xml": false, "report.strict.junit.xml": true} {
		report := sample(t)
		report.Strict = strict
		var out bytes.Buffer
		if err := WriteJUnit(&out, report); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
		if err := xml.Unmarshal(out.Bytes(), &junitReport{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTextShowsNoControlCharacters(t *testing.T) {
	src := []byte("state \x1b[31mx\x00 \u202e {")
	f := New(Syntax, "a.flow", NewLines(src), 6, 12, "stray \x1b[2J")
	var out bytes.Buffer
	if err := WriteText(&out, Report{Findings: []Finding{f}, Source: func(string) []byte { return src }}, Text{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x00\u202e") {
		t.Errorf("a control character came through: %q", out.String())
	}
}

func TestTextCutsLongLines(t *testing.T) {
	src := []byte(strings.Repeat("ä", 1000) + "here" + strings.Repeat("ö", 1000))
	f := New(Syntax, "a.flow", NewLines(src), 2000, 2004, "stray text")
	var out bytes.Buffer
	if err := WriteText(&out, Report{Findings: []Finding{f}, Source: func(string) []byte { return src }}, Text{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(out.String()) > 600 || !strings.Contains(lines[1], "here") {
		t.Errorf("got %q", out.String())
	}
	mark, text := []rune(lines[2]), []rune(lines[1])
	if string(text[len(mark)-4:len(mark)]) != "here" {
		t.Errorf("the marks are misplaced:\n%s\n%s", lines[1], lines[2])
	}
}
