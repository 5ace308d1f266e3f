package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"flowc/vm"
	"flowc/vm/store"
)

// A PurgeRequest names what is to be removed: the tokens of Tokens, which may have failed, or else all that have ended before
// Before, of Flow and with Status when those are given. Live tokens are never removed (R73).
type PurgeRequest struct {
	Mutation
	Tokens []Ref
	Flow   string
	Status string // completed, cancelled or, by this name only, failed
	Before time.Time
	Forget bool  // the keys too, so that they can be used again; also those of named tokens that have been purged already
	DryRun bool  // only counts, whatever the idempotency key
	Limit  int64 // at most about so many in this call, so that progress can be shown; 0: all
}

// A PurgeResult counts what was removed, or would be.
type PurgeResult struct {
	Tokens   int64       `json:"tokens"`
	Keys     int64       `json:"keys"`                  // that were freed of tokens purged before
	More     bool        `json:"more"`                  // the limit was reached; there may be more
	Left     []PurgeLeft `json:"left" nullable:"false"` // of the tokens that were named, those that were not removed
	Replayed bool        `json:"-"`                     // the answer of an earlier request with the same idempotency key
}

// A PurgeLeft is a named token that was left, and why: living, other-flow, work-open or busy.
type PurgeLeft struct {
	Token  string `json:"token"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// purgeBatch is how many tokens one transaction removes: a purge never holds locks for long, and one that is cut short goes on
// where it stopped.
const purgeBatch = 200

// A purging is how far a purge has come: what its idempotency record holds until it is over.
type purging struct {
	PurgeResult
	IDs   []string    `json:"ids"`             // of the named tokens
	Freed []store.Key `json:"freed,omitempty"` // keys that are still to be freed

	found []store.Token // the named tokens as they were found: no more than id, flow and status
}

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
	run := purging{PurgeResult: PurgeResult{Left: []PurgeLeft{}}}
	var missing *Error
	if len(req.Tokens) > 0 {
		p.Before = 1 << 62
		p.Statuses = []string{string(vm.Completed), string(vm.Cancelled), string(vm.Failed)}
		var err error
		if missing, err = refusedBy(e.named(ctx, req, &run)); err != nil {
			return PurgeResult{}, err
		}
	} else if req.Before.IsZero() {
		return PurgeResult{}, failure(Malformed, "neither tokens nor a time are given").at("/before", "missing")
	}
	if req.DryRun {
		if missing != nil {
			return PurgeResult{}, missing
		}
		return e.wouldPurge(ctx, p, run)
	}
	return e.purge(ctx, req, p, run, missing)
}

// named looks up the tokens that a purge names: those that are there, and the keys to be freed of those that are not any more.
func (e *Engine) named(ctx context.Context, req PurgeRequest, run *purging) error {
	run.IDs = []string{}
	for _, ref := range req.Tokens {
		row, err := e.row(ctx, ref)
		switch {
		case req.Forget && CodeOf(err) == Purged:
			run.Freed = append(run.Freed, store.Key{Flow: ref.Flow, Key: ref.Key})
		case err != nil:
			return err
		case !slices.Contains(run.IDs, row.ID):
			run.IDs = append(run.IDs, row.ID)
			run.found = append(run.found, store.Token{ID: row.ID, Flow: row.Flow, Status: row.Status})
		}
	}
	return nil
}

// wouldPurge counts.
func (e *Engine) wouldPurge(ctx context.Context, p store.Purge, run purging) (PurgeResult, error) {
	p.IDs = run.IDs
	n, err := e.store.CountPurge(ctx, p)
	if err != nil {
		return PurgeResult{}, readFault(err, Ref{})
	}
	run.Tokens, run.Keys = n, int64(len(run.Freed))
	working := map[string]bool{}
	for _, row := range run.found {
		open, err := e.store.Tasks(ctx, store.TaskFilter{Token: row.ID, Limit: 1})
		if err != nil {
			return PurgeResult{}, readFault(err, Ref{})
		}
		working[row.ID] = len(open) > 0
	}
	run.Left = slices.DeleteFunc(whyLeft(run.found, working, p.Flow), func(l PurgeLeft) bool { return l.Code == "busy" })
	return run.PurgeResult, nil
}

// purge removes in transactions of purgeBatch tokens, each with the record of how far it has come.
func (e *Engine) purge(ctx context.Context, req PurgeRequest, p store.Purge, run purging, missing *Error) (PurgeResult, error) {
	for first := true; ctx.Err() == nil; first = false {
		var over bool
		var fault *Error
		var next purging
		err := e.store.Update(ctx, func(tx *store.Tx) error {
			next, over, fault = run, false, nil
			row, known, wrong, err := earlier(tx, req.Idempotency)
			switch {
			case err != nil:
				return err
			case wrong != nil:
				fault = wrong
				return nil
			case known:
				next = purging{}
				if err := json.Unmarshal([]byte(row.Body), &next); err != nil {
					return err
				}
				if row.Status == okStatus {
					next.Replayed, over = true, true
					return nil
				}
			case first && missing != nil:
				fault = missing
				return nil
			}
			if over, err = next.step(tx, p, req.Limit); err != nil {
				return err
			}
			return next.keep(tx, req.Idempotency, row, known, over)
		})
		switch {
		case err != nil:
			return run.PurgeResult, unableTo(err)
		case fault != nil:
			return PurgeResult{}, fault
		case over:
			return next.PurgeResult, nil
		}
		run = next
	}
	return run.PurgeResult, ctx.Err()
}

// step removes some; over says that nothing is left for this request.
func (run *purging) step(tx *store.Tx, p store.Purge, limit int64) (over bool, err error) {
	for _, k := range run.Freed {
		freed, err := tx.FreeKey(k.Flow, k.Key)
		if err != nil {
			return false, err
		}
		if freed {
			run.Keys++
		}
	}
	run.Freed = nil
	p.IDs = run.IDs
	n, err := tx.Purge(p)
	if err != nil {
		return false, err
	}
	run.Tokens += n
	switch {
	case n == purgeBatch && (limit == 0 || run.Tokens < limit):
		return false, nil
	case n == purgeBatch:
		run.More = true
		return true, nil
	}
	rows, err := tx.Unpurged(run.IDs)
	if err != nil {
		return false, err
	}
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	working, err := tx.Working(ids)
	run.Left = whyLeft(rows, working, p.Flow)
	return true, err
}

// keep writes how far the purge has come, or its answer.
func (run *purging) keep(tx *store.Tx, i *Idempotency, row store.Answered, known, over bool) error {
	switch {
	case i == nil:
		return nil
	case !known:
		now, err := tx.Now()
		if err != nil {
			return err
		}
		row = recordOf(i, run, nil, now)
		if !over {
			row.Status = begunStatus
		}
		return tx.Write(&store.Writes{At: now, Answered: []store.Answered{row}})
	}
	was := row.Body
	if row.Body = mustJSON(run); over {
		row.Status = okStatus
	}
	return tx.MoveAnswer(row, was)
}

// whyLeft says of tokens that a purge named and left why it did.
func whyLeft(rows []store.Token, working map[string]bool, flow string) []PurgeLeft {
	left := []PurgeLeft{}
	for _, row := range rows {
		l := PurgeLeft{Token: row.ID, Code: "busy", Detail: "a message waits for it, or it is being changed right now; try again in a moment"}
		switch status := vm.Status(row.Status); {
		case !status.Ended() && status != vm.Failed:
			l.Code, l.Detail = "living", "it is "+row.Status+"; a token is purged only when it has ended or failed, so cancel it first"
		case flow != "" && row.Flow != flow:
			l.Code, l.Detail = "other-flow", "it is of flow "+row.Flow+", and only tokens of "+flow+" are to be purged"
		case working[row.ID]:
			l.Code, l.Detail = "work-open", "work that it dispatched is not over; try again when it is"
		}
		left = append(left, l)
	}
	return left
}
