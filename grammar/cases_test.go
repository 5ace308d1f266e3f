package grammar

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A testCase is one of the shared .flow files.
type testCase struct {
	name string
	src  []byte
}

func cases(t testing.TB, dir string) (found []testCase) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "cases", dir, "*.flow"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, testCase{filepath.Base(name), src})
	}
	return found
}

// describe writes faults one a line.
func describe(f *File) string {
	var out strings.Builder
	for _, fault := range f.Faults {
		line, column := f.Position(fault.Span.Start)
		fmt.Fprintf(&out, "%d:%d: %s: %s\n", line, column, fault.ID, fault.Message)
	}
	return out.String()
}

func TestValidCasesParseWithoutFault(t *testing.T) {
	for _, c := range cases(t, "run") {
		if f := Parse(c.name, c.src); len(f.Faults) > 0 {
			t.Errorf("%s:\n%s", c.name, describe(f))
		}
	}
}

// The lines that want `syntax` or `duration-syntax` have that fault, and no
// other line has any.
func TestFaultsOfValidateCases(t *testing.T) {
	want := regexp.MustCompile(`// want: (?:.*, )?(duration-syntax|syntax)\b`)
	for _, c := range cases(t, "validate") {
		f := Parse(c.name, c.src)
		got := map[int]string{}
		for _, fault := range f.Faults {
			line, _ := f.Position(fault.Span.Start)
			got[line] += fault.ID
		}
		for i, line := range strings.Split(string(c.src), "\n") {
			expected := ""
			if m := want.FindStringSubmatch(line); m != nil {
				expected = m[1]
			}
			if got[i+1] != expected {
				t.Errorf("%s:%d: faults %q, want %q", c.name, i+1, got[i+1], expected)
			}
		}
	}
}

func TestBrokenCasesReportAtTheirLines(t *testing.T) {
	header := regexp.MustCompile(`(?m)^// (want|also)-line: (\d+)`)
	for _, c := range cases(t, "broken") {
		f := Parse(c.name, c.src)
		var lines []int
		for _, fault := range f.Faults {
			line, _ := f.Position(fault.Span.Start)
			lines = append(lines, line)
		}
		var want []int
		for _, m := range header.FindAllStringSubmatch(string(c.src), -1) {
			line, _ := strconv.Atoi(m[2])
			want = append(want, line)
		}
		if fmt.Sprint(lines) != fmt.Sprint(want) {
			t.Errorf("%s: faults on lines %v, want %v\n%s", c.name, lines, want, describe(f))
		}
	}
}

// full makes the test look at every prefix instead of at a sample.
var full = flag.Bool("full", false, "parse every prefix of the cases, which takes a minute")

func TestEveryPrefixParses(t *testing.T) {
	step := 13
	if *full {
		step = 1
	}
	for _, dir := range []string{"run", "validate", "broken"} {
		for _, c := range cases(t, dir) {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				for n := 0; n < len(c.src); n += step {
					checkSpans(t, Parse(c.name, c.src[:n]))
				}
			})
		}
	}
}

// checkSpans holds that every range lies in the file and in its parent's.
func checkSpans(t *testing.T, f *File) {
	t.Helper()
	var visit func(n Node, around Span)
	visit = func(n Node, around Span) {
		s := n.Span()
		if s.Start < around.Start || s.End > around.End || s.Start > s.End {
			t.Fatalf("%T at %v reaches out of %v in:\n%s", n, s, around, f.Src)
		}
		Children(n, func(child Node) { visit(child, s) })
	}
	for _, d := range f.Decls {
		visit(d, Span{0, len(f.Src)})
	}
	for _, fault := range f.Faults {
		if fault.Span.Start < 0 || fault.Span.End > len(f.Src) || fault.Span.Start > fault.Span.End || fault.Message == "" {
			t.Fatalf("fault %+v lies outside of:\n%s", fault, f.Src)
		}
	}
}
