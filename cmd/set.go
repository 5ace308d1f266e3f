package cmd

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/api/door"
	"flowc/vm/client"
)

func setCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "set",
		Category:  clients,
		Usage:     "set a field of a token's data, past the flow's own rules",
		ArgsUsage: "TOKEN FIELD=JSON",
		Description: `The value is JSON of the field's type; timers that depend on the field are armed anew. --reason says why and stands in the
history. TOKEN is an id or FLOW:KEY.

Example:
   flowc set order:A1 amount=19.90 --reason "the customer was charged twice"
   flowc set order:A1 'note="called back"' --reason "by phone"`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "reason", Usage: "why; it stands in the history"},
			&cli.Int64Flag{Name: "if-version", Usage: "only when the token is still at this `VERSION`", DefaultText: "any"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 2, 2)
			if err != nil {
				return err
			}
			return runSet(env, c, args[0], args[1])
		},
	}
}

func runSet(env Env, c *cli.Context, token, assignment string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	field, value, ok := strings.Cut(assignment, "=")
	if !ok || field == "" {
		return usageError("%q is no assignment; write FIELD=JSON, for example amount=19.90", assignment)
	}
	if _, fault := door.Parse([]byte(value)); fault != nil {
		return usageError("the value of %s is no JSON: %s; a text stands in quotes: '%s=\"…\"'", field, fault.Detail, field)
	}
	if c.String("reason") == "" {
		return usageError("say why with --reason: the field is set past the flow's own rules, and the history has to tell")
	}
	req := client.Request{Method: http.MethodPatch, Path: client.TokenPath(token, "data"), IfVersion: c.Int64("if-version"),
		Body: map[string]any{"field": field, "value": json.RawMessage(value), "reason": c.String("reason")}}
	var moved api.Moved
	printed, err := k.do(req, &moved)
	if err != nil || printed {
		return err
	}
	return showMoved(env, moved)
}
