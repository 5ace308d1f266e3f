package cmd

import (
	"log/slog"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/worker"
	"flowc/vm/api"
	"flowc/vm/client"
)

func workCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "work",
		Category:  clients,
		Usage:     "do a task's work with any program",
		ArgsUsage: "TASK -- COMMAND…",
		Description: `Claims work and runs COMMAND for each: the input is JSON on its standard input, the result JSON on its standard output.
Exit code 0: done. 2: given up. Any other: the attempt failed and will be retried as the task says; the last lines of standard
error are its message, and {"code": "…", "message": "…"} on standard output names the error for the flow.
COMMAND finds in its environment FLOWC_TASK_ID, FLOWC_TOKEN, FLOWC_ATTEMPT, FLOWC_DEADLINE and FLOWC_IDEMPOTENCY_KEY, which is the
same on every attempt of a task. When the worker is told to stop, it stops its commands and gives their work back unused.

Example:
   flowc work charge --concurrency 4 -- python3 charge.py`,
		Flags: serverFlags(
			&cli.IntFlag{Name: "concurrency", Aliases: []string{"c"}, Value: 1, Usage: "how many commands may run at once"},
			&cli.StringFlag{Name: "lease", Value: "60s", Usage: "how long a task stays claimed without a heartbeat"},
			&cli.StringFlag{Name: "name", Usage: "the worker's `NAME` in the history; without it the host and process"},
			&cli.BoolFlag{Name: "once", Usage: "end when there is no work left"},
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			return runWork(env, c, args[0], args[1:])
		},
	}
}

func runWork(env Env, c *cli.Context, task string, command []string) error {
	if len(command) == 0 {
		return usageError("say what to run: flowc work %s -- COMMAND…", task)
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return usageError("%s cannot be run: %w", command[0], err)
	}
	lease, err := api.ParseDuration(c.String("lease"))
	if err != nil {
		return usageError("--lease: %w", err)
	}
	if n := c.Int("concurrency"); n < 1 || n > 1000 {
		return usageError("--concurrency is %d, but must be from 1 to 1000", n)
	}
	cl, err := client.New(client.Options{Server: c.String("server"), Credential: c.String("credential")})
	if err != nil {
		return usageError("%w", err)
	}
	return serverError(worker.Run(c.Context, worker.Options{
		Client: cl, Name: c.String("name"), Task: task, Command: command, Concurrency: c.Int("concurrency"),
		Lease: lease, Once: c.Bool("once"), Env: os.Environ(), Stderr: env.Stderr, Log: newLog(env, slog.LevelInfo),
	}))
}
