package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
)

// A Doctor is what an operator asks of a server besides Service. *Engine is one.
type Doctor interface {
	// Quarantined lists the tokens that are set aside because they cannot be stepped (R6), oldest first.
	Quarantined(ctx context.Context, limit int) ([]QuarantineView, error)
	// Unquarantine lets a token go on, after whatever was wrong with it has been put right. NotFound: it is not set aside.
	Unquarantine(ctx context.Context, m Mutation, token Ref) (replayed bool, err error)
	// Purge removes ended tokens (R73).
	Purge(ctx context.Context, req PurgeRequest) (PurgeResult, error)
}

var _ Doctor = (*Engine)(nil)

// A QuarantineView is a token that is set aside.
type QuarantineView struct {
	Token  string    `json:"token"`
	Flow   string    `json:"flow"`
	Key    *string   `json:"key"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// A ReplayResult says whether the history leads to the token's snapshot, and if not where they part.
type ReplayResult struct {
	Steps  int    `json:"steps"`
	Same   bool   `json:"same"`
	Reason string `json:"reason,omitempty"`
}

// Quarantined is described at Doctor.
func (e *Engine) Quarantined(ctx context.Context, limit int) ([]QuarantineView, error) {
	rows, err := e.store.Quarantined(ctx, e.pageLimit(limit))
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	ids := make([]string, len(rows))
	for i, q := range rows {
		ids[i] = q.Token
	}
	tokens, err := e.store.Tokens(ctx, ids)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	named := map[string]store.Token{}
	for _, t := range tokens {
		named[t.ID] = t
	}
	out := make([]QuarantineView, len(rows))
	for i, q := range rows {
		t := named[q.Token]
		out[i] = QuarantineView{Token: q.Token, Flow: t.Flow, Key: textOf(t.Key), At: instant(q.At), Reason: q.Reason}
	}
	return out, nil
}

// Unquarantine is described at Doctor.
func (e *Engine) Unquarantine(ctx context.Context, m Mutation, ref Ref) (bool, error) {
	row, err := e.row(ctx, ref)
	missing, err := refusedBy(err)
	if err != nil {
		return false, err
	}
	_, replayed, err := once(ctx, e, m.Idempotency, func(tx *store.Tx, _ int64) (struct{}, *Error, error) {
		if missing != nil {
			return struct{}{}, missing, nil
		}
		was, err := tx.Unquarantine(row.ID)
		if err == nil && !was {
			return struct{}{}, failure(NotFound, "token %s is not set aside", row.ID), nil
		}
		return struct{}{}, nil, err
	})
	if err == nil {
		e.due.send()
		e.inbox.send()
	}
	return replayed, err
}

// replayPage is how many steps are read at once.
const replayPage = 1000

// Replay is described at Service.
func (e *Engine) Replay(ctx context.Context, ref Ref) (ReplayResult, error) {
	row, beside, err := e.rowWithItems(ctx, ref)
	if err != nil {
		return ReplayResult{}, err
	}
	if len(row.Snapshot) == 0 {
		return ReplayResult{Same: true}, nil
	}
	l, err := e.readProgram(ctx, row.Program)
	if err != nil {
		return ReplayResult{}, readFault(err, ref)
	}
	steps, err := e.steps(ctx, row, row.Version)
	if err != nil {
		return ReplayResult{}, err
	}
	return replayed(l.program, row, beside, steps), nil
}

// beside is what stands beside a token's snapshot.
type beside struct {
	items  []store.FanItem
	events []store.EventID
}

// rowWithItems reads a token and what stands beside its snapshot as they were at the same version.
func (e *Engine) rowWithItems(ctx context.Context, ref Ref) (store.Token, beside, error) {
	for range maxTries {
		row, err := e.row(ctx, ref)
		if err != nil {
			return row, beside{}, err
		}
		events, err := e.store.EventIDs(ctx, row.ID)
		if err != nil {
			return row, beside{}, readFault(err, ref)
		}
		items, version, err := e.store.FanItems(ctx, row.ID)
		if err != nil {
			return row, beside{}, readFault(err, ref)
		}
		if version == row.Version {
			return row, beside{items, events}, nil
		}
	}
	return store.Token{}, beside{}, unavailable(nil, "the token is stepped again and again; try again")
}

// steps reads a token's steps up to a version.
func (e *Engine) steps(ctx context.Context, row store.Token, last int64) ([]vm.Step, error) {
	var steps []vm.Step
	version, line := int64(0), 0
	for {
		rows, more, err := e.store.History(ctx, row.ID, version, line, replayPage)
		if err != nil {
			return nil, readFault(err, Ref{ID: row.ID})
		}
		for _, h := range rows {
			if h.Version == version && h.Line == line {
				continue // the last one of the page before
			}
			version, line = h.Version, h.Line
			if h.Version > last {
				return steps, nil // when it is the row's: made since the row was read
			}
			st := vm.Step{Version: h.Version, Changed: h.Line == 1, At: h.At}
			if err := json.Unmarshal([]byte(h.Stimulus), &st.Stimulus); err != nil {
				return nil, unavailable(err, "version %d of the history cannot be read", h.Version)
			}
			steps = append(steps, st)
		}
		if !more {
			return steps, nil
		}
	}
}

func replayed(p *program.Program, row store.Token, b beside, steps []vm.Step) ReplayResult {
	out := ReplayResult{Steps: len(steps)}
	t, err := vm.Replay(p, steps)
	if err != nil {
		out.Reason = err.Error()
		return out
	}
	snapshot, data, err := vm.EncodeToken(p, t)
	switch {
	case err != nil:
		out.Reason = err.Error()
	case string(snapshot) != string(row.Snapshot):
		out.Reason = fmt.Sprintf("the history leads to %s, the snapshot is %s", snapshot, row.Snapshot)
	case string(data) != string(row.Data):
		out.Reason = fmt.Sprintf("the history leads to the data %s, the row has %s", data, row.Data)
	default:
		if out.Reason = differingItems(t, b.items); out.Reason == "" {
			out.Reason = differingEvents(t, b.events)
		}
	}
	out.Same = out.Reason == ""
	return out
}
