package cmd

import (
	"github.com/urfave/cli/v2"

	"flowc/validate/diag"
)

// The groups that `flowc --help` shows.
const (
	authoring = "Write and check"
	serving   = "Run"
	clients   = "Ask and steer a server"
)

// commands lists every command in the order of the help.
func commands(env Env) []*cli.Command {
	return []*cli.Command{
		newCommand(env),
		validateCommand(env),
		fmtCommand(env),
		explainCommand(env),
		testCommand(env),
		simulateCommand(env),
		graphCommand(env),
		describeCommand(env),
		compileCommand(env),
		disasmCommand(env),
		queryCommand(env),
		lspCommand(env),
		runCommand(env),
		doctorCommand(env),
		credentialCommand(env),
		deployCommand(env),
		startCommand(env),
		sendCommand(env),
		getCommand(env),
		listCommand(env),
		historyCommand(env),
		whyCommand(env),
		timersCommand(env),
		setCommand(env),
		tasksCommand(env),
		holdCommand(env),
		releaseCommand(env),
		quarantineCommand(env),
		queueCommand(env),
		pauseCommand(env),
		resumeCommand(env),
		cancelCommand(env),
		retryCommand(env),
		restartCommand(env),
		workCommand(env),
		purgeCommand(env),
	}
}

func nearestCommand(all []*cli.Command, name string) string {
	var names []string
	for _, c := range all {
		names = append(names, c.Names()...)
	}
	return diag.Nearest(name, names)
}
