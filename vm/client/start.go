package client

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// A Start says how to start a token. The zero value starts a flow without inputs.
type Start struct {
	Key     string        // names the token, unique in its flow also after its end; at most 200 bytes
	Input   any           // an object of the flow's inputs
	Delay   time.Duration // start so much later, in whole seconds
	At      time.Time     // start at this instant; not together with Delay
	Program string        // a version of the flow; "": the current one
	// ReturnExisting gives the token that has the key already, where otherwise the start is refused with Conflict.
	ReturnExisting bool
	// IdempotencyKey names this start; "": a fresh one. Give one to be able to repeat the start from another process.
	IdempotencyKey string
}

// A Started is the token that a start gave.
type Started struct {
	Token
	Created  bool // false: the token was there already
	Replayed bool // the answer of an earlier start with the same IdempotencyKey
}

type startBody struct {
	Key        string     `json:"key,omitempty"`
	Input      any        `json:"input,omitempty"`
	Delay      string     `json:"delay,omitempty"`
	StartAt    *time.Time `json:"startAt,omitempty"`
	OnConflict string     `json:"onConflict,omitempty"`
	Program    string     `json:"program,omitempty"`
}

// Start starts a token. It is saved, with its first step, when the call returns.
func (c *Client) Start(ctx context.Context, flow string, s Start) (Started, error) {
	body := startBody{Key: s.Key, Input: s.Input, Delay: duration(s.Delay), Program: s.Program}
	if !s.At.IsZero() {
		body.StartAt = &s.At
	}
	if s.ReturnExisting {
		body.OnConflict = "return"
	}
	var out Started
	res, err := c.call(ctx, Request{Method: http.MethodPost, Path: path("flows", flow, "tokens"), Body: body, Key: s.IdempotencyKey}, &out.Token)
	if err != nil {
		return Started{}, err
	}
	out.Created, out.Replayed = res.Status == http.StatusCreated, res.Replayed
	return out, nil
}

// StartAndWait starts a token and returns it once it has ended or failed. When the context ends first the error wraps the
// context's and the token is given as it was seen last; it goes on without the caller.
func (c *Client) StartAndWait(ctx context.Context, flow string, s Start) (Started, error) {
	started, err := c.Start(ctx, flow, s)
	if err != nil {
		return started, err
	}
	started.Token, err = c.wait(ctx, started.Token)
	return started, err
}

// Wait returns a token once it has ended or failed. When the context ends first the error wraps the context's and the token is
// given as it was seen last.
func (c *Client) Wait(ctx context.Context, token string) (Token, error) {
	seen, err := c.Token(ctx, token)
	if err != nil {
		return seen, err
	}
	return c.wait(ctx, seen)
}

// wait watches a token from where it was seen.
func (c *Client) wait(ctx context.Context, seen Token) (Token, error) {
	if seen.Ended() || seen.Failed() {
		return seen, nil
	}
	for line, err := range c.Watch(ctx, seen.ID, fmt.Sprintf("%d.0", seen.Version)) {
		if err != nil {
			return seen, err
		}
		if line.Kind != "ended" && line.Kind != "failed" {
			continue
		}
		now, err := c.Token(ctx, seen.ID)
		if err != nil {
			return seen, err
		}
		if seen = now; seen.Ended() || seen.Failed() {
			return seen, nil
		}
	}
	now, err := c.Token(ctx, seen.ID) // the stream has said that it ended
	if err != nil {
		return seen, err
	}
	return now, nil
}
