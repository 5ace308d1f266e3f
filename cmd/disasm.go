package cmd

import (
	"bytes"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"flowc/compiler/program"
)

func disasmCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "disasm",
		Category:  authoring,
		Usage:     "show bytecode for people",
		ArgsUsage: "FILE",
		Description: `Shows a program that "flowc compile" wrote. A .flow file is compiled first, and then each line says where it comes from.

Example:
   flowc disasm order.flowb`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "flow", Usage: "the flow, when a .flow file has several"}},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runDisasm(env, args[0], c.String("flow"))
		},
	}
}

func runDisasm(env Env, path, flow string) error {
	text, err := readAll(env, path)
	if err != nil {
		return fmt.Errorf("cannot read the program: %w", err)
	}
	p, source, err := disassembled(env, path, text, flow)
	if err != nil {
		return err
	}
	_, err = io.WriteString(env.Stdout, program.Disassemble(p, source))
	return err
}

// magic begins every encoded program.
const magic = "flowc"

// disassembled gives the program of a file, and its source when the file is one.
func disassembled(env Env, path string, text []byte, flow string) (*program.Program, *program.Source, error) {
	if p, err := program.Decode(text); err == nil {
		return p, nil, nil
	} else if bytes.HasPrefix(text, []byte(magic)) && bytes.ContainsRune(text, 0) {
		return nil, nil, usageError("%s is no program that this flowc can read: %v", path, err)
	}
	env.Stdin = bytes.NewReader(text) // of -, which has been read
	result, err := buildPaths(env, []string{path})
	if err != nil {
		return nil, nil, err
	}
	unit, err := pick(result.Units, flow)
	return unit.Program, unit.Source, err
}
