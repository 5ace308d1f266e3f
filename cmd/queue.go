package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
)

func queueCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "queue",
		Category:  clients,
		Usage:     "list the limits of queues, or set those of one",
		ArgsUsage: "[NAME]",
		Description: `A queue is what a task's "queue" names; tasks without one are in "default". --concurrency is how many attempts may run at once,
--rate how many may be claimed in a span, over all servers and kept in the database. What is left out stays as it is, 0 takes a limit
away, and a name alone shows its limits.

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

// limitQueue shows the limits of a queue, or sets those that the flags name. The server sets both at once, so what it has is read
// first: a rate that is given must not take the concurrency away.
func (k *caller) limitQueue(name string) error {
	rate, per, err := rateFlag(k.c.String("rate"))
	if err != nil {
		return err
	}
	now, err := k.queue(name)
	if err != nil {
		return err
	}
	if !k.c.IsSet("concurrency") && !k.c.IsSet("rate") {
		if k.json {
			return json.NewEncoder(k.env.Stdout).Encode(now)
		}
		return k.table(func(w io.Writer) { showQueue(w, now) })
	}
	body := map[string]any{"concurrency": now.Concurrency}
	if k.c.IsSet("concurrency") {
		body["concurrency"] = k.c.Int64("concurrency")
	}
	if !k.c.IsSet("rate") {
		rate, per = now.Rate, fmt.Sprintf("%ds", now.PerMs/1000)
	}
	if rate > 0 {
		body["rate"], body["per"] = rate, per
	}
	var q api.QueueView
	printed, err := k.post("/v1/queues/"+url.PathEscape(name), body, &q)
	if err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) { showQueue(w, q) })
}

// rateFlag reads --rate, such as 100/1m; empty and 0 are no limit.
func rateFlag(text string) (rate int64, per string, err error) {
	if text == "" || text == "0" {
		return 0, "", nil
	}
	n, per, found := strings.Cut(text, "/")
	rate, err = strconv.ParseInt(n, 10, 64)
	if err != nil || !found || rate < 0 {
		return 0, "", usageError("--rate %q is no rate; write how many in which span, such as 100/1m", text)
	}
	if _, err := api.ParseDuration(per); err != nil {
		return 0, "", usageError("--rate: %w", err)
	}
	return rate, per, nil
}

// queue reads the limits of a queue; one that has none is not in the list.
func (k *caller) queue(name string) (api.QueueView, error) {
	res, err := k.client.Do(k.c.Context, client.Request{Method: http.MethodGet, Path: "/v1/queues"})
	if err != nil {
		return api.QueueView{}, serverError(err)
	}
	var list api.Page[api.QueueView]
	if err := res.Decode(&list); err != nil {
		return api.QueueView{}, serverError(err)
	}
	for _, q := range list.Items {
		if q.Queue == name {
			return q, nil
		}
	}
	return api.QueueView{Queue: name}, nil
}
