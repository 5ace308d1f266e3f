package api

import (
	"context"
	"time"

	"flowc/vm/engine"
)

// FilterParams say which tokens are meant.
type FilterParams struct {
	Flow      string   `query:"flow" doc:"Only tokens of this flow"`
	State     string   `query:"state" doc:"Only tokens in this state, by its path"`
	Status    string   `query:"status" enum:"scheduled,running,paused,failed,completed,cancelled" doc:"Only tokens of this status"`
	Key       string   `query:"key" doc:"Only the token of this key"`
	Error     string   `query:"error" doc:"Only tokens that failed with this code"`
	OlderThan Duration `query:"olderThan" doc:"Only tokens made longer ago"`
	NewerThan Duration `query:"newerThan" doc:"Only tokens made less long ago"`
}

func (p *FilterParams) filter() engine.ListRequest {
	return engine.ListRequest{Flow: p.Flow, State: p.State, Status: p.Status, Key: p.Key, Error: p.Error,
		Before: ago(p.OlderThan), After: ago(p.NewerThan)}
}

// ago is the instant so long before now; none for no duration.
func ago(d Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return time.Now().Add(-d.Go())
}

func (a *API) countStates(ctx context.Context, p *FilterParams, _ *none) (*plain[Page[engine.StateCount]], error) {
	states, err := a.engine.States(ctx, p.filter())
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.StateCount]]{page(states, "")}, nil
}
