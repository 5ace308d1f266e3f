package cmd

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
)

// controlCommand makes a command that steers one token, or all tokens that filters find.
func controlCommand(env Env, action engine.Action, usage, description string, more ...cli.Flag) *cli.Command {
	flags := append([]cli.Flag{&cli.StringFlag{Name: "reason", Usage: "why; it stands in the history"}}, more...)
	flags = append(append(flags, filterFlags()...), &cli.BoolFlag{Name: "dry-run", Usage: "with filters: only count the tokens"}, outputFlag())
	return &cli.Command{
		Name:        string(action),
		Category:    clients,
		Usage:       usage,
		ArgsUsage:   "[TOKEN]",
		Description: description,
		Flags:       serverFlags(flags...),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, 1)
			if err != nil {
				return err
			}
			return runControl(env, c, action, args)
		},
	}
}

func runControl(env Env, c *cli.Context, action engine.Action, args []string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	filter := filterOf(c)
	switch {
	case len(args) == 0 && len(filter) == 0:
		return usageError("say which token, by its id or FLOW:KEY, or which tokens, with filters such as --flow and --status")
	case len(args) == 0:
		return k.batch(action, filter)
	case c.Bool("dry-run"):
		return usageError("--dry-run counts what filters find; it does not go with a TOKEN")
	case len(filter) > 0 && !ownFlag(action, filter):
		return usageError("give either a TOKEN or filters, not both")
	}
	token, err := tokenArg(args[0])
	if err != nil {
		return err
	}
	var moved api.Moved
	printed, err := k.post(client.TokenPath(token, string(action)), k.body(action), &moved)
	if err != nil || printed {
		return err
	}
	return showMoved(env, moved)
}

// ownFlag says whether the only filter is a flag that means something else with a TOKEN: where a retry goes on, and how the
// token of a restart is called.
func ownFlag(action engine.Action, filter map[string]string) bool {
	own := map[engine.Action]string{engine.Retry: "state", engine.Restart: "key"}[action]
	_, given := filter[own]
	return given && len(filter) == 1
}

// body gives the flags that a command on one token sends.
func (k *caller) body(action engine.Action) map[string]string {
	body := map[string]string{}
	fields := map[string]string{"reason": "reason"}
	switch action {
	case engine.Retry:
		fields["state"], fields["at"] = "state", "state"
	case engine.Restart:
		fields["key"] = "key"
	}
	for flag, field := range fields {
		if k.c.IsSet(flag) {
			body[field] = k.c.String(flag)
		}
	}
	return body
}

// batch steers all tokens that a filter finds. Those that refuse are named, and then the exit code is that of a refusal.
func (k *caller) batch(action engine.Action, filter map[string]string) error {
	body := map[string]any{"action": action, "filter": filter, "dryRun": k.c.Bool("dry-run")}
	if k.c.IsSet("reason") {
		body["reason"] = k.c.String("reason")
	}
	if action == engine.Retry && k.c.IsSet("at") {
		body["state"] = k.c.String("at")
	}
	var done api.Batched
	printed, err := k.post("/v1/batches", body, &done)
	if err != nil || printed {
		return err
	}
	if k.c.Bool("dry-run") {
		_, err := fmt.Fprintf(k.env.Stdout, "%s would get: %s\n", counted(int(done.Matched), "token"), action)
		return err
	}
	fmt.Fprintf(k.env.Stdout, "%s found, %d changed\n", counted(int(done.Matched), "token"), done.Changed)
	for _, r := range done.Refused {
		fmt.Fprintf(k.env.Stderr, "%s: %s (%s)\n", r.Token, r.Detail, r.Code)
	}
	if len(done.Refused) > 0 {
		return &exitError{code: exitServer}
	}
	return nil
}
