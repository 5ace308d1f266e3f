package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func restartCommand(env Env) *cli.Command {
	return controlCommand(env, engine.Restart, "start a new token with the input of an old one",
		`Starts a token with the same input, linked to the old one, which stays as it is. With a TOKEN, --key names the new one.

Example:
   flowc restart order:A1 --key A1-again`)
}
