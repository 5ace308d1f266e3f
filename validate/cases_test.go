package validate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"flowc/validate"
	"flowc/validate/diag"
)

// wanted reads the findings that a file's comments ask for: sorted `line: id`.
func wanted(src string) []string {
	var out []string
	for i, line := range strings.Split(src, "\n") {
		_, ids, ok := strings.Cut(line, "// want: ")
		if !ok {
			continue
		}
		for _, id := range strings.Split(ids, ",") {
			out = append(out, fmt.Sprintf("%d: %s", i+1, strings.TrimSpace(id)))
		}
	}
	slices.Sort(out)
	return out
}

// grave lists findings that are no hints: sorted `line: id`.
func grave(r *validate.Result) []string {
	var out []string
	for _, f := range r.Findings {
		if f.Severity != diag.Hint {
			out = append(out, fmt.Sprintf("%d: %s", f.Range.Start.Line, f.ID))
		}
	}
	slices.Sort(out)
	return out
}

func texts(r *validate.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", f.File, f.Range.Start.Line, f.Range.Start.Column, f.Severity, f.Message, f.ID)
		if f.Help != "" {
			fmt.Fprintf(&b, "  help: %s\n", f.Help)
		}
		for _, rel := range f.Related {
			fmt.Fprintf(&b, "  %s:%d: %s\n", rel.File, rel.Range.Start.Line, rel.Message)
		}
	}
	return b.String()
}

func cases(t testing.TB, dir string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "cases", dir, "*.flow"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	out := map[string]string{}
	for _, p := range paths {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(p)] = string(src)
	}
	return out
}

func TestCasesHaveTheFindingsThatTheyAskFor(t *testing.T) {
	for _, dir := range []string{"validate", "more"} {
		for name, src := range cases(t, dir) {
			t.Run(name, func(t *testing.T) {
				r := validate.CheckText(name, src)
				if got, want := grave(r), wanted(src); !slices.Equal(got, want) {
					t.Errorf("findings\n got %q\nwant %q\n%s", got, want, texts(r))
				}
			})
		}
	}
}

// These cases of running are not free of warnings: children that may end as failure are taken for a success, and declarations are
// left over.
var runWarnings = map[string][]string{
	"r12_late_events.flow": {"5: unused-task"},
	"r51_cancel.flow":      {"86: outcome-ignored"},
	"r57_fan_out.flow":     {"2: unused-event"},
	"s4_invoke_one.flow":   {"42: outcome-ignored"},
}

func TestRunnableCasesHaveNoFindings(t *testing.T) {
	for name, src := range cases(t, "run") {
		t.Run(name, func(t *testing.T) {
			r := validate.CheckText(name, src)
			if got := grave(r); !slices.Equal(got, runWarnings[name]) {
				t.Errorf("findings\n got %q\nwant %q\n%s", got, runWarnings[name], texts(r))
			}
			if r.Model == nil {
				t.Error("there is no model")
			}
		})
	}
}

func TestBrokenCasesAreReportedWhereTheyBreak(t *testing.T) {
	for name, src := range cases(t, "broken") {
		t.Run(name, func(t *testing.T) {
			r := validate.CheckText(name, src)
			first := 0
			lines := map[int]bool{}
			for _, f := range r.Findings {
				if f.Severity != diag.Error {
					continue
				}
				if first == 0 {
					first = f.Range.Start.Line
				}
				lines[f.Range.Start.Line] = true
			}
			for i, line := range strings.SplitN(src, "\n", 3)[:2] {
				for _, mark := range []string{"// want-line: ", "// also-line: "} {
					text, ok := strings.CutPrefix(line, mark)
					if !ok {
						continue
					}
					n, err := strconv.Atoi(strings.TrimSpace(text))
					if err != nil {
						t.Fatal(err)
					}
					if i == 0 && first != n || !lines[n] {
						t.Errorf("%s%d: the first error is on line %d\n%s", mark, n, first, texts(r))
					}
				}
			}
		})
	}
}
