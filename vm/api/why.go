package api

import (
	"context"
	"net/http"

	"flowc/vm"
	"flowc/vm/engine"
)

type pastParams struct {
	TokenParams
	At int64 `query:"at" minimum:"1" doc:"The token as it was at this version, rebuilt from its history; its tasks are not shown"`
}

func (a *API) reasons() {
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/{id}/why", id: "whyToken", tag: "tokens", allow: mayRead,
		summary: "What a token waits for, who can move it, what happens if nobody does, and why the last event was refused",
		errors:  []int{http.StatusNotFound, http.StatusGone}}, a.why)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/{id}/replay", id: "replayToken", tag: "tokens", allow: mayRead,
		summary: "Make a token's steps again from its history and compare the whole snapshots",
		errors:  []int{http.StatusNotFound, http.StatusGone}}, a.replay)
}

func (a *API) why(ctx context.Context, p *TokenParams, _ *none) (*plain[engine.WhyView], error) {
	w, err := a.engine.Why(ctx, engine.WhyRequest{Token: refOf(p.ID)})
	if err != nil {
		return nil, err
	}
	w.Waits, w.States = orEmpty(w.Waits), orEmpty(w.States)
	if w.Refused != nil && w.Refused.Accepts == nil {
		w.Refused.Accepts = []vm.Accept{}
	}
	return &plain[engine.WhyView]{w}, nil
}

func (a *API) replay(ctx context.Context, p *TokenParams, _ *none) (*plain[engine.ReplayResult], error) {
	r, err := a.engine.Replay(ctx, refOf(p.ID))
	if err != nil {
		return nil, err
	}
	return &plain[engine.ReplayResult]{r}, nil
}

// past is the token at an earlier version.
func (a *API) past(ctx context.Context, p *pastParams) (*reply[engine.TokenView], error) {
	token, err := a.engine.TokenAt(ctx, refOf(p.ID), p.At)
	if err != nil {
		return nil, err
	}
	return tokenReply(token, false), nil
}
