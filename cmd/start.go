package cmd

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/urfave/cli/v2"

	"flowc/vm/engine"
)

func startCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "start",
		Category:  clients,
		Usage:     "start a token",
		ArgsUsage: "FLOW",
		Description: `Starts a token of the flow's current version and prints its name, status and state. A taken key is refused, unless
--or-return asks for the token that has it. JSON may also be @FILE, or - for standard input.

Example:
   flowc start order --key A1 --input '{"order_id": "A1", "amount": 19.90}'`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "key", Usage: "name the token; unique in its flow", Action: notEmpty("key")},
			&cli.StringFlag{Name: "input", Usage: "the flow's inputs as `JSON`"},
			&cli.StringFlag{Name: "after", Usage: "start only after a `DURATION` such as 2h", Action: isDuration("after")},
			&cli.BoolFlag{Name: "or-return", Usage: "when the key is taken, give the token that has it"},
			&cli.StringFlag{Name: "wait", Usage: "wait until the token has ended or failed, at most a `DURATION` such as 30s", Action: isDuration("wait")},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runStart(env, c, args[0])
		},
	}
}

func runStart(env Env, c *cli.Context, flow string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	input, err := jsonFlag(env, c, "input")
	if err != nil {
		return err
	}
	body := map[string]any{}
	if input != nil {
		body["input"] = json.RawMessage(input)
	}
	for flag, field := range map[string]string{"key": "key", "after": "delay", "wait": "wait"} {
		if c.IsSet(flag) {
			body[field] = c.String(flag)
		}
	}
	if c.Bool("or-return") {
		body["onConflict"] = engine.ReturnOnConflict
	}
	var token engine.TokenView
	printed, err := k.post("/v1/flows/"+url.PathEscape(flow)+"/tokens", body, &token)
	if err != nil || printed {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s  %s  %s\n", name(token), statusOf(token), where(token))
	return err
}
