package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"flowc/vm/client"
	"flowc/vm/engine"
)

func doctorCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:     "doctor",
		Category: serving,
		Usage:    "say what is wrong with a server",
		Description: `Asks a server how it is: its database, its loops, its clock, timers that are late, work that nobody takes, tokens that are
set aside. Exit code 1 when something is wrong, 3 when the server cannot be reached.

Example:
   flowc doctor --server http://flow.internal:7654`,
		Flags: serverFlags(),
		Action: func(c *cli.Context) error {
			if _, err := positional(c, 0, 0); err != nil {
				return err
			}
			k, err := newCaller(env, c)
			if err != nil {
				return err
			}
			return k.examine(c.Context)
		},
	}
}

// A check is one thing that was looked at. Advice says what to do when it is not fine.
type check struct {
	name, found, advice string
	fine                bool
}

// examine prints all checks.
func (k *caller) examine(ctx context.Context) error {
	checks, err := k.checks(ctx)
	if err != nil {
		return err
	}
	sick := false
	err = k.table(func(w io.Writer) {
		for _, c := range checks {
			mark, advice := "ok", ""
			if !c.fine {
				sick, mark, advice = true, "WRONG", "  → "+c.advice
			}
			fmt.Fprintf(w, "%s\t%s\t%s%s\n", mark, c.name, c.found, advice)
		}
	})
	if err == nil && sick {
		return errFindings
	}
	return err
}

func (k *caller) checks(ctx context.Context) ([]check, error) {
	began := time.Now()
	res, err := k.client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/healthz"})
	if err != nil {
		return nil, serverError(err)
	}
	checks := []check{{name: "server", found: k.client.Server() + " answers", fine: true}, clockCheck(res.Header, began, time.Now())}
	health, err := k.readiness(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, healthChecks(health)...)
	if !health.Ready {
		return checks, nil
	}
	var stats engine.Stats
	if _, err := k.get("/v1/stats", nil, &stats); err != nil {
		return nil, err
	}
	return append(checks, statsChecks(stats)...), nil
}

// maxSkew is how far the clocks of a server and a client may differ before timers surprise people; the header has only seconds.
const maxSkew = 5 * time.Second

func clockCheck(header http.Header, began, ended time.Time) check {
	c := check{name: "clock", advice: "set both clocks by NTP; instants of timers come from the server's database"}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		c.found, c.fine = "the server does not say what time it is", true
		return c
	}
	skew := date.Sub(began)
	if date.After(ended) {
		skew = date.Sub(ended)
	} else if date.After(began) {
		skew = 0
	}
	c.fine = skew.Abs() <= maxSkew
	c.found = "the server's clock is right to a few seconds"
	if !c.fine {
		c.found = fmt.Sprintf("the server's clock differs from this one by %s", skew.Abs().Round(time.Second))
	}
	return c
}

// readiness reads /readyz, whose 503 is an answer and not a refusal.
func (k *caller) readiness(ctx context.Context) (engine.Health, error) {
	var health engine.Health
	res, err := k.client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/readyz", Tries: 1})
	var p *client.Problem
	switch {
	case errors.As(err, &p) && p.Status == http.StatusServiceUnavailable:
		return health, (&client.Response{Body: p.Body}).Decode(&health)
	case err != nil:
		return health, serverError(err)
	}
	return health, serverError(res.Decode(&health))
}

func healthChecks(health engine.Health) []check {
	found := "ready"
	if !health.Ready {
		found = "not ready: " + health.Reason
	}
	checks := []check{{name: "readiness", found: found, fine: health.Ready, advice: "the server's log says more"}}
	var late []string
	for _, l := range health.Loops {
		if l.Late || l.Error != "" {
			late = append(late, strings.TrimSpace(l.Name+" "+l.Error))
		}
	}
	c := check{name: "loops", found: counted(len(health.Loops), "loop") + " in time", fine: len(late) == 0, advice: "look at the load of the server and of its database"}
	if !c.fine {
		c.found = "behind or failing: " + strings.Join(late, ", ")
	}
	return append(checks, c)
}

// Bounds beyond which something is probably wrong.
const (
	maxOverdueMs = 10_000
	maxOfferMs   = 10 * 60_000
)

func statsChecks(s engine.Stats) []check {
	checks := []check{
		{name: "timers", found: fmt.Sprintf("the most overdue waits for %d ms", s.OldestDueMs), fine: s.OldestDueMs <= maxOverdueMs,
			advice: "the server does not keep up: look at the load of the database, or add servers"},
		{name: "quarantine", found: counted(int(s.Quarantined), "token") + " set aside", fine: s.Quarantined == 0,
			advice: "`flowc get TOKEN` says why; a newer server may be needed for a newer program"},
		{name: "failed tokens", found: counted(int(s.Tokens["failed"]), "token"), fine: s.Tokens["failed"] == 0,
			advice: "`flowc list --status failed`, then `flowc retry TOKEN`"},
		{name: "undeliverable", found: fmt.Sprintf("%d since the server's start", s.Undeliverable), fine: s.Undeliverable == 0,
			advice: "sends and starts found no taker; the senders' histories name them"},
	}
	checks = append(checks, heldChecks(s)...)
	offers := check{name: "work", found: "nothing waits long for a worker", fine: true, advice: "start a worker: `flowc work TASK -- COMMAND`"}
	var waiting []string
	for task, age := range s.OldestOffer {
		if age > maxOfferMs {
			waiting = append(waiting, fmt.Sprintf("%s for %s", task, span(time.Duration(age)*time.Millisecond)))
		}
	}
	if len(waiting) > 0 {
		offers.fine, offers.found = false, "nobody takes "+listed(sorted(waiting))
	}
	return append(checks, offers)
}

// maxInboxMs is how long a message between tokens may wait.
const maxInboxMs = 60_000

// heldChecks are about what people or pauses hold back, and what was given up.
func heldChecks(s engine.Stats) []check {
	var held []string
	for _, h := range s.HeldTasks {
		text := h.Task
		if h.Reason != "" {
			text += ": " + h.Reason
		}
		held = append(held, text)
	}
	tasks := check{name: "held tasks", found: "none", fine: len(held) == 0, advice: "`flowc release task NAME` when its provider is back"}
	if !tasks.fine {
		tasks.found = strings.Join(held, "; ")
	}
	return []check{
		tasks,
		{name: "messages", found: fmt.Sprintf("the oldest waits for %d ms", s.OldestInboxMs), fine: s.OldestInboxMs <= maxInboxMs,
			advice: "their receivers are set aside, or the server does not keep up"},
		{name: "overdue while paused", found: counted(int(s.OverduePaused), "token"), fine: s.OverduePaused == 0,
			advice: "instants of paused tokens have passed and fire on `flowc resume`; `flowc list --status paused` lists them"},
		{name: "failed dispatches", found: fmt.Sprint(s.FailedDispatches), fine: s.FailedDispatches == 0,
			advice: "`flowc tasks --status failed` lists dispatched work that was given up; `flowc tasks retry ID` offers it again"},
	}
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
