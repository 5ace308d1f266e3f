package cmd

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"flowc/compiler/program"
)

func compileCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "compile",
		Category:  authoring,
		Usage:     "compile a flow to bytecode",
		ArgsUsage: "PATH…",
		Description: `Writes the program of one flow, with all flows that it starts or invokes, to FILE; - is standard output.
Prints the program's identity, which depends on what it does and not on where its lines stand.

Example:
   flowc compile order.flow --flow order -o order.flowb`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`"},
			&cli.StringFlag{Name: "flow", Usage: "the flow, when the files have several"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			if c.String("output") == "" {
				return usageError("say where the program goes with -o FILE; - is standard output")
			}
			return runCompile(env, args, c.String("flow"), c.String("output"))
		},
	}
}

func runCompile(env Env, paths []string, flow, output string) error {
	result, err := buildPaths(env, paths)
	if err != nil {
		return err
	}
	unit, err := pick(result.Units, flow)
	if err != nil {
		return err
	}
	code := program.Encode(unit.Program)
	if output == "-" {
		_, err := env.Stdout.Write(code)
		return err
	}
	if err := os.WriteFile(output, code, 0o644); err != nil {
		return fmt.Errorf("cannot write the program: %w", err)
	}
	_, err = fmt.Fprintf(env.Stdout, "%s %s\n", unit.Hash, unit.Flow)
	return err
}

// readAll reads a file or, for -, standard input.
func readAll(env Env, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(env.Stdin)
	}
	return os.ReadFile(path)
}
