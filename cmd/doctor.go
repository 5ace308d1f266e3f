package cmd

import (
	"context"
	"encoding/json"
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
	"flowc/vm/store"
)

func doctorCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:     "doctor",
		Category: serving,
		Usage:    "say what is wrong with a server, or with its database",
		Description: `Asks a server how it is: its database, its loops, its clock, timers that are late, work that nobody takes, tokens that are
set aside. With --database it looks at the database instead, whether a server runs or not: its schema, clock, settings that lose
data, connections, a pooler between, what holds vacuum back, locks that are held, a migration under way, tokens that are set aside.
It changes nothing and makes nothing.
Of each thing it says what was found and, where it is wrong, why that matters and what to do. Exit code 1 when something is wrong, 3
when the server or the database cannot be reached.

Example:
   flowc doctor --server http://flow.internal:7654
   flowc doctor --database postgres://flow@db/flow?sslmode=verify-full`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "database", Usage: "look at the database: a Postgres `URL`, or the path of an SQLite file"},
			outputFlag()),
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

// A check is one thing that was looked at.
type check = store.Check

// An Examination is what doctor -o json prints.
type Examination struct {
	Fine   bool    `json:"fine"`
	Checks []check `json:"checks"`
}

// examine prints all checks.
func (k *caller) examine(ctx context.Context) error {
	var err error
	out := Examination{Fine: true}
	if at := k.c.String("database"); at != "" {
		k.env.progress("looking at the database…")
		if out.Checks, err = store.Examine(ctx, at, store.Bounds{}); err != nil {
			return &exitError{code: exitServer, err: fmt.Errorf("cannot examine the database: %w", err)}
		}
	} else if out.Checks, err = k.checks(ctx); err != nil {
		return err
	}
	for i := range out.Checks {
		c := &out.Checks[i]
		if out.Fine = out.Fine && c.Fine; c.Fine {
			c.Why, c.Advice = "", ""
		}
	}
	if err := k.showChecks(out); err != nil || out.Fine {
		return err
	}
	return errFindings
}

func (k *caller) showChecks(out Examination) error {
	if k.json {
		text := json.NewEncoder(k.env.Stdout)
		text.SetEscapeHTML(false)
		text.SetIndent("", "  ")
		return text.Encode(out)
	}
	return k.table(func(w io.Writer) {
		for _, c := range out.Checks {
			if c.Fine {
				fmt.Fprintf(w, "ok\t%s\t%s\n", c.Name, c.Found)
				continue
			}
			fmt.Fprintf(w, "WRONG\t%s\t%s\n", c.Name, c.Found)
			fmt.Fprintf(w, "\t\twhy it matters: %s\n", c.Why)
			fmt.Fprintf(w, "\t\twhat to do: %s\n", c.Advice)
		}
	})
}

func (k *caller) checks(ctx context.Context) ([]check, error) {
	began := time.Now()
	res, err := k.client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/healthz"})
	if err != nil {
		return nil, serverError(err)
	}
	checks := []check{{Name: "server", Found: k.client.Server() + " answers", Fine: true}, clockCheck(res.Header, began, time.Now())}
	health, err := k.readiness(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, healthChecks(health)...)
	if !health.Ready {
		return checks, nil
	}
	var stats engine.Stats
	if res, err = k.client.Do(ctx, client.Request{Method: http.MethodGet, Path: "/v1/stats"}); err != nil {
		return nil, serverError(err)
	}
	if err := res.Decode(&stats); err != nil {
		return nil, serverError(err)
	}
	return append(checks, statsChecks(stats)...), nil
}

// maxSkew is how far the clocks of a server and a client may differ before timers surprise people; the header has only seconds.
const maxSkew = 5 * time.Second

