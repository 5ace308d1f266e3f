package cmd

import (
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/engine"
)

// filterFlags say which tokens are meant.
func filterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "flow", Usage: "only tokens of this flow", Action: notEmpty("flow")},
		&cli.StringFlag{Name: "state", Usage: "only tokens in this state, by its path", Action: notEmpty("state")},
		&cli.StringFlag{Name: "status", Usage: "only scheduled, running, paused, failed, completed or cancelled ones", Action: isOneOf("status", statuses...)},
		&cli.StringFlag{Name: "key", Usage: "only the token of this key", Action: notEmpty("key")},
		&cli.StringFlag{Name: "error", Usage: "only tokens that failed with this `CODE`", Action: notEmpty("error")},
		&cli.StringFlag{Name: "waiting", Usage: "only tokens that wait for this `REASON`, in the words of flowc why, such as unclaimed or child-paused", Action: isOneOf("waiting", reasons...)},
		&cli.StringFlag{Name: "older-than", Usage: "only tokens made longer than this `DURATION` ago, such as 2d", Action: isDuration("older-than")},
		&cli.StringFlag{Name: "newer-than", Usage: "only tokens made less than this `DURATION` ago", Action: isDuration("newer-than")},
	}
}

// fieldNames are the names in a request of flags that are written otherwise.
var fieldNames = map[string]string{"older-than": "olderThan", "newer-than": "newerThan"}

// filterOf gives the filter flags that were set, by their names in a request.
func filterOf(c *cli.Context) map[string]string {
	out := map[string]string{}
	for _, f := range filterFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			field := name
			if other := fieldNames[name]; other != "" {
				field = other
			}
			out[field] = c.String(name)
		}
	}
	return out
}

func listCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:     "list",
		Aliases:  []string{"ls"},
		Category: clients,
		Usage:    "list tokens, newest first",
		Description: `Lists the tokens that all given filters fit. A long list comes in pages; standard error says how to get the next one.
--waiting takes one of event, timer, event-or-timer, working, backoff, unclaimed, child, child-paused, child-failed, refused,
program-missing, paused, failed, scheduled, set-aside and nothing; flowc why says of one token what it is.

Example:
   flowc list --flow order --status failed
   flowc list --status running --count
   flowc list --waiting unclaimed --older-than 1h`,
		Flags: serverFlags(append(filterFlags(),
			&cli.BoolFlag{Name: "count", Usage: "only say how many"},
			&cli.BoolFlag{Name: "states", Usage: "only say how many are in each state of each flow"},
			&cli.BoolFlag{Name: "reasons", Usage: "only say how many tokens of each flow wait for what"},
			limitFlag("at most `N` tokens"),
			&cli.StringFlag{Name: "cursor", Usage: "go on after a page"},
			outputFlag(),
		)...),
		Action: func(c *cli.Context) error {
			if _, err := positional(c, 0, 0); err != nil {
				return err
			}
			return runList(env, c)
		},
	}
}

func runList(env Env, c *cli.Context) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	query := url.Values{}
	for name, value := range filterOf(c) {
		query.Set(name, value)
	}
	if c.Bool("count") {
		var counted api.Counted
		printed, err := k.get("/v1/tokens/count", query, &counted)
		if err != nil || printed {
			return err
		}
		_, err = fmt.Fprintln(env.Stdout, counted.Count)
		return err
	}
	switch {
	case c.Bool("states"):
		return k.countStates(query)
	case c.Bool("reasons"):
		return k.countReasons(query)
	}
	pageQuery(c, query)
	var list api.Page[engine.TokenView]
	printed, err := k.get("/v1/tokens", query, &list)
	if err != nil || printed {
		return err
	}
	if err := k.table(func(w io.Writer) { showTokens(w, list.Items) }); err != nil {
		return err
	}
	k.more(list.Next)
	return nil
}

func (k *caller) countStates(query url.Values) error {
	var states api.Page[engine.StateCount]
	if printed, err := k.get("/v1/tokens/states", query, &states); err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		fmt.Fprintln(w, "FLOW\tSTATE\tTOKENS")
		for _, s := range states.Items {
			fmt.Fprintf(w, "%s\t%s\t%d\n", s.Flow, s.State, s.Count)
		}
	})
}

func (k *caller) countReasons(query url.Values) error {
	var counts api.Page[engine.WaitingCount]
	if printed, err := k.get("/v1/tokens/waiting", query, &counts); err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		fmt.Fprintln(w, "FLOW\tWAITS FOR\tTOKENS")
		for _, c := range counts.Items {
			fmt.Fprintf(w, "%s\t%s\t%d\n", c.Flow, c.Waiting, c.Count)
		}
	})
}

func showTokens(w io.Writer, tokens []engine.TokenView) {
	fmt.Fprintln(w, "TOKEN\tFLOW\tSTATUS\tSTATE\tCREATED")
	for _, t := range tokens {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name(t), t.Flow, statusOf(t), where(t), stamp(&t.CreatedAt))
	}
}

func pageQuery(c *cli.Context, query url.Values) {
	query.Set("limit", strconv.Itoa(c.Int("limit")))
	if c.IsSet("cursor") {
		query.Set("cursor", c.String("cursor"))
	}
}

// more says how to go on after a page.
func (k *caller) more(next *string) {
	if next != nil {
		fmt.Fprintf(k.env.Stderr, "there is more: add --cursor %s\n", *next)
	}
}
