// Package validate checks .flow files: names, types, structure and time. It gives findings for people and, when there is no
// error, the checked model that the compiler reads.
//
// A check is a pure function of the files that the loader gives: the same files give the same findings in the same order and the
// same model. It never panics and never fails: what is wrong with a file is a finding.
//
// The stages, each in files of its own: reading files and imports (files.go), declarations (collect.go), types and constants
// (types.go, consts.go), the tree of states with fragments spliced in (states.go, fragments.go), expressions and statements,
// which become the model in the same pass (expr*.go, stmt*.go), tests (tests*.go), and what is true of a flow as a whole
// (graph*.go, time*.go, unused.go). Whatever could not be resolved has the type Invalid, which goes with everything, so that
// one mistake is one finding.
package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// MaxStates is the most states that a flow may have after its fragments are spliced in.
const MaxStates = 10_000

// Options say what to check.
type Options struct {
	// Files are the names of the files to check. Each is a name space of its own; what they import is loaded besides.
	Files []string
	// Loader gives the text of the files and of their imports; nil reads from the disk.
	Loader Loader
}

// A Result is what a check found.
type Result struct {
	// Findings are sorted by file, line and column, without duplicates and without those that a comment allows.
	Findings []diag.Finding
	// Model is the checked program, nil when there is an error.
	Model *model.Program
	// Partial is as much of the model as could be made, also when there are errors. It may hold expressions of type Invalid and
	// lack whatever was not understood; it is for questions, never for the compiler.
	Partial *model.Program
	// Info says what stands where in the files.
	Info *Info
	// Sources are the files that were read, by the index that model.Pos.File has.
	Sources []*Source
	// Unreadable are the files of Options.Files that could not be loaded, with the loader's error.
	Unreadable map[string]error
}

// OK reports whether there is no finding of severity error and every file could be read.
func (r *Result) OK() bool { return r.Model != nil }

// Report returns the findings as the writers of package diag take them.
func (r *Result) Report() diag.Report {
	rep := diag.Report{Findings: r.Findings}
	texts := map[string][]byte{}
	for _, s := range r.Sources {
		rep.Files = append(rep.Files, s.Name)
		texts[s.Name] = s.AST.Src
	}
	rep.Source = func(name string) []byte { return texts[name] }
	return rep
}

// Check checks the files together.
func Check(opts Options) *Result {
	if opts.Loader == nil {
		opts.Loader = Disk{}
	}
	c := newChecker(opts)
	c.load()
	c.collect()
	c.declare()
	for _, fl := range c.flows {
		c.buildStates(fl)
	}
	for _, fl := range c.flows {
		c.checkFlow(fl)
	}
	for _, f := range c.files {
		c.checkTests(f)
	}
	for _, fl := range c.flows {
		c.checkGraph(fl)
	}
	c.tryFragments()
	c.checkUnused()
	return c.result()
}

// CheckText checks one file that is given as text and imports nothing.
func CheckText(name, text string) *Result {
	return Check(Options{Files: []string{name}, Loader: Map{name: text}})
}
