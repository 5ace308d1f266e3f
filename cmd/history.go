package cmd

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
)

func historyCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "history",
		Category:  clients,
		Usage:     "show what happened to a token, oldest first",
		ArgsUsage: "TOKEN",
		Description: `Each line has its number, the instant, what made the step, and what happened. TOKEN is an id or FLOW:KEY.
With --verify the server makes all steps again from the history and compares the whole snapshots: exit code 1 when they differ.

Example:
   flowc history order:A1
   flowc history order:A1 --verify`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "after", Usage: "only lines after this `NUMBER`, VERSION.N as the list shows it"},
			limitFlag("at most `N` lines"),
			&cli.BoolFlag{Name: "verify", Usage: "make the steps again and compare whole snapshots"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runHistory(env, c, args[0])
		},
	}
}

func runHistory(env Env, c *cli.Context, token string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	if c.Bool("verify") {
		return k.verifyHistory(token)
	}
	query := url.Values{"limit": {strconv.Itoa(c.Int("limit"))}}
	if c.IsSet("after") {
		query.Set("after", c.String("after"))
	}
	var list api.Page[engine.HistoryLine]
	printed, err := k.get(client.TokenPath(token, "history"), query, &list)
	if err != nil || printed {
		return err
	}
	err = k.table(func(w io.Writer) {
		for _, l := range list.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.ID, stamp(&l.At), l.Stimulus, l.Kind, lineText(l))
		}
	})
	if err == nil && list.Next != nil {
		fmt.Fprintf(env.Stderr, "there is more: add --after %s\n", *list.Next)
	}
	return err
}

// verifyHistory lets the server replay a token (R71).
func (k *caller) verifyHistory(token string) error {
	var r engine.ReplayResult
	printed, err := k.get(client.TokenPath(token, "replay"), nil, &r)
	switch {
	case err != nil || printed:
		return err
	case !r.Same:
		fmt.Fprintf(k.env.Stdout, "%s of %s: the history does not lead to the token: %s\n", counted(r.Steps, "step"), token, r.Reason)
		return errFindings
	}
	_, err = fmt.Fprintf(k.env.Stdout, "%s of %s lead to the same snapshot\n", counted(r.Steps, "step"), token)
	return err
}

// lineText puts what a line says besides its kind into words.
func lineText(l engine.HistoryLine) string {
	var parts []string
	add := func(format string, value any, there bool) {
		if there {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add("%s", l.Name, l.Name != "")
	add("in %s", l.State, l.State != "")
	add("%s", l.Text, l.Text != "")
	add("due %s", stamp(l.Due), l.Due != nil)
	add("before %s", stamp(l.Was), l.Was != nil)
	add("late by %d ms", l.LateMs, l.LateMs > 0)
	add("%d missed", l.Missed, l.Missed > 0)
	add("by %s", l.Actor, l.Actor != "")
	worker, _ := l.More["worker"].(string)
	add("worker %s", worker, worker != "")
	add("%s", string(l.Payload), len(l.Payload) > 0)
	return strings.Join(parts, ", ")
}
