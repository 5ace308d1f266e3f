package client

import (
	"context"
	"net/http"
)

// A Call is what every change of a token may carry.
type Call struct {
	// IdempotencyKey names the request; "": a fresh one. Give one to be able to repeat the request from another process.
	IdempotencyKey string
	// IfVersion is the token's version that the decision was made on; any other is refused with Stale. 0: any.
	IfVersion int64
}

// An Event is what a token is told.
type Event struct {
	Name    string
	Payload any // an object of the event's fields
	// ID is the sender's own name for the event, remembered for the token's life: a repeat gets the first answer and moves nothing.
	ID string
	Call
}

// Send sends an event. A token that does not take it now is a Problem with the code EventRefused and what it accepts. Its
// Outcome says what became of it: of a paused token it is queued.
func (c *Client) Send(ctx context.Context, token string, e Event) (Moved, error) {
	body := struct {
		Event   string `json:"event"`
		Payload any    `json:"payload,omitempty"`
		ID      string `json:"id,omitempty"`
	}{e.Name, e.Payload, e.ID}
	return c.move(ctx, http.MethodPost, TokenPath(token, "events"), body, e.Call)
}

// move changes a token.
func (c *Client) move(ctx context.Context, method, path string, body any, call Call) (Moved, error) {
	var out Moved
	res, err := c.call(ctx, Request{Method: method, Path: path, Body: body, Key: call.IdempotencyKey, IfVersion: call.IfVersion}, &out)
	if err != nil {
		return Moved{}, err
	}
	out.Replayed = res.Replayed
	return out, nil
}
