package api

import (
	"context"
	"net/http"

	"flowc/vm/engine"
)

type quarantineParams struct {
	Limit int `query:"limit" minimum:"1" maximum:"1000" doc:"Most tokens of the list; 100 without"`
}

type releaseParams struct {
	Keyed
	TokenParams
}

// A ReleaseTokenBody is what the release of a token that is set aside may say. The token cannot be stepped yet, so its history does
// not have it.
type ReleaseTokenBody struct {
	Reason string `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the server's log"`
}

func (a *API) quarantine() {
	handle(a, route{method: http.MethodGet, path: "/v1/quarantine", id: "listQuarantine", tag: "server", allow: mayRead,
		summary: "The tokens that are set aside because they cannot be stepped, and why, oldest first"}, a.listQuarantine)
	handle(a, route{method: http.MethodPost, path: "/v1/quarantine/{id}/release", id: "releaseToken", tag: "server", allow: mayControl,
		summary: "Let a token that is set aside be stepped again, after what was wrong has been put right", optional: true,
		errors: []int{http.StatusNotFound, http.StatusGone}}, a.releaseToken)
}

func (a *API) listQuarantine(ctx context.Context, p *quarantineParams, _ *none) (*plain[Page[engine.QuarantineView]], error) {
	all, err := a.engine.Quarantined(ctx, p.Limit)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.QuarantineView]]{page(all, "")}, nil
}

func (a *API) releaseToken(ctx context.Context, p *releaseParams, body *ReleaseTokenBody) (*once[Done], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	again, err := a.engine.Unquarantine(ctx, mutation, refOf(p.ID))
	if err != nil {
		return nil, err
	}
	a.log.InfoContext(ctx, "a token that was set aside was let go on", "token", p.ID, "actor", actorOf(ctx).Name, "reason", body.Reason)
	return done(Done{true}, again), nil
}
