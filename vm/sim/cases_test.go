package sim_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"flowc/validate"
	"flowc/validate/diag"
	"flowc/vm/sim"
)

// TestSharedCases runs the test blocks of the cases: each of them must hold.
func TestSharedCases(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.flow")
	if err != nil || len(files) < 29 {
		t.Fatalf("the cases are missing: %d, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			runFile(t, name)
		})
	}
}

func runFile(t *testing.T, name string) []sim.Case {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := validate.CheckText(filepath.Base(name), string(text))
	for _, f := range r.Findings {
		if f.Severity == diag.Error {
			t.Errorf("%s:%d: %s [%s]", name, f.Range.Start.Line, f.Message, f.ID)
		}
	}
	if r.Model == nil {
		t.Fatal("it does not check")
	}
	s, err := sim.NewSuite(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := s.Run(context.Background(), sim.Options{Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Failure != nil {
			t.Errorf("%s: %s\n%s\n%s\n%v", c.Name, text[c.Failure.Pos.Start:c.Failure.Pos.End], c.Failure.Message, c.Failure.Token, c.Failure.History)
		}
	}
	return cases
}
