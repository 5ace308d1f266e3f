package cmd

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
)

func sendCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "send",
		Category:  clients,
		Usage:     "send an event to a token",
		ArgsUsage: "TOKEN EVENT",
		Description: `Sends an event and prints what became of it: accepted, deferred, queued (the token is paused) or error (its step was
undone). A refused event is exit code 3, with the states and the events that would be taken. TOKEN is an id or FLOW:KEY.

Example:
   flowc send order:A1 cancel_order --payload '{"reason": "changed my mind"}'`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "payload", Usage: "the event's fields as `JSON`; also @FILE, or - for standard input"},
			&cli.StringFlag{Name: "id", Usage: "your own name for the event: a repeat moves nothing"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 2, 2)
			if err != nil {
				return err
			}
			return runSend(env, c, args[0], args[1])
		},
	}
}

func runSend(env Env, c *cli.Context, token, event string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	payload, err := jsonFlag(env, c, "payload")
	if err != nil {
		return err
	}
	body := map[string]any{"event": event}
	if payload != nil {
		body["payload"] = json.RawMessage(payload)
	}
	if c.IsSet("id") {
		body["id"] = c.String("id")
	}
	var moved api.Moved
	printed, err := k.post(client.TokenPath(token, "events"), body, &moved)
	if err != nil || printed {
		return err
	}
	return showMoved(env, moved)
}

// showMoved prints what became of an event or a command.
func showMoved(env Env, m api.Moved) error {
	_, err := fmt.Fprintf(env.Stdout, "%s  %s  %s  %s\n", m.Outcome, name(m.Token), statusOf(m.Token), where(m.Token))
	return err
}
