package sim

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/vm"
)

// A Suite is the test blocks of a checked model, compiled.
type Suite struct {
	model *model.Program
	tests *compiler.Tests
	units map[*model.Flow]*unit
}

// A unit is a flow's program, compiled when a test first starts it.
type unit struct {
	program *program.Program
	source  *program.Source
	hash    string
}

// NewSuite compiles the test blocks of a model.
func NewSuite(m *model.Program) (*Suite, error) {
	tests, err := compiler.CompileTests(m)
	if err != nil {
		return nil, err
	}
	return &Suite{model: m, tests: tests, units: map[*model.Flow]*unit{}}, nil
}

// unit is the program that a flow's tokens run on.
func (s *Suite) unit(f *model.Flow) (*unit, error) {
	if u := s.units[f]; u != nil {
		return u, nil
	}
	p, src, err := compiler.Compile(s.model, f)
	if err != nil {
		return nil, err
	}
	u := &unit{p, src, program.Hash(p)}
	s.units[f] = u
	return u, nil
}

// Options say which tests run and what is kept of them.
type Options struct {
	Match *regexp.Regexp // of names; nil: all
	File  string         // the file whose tests run, not those that it imports; "": all
	Audit bool           // every step proves what a server relies on, and every history that it replays; see World.Audit
}

// A Case is a test that has run.
type Case struct {
	Name    string
	File    string
	Pos     model.Pos
	Failure *Failure // nil: it passed
	Took    time.Duration
	Taken   *Taken // what its tokens went through
}

// A Failure is the statement at which a test ended.
type Failure struct {
	Pos     model.Pos
	Message string   // what was expected and what was found
	Token   string   // the state of the token that the statement is about, "" for none
	History []string // the last lines of its history
}

// Run runs the tests in the order of the file, until the context ends.
func (s *Suite) Run(ctx context.Context, o Options) ([]Case, error) {
	var cases []Case
	for _, t := range s.model.Tests {
		if o.Match != nil && !o.Match.MatchString(t.Name) || o.File != "" && s.model.Files[t.Pos.File] != o.File {
			continue
		}
		if err := ctx.Err(); err != nil {
			return cases, err
		}
		cases = append(cases, s.one(t, o))
	}
	return cases, nil
}

func (s *Suite) one(t *model.Test, o Options) Case {
	began := time.Now()
	r := &runner{world: NewWorld(), suite: s, labels: map[string]*Token{}}
	if o.Audit {
		r.world.Audit()
	}
	c := Case{Name: t.Name, File: s.model.Files[t.Pos.File], Pos: t.Pos, Taken: newTaken()}
	for _, st := range t.Stmts {
		if err := r.do(st); err != nil {
			c.Failure = r.explain(st, err)
			break
		}
	}
	if o.Audit && c.Failure == nil {
		if err := r.world.Replay(); err != nil {
			c.Failure = &Failure{Pos: t.Pos, Message: err.Error()}
		}
	}
	for _, tok := range r.world.tokens {
		c.Taken.add(tok)
	}
	c.Took = time.Since(began)
	return c
}

// lastLines is how much of the history a failure shows.
const lastLines = 12

func (r *runner) explain(s model.TestStmt, err error) *Failure {
	f := &Failure{Pos: s.Position(), Message: err.Error()}
	about := r.last
	var own *failure
	if errors.As(err, &own) && own.about != nil {
		about = own.about
	}
	if about == nil || about.vm == nil {
		return f
	}
	f.Token = fmt.Sprintf("%s %s is %s in %s at %s", about.vm.Flow, about.vm.ID, about.condition(), about.place(), instant(r.world.now))
	f.History = about.history(lastLines)
	return f
}

// history is the end of the token's history, a line each.
func (t *Token) history(most int) []string {
	var all []string
	for _, s := range t.steps {
		for _, l := range s.Lines {
			all = append(all, instant(s.At)+" "+describe(l))
		}
	}
	if over := len(all) - most; over > 0 {
		all = append([]string{fmt.Sprintf("… %d lines before", over)}, all[over:]...)
	}
	return all
}

// describe writes a line of the history for a person.
func describe(l vm.Line) string {
	text := l.Kind
	for _, part := range []string{l.Name, l.State} {
		if part != "" {
			text += " " + part
		}
	}
	if l.Due != 0 {
		text += " due " + instant(l.Due)
	}
	if l.LateMicros > 0 {
		text += " late by " + span(l.LateMicros)
	}
	if l.Missed > 0 {
		text += fmt.Sprintf(" (%d missed)", l.Missed)
	}
	if l.Text != "" {
		text += ": " + l.Text
	}
	return text
}
