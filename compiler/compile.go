// Package compiler turns the checked model into programs: the tables of a flow and of all flows that it invokes, calls or
// starts, and their code for the machine that compiler/program describes.
//
//	p, src, err := compiler.Compile(m, flow)
//	src.SetText(read)
//	fmt.Print(program.Disassemble(p, src))
//
// What it makes depends on the flow alone: not on the order of files, imports and declarations, nor on positions, so that the
// same flow has the same hash (R60). A model without an error compiles, with these exceptions, which are errors: two different
// events or tasks, or two flows, of one name in reach of one flow, since workers and senders know them by name; functions that
// call one another more than 1,000 deep.
package compiler

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/model"
)

// A Unit is a compiled flow.
type Unit struct {
	Flow    *model.Flow
	Program *program.Program
	Source  *program.Source // without texts: see Source.SetText
}

// Compile compiles a flow with all flows that it reaches by `invoke`, `call` and `start`. The source holds positions, and the
// names of the files; SetText adds the texts.
func Compile(m *model.Program, flow *model.Flow) (*program.Program, *program.Source, error) {
	c := newCompiler(m, flow.Name)
	c.flow(flow)
	if err := c.finish(); err != nil {
		return nil, nil, fmt.Errorf("compile flow %s: %w", flow.Name, err)
	}
	return c.p, c.src, nil
}

// CompileAll compiles every flow of the model, in its order.
func CompileAll(m *model.Program) ([]Unit, error) {
	units := make([]Unit, 0, len(m.Flows))
	for _, f := range m.Flows {
		p, src, err := Compile(m, f)
		if err != nil {
			return nil, err
		}
		units = append(units, Unit{Flow: f, Program: p, Source: src})
	}
	return units, nil
}

// A compiler makes one program.
type compiler struct {
	m     *model.Program
	p     *program.Program
	src   *program.Source
	pools pools
	flows []*model.Flow // to compile, in the order in which they were reached: their indexes in the program
	err   error         // the first one
}

func newCompiler(m *model.Program, name string) *compiler {
	c := &compiler{m: m, p: &program.Program{Flow: name}, src: &program.Source{}}
	c.pools.init()
	return c
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// finish compiles the flows that were reached, which may reach more, and verifies the program.
func (c *compiler) finish() error {
	for i := 0; i < len(c.flows) && c.err == nil; i++ {
		c.compileFlow(i, c.flows[i])
	}
	if c.err != nil {
		return c.err
	}
	return program.Link(c.p)
}

// flow returns the index of a flow, which is compiled later.
func (c *compiler) flow(f *model.Flow) int {
	if i, ok := c.pools.flows[f]; ok {
		return i
	}
	i := len(c.flows)
	c.pools.flows[f] = i
	c.flows = append(c.flows, f)
	c.p.Flows = append(c.p.Flows, &program.Flow{Name: f.Name, Input: orEmpty(f.Input)})
	return i
}

// span returns a position in the source's own numbering of files: by their first use, so that it does not depend on what else
// was checked.
func (c *compiler) span(p model.Pos) program.Span {
	i, ok := c.pools.files[p.File]
	if !ok {
		i = len(c.src.Files)
		c.pools.files[p.File] = i
		name := ""
		if p.File >= 0 && p.File < len(c.m.Files) {
			name = c.m.Files[p.File]
		}
		c.src.Files = append(c.src.Files, program.File{Name: name})
	}
	return program.Span{File: i, Start: p.Start, End: p.End}
}
