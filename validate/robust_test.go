package validate_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"flowc/validate"
	"flowc/validate/diag"
)

// full makes the tests look at every prefix and hole instead of at a sample.
var full = flag.Bool("full", false, "look at every prefix of the cases, which takes minutes")

// sampled is the distance between the places that a test looks at.
func sampled(step int) int {
	if *full {
		return 1
	}
	return step
}

// Every text that an author has on the way to a file is checked without a panic, and the same way twice.
func TestEveryPrefixIsChecked(t *testing.T) {
	for dir, step := range map[string]int{"validate": 31, "broken": 7, "more": 211, "run": 97} {
		for name, src := range cases(t, dir) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for n := 0; n <= len(src); n += sampled(step) {
					validate.CheckText(name, src[:n])
				}
			})
		}
	}
}

// Leaving out any one token's worth of letters is survived too.
func TestHolesAreChecked(t *testing.T) {
	for name, src := range cases(t, "run") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 0; n+5 <= len(src); n += sampled(127) {
				validate.CheckText(name, src[:n]+src[n+5:])
			}
		})
	}
}

func TestFindingsAreTheSameEveryTime(t *testing.T) {
	for name, src := range cases(t, "validate") {
		first := texts(validate.CheckText(name, src))
		for range 3 {
			if again := texts(validate.CheckText(name, src)); again != first {
				t.Fatalf("%s: findings differ\n%s\n%s", name, first, again)
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, dir := range []string{"validate", "run", "broken", "more"} {
		for _, src := range cases(f, dir) {
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		r := validate.CheckText("fuzz.flow", src)
		if r.Partial == nil || r.Info == nil {
			t.Fatal("no tables")
		}
		for _, finding := range r.Findings {
			if _, ok := diag.Lookup(finding.ID); !ok {
				t.Fatalf("%s is not in the registry", finding.ID)
			}
			if finding.Range.Start.Offset > finding.Range.End.Offset || finding.Range.End.Offset > len(src) {
				t.Fatalf("%s: range %v in %d bytes", finding.ID, finding.Range, len(src))
			}
		}
	})
}

// large writes a flow of about so many lines, six to a state.
func large(lines int) string {
	var b strings.Builder
	b.WriteString("event go(n: int)\nevent stop\n\nflow large(limit: int) -> (total: int) {\n  data { total: int = 0 }\n  timeout 300d\n  on timeout -> late\n  on stop -> late\n  initial s0\n")
	n := lines / 7
	for i := range n {
		next := fmt.Sprintf("s%d", i+1)
		if i == n-1 {
			next = "done"
		}
		fmt.Fprintf(&b, "  state s%d {\n    timeout 5d\n    after 1h { note \"still here {total}\" }\n    on go when event.n > limit and total < 100 -> %s { total = total + event.n * 2 }\n    on go { total = total + 1 }\n    on timeout -> %s\n  }\n", i, next, next)
	}
	b.WriteString("  final done\n  final late as failure\n}\n")
	return b.String()
}

func BenchmarkCheck2000Lines(b *testing.B) {
	src := large(2000)
	if r := validate.CheckText("large.flow", src); !r.OK() {
		b.Fatal(texts(r))
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		validate.CheckText("large.flow", src)
	}
}

// Work grows with the size of the file, not faster.
func TestLimits(t *testing.T) {
	within := func(t *testing.T, limit time.Duration, do func()) {
		t.Helper()
		begin := time.Now()
		do()
		if took := time.Since(begin); took > limit {
			t.Errorf("took %v", took)
		}
	}
	has := func(t *testing.T, r *validate.Result, id diag.ID) {
		t.Helper()
		for _, f := range r.Findings {
			if f.ID == id {
				return
			}
		}
		t.Errorf("no %s", id)
	}
	t.Run("10,000 states", func(t *testing.T) {
		t.Parallel()
		within(t, time.Minute, func() {
			if r := validate.CheckText("a.flow", large(7*9_990)); !r.OK() {
				t.Error(r.Findings[0].Message)
			}
		})
	})
	t.Run("more states", func(t *testing.T) {
		t.Parallel()
		within(t, time.Minute, func() { has(t, validate.CheckText("a.flow", large(7*10_010)), diag.FlowTooLarge) })
	})
	t.Run("fragments that double", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("fragment f0() { initial a\n state a { timeout 1d } }\n")
		for i := 1; i < 30; i++ {
			fmt.Fprintf(&b, "fragment f%d() { initial a\n use f%d() as a\n use f%d() as b }\n", i, i-1, i-1)
		}
		b.WriteString("flow x { initial a\n use f29() as a\n final done }\n")
		within(t, time.Minute, func() { has(t, validate.CheckText("a.flow", b.String()), diag.FlowTooLarge) })
	})
	for name, src := range map[string]string{
		"parentheses": "const a = " + strings.Repeat("(", 200_000),
		"states":      "flow a {" + strings.Repeat("state a {", 100_000),
		"nots":        "const a = " + strings.Repeat("not ", 100_000) + "true",
		"sums":        "const a = 1" + strings.Repeat(" + 1", 300_000),
		"ands":        "const a = true" + strings.Repeat(" and true", 300_000),
		"selects":     "const a = b" + strings.Repeat(".c", 300_000),
		"elses":       "flow a { entry { if true {} " + strings.Repeat("else if true {} ", 50_000) + "} }",
		"string":      "const a = \"" + strings.Repeat("x", 5<<20) + "\"",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			within(t, time.Minute, func() { validate.CheckText("a.flow", src) })
		})
	}
}
