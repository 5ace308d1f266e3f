package cmd

import (
	"encoding/json"

	"github.com/urfave/cli/v2"

	"flowc/validate/describe"
)

func describeCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Category:  authoring,
		Usage:     "say what files mean in effect: states, events, timers, attempts, longest stays",
		ArgsUsage: "PATH…",
		Description: `Prints each flow with the numbers that follow from it: how many attempts a task gets and how long the waits between them are, how
long each state can be stayed in, and when a token ends at the latest, or what makes that unbounded. A bound holds for the time
in which servers run, for a token that nobody pauses or retries.

Example:
   flowc describe order.flow`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "flow", Usage: "only this flow"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "text", Usage: "text or json"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			format, err := oneOf(c, "format", "text", "json")
			if err != nil {
				return err
			}
			return runDescribe(env, args, c.String("flow"), format)
		},
	}
}

func runDescribe(env Env, paths []string, flow, format string) error {
	files, err := checkPaths(env, paths)
	if err != nil {
		return err
	}
	named, err := files.named(flow)
	if err != nil {
		return err
	}
	flows := describe.Flows(named, files.files, files.source)
	if format == "text" {
		return describe.WriteText(env.Stdout, flows)
	}
	enc := json.NewEncoder(env.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"flows": flows})
}
