package api

import (
	"context"
	"encoding/json"
	"net/http"

	"flowc/vm"
	"flowc/vm/engine"
)

// An EventBody is what the sender of an event sends.
type EventBody struct {
	Event   string          `json:"event" doc:"The event's name"`
	Payload json.RawMessage `json:"payload,omitempty" doc:"An object of the event's fields"`
	ID      string          `json:"id,omitempty" minLength:"1" nullable:"true" doc:"The sender's own name for the event, remembered for the token's life: a repeat gets the first answer and moves nothing"`
}

// Moved is what became of an event or a command.
type Moved struct {
	Outcome vm.AnswerOutcome `json:"outcome" enum:"accepted,deferred,queued,error" doc:"accepted: its step is done; deferred: it waits for a handler; queued: it waits for the resume; error: the step was undone"`
	Token   engine.TokenView `json:"token"`
}

// ChangeParams are those of a change of a token.
type ChangeParams struct {
	Conditions
	TokenParams
}

// refusals are the statuses of a token that does not do what it is told.
var refusals = []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusPreconditionFailed, http.StatusTooManyRequests}

func (a *API) events() {
	handle(a, route{method: http.MethodPost, path: "/v1/tokens/{id}/events", id: "sendEvent", tag: "tokens", allow: maySend,
		summary: "Send an event to a token", success: []int{http.StatusOK, http.StatusAccepted}, errors: refusals}, a.sendEvent)
}

func (a *API) sendEvent(ctx context.Context, p *ChangeParams, body *EventBody) (*reply[Moved], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	if body.Event == "" {
		return nil, invalid("/event", "must not be empty")
	}
	answer, err := a.engine.SendEvent(ctx, engine.EventRequest{
		Mutation: mutation, Token: refOf(p.ID), Event: body.Event, Payload: given(body.Payload), ID: body.ID,
	})
	if err != nil {
		return nil, within("/payload", err)
	}
	return moved(answer), nil
}

// moved is 202 when the event waits for the resume: nothing has happened with it yet.
func moved(answer engine.Answer) *reply[Moved] {
	out := &reply[Moved]{
		Status: http.StatusOK, Replayed: replayed(answer.Replayed), ETag: etag(answer.Token.Version),
		Body: Moved{Outcome: answer.Outcome, Token: *answer.Token},
	}
	if answer.Outcome == vm.Queued {
		out.Status = http.StatusAccepted
	}
	return out
}
