package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func retryCommand(env Env) *cli.Command {
	return controlCommand(env, engine.Retry, "let failed tokens go on",
		`Lets a failed token go on where it failed, in a new visit of its states, or in the one that --state names; a running one too.
With filters --state says which tokens are meant, and --at where they go on.

Example:
   flowc retry order:A1
   flowc retry order:A1 --state manual_review`,
		&cli.StringFlag{Name: "at", Usage: "with filters: go on in this `STATE`, by its path"})
}
