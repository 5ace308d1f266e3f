package cmd

import (
	"fmt"
	"net/http"

	"github.com/urfave/cli/v2"

	"flowc/vm/client"
	"flowc/vm/engine"
)

func purgeCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "purge",
		Category:  clients,
		Usage:     "remove ended tokens with all that is theirs",
		ArgsUsage: "[TOKEN…]",
		Description: `Removes tokens that completed or were cancelled long enough ago, with their history, timers and tasks; a token that failed only
when it is named or --status failed says so, one that lives never. Of a token with a key one row stays, which keeps the key taken;
--forget removes that, too. Children are tokens of their own. It works in small batches: stopped half-way, the same command goes on.

Example:
   flowc purge --older-than 90d --dry-run
   flowc purge --older-than 90d --flow order`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "older-than", Usage: "those that have not moved for this `DURATION`, such as 90d"},
			&cli.StringFlag{Name: "flow", Usage: "only tokens of this flow"},
			&cli.StringFlag{Name: "status", Usage: "only completed, cancelled or failed ones", Action: isOneOf("status", "completed", "cancelled", "failed")},
			&cli.BoolFlag{Name: "forget", Usage: "forget the keys, too, so that they can be used again"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only count"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, -1)
			if err != nil {
				return err
			}
			return runPurge(env, c, args)
		},
	}
}

func runPurge(env Env, c *cli.Context, tokens []string) error {
	if (len(tokens) == 0) == !c.IsSet("older-than") {
		return usageError("say what is meant: tokens, or with --older-than those that ended so long ago")
	}
	body := map[string]any{"forget": c.Bool("forget"), "dryRun": c.Bool("dry-run")}
	for flag, field := range map[string]string{"older-than": "olderThan", "flow": "flow", "status": "status"} {
		if c.IsSet(flag) {
			body[field] = c.String(flag)
		}
	}
	if len(tokens) > 0 {
		body["tokens"] = tokens
	}
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	return k.purge(body, len(tokens))
}

// purge asks until nothing is left; each answer is about some of the tokens.
func (k *caller) purge(body map[string]any, named int) error {
	var total engine.PurgeResult
	for {
		var got engine.PurgeResult
		res, err := k.client.Do(k.c.Context, client.Request{Method: http.MethodPost, Path: "/v1/purge", Body: body})
		if err != nil {
			if total.Tokens > 0 {
				fmt.Fprintf(k.env.Stderr, "%d are purged; the same command goes on\n", total.Tokens)
			}
			return serverError(err)
		}
		if err := res.Decode(&got); err != nil {
			return serverError(err)
		}
		total.Tokens += got.Tokens
		if !got.More {
			break
		}
		k.env.progress("%d purged…", total.Tokens)
	}
	if k.json {
		_, err := fmt.Fprintf(k.env.Stdout, "{\"tokens\":%d}\n", total.Tokens)
		return err
	}
	verb := "purged"
	if k.c.Bool("dry-run") {
		verb = "would be purged"
	}
	if _, err := fmt.Fprintf(k.env.Stdout, "%s %s\n", counted(int(total.Tokens), "token"), verb); err != nil {
		return err
	}
	if left := named - int(total.Tokens); left > 0 {
		return &exitError{code: exitServer, err: fmt.Errorf("%s left: a token goes only when it has ended or failed, and nothing waits for it: no message, no dispatched work",
			counted(left, "token"))}
	}
	return nil
}
