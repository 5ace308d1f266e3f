package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func cancelCommand(env Env) *cli.Command {
	return controlCommand(env, engine.Cancel, "cancel tokens",
		`Cancels a token, or all that filters find: by its flow's "on cancel" where it has one, otherwise at once. A repeat changes nothing.

Example:
   flowc cancel order:A1 --reason "ordered twice"`)
}
