package cmd

import (
	"encoding/json"
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
--forget removes that, too, also later, when FLOW:KEY names it. Children are tokens of their own. It works in small batches: stopped half-way, the same command goes on.

Example:
   flowc purge --older-than 90d --dry-run
   flowc purge --older-than 90d --flow order`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "older-than", Usage: "those that have not moved for this `DURATION`, such as 90d"},
			&cli.StringFlag{Name: "flow", Usage: "only tokens of this flow", Action: notEmpty("flow")},
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
	return k.purge(body)
}

// purge asks until nothing is left; each answer is about some of the tokens.
func (k *caller) purge(body map[string]any) error {
	total := engine.PurgeResult{Left: []engine.PurgeLeft{}}
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
		total.Keys += got.Keys
		total.Left = append(total.Left, got.Left...)
		if !got.More {
			break
		}
		k.env.progress("%d purged…", total.Tokens)
	}
	if err := k.sayPurged(total); err != nil {
		return err
	}
	if left := len(total.Left); left > 0 {
		return &exitError{code: exitServer, err: fmt.Errorf("%s left", counted(left, "token"))}
	}
	return nil
}

// sayPurged says what was removed, and of each named token that was not why.
func (k *caller) sayPurged(total engine.PurgeResult) error {
	if k.json {
		return json.NewEncoder(k.env.Stdout).Encode(total)
	}
	purged, freed := "purged", "freed"
	if k.c.Bool("dry-run") {
		purged, freed = "would be purged", "would be freed"
	}
	fmt.Fprintf(k.env.Stdout, "%s %s", counted(int(total.Tokens), "token"), purged)
	if total.Keys > 0 {
		fmt.Fprintf(k.env.Stdout, ", %s of purged ones %s", counted(int(total.Keys), "key"), freed)
	}
	_, err := fmt.Fprintln(k.env.Stdout)
	for _, l := range total.Left {
		fmt.Fprintf(k.env.Stderr, "%s: %s\n", l.Token, l.Detail)
	}
	return err
}
