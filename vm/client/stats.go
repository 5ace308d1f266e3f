package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Stats are counts over the server's database, and of the server since its start. Names of tasks and statuses are the maps' keys.
type Stats struct {
	Tokens           map[string]int64 `json:"tokens"`      // by status
	Tasks            map[string]int64 `json:"tasks"`       // by status
	Inbox            int64            `json:"inbox"`       // messages between tokens that wait
	Quarantined      int64            `json:"quarantined"` // tokens that are set aside
	OldestDueMs      int64            `json:"oldestDueMs"` // how long the most overdue timer waits
	OldestOfferMs    map[string]int64 `json:"oldestOfferMs"`
	HeldTasks        []Hold           `json:"heldTasks"`
	OldestInboxMs    int64            `json:"oldestInboxMs"`
	OverduePaused    int64            `json:"overduePaused"`
	FailedDispatches int64            `json:"failedDispatches"`
	LastPollMs       map[string]int64 `json:"lastPollMs"` // since a worker last asked this server
	Steps            int64            `json:"steps"`
	Batches          int64            `json:"batches"`
	BatchRetries     int64            `json:"batchRetries"`
	Reconnects       int64            `json:"reconnects"`
	Undeliverable    int64            `json:"undeliverable"`
	TimersFired      int64            `json:"timersFired"`
	TimerLateMs      int64            `json:"timerLateMs"`
}

// Stats reads the server's counts.
func (c *Client) Stats(ctx context.Context) (Stats, error) {
	var out Stats
	err := c.get(ctx, path("stats"), nil, &out)
	return out, err
}

// Metrics reads what Prometheus reads, as it came.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	res, err := c.Do(ctx, Request{Method: http.MethodGet, Path: "/metrics"})
	if err != nil {
		return "", err
	}
	return string(res.Body), nil
}

// Alive says that the server's process lives; the error is what came instead.
func (c *Client) Alive(ctx context.Context) error {
	var out struct {
		Status string `json:"status"`
	}
	return c.get(ctx, "/healthz", nil, &out)
}

// A Health says whether a server works, and if not why.
type Health struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason"`
	Loops  []Loop `json:"loops"`
}

// A Loop is one of a server's loops. Late: it has made no full round in three of its intervals.
type Loop struct {
	Name      string    `json:"name"`
	Running   bool      `json:"running"`
	LastRound time.Time `json:"lastRound"`
	Late      bool      `json:"late"`
	Error     string    `json:"error"` // of the last round
}

// Health reads whether the server works. That it does not is no error.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var out Health
	res, err := c.Do(ctx, Request{Method: http.MethodGet, Path: "/readyz", Tries: 1})
	if p := problemIn(err); p != nil && p.Status == http.StatusServiceUnavailable {
		return out, json.Unmarshal(p.Body, &out)
	}
	if err != nil {
		return out, err
	}
	return out, res.Decode(&out)
}
