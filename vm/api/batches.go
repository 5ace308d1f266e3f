package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"flowc/vm"
	"flowc/vm/engine"
)

// A BatchBody commands all tokens that a filter finds.
type BatchBody struct {
	Action engine.Action `json:"action" enum:"pause,resume,cancel,retry,restart"`
	Filter BatchFilter   `json:"filter" doc:"Which tokens; at least one field"`
	Reason string        `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the history of each"`
	State  string        `json:"state,omitempty" minLength:"1" nullable:"true" doc:"Of retry: the state to go on in"`
	DryRun bool          `json:"dryRun,omitempty" doc:"Count only"`
}

// A BatchFilter says which tokens are meant.
type BatchFilter struct {
	Flow      string    `json:"flow,omitempty" minLength:"1" nullable:"true"`
	State     string    `json:"state,omitempty" minLength:"1" nullable:"true"`
	Status    string    `json:"status,omitempty" enum:"scheduled,running,paused,failed,completed,cancelled" nullable:"true"`
	Key       string    `json:"key,omitempty" minLength:"1" nullable:"true"`
	Error     string    `json:"error,omitempty" minLength:"1" nullable:"true" doc:"Failed with this code"`
	Waiting   string    `json:"waiting,omitempty" enum:"event,timer,event-or-timer,working,backoff,unclaimed,child,child-paused,child-failed,refused,program-missing,paused,failed,scheduled,set-aside,nothing" nullable:"true" doc:"That wait for this, in the words of why"`
	OlderThan *Duration `json:"olderThan,omitempty" nullable:"true" doc:"Made longer ago"`
	NewerThan *Duration `json:"newerThan,omitempty" nullable:"true" doc:"Made less long ago"`
}

// Batched is what became of a batch.
type Batched struct {
	Matched int64          `json:"matched" doc:"How many tokens the filter found"`
	Changed int64          `json:"changed"`
	Refused []BatchRefusal `json:"refused" nullable:"false" doc:"The first hundred tokens that did not do it"`
}

// A BatchRefusal is a token that did not do what it was told.
type BatchRefusal struct {
	Token  string `json:"token"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (f BatchFilter) request() engine.ListRequest {
	return engine.ListRequest{Flow: f.Flow, State: f.State, Status: f.Status, Key: f.Key, Error: f.Error, Waiting: vm.WhyKind(f.Waiting),
		Before: ago(f.OlderThan), After: ago(f.NewerThan)}
}

// maxRefusals is how many refusals a batch shows.
const maxRefusals = 100

func (a *API) batches() {
	handle(a, route{method: http.MethodPost, path: "/v1/batches", id: "runBatch", tag: "control", allow: mayControl,
		summary: "Command all tokens that a filter finds, each in a step of its own", errors: []int{http.StatusTooManyRequests}}, a.batch)
}

func (a *API) batch(ctx context.Context, p *Keyed, body *BatchBody) (*once[Batched], error) {
	if body.Filter == (BatchFilter{}) {
		return nil, invalid("/filter", "must name at least one of flow, state, status, key, error, olderThan and newerThan, for without one every token is meant")
	}
	filter := body.Filter.request()
	if body.DryRun {
		n, err := a.engine.Count(ctx, filter)
		if err != nil {
			return nil, err
		}
		return done(Batched{Matched: n, Refused: []BatchRefusal{}}, false), nil
	}
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	if mutation.Idempotency == nil {
		out, err := a.commandAll(ctx, mutation, filter, body)
		return done(out, false), err
	}
	return a.batchOnce(ctx, mutation, filter, body)
}

// batchOnce carries a batch out under its key, which is taken first: what another body names is not touched.
func (a *API) batchOnce(ctx context.Context, m engine.Mutation, filter engine.ListRequest, body *BatchBody) (*once[Batched], error) {
	answer, err := a.engine.Begin(ctx, *m.Idempotency)
	if err != nil {
		return nil, err
	}
	if answer != nil {
		out := done(Batched{}, true)
		return out, json.Unmarshal(answer, &out.Body)
	}
	out, err := a.commandAll(ctx, m, filter, body)
	if err != nil {
		return nil, err
	}
	if answer, err = json.Marshal(out); err != nil {
		return nil, err
	}
	if err := a.engine.End(ctx, *m.Idempotency, answer); err != nil {
		return nil, err
	}
	return done(out, false), nil
}

// commandAll commands all tokens that a filter finds.
func (a *API) commandAll(ctx context.Context, m engine.Mutation, filter engine.ListRequest, body *BatchBody) (Batched, error) {
	out := Batched{Refused: []BatchRefusal{}}
	for {
		list, err := a.engine.List(ctx, filter)
		if err != nil {
			return out, err
		}
		for _, token := range list.Items {
			if err := a.batchOne(ctx, &out, m, token.ID, body); err != nil {
				return out, err
			}
		}
		if list.Next == "" {
			return out, nil
		}
		filter.Cursor = list.Next
		a.answerWithin(ctx, 0)
	}
}

// batchOne commands one token. A refusal of one stops no other; a server that cannot go on stops all, and the same request with
// the same key goes on where it stopped, since every token remembers the key.
func (a *API) batchOne(ctx context.Context, out *Batched, m engine.Mutation, token string, body *BatchBody) error {
	out.Matched++
	if m.Idempotency != nil {
		own := *m.Idempotency
		own.Route += "#" + token
		m.Idempotency = &own
	}
	_, err := a.engine.Control(ctx, engine.ControlRequest{
		Mutation: m, Token: engine.Ref{ID: token}, Action: body.Action, Reason: body.Reason, State: body.State,
	})
	var e *engine.Error
	switch {
	case err == nil:
		out.Changed++
		return nil
	case !errors.As(err, &e) || e.Code.Status() >= http.StatusTooManyRequests:
		return err
	}
	if len(out.Refused) < maxRefusals {
		p := a.engineProblem(ctx, e)
		out.Refused = append(out.Refused, BatchRefusal{Token: token, Code: p.Code, Detail: p.Detail})
	}
	return nil
}
