package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// coarse are the values of the column waiting that a token may have which waits for a reason; without an entry the column says the
// reason itself. Of what waits for tasks and children their own rows say the rest.
var coarse = map[string][]string{
	"working": {"task"}, "unclaimed": {"task", "task-and-child"}, "backoff": {"task", "task-and-child"},
	"child": {"child", "task-and-child"}, "child-paused": {"child", "task-and-child"}, "child-failed": {"child", "task-and-child"},
	"failed": {"failed", "failed-released"},
}

// The tokens that have something in the way, found from what is in the way: few rows, each by an index.
const (
	withFailedChild = "id IN (SELECT parent FROM tokens WHERE waiting = 'failed' AND parent IS NOT NULL)"
	withPausedChild = "id IN (SELECT parent FROM tokens WHERE waiting = 'paused' AND parent IS NOT NULL)"
	withFreeTask    = "id IN (SELECT token FROM tasks WHERE status IN ('offered', 'backoff') AND held_at = 0 AND NOT dispatched AND next_at <= ?)"
	withLaterTask   = "id IN (SELECT token FROM tasks WHERE status IN ('offered', 'backoff') AND held_at = 0 AND NOT dispatched AND next_at > ?)"
	withoutProgram  = "program NOT IN (SELECT hash FROM programs)"
)

// reason is the expression that says why a token waits, in the order in which vm.Explain looks: the one place that joins what the
// step wrote with tasks and children.
func (f *Filter) reason(now int64) (string, []any) {
	missing, args := withoutProgram, []any{}
	if len(f.Unrunnable) > 0 {
		missing += " OR program IN (?" + strings.Repeat(", ?", len(f.Unrunnable)-1) + ")"
		for _, hash := range f.Unrunnable {
			args = append(args, hash)
		}
	}
	args = append(args, now, now)
	return "CASE WHEN quarantined THEN 'set-aside' WHEN " + missing + ` THEN 'program-missing'
  WHEN waiting = 'failed-released' THEN 'failed'
  WHEN waiting NOT IN ('task', 'child', 'task-and-child') THEN waiting
  WHEN waiting <> 'task' AND ` + withFailedChild + ` THEN 'child-failed'
  WHEN waiting <> 'task' AND ` + withPausedChild + ` THEN 'child-paused'
  WHEN waiting <> 'child' AND ` + withFreeTask + ` THEN 'unclaimed'
  WHEN waiting <> 'child' AND ` + withLaterTask + ` THEN 'backoff'
  WHEN waiting = 'task' THEN 'working' ELSE 'child' END`, args
}

// waits makes the conditions of a reason: first those that an index finds, then the reason itself.
func (f *Filter) waits(c *conditions, now int64) {
	if f.Waiting == "" {
		return
	}
	c.add("waiting IS NOT NULL") // what the index holds; without the words it is not thought of
	switch f.Waiting {
	case "set-aside":
		c.add("id IN (SELECT token FROM quarantine)")
	case "program-missing": // damage, or the tokens of a newer server: found by reading all that live
	default:
		words := coarse[f.Waiting]
		if words == nil {
			words = []string{f.Waiting}
		}
		c.oneOf("waiting", words)
	}
	switch f.Waiting {
	case "child-failed":
		c.add(withFailedChild)
	case "child-paused":
		c.add(withPausedChild)
	case "unclaimed":
		c.add(withFreeTask, now)
	case "backoff":
		c.add(withLaterTask, now)
	}
	reason, args := f.reason(now)
	c.add("("+reason+") = ?", append(args, f.Waiting)...)
}

// where makes the conditions of a filter, with what has to be read for them.
func (d *db) where(ctx context.Context, f Filter) (*conditions, error) {
	c := f.conditions()
	if f.State != "" {
		if err := d.inState(ctx, f.State, c); err != nil {
			return nil, fmt.Errorf("look for the state %s: %w", f.State, err)
		}
	}
	if f.Waiting == "" {
		return c, nil
	}
	now, err := d.instant(ctx)
	if err != nil {
		return nil, err
	}
	f.waits(c, now)
	return c, nil
}

// maxStates is how many combinations of states are looked for by their index.
const maxStates = 500

// inState wants a state among a token's. The index has whole combinations of states, of which there are few: those with the state
// are picked first, by hopping through the index from one to the next.
func (d *db) inState(ctx context.Context, state string, c *conditions) error {
	var all []string
	if err := d.selectRows(ctx, &all, d.sql["state_sets"], maxStates); err != nil {
		return err
	}
	quoted := `"` + state + `"`
	c.add("states <> '[]'")
	if len(all) == maxStates { // names have no character that LIKE or JSON would take for its own, but _
		c.add(`states LIKE ? ESCAPE '\'`, `%`+strings.ReplaceAll(quoted, "_", `\_`)+`%`)
		return nil
	}
	c.oneOf("states", slices.DeleteFunc(all, func(s string) bool { return !strings.Contains(s, quoted) }))
	return nil
}

// A WaitingCount is how many tokens of a flow wait for a reason.
type WaitingCount struct {
	Flow   string `db:"flow"`
	Reason string `db:"reason"`
	N      int64  `db:"n"`
}

// Waiting is described at Store.
func (d *db) Waiting(ctx context.Context, f Filter) ([]WaitingCount, error) {
	c, err := d.where(ctx, f)
	if err != nil {
		return nil, err
	}
	c.add("waiting IS NOT NULL")
	now, err := d.instant(ctx)
	if err != nil {
		return nil, err
	}
	reason, args := f.reason(now)
	var rows []WaitingCount
	q := "SELECT flow, reason, count(*) AS n FROM (SELECT flow, " + reason + " AS reason FROM tokens" + c.where() + ") w GROUP BY flow, reason ORDER BY flow, reason"
	if err := d.selectRows(ctx, &rows, q, append(args, c.args...)...); err != nil {
		return nil, fmt.Errorf("count tokens by what they wait for: %w", err)
	}
	return rows, nil
}
