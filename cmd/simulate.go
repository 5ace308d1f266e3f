package cmd

import (
	"errors"

	"github.com/urfave/cli/v2"

	"flowc/vm"
	"flowc/vm/sim"
)

func simulateCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Category:  authoring,
		Usage:     "move a token by hand, under a virtual clock",
		ArgsUsage: "PATH…",
		Description: `Starts a token of a flow on the step that the server uses, and then follows commands, a line each: send events, let time pass,
end tasks, look at state, timers, data and history. help lists them all. Nothing sleeps and nothing is kept.
Commands can be piped in; lines that begin with # are comments. Exit code 1 when a line of such a script could not be done.

Example:
   flowc simulate order.flow --data '{"order_id": "A1"}'
   printf 'advance 47h\ntimers\nsend pay {"reference": "r-1"}\n' | flowc simulate order.flow --data '{"order_id": "A1"}'`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "flow", Usage: "the `NAME` of the flow, when the files declare several"},
			&cli.StringFlag{Name: "data", Aliases: []string{"input"}, Value: "{}", Usage: "the flow's inputs as a `JSON` object"},
			&cli.StringFlag{Name: "key", Usage: "the token's `KEY`"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			return runSimulate(env, c, args)
		},
	}
}

func runSimulate(env Env, c *cli.Context, paths []string) error {
	result, err := buildPaths(env, paths)
	if err != nil {
		return err
	}
	unit, err := pick(result.Units, c.String("flow"))
	if err != nil {
		return err
	}
	t, err := sim.NewTerminal(unit.Program, vm.NewToken{
		Flow: unit.Flow, Program: unit.Hash, Key: c.String("key"), Input: []byte(c.String("data")),
	}, env.Stdout)
	if err != nil {
		return usageError("--data: %w", err)
	}
	if err := t.Run(env.Stdin, env.Terminal(env.Stdin)); errors.Is(err, sim.ErrNotAll) {
		return errFindings
	} else if err != nil {
		return err
	}
	return nil
}
