package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"flowc/vm/engine"
)

// A StartBody is what the start of a token sends.
type StartBody struct {
	Key        string            `json:"key,omitempty" minLength:"1" nullable:"true" doc:"Names the token: unique in its flow, also after its end; at most 200 bytes"`
	Input      json.RawMessage   `json:"input,omitempty" doc:"An object of the flow's inputs"`
	Delay      *Duration         `json:"delay,omitempty" nullable:"true" doc:"Start so much later"`
	StartAt    *time.Time        `json:"startAt,omitempty" nullable:"true" doc:"Start at this instant; not together with delay"`
	OnConflict engine.OnConflict `json:"onConflict,omitempty" enum:"fail,return" nullable:"true" doc:"What to do when the key is taken: fail with 409, or return the token that has it with 200"`
	Program    string            `json:"program,omitempty" minLength:"1" nullable:"true" doc:"A version of the flow; without it the current one"`
	Wait       *Duration         `json:"wait,omitempty" nullable:"true" doc:"Answer only when the token has ended or failed, or after so long; at most 60s"`
}

type startParams struct {
	Keyed
	FlowParams
}

// TokenParams name a token.
type TokenParams struct {
	ID string `path:"id" doc:"The token's id, or flow:key"`
}

type listParams struct {
	FilterParams
	PageParams
}

// PageParams say which page of a list is meant.
type PageParams struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" doc:"Most items of the page; 100 without"`
	Cursor string `query:"cursor" doc:"The next of the page before"`
}

// maxWait is the longest wait of a request.
const maxWait = 60 * time.Second

func (a *API) tokens() {
	handle(a, route{method: http.MethodPost, path: "/v1/flows/{flow}/tokens", id: "startToken", tag: "tokens", allow: maySend,
		summary: "Start a token", success: []int{http.StatusCreated, http.StatusOK},
		errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests}}, a.startToken)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens", id: "listTokens", tag: "tokens", allow: mayRead,
		summary: "Tokens, newest first"}, a.listTokens)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/{id}", id: "getToken", tag: "tokens", allow: mayRead,
		summary: "A token: where it is, what it waits for, what it takes", errors: []int{http.StatusNotFound, http.StatusGone}}, a.getToken)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/count", id: "countTokens", tag: "tokens", allow: mayRead,
		summary: "How many tokens a list would have"}, a.countTokens)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/states", id: "countStates", tag: "tokens", allow: mayRead,
		summary: "How many tokens are in each state of each flow"}, a.countStates)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/waiting", id: "countWaiting", tag: "tokens", allow: mayRead,
		summary: "How many tokens of each flow wait for what, in the words of why; not ended ones"}, a.countWaiting)
}

func (a *API) startToken(ctx context.Context, p *startParams, body *StartBody) (*reply[engine.TokenView], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	req := engine.StartRequest{
		Mutation: mutation, Flow: p.Flow, Program: body.Program, Key: body.Key, Input: given(body.Input), OnConflict: body.OnConflict,
	}
	if body.Delay != nil && body.StartAt != nil {
		return nil, invalid("/startAt", "stands beside /delay; only one of them can say when to start")
	}
	if body.Delay != nil {
		req.Delay = body.Delay.Go()
	}
	if body.StartAt != nil {
		if req.StartAt, err = micros("/startAt", *body.StartAt); err != nil {
			return nil, err
		}
	}
	answer, err := a.engine.StartToken(ctx, req)
	if err != nil {
		return nil, within("/input", err)
	}
	token := *answer.Token
	if body.Wait != nil {
		token = a.waitForEnd(ctx, token, body.Wait.Go())
	}
	out := tokenReply(token, answer.Replayed)
	out.Location = "/v1/tokens/" + token.ID
	out.Status = http.StatusOK
	if answer.Created {
		out.Status = http.StatusCreated
	}
	return out, nil
}

// waitForEnd gives the token as it is when it has ended or failed, or as it was when the time is up. It never fails: the start
// has been committed, whatever comes after.
func (a *API) waitForEnd(ctx context.Context, token engine.TokenView, wait time.Duration) engine.TokenView {
	wait = min(wait, maxWait)
	a.answerWithin(ctx, wait)
	ctx, closed := a.whileOpen(ctx)
	defer closed()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ref := engine.Ref{ID: token.ID}
	for !settled(token) && ctx.Err() == nil {
		version, err := a.engine.Changed(ctx, ref, token.Version)
		if err != nil || version <= token.Version {
			break
		}
		next, err := a.engine.Token(ctx, ref)
		if err != nil {
			break
		}
		token = next
	}
	return token
}

func settled(t engine.TokenView) bool {
	return t.Status == "completed" || t.Status == "cancelled" || t.Status == "failed"
}

func (a *API) listTokens(ctx context.Context, p *listParams, _ *none) (*plain[Page[engine.TokenView]], error) {
	req, err := p.request()
	if err != nil {
		return nil, err
	}
	list, err := a.engine.List(ctx, req)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.TokenView]]{page(list.Items, list.Next)}, nil
}

func (p *listParams) request() (engine.ListRequest, error) {
	req, err := p.filter()
	req.Limit, req.Cursor = p.Limit, p.Cursor
	return req, err
}

func (a *API) getToken(ctx context.Context, p *pastParams, _ *none) (*reply[engine.TokenView], error) {
	if p.At != 0 {
		return a.past(ctx, p)
	}
	token, err := a.engine.Token(ctx, refOf(p.ID))
	if err != nil {
		return nil, err
	}
	return tokenReply(token, false), nil
}

func tokenReply(token engine.TokenView, again bool) *reply[engine.TokenView] {
	return &reply[engine.TokenView]{Status: http.StatusOK, ETag: etag(token.Version), Replayed: replayed(again), Body: token}
}

// Counted is how many tokens there are.
type Counted struct {
	Count int64 `json:"count"`
}

func (a *API) countTokens(ctx context.Context, p *FilterParams, _ *none) (*plain[Counted], error) {
	req, err := p.filter()
	if err != nil {
		return nil, err
	}
	n, err := a.engine.Count(ctx, req)
	if err != nil {
		return nil, err
	}
	return &plain[Counted]{Counted{n}}, nil
}

// invalid makes the Problem of one field that does not fit.
func invalid(pointer, format string, args ...any) *Problem {
	p := problem(http.StatusUnprocessableEntity, codeInvalid, format, args...)
	p.Errors = []FieldProblem{{Pointer: &pointer, Detail: p.Detail}}
	p.Detail = pointer + ": " + p.Detail
	return p
}

// micros turns an instant of a body into microseconds; the engine counts no others. Instants long before or after now would
// overflow on the way.
func micros(pointer string, t time.Time) (int64, error) {
	if y := t.Year(); y < 1970 || y > 9999 {
		return 0, invalid(pointer, "must lie between the years 1970 and 9999")
	}
	return t.UnixMicro(), nil
}
