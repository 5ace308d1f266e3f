package cmd

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/engine"
)

func holdCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "hold",
		Category:  clients,
		Usage:     "keep a task's work from being claimed",
		ArgsUsage: "task NAME",
		Description: `Until it is released no worker gets work of this task, on no server and over restarts: for the time that its provider is
down. No attempt is used up meanwhile. Work that is claimed already may end.

Example:
   flowc hold task charge --reason "the bank is down"
   flowc release task charge`,
		Flags: serverFlags(&cli.StringFlag{Name: "reason", Usage: "why, for people"}, outputFlag()),
		Action: func(c *cli.Context) error {
			name, k, err := heldArg(env, c)
			if err != nil {
				return err
			}
			var held engine.HeldTask
			printed, err := k.post("/v1/holds", api.HoldBody{Task: name, Reason: c.String("reason")}, &held)
			if err == nil && !printed {
				warn(env, held.Warnings)
				_, err = fmt.Fprintf(env.Stdout, "%s is held\n", held.Task)
			}
			return err
		},
	}
}

// warn prints what the server found odd in a request that it did carry out.
func warn(env Env, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(env.Stderr, "flowc: warning: %s\n", w)
	}
}

// heldArg reads `task NAME`.
func heldArg(env Env, c *cli.Context) (string, *caller, error) {
	args, err := positional(c, 2, 2)
	if err != nil {
		return "", nil, err
	}
	if args[0] != "task" {
		return "", nil, usageError("write `%s task NAME`; tokens are paused and resumed", c.Command.Name)
	}
	k, err := newCaller(env, c)
	return args[1], k, err
}
