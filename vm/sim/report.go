package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"flowc/validate/diag"
	"flowc/validate/model"
)

// A Report is the tests of some files, for the writers.
type Report struct {
	Cases    []Case
	Broken   []Broken                 // what could not be run
	Coverage *Coverage                // nil: not asked for
	Source   func(file string) []byte // the text of a file, nil when it cannot be had
}

// A Broken is a file whose tests were not run because it, or a file that it imports, has errors.
type Broken struct {
	File     string
	Findings diag.Report
}

// Count says how many tests passed and how many failed.
func (r Report) Count() (passed, failed int) {
	for _, c := range r.Cases {
		if c.Failure == nil {
			passed++
		} else {
			failed++
		}
	}
	return passed, failed
}

// Cover adds the coverage of a file.
func (r *Report) Cover(c Coverage) {
	if r.Coverage == nil {
		r.Coverage = &Coverage{}
	}
	r.Coverage.add(c)
}

// at is a place in a file: line and column from 1, and the line's text.
func (r Report) at(file string, p model.Pos) (line, column int, text string) {
	src := r.Source(file)
	if p.Start > len(src) {
		return 1, 1, ""
	}
	before := src[:p.Start]
	begin := bytes.LastIndexByte(before, '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[p.Start:], '\n'); i >= 0 {
		end = p.Start + i
	}
	return 1 + bytes.Count(before, []byte("\n")), p.Start - begin + 1, string(bytes.TrimSpace(src[begin:end]))
}

// WriteText prints the tests that failed, what was not covered, and `N passed, N failed` at the end. The findings of broken files are
// left to the caller, who prints them apart.
func (r Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for _, c := range r.Cases {
		if c.Failure != nil {
			r.failed(&b, c)
		}
	}
	if r.Coverage != nil {
		r.missed(&b)
	}
	passed, failed := r.Count()
	fmt.Fprintf(&b, "%d passed, %d failed\n", passed, failed)
	_, err := w.Write(b.Bytes())
	return err
}

func (r Report) failed(b *bytes.Buffer, c Case) {
	line, column, text := r.at(c.File, c.Failure.Pos)
	fmt.Fprintf(b, "FAIL %q\n%s:%d:%d: %s\n    %s\n", c.Name, c.File, line, column, c.Failure.Message, text)
	if c.Failure.Token != "" {
		fmt.Fprintf(b, "  %s\n", c.Failure.Token)
	}
	for _, l := range c.Failure.History {
		fmt.Fprintf(b, "  | %s\n", l)
	}
	b.WriteByte('\n')
}

func (r Report) missed(b *bytes.Buffer) {
	for _, m := range r.Coverage.Missed {
		line, column, text := r.at(m.File, m.Pos)
		fmt.Fprintf(b, "%s:%d:%d: no test takes this %s of %s\n    %s\n", m.File, line, column, m.Kind, m.Name, text)
	}
	fmt.Fprintln(b, r.Coverage)
}

// WriteJUnit prints the tests as JUnit XML, a suite per file; one that is broken has an error for each of its errors.
func (r Report) WriteJUnit(w io.Writer) error {
	var suites []diag.JUnitSuite
	index := map[string]int{}
	for _, c := range r.Cases {
		i, ok := index[c.File]
		if !ok {
			i = len(suites)
			index[c.File] = i
			suites = append(suites, diag.JUnitSuite{Name: c.File})
		}
		line, _, _ := r.at(c.File, c.Pos)
		one := diag.JUnitCase{Name: c.Name, Class: c.File, File: c.File, Line: line, Time: c.Took.Seconds()}
		if c.Failure != nil {
			var text bytes.Buffer
			r.failed(&text, c)
			one.Failure = &diag.JUnitFailure{Type: "expect", Message: c.Failure.Message, Text: text.String()}
		}
		suites[i].Cases = append(suites[i].Cases, one)
	}
	for _, b := range r.Broken {
		suites = append(suites, diag.JUnitErrors(b.Findings, b.File))
	}
	return diag.WriteJUnitSuites(w, "flowc test", suites)
}

type (
	jsonReport struct {
		Tests    []jsonCase    `json:"tests"`
		Passed   int           `json:"passed"`
		Failed   int           `json:"failed"`
		Broken   []jsonBroken  `json:"broken"`
		Coverage *jsonCoverage `json:"coverage,omitempty"`
	}
	jsonCase struct {
		Name    string       `json:"name"`
		File    string       `json:"file"`
		Line    int          `json:"line"`
		Passed  bool         `json:"passed"`
		Micros  int64        `json:"micros"`
		Failure *jsonFailure `json:"failure,omitempty"`
	}
	jsonBroken struct {
		File     string         `json:"file"`
		Findings []diag.Finding `json:"findings"`
	}
	jsonFailure struct {
		Line    int      `json:"line"`
		Column  int      `json:"column"`
		Message string   `json:"message"`
		Token   string   `json:"token,omitempty"`
		History []string `json:"history"`
	}
	jsonCoverage struct {
		States, StatesTaken, Moves, MovesTaken, Timers, TimersTaken int
		Missed                                                      []jsonMiss
	}
	jsonMiss struct {
		Kind string `json:"kind"`
		Name string `json:"name"`
		File string `json:"file"`
		Line int    `json:"line"`
	}
)

// MarshalJSON names the counts as the other JSON of the command does.
func (c jsonCoverage) MarshalJSON() ([]byte, error) {
	type count struct {
		All   int `json:"all"`
		Taken int `json:"taken"`
	}
	return json.Marshal(struct {
		States      count      `json:"states"`
		Transitions count      `json:"transitions"`
		Timers      count      `json:"timers"`
		Missed      []jsonMiss `json:"missed"`
	}{count{c.States, c.StatesTaken}, count{c.Moves, c.MovesTaken}, count{c.Timers, c.TimersTaken}, c.Missed})
}

// WriteJSON prints the tests as one object.
func (r Report) WriteJSON(w io.Writer) error {
	out := jsonReport{Tests: []jsonCase{}, Broken: []jsonBroken{}}
	out.Passed, out.Failed = r.Count()
	for _, b := range r.Broken {
		out.Broken = append(out.Broken, jsonBroken{b.File, append([]diag.Finding{}, b.Findings.Findings...)})
	}
	for _, c := range r.Cases {
		line, _, _ := r.at(c.File, c.Pos)
		one := jsonCase{Name: c.Name, File: c.File, Line: line, Passed: c.Failure == nil, Micros: c.Took.Microseconds()}
		if f := c.Failure; f != nil {
			line, column, _ := r.at(c.File, f.Pos)
			one.Failure = &jsonFailure{Line: line, Column: column, Message: f.Message, Token: f.Token, History: f.History}
		}
		out.Tests = append(out.Tests, one)
	}
	if c := r.Coverage; c != nil {
		out.Coverage = &jsonCoverage{c.States, c.StatesTaken, c.Moves, c.MovesTaken, c.Timers, c.TimersTaken, []jsonMiss{}}
		for _, m := range c.Missed {
			line, _, _ := r.at(m.File, m.Pos)
			out.Coverage.Missed = append(out.Coverage.Missed, jsonMiss{m.Kind, m.Name, m.File, line})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
