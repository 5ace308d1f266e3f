package diag

import (
	"bytes"
	"encoding/xml"
	"io"
)

// junitReport is the root of a JUnit file.
type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []JUnitSuite `xml:"testsuite"`
}

// A JUnitSuite is the cases of one file. Tests, Failures and Errors are counted when it is written.
type JUnitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []JUnitCase `xml:"testcase"`
}

// A JUnitCase passed when Failure and Error are nil: a failure is a test that found something, an error one that could not be run.
// Line counts from 1, Time is in seconds.
type JUnitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Time    float64       `xml:"time,attr,omitempty"`
	Failure *JUnitFailure `xml:"failure"`
	Error   *JUnitFailure `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`
}

// A JUnitFailure is a failure or an error: it says in Message what is wrong and in Text all about it.
type JUnitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit prints the findings as JUnit XML: a suite per file and a case per
// finding, or one passed case when a file has none. Errors are failures, with
// Strict warnings too; what is no failure is a passed case with output.
func WriteJUnit(w io.Writer, r Report) error {
	var suites []JUnitSuite
	for _, file := range filesOf(r) {
		suites = append(suites, junitSuiteOf(r, file))
	}
	return WriteJUnitSuites(w, "flowc validate", suites)
}

// JUnitErrors is the suite of a file whose tests could not be run because of the errors among the findings: each is a case that is
// an error. The findings may stand in files that it imports.
func JUnitErrors(r Report, file string) JUnitSuite {
	suite := JUnitSuite{Name: file}
	for _, f := range r.Findings {
		if f.Severity != Error {
			continue
		}
		c := junitCaseOf(r, f)
		c.Class, c.Failure, c.Error = file, nil, c.Failure
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

// WriteJUnitSuites prints suites as JUnit XML under the name of what made them.
func WriteJUnitSuites(w io.Writer, name string, suites []JUnitSuite) error {
	all := junitReport{Name: name, Suites: suites}
	for i := range suites {
		suites[i].count()
		all.Tests += suites[i].Tests
		all.Failures += suites[i].Failures
		all.Errors += suites[i].Errors
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

func (s *JUnitSuite) count() {
	s.Tests, s.Failures, s.Errors = len(s.Cases), 0, 0
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		}
	}
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

func junitSuiteOf(r Report, file string) JUnitSuite {
	suite := JUnitSuite{Name: file}
	for _, f := range r.Findings {
		if f.File != file {
			continue
		}
		suite.Cases = append(suite.Cases, junitCaseOf(r, f))
	}
	if len(suite.Cases) == 0 {
		suite.Cases = []JUnitCase{{Name: "no findings", Class: file, File: file}}
	}
	return suite
}

func junitCaseOf(r Report, f Finding) JUnitCase {
	c := JUnitCase{
		Name:  string(f.ID) + " " + place(f.File, f.Range),
		Class: f.File, File: f.File, Line: f.Range.Start.Line,
	}
	var text bytes.Buffer
	one := Report{Findings: []Finding{f}, Source: r.Source}
	// A write to a buffer does not fail.
	_ = WriteText(&text, one, Text{})
	if f.Severity == Error || r.Strict && f.Severity == Warning {
		c.Failure = &JUnitFailure{Type: string(f.ID), Message: oneLine(f.Message), Text: text.String()}
	} else {
		c.Out = text.String()
	}
	return c
}
