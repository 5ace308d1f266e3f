package api

import (
	"context"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

// FilterParams say which tokens are meant.
type FilterParams struct {
	Flow      string `query:"flow" doc:"Only tokens of this flow"`
	State     string `query:"state" doc:"Only tokens in this state, by its path"`
	Status    string `query:"status" enum:"scheduled,running,paused,failed,completed,cancelled" doc:"Only tokens of this status"`
	Key       string `query:"key" doc:"Only the token of this key"`
	Error     string `query:"error" doc:"Only tokens that failed with this code"`
	Waiting   string `query:"waiting" enum:"event,timer,event-or-timer,working,backoff,unclaimed,child,child-paused,child-failed,refused,program-missing,paused,failed,scheduled,set-aside,nothing" doc:"Only tokens that wait for this, in the words of why; not ended ones"`
	OlderThan string `query:"olderThan" pattern:"^[0-9]+[smhd]$" patternDescription:"a duration: a whole number and one unit of s, m, h or d, such as 2d" doc:"Only tokens made longer ago, such as 2d"`
	NewerThan string `query:"newerThan" pattern:"^[0-9]+[smhd]$" patternDescription:"a duration: a whole number and one unit of s, m, h or d, such as 30m" doc:"Only tokens made less long ago, such as 30m"`
}

func (p *FilterParams) filter() (engine.ListRequest, error) {
	req := engine.ListRequest{Flow: p.Flow, State: p.State, Status: p.Status, Key: p.Key, Error: p.Error, Waiting: vm.WhyKind(p.Waiting)}
	for _, age := range []struct {
		name, text string
		into       *time.Time
	}{{"olderThan", p.OlderThan, &req.Before}, {"newerThan", p.NewerThan, &req.After}} {
		if age.text == "" {
			continue
		}
		d, err := ParseDuration(age.text)
		if err != nil {
			return req, parameter(age.name, "%s", err)
		}
		*age.into = time.Now().Add(-d)
	}
	return req, nil
}

// ago is the instant so long before now; none for no duration.
func ago(d *Duration) time.Time {
	if d == nil {
		return time.Time{}
	}
	return time.Now().Add(-d.Go())
}

func (a *API) countStates(ctx context.Context, p *FilterParams, _ *none) (*plain[Page[engine.StateCount]], error) {
	req, err := p.filter()
	if err != nil {
		return nil, err
	}
	states, err := a.engine.States(ctx, req)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.StateCount]]{page(states, "")}, nil
}

func (a *API) countWaiting(ctx context.Context, p *FilterParams, _ *none) (*plain[Page[engine.WaitingCount]], error) {
	req, err := p.filter()
	if err != nil {
		return nil, err
	}
	counts, err := a.engine.Waiting(ctx, req)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.WaitingCount]]{page(counts, "")}, nil
}
