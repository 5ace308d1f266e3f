// Package build takes source files all the way from text to encoded programs: read, parse, check, compile, encode. Whatever
// deploys or runs files goes through it, so that what `flowc validate` refuses is refused everywhere, with the same findings.
//
//	result, err := build.Run(validate.Options{Files: names, Loader: loader})
//	if !result.Check.OK() { … result.Check.Report() … }
//	for _, u := range result.Units { … u.Code … }
package build

import (
	"fmt"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
	"flowc/validate/model"
)

// A Result is what became of the files. Without an error in them it has a unit for each flow that the named files declare.
type Result struct {
	Check *validate.Result
	Units []Unit
}

// A Unit is one flow, compiled.
type Unit struct {
	Flow    string
	File    string // that declares it
	Hash    string // the program's identity (R60)
	Program *program.Program
	Source  *program.Source   // with texts
	Files   map[string]string // that the flow's file and its imports are made of
}

// Encode gives the unit as it is stored: the program, and the source beside it.
func (u Unit) Encode() (code, source []byte, err error) {
	source, err = program.EncodeSource(u.Source)
	return program.Encode(u.Program), source, err
}

// A ClashError says that two of the files declare flows of one name, so that they cannot be deployed together.
type ClashError struct{ Flow, File, Other string }

// Error names the flow and both files.
func (e *ClashError) Error() string {
	return fmt.Sprintf("%s and %s both declare the flow %s; only one of them can be deployed", e.File, e.Other, e.Flow)
}

// Run checks the files and, when there is no error, compiles their flows. Faults of the files are findings of Result.Check, a
// flow of two files a *ClashError; any other error is what the compiler cannot do.
func Run(opts validate.Options) (*Result, error) {
	result := &Result{Check: validate.Check(opts)}
	if !result.Check.OK() {
		return result, nil
	}
	named := map[string]bool{}
	for _, name := range opts.Files {
		named[name] = true
	}
	texts := textsOf(result.Check)
	m := result.Check.Model
	seen := map[string]string{}
	for _, flow := range m.Flows {
		file := m.Files[flow.Pos.File]
		if !named[file] {
			continue // an import's: it is part of the programs that use it
		}
		if other, ok := seen[flow.Name]; ok {
			return result, &ClashError{Flow: flow.Name, File: other, Other: file}
		}
		seen[flow.Name] = file
		unit, err := compile(m, flow, texts)
		if err != nil {
			return result, err
		}
		unit.File, unit.Files = file, closure(result.Check, file)
		result.Units = append(result.Units, unit)
	}
	return result, nil
}

func compile(m *model.Program, flow *model.Flow, texts map[string]string) (Unit, error) {
	p, src, err := compiler.Compile(m, flow)
	if err != nil {
		return Unit{}, err
	}
	src.SetText(func(name string) string { return texts[name] })
	return Unit{Flow: flow.Name, Hash: program.Hash(p), Program: p, Source: src}, nil
}

func textsOf(check *validate.Result) map[string]string {
	texts := map[string]string{}
	for _, s := range check.Sources {
		texts[s.Name] = string(s.AST.Src)
	}
	return texts
}
