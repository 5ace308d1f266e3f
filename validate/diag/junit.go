package diag

import (
	"bytes"
	"encoding/xml"
	"io"
)

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitFailure `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit prints the findings as JUnit XML: a suite per file and a case per
// finding, or one passed case when a file has none. Errors are failures, with
// Strict warnings too; what is no failure is a passed case with output.
func WriteJUnit(w io.Writer, r Report) error {
	all := junitSuites{Name: "flowc validate"}
	for _, file := range filesOf(r) {
		suite := junitSuiteOf(r, file)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// filesOf lists the files that were checked and, after them, those that only
// findings name.
func filesOf(r Report) []string {
	files := append([]string{}, r.Files...)
	known := map[string]bool{}
	for _, file := range files {
		known[file] = true
	}
	for _, f := range r.Findings {
		if !known[f.File] {
			known[f.File] = true
			files = append(files, f.File)
		}
	}
	return files
}

func junitSuiteOf(r Report, file string) junitSuite {
	suite := junitSuite{Name: file}
	for _, f := range r.Findings {
		if f.File != file {
			continue
		}
		c := junitCaseOf(r, f)
		if c.Failure != nil {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	if len(suite.Cases) == 0 {
		suite.Cases = []junitCase{{Name: "no findings", Class: file, File: file}}
	}
	suite.Tests = len(suite.Cases)
	return suite
}

func junitCaseOf(r Report, f Finding) junitCase {
	c := junitCase{
		Name:  string(f.ID) + " " + place(f.File, f.Range),
		Class: f.File, File: f.File, Line: f.Range.Start.Line,
	}
	var text bytes.Buffer
	one := Report{Findings: []Finding{f}, Source: r.Source}
	// A write to a buffer does not fail.
	_ = WriteText(&text, one, Text{})
	if f.Severity == Error || r.Strict && f.Severity == Warning {
		c.Failure = &junitFailure{Type: string(f.ID), Message: oneLine(f.Message), Text: text.String()}
	} else {
		c.Out = text.String()
	}
	return c
}
