package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/client"
	"flowc/vm/engine"
)

func whyCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "why",
		Category:  clients,
		Usage:     "say why a token still waits: for what, who can move it, what happens if nobody does",
		ArgsUsage: "TOKEN",
		Description: `Says what the token waits for, who can move it, what happens by itself and when, and why the last event was refused.
TOKEN is an id or FLOW:KEY.

Example:
   flowc why order:A1`,
		Flags: serverFlags(outputFlag()),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return runWhy(env, c, args[0])
		},
	}
}

func runWhy(env Env, c *cli.Context, token string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	if token, err = tokenArg(token); err != nil {
		return err
	}
	var w engine.WhyView
	printed, err := k.get(client.TokenPath(token, "why"), nil, &w)
	if err != nil || printed {
		return err
	}
	return k.table(func(out io.Writer) { showWhy(out, w) })
}

// showWhy prints an explanation, one screen of it.
func showWhy(out io.Writer, w engine.WhyView) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(out, "%s\t%s\n", label, fmt.Sprintf(format, args...))
	}
	line("why", "%s", w.Summary)
	for _, x := range w.Waits {
		who := ""
		if x.Who != "" {
			who = " (" + x.Who + ")"
		}
		line("waits for", "%s %s: %s%s%s", x.Kind, x.Name, x.Text, at(", at ", x.Due), who)
	}
	switch {
	case w.Next != nil:
		line("else", "at %s, in %s: %s", stamp(&w.Next.At), span(time.Duration(w.Next.InMs)*time.Millisecond), w.Next.What)
	case w.Status != "completed" && w.Status != "cancelled":
		line("else", "nothing happens by itself")
	}
	if r := w.Refused; r != nil {
		line("refused", "%s at %s%s: %s", r.Event, stamp(&r.At), by(r.Actor), r.Reason)
		if taken := takes(r.Accepts); taken != "" && !strings.Contains(r.Reason, "it takes") {
			line("", "it would have taken: %s", taken)
		}
	}
}

func by(actor *string) string {
	if actor == nil {
		return ""
	}
	return ", from " + *actor
}
