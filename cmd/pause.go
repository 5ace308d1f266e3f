package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func pauseCommand(env Env) *cli.Command {
	return controlCommand(env, engine.Pause, "pause tokens: nothing moves, events are kept",
		`Pauses a token, or all that filters find. What is sent meanwhile is kept and applied in order on resume.

Example:
   flowc pause order:A1 --reason "waiting for the lawyers"
   flowc pause --flow order --status running --dry-run`)
}
