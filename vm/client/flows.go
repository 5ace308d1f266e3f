package client

import (
	"context"
	"encoding/json"
	"time"
)

// A Flow is one that the server knows.
type Flow struct {
	Name     string    `json:"name"`
	Current  string    `json:"current"` // the program that new tokens use
	Since    time.Time `json:"since"`   // when it became current
	Versions int       `json:"versions"`
}

// A Version is one program of a flow.
type Version struct {
	Program    string          `json:"program"`
	Current    bool            `json:"current"`
	DeployedAt time.Time       `json:"deployedAt"`
	Actor      string          `json:"actor"` // who deployed it
	Files      json.RawMessage `json:"files"` // the source files, an object of path → text
}

// Flows reads the flows that the server knows.
func (c *Client) Flows(ctx context.Context) ([]Flow, error) { return all[Flow](ctx, c, path("flows")) }

// Flow reads a flow.
func (c *Client) Flow(ctx context.Context, name string) (Flow, error) {
	var out Flow
	err := c.get(ctx, path("flows", name), nil, &out)
	return out, err
}

// Versions reads a flow's versions, newest first.
func (c *Client) Versions(ctx context.Context, flow string) ([]Version, error) {
	return all[Version](ctx, c, path("flows", flow, "versions"))
}

// all reads a list that comes whole.
func all[T any](ctx context.Context, c *Client, path string) ([]T, error) {
	var out struct {
		Items []T `json:"items"`
	}
	err := c.get(ctx, path, nil, &out)
	return out.Items, err
}
