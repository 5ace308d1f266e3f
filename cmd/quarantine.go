package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/engine"
)

func quarantineCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:     "quarantine",
		Category: clients,
		Usage:    "list the tokens that are set aside because they cannot be stepped",
		Description: `A token that cannot be stepped, such as one whose snapshot is damaged, is set aside with the reason, so that it holds up no other:
nothing fires, nothing is taken. Put right what is wrong, then flowc release TOKEN lets it go on. Oldest first; the JSON has each
reason whole.

Example:
   flowc quarantine
   flowc release order:A1`,
		Flags: serverFlags(limitFlag("at most `N` tokens"), outputFlag()),
		Action: func(c *cli.Context) error {
			if _, err := positional(c, 0, 0); err != nil {
				return err
			}
			k, err := newCaller(env, c)
			if err != nil {
				return err
			}
			return k.listQuarantine()
		},
	}
}

func (k *caller) listQuarantine() error {
	var list api.Page[engine.QuarantineView]
	query := map[string][]string{"limit": {fmt.Sprint(k.c.Int("limit"))}}
	if printed, err := k.get("/v1/quarantine", query, &list); err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		fmt.Fprintln(w, "TOKEN\tFLOW\tSINCE\tWHY")
		for _, q := range list.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", nameOf(q.Token, q.Flow, q.Key), q.Flow, stamp(&q.At), firstLine(q.Reason))
		}
	})
}

// firstLine leaves the stack of a panic out.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
