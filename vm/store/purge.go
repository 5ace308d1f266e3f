package store

import (
	"context"
	"fmt"
)

// A Purge selects tokens to be removed (R73).
type Purge struct {
	IDs      []string // nil: any
	Flow     string   // "": any
	Statuses []string
	Before   int64 // that have not moved since
	Forget   bool  // the keys too
	Limit    int
}

// purgeArgs are the parameters of purgeable: a set of ids, a flag whether it counts, a set of statuses, the flow, the instant.
func (d *db) purgeArgs(p Purge) ([]any, error) {
	ids := p.IDs
	if ids == nil {
		ids = []string{}
	}
	named, err := d.setArg(ids)
	if err != nil {
		return nil, err
	}
	statuses, err := d.setArg(p.Statuses)
	if err != nil {
		return nil, err
	}
	return []any{named, p.IDs == nil, statuses, p.Flow, p.Before}, nil
}

// CountPurge counts what Purge would remove.
func (d *db) CountPurge(ctx context.Context, p Purge) (int64, error) {
	args, err := d.purgeArgs(p)
	if err != nil {
		return 0, err
	}
	var n int64
	if err := d.read.GetContext(ctx, &n, d.sql["count_purgeable"], args...); err != nil {
		return 0, fmt.Errorf("count what can be purged: %w", readFault(err))
	}
	return n, nil
}

// Purge removes at most Limit tokens with all that is theirs, and gives how many. Of a token with a key one row is left, which
// keeps the key taken, unless Forget is set. Children are tokens of their own and stay.
func (t *Tx) Purge(p Purge) (int64, error) {
	args, err := t.db.purgeArgs(p)
	if err != nil {
		return 0, err
	}
	var ids []string
	if err := t.query(&ids, "purgeable", nil, append(args, p.Limit)...); err != nil || len(ids) == 0 {
		return 0, err
	}
	now, err := t.Now()
	if err != nil {
		return 0, err
	}
	keys := "purge_keys"
	if p.Forget {
		keys = "forget_keys"
		_, err = t.exec(keys, set{ids})
	} else {
		_, err = t.exec(keys, set{ids}, now)
	}
	if err != nil {
		return 0, err
	}
	for _, name := range []string{"purge_history", "purge_tasks", "purge_fans", "purge_event_ids", "purge_quarantine", "purge_tokens"} {
		if _, err := t.exec(name, set{ids}); err != nil {
			return 0, err
		}
	}
	return int64(len(ids)), nil
}

// Unpurged gives those of the tokens that are there: no more of each than its id, flow and status.
func (t *Tx) Unpurged(ids []string) ([]Token, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []Token
	err := t.query(&rows, "unpurged", set{ids})
	return rows, err
}

// FreeKey frees the key of a token that has been purged; it says whether there was one.
func (t *Tx) FreeKey(flow, key string) (bool, error) {
	n, err := t.exec("free_key", nil, flow, key)
	return n > 0, err
}

// ForgetOrphans removes messages whose receivers have been purged, at most limit.
func (t *Tx) ForgetOrphans(limit int) error {
	_, err := t.exec("forget_orphans", nil, limit)
	return err
}
