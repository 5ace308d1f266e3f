package cmd

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
)

func queueCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "queue",
		Category:  clients,
		Usage:     "list the limits of queues, or set those of one",
		ArgsUsage: "[NAME]",
		Description: `A queue is what a task's "queue" names; tasks without one are in "default". --concurrency is how many attempts may run at once,
--rate how many may be claimed in a span, over all servers and kept in the database. With a name and no flag, or with 0, it has no
limit any more.

Example:
   flowc queue
   flowc queue bank --concurrency 5 --rate 100/1m`,
		Flags: serverFlags(
			&cli.Int64Flag{Name: "concurrency", Usage: "at most `N` attempts at once; 0: no limit"},
			&cli.StringFlag{Name: "rate", Usage: "at most so many claims in a span, such as `100/1m`; 0: no limit"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, 1)
			if err != nil {
				return err
			}
			k, err := newCaller(env, c)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return k.listQueues()
			}
			return k.limitQueue(args[0])
		},
	}
}

func (k *caller) listQueues() error {
	var list api.Page[api.QueueView]
	if printed, err := k.get("/v1/queues", nil, &list); err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		fmt.Fprintln(w, "QUEUE\tCONCURRENCY\tRATE")
		for _, q := range list.Items {
			showQueue(w, q)
		}
	})
}

func showQueue(w io.Writer, q api.QueueView) {
	concurrency, rate := "no limit", "no limit"
	if q.Concurrency > 0 {
		concurrency = strconv.FormatInt(q.Concurrency, 10)
	}
	if q.Rate > 0 {
		rate = fmt.Sprintf("%d in %s", q.Rate, time.Duration(q.PerMs)*time.Millisecond)
	}
	fmt.Fprintf(w, "%s\t%s\t%s\n", q.Queue, concurrency, rate)
}

func (k *caller) limitQueue(name string) error {
	body := map[string]any{"concurrency": k.c.Int64("concurrency")}
	if text := k.c.String("rate"); text != "" && text != "0" {
		n, per, found := strings.Cut(text, "/")
		rate, err := strconv.ParseInt(n, 10, 64)
		if err != nil || !found || rate < 0 {
			return usageError("--rate %q is no rate; write how many in which span, such as 100/1m", text)
		}
		if _, err := api.ParseDuration(per); err != nil {
			return usageError("--rate: %w", err)
		}
		body["rate"], body["per"] = rate, per
	}
	var q api.QueueView
	printed, err := k.post("/v1/queues/"+url.PathEscape(name), body, &q)
	if err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) { showQueue(w, q) })
}
