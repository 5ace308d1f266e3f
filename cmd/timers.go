package cmd

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
)

func timersCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "timers",
		Category:  clients,
		Usage:     "show a token's timers, let one fire, or move it",
		ArgsUsage: "TOKEN [fire TIMER | move TIMER INSTANT]",
		Description: `TIMER is an id as the list shows it, STATE_PATH.NAME. INSTANT is RFC 3339, or +DURATION from now.

Example:
   flowc timers order:A1
   flowc timers order:A1 fire awaiting_payment.timeout
   flowc timers order:A1 move awaiting_payment.timeout +2d`,
		Flags: serverFlags(&cli.StringFlag{Name: "reason", Usage: "why; it stands in the history"}, outputFlag()),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 4)
			if err != nil {
				return err
			}
			return runTimers(env, c, args)
		},
	}
}

func runTimers(env Env, c *cli.Context, args []string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	token, err := tokenArg(args[0])
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1:
		return k.listTimers(token)
	case args[1] == "fire" && len(args) == 3:
		return k.changeTimer(http.MethodPost, client.TokenPath(token, "timers", args[2], "fire"), map[string]any{})
	case args[1] == "move" && len(args) == 4:
		due, err := instant(args[3], time.Now())
		if err != nil {
			return err
		}
		return k.changeTimer(http.MethodPatch, client.TokenPath(token, "timers", args[2]), map[string]any{"due": due})
	}
	return usageError("write `timers TOKEN`, `timers TOKEN fire TIMER` or `timers TOKEN move TIMER INSTANT`")
}

// instant reads RFC 3339, or `+DURATION` from now.
func instant(s string, now time.Time) (time.Time, error) {
	if len(s) > 0 && s[0] == '+' {
		d, err := api.ParseDuration(s[1:])
		if err != nil {
			return time.Time{}, usageError("%w", err)
		}
		return now.Add(d).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, usageError("%q is no instant; write it as 2026-03-28T22:00:00Z, or as +2d for two days from now", s)
	}
	return t, nil
}

func (k *caller) listTimers(token string) error {
	var view engine.TokenView
	printed, err := k.get(client.TokenPath(token), nil, &view)
	if err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		for _, t := range view.Timers {
			fmt.Fprintln(w, timerLine(t, time.Now()))
		}
	})
}

func (k *caller) changeTimer(method, path string, body map[string]any) error {
	if k.c.IsSet("reason") {
		body["reason"] = k.c.String("reason")
	}
	var moved api.Moved
	printed, err := k.do(client.Request{Method: method, Path: path, Body: body}, &moved)
	if err != nil || printed {
		return err
	}
	return showMoved(k.env, moved)
}
