package engine

import (
	"context"
	"time"

	"flowc/vm"
	"flowc/vm/store"
)

// A PurgeRequest names what is to be removed: the tokens of Tokens, which may have failed, or else all that have ended before
// Before, of Flow and with Status when those are given. Live tokens are never removed (R73).
type PurgeRequest struct {
	Tokens []Ref
	Flow   string
	Status string // completed, cancelled or, by this name only, failed
	Before time.Time
	Forget bool  // the keys too, so that they can be used again
	DryRun bool  // only counts
	Limit  int64 // at most about so many in this call, so that progress can be shown; 0: all
}

// A PurgeResult counts what was removed, or would be.
type PurgeResult struct {
	Tokens int64 `json:"tokens"`
	More   bool  `json:"more"` // the limit was reached; there may be more
}

// purgeBatch is how many tokens one transaction removes: a purge never holds locks for long, and one that is cut short goes on
// where it stopped.
const purgeBatch = 200

// Purge is described at Doctor. A token whose dispatched work is not over, or for which a message waits, is left (R47).
func (e *Engine) Purge(ctx context.Context, req PurgeRequest) (PurgeResult, error) {
	p := store.Purge{Flow: req.Flow, Before: req.Before.UnixMicro(), Forget: req.Forget, Limit: purgeBatch}
	switch vm.Status(req.Status) {
	case "":
		p.Statuses = []string{string(vm.Completed), string(vm.Cancelled)}
	case vm.Completed, vm.Cancelled, vm.Failed:
		p.Statuses = []string{req.Status}
	default:
		return PurgeResult{}, failure(Invalid, "tokens that are %s cannot be purged", req.Status).at("/status", "completed, cancelled or failed")
	}
	if len(req.Tokens) > 0 {
		ids, err := e.ids(ctx, req.Tokens)
		if err != nil {
			return PurgeResult{}, err
		}
		p.IDs, p.Before = ids, 1<<62
		p.Statuses = []string{string(vm.Completed), string(vm.Cancelled), string(vm.Failed)}
	} else if req.Before.IsZero() {
		return PurgeResult{}, failure(Malformed, "neither tokens nor a time are given").at("/before", "missing")
	}
	if req.DryRun {
		n, err := e.store.CountPurge(ctx, p)
		if err != nil {
			return PurgeResult{}, readFault(err, Ref{})
		}
		return PurgeResult{Tokens: n}, nil
	}
	return e.purge(ctx, p, req.Limit)
}

func (e *Engine) purge(ctx context.Context, p store.Purge, limit int64) (PurgeResult, error) {
	var total PurgeResult
	for ctx.Err() == nil {
		var n int64
		err := e.store.Update(ctx, func(tx *store.Tx) error {
			var err error
			n, err = tx.Purge(p)
			return err
		})
		if err != nil {
			return total, unableTo(err)
		}
		total.Tokens += n
		if n < purgeBatch {
			return total, nil
		}
		if limit > 0 && total.Tokens >= limit {
			total.More = true
			return total, nil
		}
	}
	return total, ctx.Err()
}

func (e *Engine) ids(ctx context.Context, refs []Ref) ([]string, error) {
	ids := make([]string, 0, len(refs))
	for _, ref := range refs {
		row, err := e.row(ctx, ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, row.ID)
	}
	return ids, nil
}
