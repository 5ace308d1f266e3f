package cmd

import (
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/client"
	"flowc/vm/engine"
)

func getCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "get",
		Category:  clients,
		Usage:     "show a token: where it is, what it waits for, what it takes",
		ArgsUsage: "TOKEN",
		Description: `TOKEN is an id or FLOW:KEY.

Example:
   flowc get order:A1
   flowc get order:A1 --at 3`,
		Flags: serverFlags(&cli.Int64Flag{Name: "at", Usage: "as it was at this `VERSION`", DefaultText: "now"}, outputFlag()),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runGet(env, c, args[0])
		},
	}
}

func runGet(env Env, c *cli.Context, token string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	query := url.Values{}
	if c.IsSet("at") {
		query.Set("at", strconv.FormatInt(c.Int64("at"), 10))
	}
	var view engine.TokenView
	printed, err := k.get(client.TokenPath(token), query, &view)
	if err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) { showToken(w, view, shownAt(c, view)) })
}

// shownAt is the instant from which times are counted: a token of the past is shown as of its own time.
func shownAt(c *cli.Context, view engine.TokenView) time.Time {
	if !c.IsSet("at") {
		return time.Now()
	}
	for _, t := range view.Timers {
		if t.Due != nil && t.RemainingMs != nil {
			return t.Due.Add(-time.Duration(*t.RemainingMs) * time.Millisecond)
		}
	}
	return view.CreatedAt
}
