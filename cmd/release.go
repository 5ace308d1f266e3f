package cmd

import (
	"fmt"
	"net/url"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
)

func releaseCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "release",
		Category:  clients,
		Usage:     "let a held task's work be claimed again, or a token that is set aside go on",
		ArgsUsage: "task NAME | TOKEN",
		Description: `With "task NAME" it undoes flowc hold: workers who wait get the work at once. With a TOKEN, an id or FLOW:KEY, it lets a token
go on that is set aside because it could not be stepped, after what was wrong has been put right; flowc quarantine lists them.

Example:
   flowc release task charge
   flowc release order:A1`,
		Flags: serverFlags(&cli.StringFlag{Name: "reason", Usage: "of a TOKEN: why; it stands in the server's log"}, outputFlag()),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 2)
			if err != nil {
				return err
			}
			if args[0] == "task" && len(args) == 2 {
				return release(env, c, "/v1/holds/"+url.PathEscape(args[1])+"/release", args[1]+" is released")
			}
			if len(args) == 2 || args[0] == "task" {
				return usageError("write `release task NAME` for a task that is held, or `release TOKEN` for a token that is set aside")
			}
			token, err := tokenArg(args[0])
			if err != nil {
				return err
			}
			return release(env, c, "/v1/quarantine/"+url.PathEscape(token)+"/release", token+" goes on")
		},
	}
}

func release(env Env, c *cli.Context, path, said string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	var done api.Done
	body := map[string]any{}
	if c.IsSet("reason") {
		body["reason"] = c.String("reason")
	}
	printed, err := k.post(path, body, &done)
	if err == nil && !printed {
		_, err = fmt.Fprintln(env.Stdout, said)
	}
	return err
}
