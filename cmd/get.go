package cmd

import (
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/client"
	"flowc/vm/engine"
)

func getCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "get",
		Category:  clients,
		Usage:     "show a token: where it is, what it waits for, what it takes",
		ArgsUsage: "TOKEN",
		Description: `TOKEN is an id or FLOW:KEY.

Example:
   flowc get order:A1`,
		Flags: serverFlags(outputFlag()),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runGet(env, c, args[0])
		},
	}
}

func runGet(env Env, c *cli.Context, token string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	var view engine.TokenView
	printed, err := k.get(client.TokenPath(token), nil, &view)
	if err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) { showToken(w, view, time.Now()) })
}
