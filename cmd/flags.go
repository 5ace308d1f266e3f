package cmd

import (
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"flowc/validate/diag"
	"flowc/vm/api"
)

// What follows checks flags before a server is asked, so that what is wrong is said in the command line's own words.

// isDuration wants a flag to be a duration as the language writes it.
func isDuration(flag string) func(*cli.Context, string) error {
	return func(_ *cli.Context, value string) error {
		if _, err := api.ParseDuration(value); err != nil {
			return usageError("--%s: %w", flag, err)
		}
		return nil
	}
}

// notEmpty wants a flag that is given to say something: an empty one, as of a variable that is not set, is neither any nor none.
func notEmpty(flag string) func(*cli.Context, string) error {
	return func(_ *cli.Context, value string) error {
		if value == "" {
			return usageError("--%s is empty; give it a value, or leave it out where none is meant", flag)
		}
		return nil
	}
}

// isOneOf wants a flag to be one of some words.
func isOneOf(flag string, words ...string) func(*cli.Context, string) error {
	return func(_ *cli.Context, value string) error {
		if slices.Contains(words, value) {
			return nil
		}
		if near := diag.Nearest(value, words); near != "" {
			return usageError("--%s is %q, did you mean %s? It must be one of %s", flag, value, near, listed(words))
		}
		return usageError("--%s is %q, but must be one of %s", flag, value, listed(words))
	}
}

// limitFlag says how much of a list is wanted.
func limitFlag(usage string) cli.Flag {
	const most = 1000
	return &cli.IntFlag{Name: "limit", Value: 100, Usage: usage + ", up to " + strconv.Itoa(most), Action: func(_ *cli.Context, n int) error {
		if n < 1 || n > most {
			return usageError("--limit is %d, but must be from 1 to %d; more comes in pages", n, most)
		}
		return nil
	}}
}

var (
	statuses     = []string{"scheduled", "running", "paused", "failed", "completed", "cancelled"}
	taskStatuses = []string{"offered", "claimed", "backoff", "done", "failed", "withdrawn"}
	reasons      = []string{"event", "timer", "event-or-timer", "working", "backoff", "unclaimed", "child", "child-paused", "child-failed",
		"refused", "program-missing", "paused", "failed", "scheduled", "set-aside", "nothing"}
	roleNames = []string{"viewer", "sender", "worker", "operator", "deployer", "admin"}
)
