package api

import (
	"context"
	"net/http"
	"time"

	"flowc/vm/engine"
)

// A PurgeBody says which ended tokens are to be removed: those named, which may also have failed, or all that ended long enough
// ago.
type PurgeBody struct {
	Tokens    []string  `json:"tokens,omitempty" maxItems:"1000" doc:"These tokens, by id or flow:key; they may have failed, but not live"`
	OlderThan *Duration `json:"olderThan,omitempty" nullable:"true" doc:"All that have not moved for so long; either this or tokens"`
	Flow      string    `json:"flow,omitempty" minLength:"1" nullable:"true" doc:"Only of this flow"`
	Status    string    `json:"status,omitempty" enum:"completed,cancelled,failed" nullable:"true" doc:"Only of this status; without it completed and cancelled ones"`
	Forget    bool      `json:"forget,omitempty" doc:"Forget the keys, too, so that they can be used again; of a token that has been purged already, named by flow:key, the key alone"`
	DryRun    bool      `json:"dryRun,omitempty" doc:"Count only"`
}

// purgeStep is about how many tokens one request removes, so that it is answered soon and a caller can show progress.
const purgeStep = 2000

func (a *API) purges() {
	handle(a, route{method: http.MethodPost, path: "/v1/purge", id: "purge", tag: "control", allow: mayAdmin,
		summary: "Remove ended tokens with all that is theirs but their keys, some of them at a time; repeat while more is true",
		errors:  []int{http.StatusNotFound, http.StatusGone}}, a.purge)
}

func (a *API) purge(ctx context.Context, p *Keyed, body *PurgeBody) (*once[engine.PurgeResult], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	req := engine.PurgeRequest{Mutation: mutation, Flow: body.Flow, Status: body.Status, Forget: body.Forget, DryRun: body.DryRun, Limit: purgeStep}
	switch {
	case (len(body.Tokens) == 0) == (body.OlderThan == nil):
		return nil, invalid("/olderThan", "or /tokens must say what is meant, one of them")
	case body.OlderThan != nil:
		req.Before = time.Now().Add(-body.OlderThan.Go())
	}
	for _, t := range body.Tokens {
		req.Tokens = append(req.Tokens, refOf(t))
	}
	result, err := a.engine.Purge(ctx, req)
	if err != nil {
		return nil, err
	}
	return done(result, result.Replayed), nil
}
