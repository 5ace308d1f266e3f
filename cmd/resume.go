package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func resumeCommand(env Env) *cli.Command {
	return controlCommand(env, engine.Resume, "resume paused tokens",
		`Resumes a token, or all that filters find. Durations go on from what was left of them; kept events are applied in order.

Example:
   flowc resume order:A1`)
}