func clockCheck(header http.Header, began, ended time.Time) check {
	c := check{Name: "clock", Why: "timers seem early or late here, and logs cannot be compared", Advice: "set both clocks by NTP; instants of timers come from the server's database"}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		c.Found, c.Fine = "the server does not say what time it is", true
		return c
	}
	skew := date.Sub(began)
	if date.After(ended) {
		skew = date.Sub(ended)
	} else if date.After(began) {
		skew = 0
	}
	c.Fine = skew.Abs() <= maxSkew
	c.Found = "the server's clock is right to a few seconds"
	if !c.Fine {
		c.Found = fmt.Sprintf("the server's clock differs from this one by %s", skew.Abs().Round(time.Second))
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
	checks := []check{{Name: "readiness", Found: found, Fine: health.Ready,
		Why: "requests that change something may wait or be refused, and timers be late", Advice: "the server's log says more; `flowc doctor --database URL` looks at its database"}}
	var late []string
	for _, l := range health.Loops {
		if l.Late || l.Error != "" {
			late = append(late, strings.TrimSpace(l.Name+" "+l.Error))
		}
	}
	c := check{Name: "loops", Found: counted(len(health.Loops), "loop") + " in time", Fine: len(late) == 0,
		Why: "what the loop does is late: timers, messages between tokens, or lost workers' tasks", Advice: "look at the load of the server and of its database"}
	if !c.Fine {
		c.Found = "behind or failing: " + strings.Join(late, ", ")
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
		{Name: "timers", Found: fmt.Sprintf("the most overdue waits for %d ms", s.OldestDueMs), Fine: s.OldestDueMs <= maxOverdueMs,
			Why: "tokens move later than their flows say", Advice: "the server does not keep up: look at the load of the database, or add servers"},
		{Name: "quarantine", Found: counted(int(s.Quarantined), "token") + " set aside", Fine: s.Quarantined == 0,
			Why: "they could not be stepped: nothing fires and nothing is taken", Advice: "`flowc quarantine` says why; put it right, then `flowc release TOKEN`"},
		{Name: "failed tokens", Found: counted(int(s.Tokens["failed"]), "token"), Fine: s.Tokens["failed"] == 0,
			Why: "they stand still with their data and the rest of their timers", Advice: "`flowc list --status failed`, then `flowc retry TOKEN`"},
		{Name: "undeliverable", Found: fmt.Sprintf("%d since the server's start", s.Undeliverable), Fine: s.Undeliverable == 0,
			Why: "what one token told another did not arrive", Advice: "sends and starts found no taker; the senders' histories name them"},
	}
	checks = append(checks, heldChecks(s)...)
	offers := check{Name: "work", Found: "nothing waits long for a worker", Fine: true, Why: "the tokens that need it stand still", Advice: "start a worker: `flowc work TASK -- COMMAND`"}
	var waiting []string
	for task, age := range s.OldestOffer {
		if age > maxOfferMs {
			waiting = append(waiting, fmt.Sprintf("%s for %s", task, span(time.Duration(age)*time.Millisecond)))
		}
	}
	if len(waiting) > 0 {
		offers.Fine, offers.Found = false, "nobody takes "+listed(sorted(waiting))
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
	tasks := check{Name: "held tasks", Found: "none", Fine: len(held) == 0, Why: "no worker gets their work until they are released", Advice: "`flowc release task NAME` when its provider is back"}
	if !tasks.Fine {
		tasks.Found = strings.Join(held, "; ")
	}
	return []check{
		tasks,
		{Name: "messages", Found: fmt.Sprintf("the oldest waits for %d ms", s.OldestInboxMs), Fine: s.OldestInboxMs <= maxInboxMs,
			Why: "tokens learn late what others tell them", Advice: "their receivers are set aside, or the server does not keep up"},
		{Name: "overdue while paused", Found: counted(int(s.OverduePaused), "token"), Fine: s.OverduePaused == 0,
			Why: "their deadlines have passed unseen", Advice: "instants of paused tokens have passed and fire on `flowc resume`; `flowc list --status paused` lists them"},
		{Name: "failed dispatches", Found: fmt.Sprint(s.FailedDispatches), Fine: s.FailedDispatches == 0,
			Why: "work that was dispatched is not done, and no token learns of it", Advice: "`flowc tasks --status failed` lists dispatched work that was given up; `flowc tasks retry ID` offers it again"},
	}
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
