package house

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"flowc/validate"
	"flowc/vm/sim"
)

// runTests runs the test blocks of a flow file.
func runTests(t *testing.T, name, text string) {
	t.Helper()
	result := validate.CheckText(name, text)
	if result.Model == nil || len(result.Model.Tests) == 0 {
		return // findings have tests of their own
	}
	suite, err := sim.NewSuite(result.Model)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	cases, err := suite.Run(t.Context(), sim.Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, c := range cases {
		if c.Failure != nil {
			t.Errorf("%s, test %q: `%s`: %s", name, c.Name, text[c.Failure.Pos.Start:c.Failure.Pos.End], c.Failure.Message)
		}
	}
}

func TestTestsOfExamplesPass(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "examples", "*.flow"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runTests(t, file, string(text))
	}
}

func TestTestsInDocsPass(t *testing.T) {
	for _, page := range docPages(t) {
		for _, f := range flowFences(t, page) {
			runTests(t, fmt.Sprintf("%s:%d", page, f.line), f.text)
		}
	}
}
