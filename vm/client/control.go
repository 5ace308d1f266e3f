package client

import (
	"context"
	"net/http"
	"time"
)

// A Command is what a control command may carry. The zero value is fine.
type Command struct {
	Reason string // why; it stands in the history
	Call
}

type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

// Pause stops a token: nothing moves, events are kept.
func (c *Client) Pause(ctx context.Context, token string, cmd Command) (Moved, error) {
	return c.move(ctx, http.MethodPost, TokenPath(token, "pause"), reasonBody{cmd.Reason}, cmd.Call)
}

// Resume lets a paused token go on; the events that were kept are applied in their order.
func (c *Client) Resume(ctx context.Context, token string, cmd Command) (Moved, error) {
	return c.move(ctx, http.MethodPost, TokenPath(token, "resume"), reasonBody{cmd.Reason}, cmd.Call)
}

// Cancel ends a token, by way of its `on cancel` handler where it has one. A repeat changes nothing.
func (c *Client) Cancel(ctx context.Context, token string, cmd Command) (Moved, error) {
	return c.move(ctx, http.MethodPost, TokenPath(token, "cancel"), reasonBody{cmd.Reason}, cmd.Call)
}

// Retry lets a failed token go on: where it failed, or in the state of the given path.
func (c *Client) Retry(ctx context.Context, token, state string, cmd Command) (Moved, error) {
	body := struct {
		State  string `json:"state,omitempty"`
		Reason string `json:"reason,omitempty"`
	}{state, cmd.Reason}
	return c.move(ctx, http.MethodPost, TokenPath(token, "retry"), body, cmd.Call)
}

// Restart starts a new token with the same input and, unless it is "", the given key. Moved holds the new token.
func (c *Client) Restart(ctx context.Context, token, key string, cmd Command) (Moved, error) {
	body := struct {
		Key    string `json:"key,omitempty"`
		Reason string `json:"reason,omitempty"`
	}{key, cmd.Reason}
	return c.move(ctx, http.MethodPost, TokenPath(token, "restart"), body, cmd.Call)
}

// MoveTimer makes a timer fire at another instant. Its id is STATE_PATH.NAME.
func (c *Client) MoveTimer(ctx context.Context, token, timer string, due time.Time, cmd Command) (Moved, error) {
	body := struct {
		Due    time.Time `json:"due"`
		Reason string    `json:"reason,omitempty"`
	}{due, cmd.Reason}
	return c.move(ctx, http.MethodPatch, TokenPath(token, "timers", timer), body, cmd.Call)
}

// FireTimer lets a timer fire now.
func (c *Client) FireTimer(ctx context.Context, token, timer string, cmd Command) (Moved, error) {
	return c.move(ctx, http.MethodPost, TokenPath(token, "timers", timer, "fire"), reasonBody{cmd.Reason}, cmd.Call)
}

// SetField sets a field of a token's data past the flow's own rules; it needs a reason.
func (c *Client) SetField(ctx context.Context, token, field string, value any, cmd Command) (Moved, error) {
	body := struct {
		Field  string `json:"field"`
		Value  any    `json:"value"`
		Reason string `json:"reason"`
	}{field, value, cmd.Reason}
	return c.move(ctx, http.MethodPatch, TokenPath(token, "data"), body, cmd.Call)
}

// A Batch is one command for all tokens that a filter finds.
type Batch struct {
	Action         string `json:"action"` // pause, resume, cancel, retry or restart
	Filter         Filter `json:"filter"` // at least one field
	Reason         string `json:"reason,omitempty"`
	State          string `json:"state,omitempty"`  // of retry
	DryRun         bool   `json:"dryRun,omitempty"` // count only
	IdempotencyKey string `json:"-"`
}

// A Batched is what became of a batch.
type Batched struct {
	Matched int64         `json:"matched"`
	Changed int64         `json:"changed"`
	Refused []BatchRefuse `json:"refused"` // the first hundred
}

// A BatchRefuse is a token that did not do what it was told.
type BatchRefuse struct {
	Token  string `json:"token"`
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
}

// Batch commands all tokens that a filter finds, each in a step of its own. One that stopped half way goes on when it is repeated
// with its IdempotencyKey.
func (c *Client) Batch(ctx context.Context, b Batch) (Batched, error) {
	var out Batched
	_, err := c.call(ctx, Request{Method: http.MethodPost, Path: path("batches"), Body: b, Key: b.IdempotencyKey}, &out)
	return out, err
}
