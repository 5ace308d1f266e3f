package compiler

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/model"
)

// Tests are the codes of a model's test blocks: expressions that read the data and inputs of a token, and arguments that read
// nothing. They are in a program of their own, so that a test changes neither the program nor the hash of the flow it is about.
// States, data and inputs have in both the same indexes, so an expression runs with a Host over a token of any program that
// holds its flow:
//
//	t, err := compiler.CompileTests(m)
//	code, ok := t.Code(expect.Cond)
//	end := machine.Eval(t.Program, code, host, machine.NewBudget())
type Tests struct {
	Program *program.Program
	Source  *program.Source
	codes   map[*model.Code]int
}

// Code returns the index in Program.Codes of a code of a test block.
func (t *Tests) Code(c *model.Code) (int, bool) {
	i, ok := t.codes[c]
	return i, ok
}

// CompileTests compiles the codes of all test blocks of the model. Without a flow there is nothing to test: then Program is nil.
func CompileTests(m *model.Program) (*Tests, error) {
	t := &Tests{codes: map[*model.Code]int{}}
	if len(m.Flows) == 0 {
		return t, nil
	}
	c := newCompiler(m, m.Flows[0].Name)
	for _, f := range m.Flows {
		c.testFlow(f)
	}
	for _, test := range m.Tests {
		for _, s := range test.Stmts {
			k := testCodes{c: c, t: t}
			k.stmt(s)
		}
	}
	if c.err == nil {
		c.err = program.Link(c.p)
	}
	if c.err != nil {
		return nil, fmt.Errorf("compile tests: %w", c.err)
	}
	t.Program, t.Source = c.p, c.src
	return t, nil
}

// testFlow puts into the program what expressions refer to of a flow: its inputs, its data and its states, without any code.
// Nothing looks a flow of it up by name, so flows of one name, from files that were checked together, are told apart.
func (c *compiler) testFlow(f *model.Flow) {
	i := c.flow(f)
	out := c.p.Flows[i]
	if i > 0 {
		out.Name = fmt.Sprintf("%s#%d", f.Name, i)
	}
	for _, d := range f.Data {
		out.Data = append(out.Data, program.DataField{Name: d.Name, Type: d.Type, Default: none, Owner: d.Owner})
	}
	for _, s := range f.States {
		out.States = append(out.States, program.State{
			Name: s.Name, Path: s.Path, Kind: program.StateKind(s.Kind), Parent: s.Parent, Children: s.Children, Initial: s.Initial,
			JoinN: none, Entry: none, Exit: none,
		})
	}
	setLast(out.States)
}

// testCodes compiles the codes of one statement.
type testCodes struct {
	c *compiler
	t *Tests
}

// free compiles codes that read no token.
func (k testCodes) free(codes ...*model.Code) { k.of(nil, codes...) }

// of compiles codes that read a token of the flow.
func (k testCodes) of(f *model.Flow, codes ...*model.Code) {
	flow := none
	if f != nil {
		flow = k.c.flow(f)
	}
	for _, m := range codes {
		if m == nil {
			continue
		}
		state := none
		if f != nil {
			state = max(m.State, 0)
		}
		k.t.codes[m] = k.c.code(m, f, flow, state, 0)
	}
}

// about returns the flow of the token that a statement is about, nil when there is none yet.
func about(s model.Subject) *model.Flow {
	if s.Child != nil {
		return s.Child
	}
	return s.Flow
}

func (k testCodes) matches(f *model.Flow, matches []model.ArgMatch) {
	for _, m := range matches {
		k.of(f, m.Value)
	}
}

func (k testCodes) stmt(s model.TestStmt) {
	switch s := s.(type) {
	case *model.TestAt:
		k.free(s.Time)
	case *model.TestMock:
		k.free(s.Result)
	case *model.TestStart:
		k.free(s.Args, s.Key, s.After)
	case *model.TestSend:
		k.of(about(s.Subject), s.Args)
	case *model.TestAdvance:
		k.free(s.By, s.To)
	case *model.TestTask:
		k.matches(about(s.Subject), s.Match)
		k.of(about(s.Subject), s.Result, s.Args)
	case *model.Expect:
		k.expectation(about(s.Subject), s.What)
	}
}

func (k testCodes) expectation(f *model.Flow, what model.Expectation) {
	switch e := what.(type) {
	case model.ExpectTrue:
		k.of(f, e.Cond, e.Left, e.Right)
	case model.ExpectTimer:
		k.of(f, e.In, e.At)
	case model.ExpectRefused:
		k.of(f, e.Args)
	case model.ExpectOffered:
		k.matches(f, e.Match)
	case *model.ExpectTrue:
		k.expectation(f, *e)
	case *model.ExpectTimer:
		k.expectation(f, *e)
	case *model.ExpectRefused:
		k.expectation(f, *e)
	case *model.ExpectOffered:
		k.expectation(f, *e)
	}
}
