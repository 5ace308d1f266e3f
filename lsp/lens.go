package lsp

import (
	"context"
	"fmt"
	"regexp"

	"flowc/grammar"
	"flowc/vm/sim"
)

// A Lens is a command that an editor shows above a line.
type Lens struct {
	Span  grammar.Span
	Title string
	Test  string // the name of the test to run; "" for all of the file
}

// Lenses offers to run each test of a file, and above the first one all of them.
func (s *Snapshot) Lenses(file string) []Lens {
	tree := s.tree(file)
	if tree == nil {
		return nil
	}
	var out []Lens
	for _, d := range tree.Decls {
		test, ok := d.(*grammar.TestDecl)
		if !ok || test.Name == nil || len(test.Name.Parts) == 0 {
			continue
		}
		span := test.Name.Span()
		if len(out) == 0 {
			out = append(out, Lens{span, "Run all tests", ""})
		}
		name := ""
		for _, p := range test.Name.Parts {
			name += p.Text
		}
		out = append(out, Lens{span, "Run test", name})
	}
	return out
}

// A TestResult is how a test went.
type TestResult struct {
	Name    string
	Span    grammar.Span
	Failure string       // "" when it passed
	At      grammar.Span // the line that failed
}

// RunTests runs the tests of a file under the virtual clock: the one of that name, or all. A file with errors runs none.
func (s *Snapshot) RunTests(ctx context.Context, file, name string) ([]TestResult, error) {
	c := s.check(file)
	_, ok := c.index[file]
	switch {
	case !ok:
		return nil, fmt.Errorf("run the tests of %s: it cannot be read", file)
	case c.Model == nil:
		return nil, fmt.Errorf("run the tests of %s: it has errors", file)
	}
	suite, err := sim.NewSuite(c.Model)
	if err != nil {
		return nil, fmt.Errorf("run the tests of %s: %w", file, err)
	}
	only := sim.Options{File: file}
	if name != "" {
		only.Match = regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$")
	}
	cases, err := suite.Run(ctx, only)
	if err != nil {
		return nil, fmt.Errorf("run the tests of %s: %w", file, err)
	}
	var out []TestResult
	for _, one := range cases {
		r := TestResult{Name: one.Name, Span: grammar.Span{Start: one.Pos.Start, End: one.Pos.End}}
		if f := one.Failure; f != nil {
			r.Failure, r.At = f.Message, grammar.Span{Start: f.Pos.Start, End: f.Pos.End}
		}
		out = append(out, r)
	}
	return out, nil
}
