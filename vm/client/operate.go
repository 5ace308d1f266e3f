package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// post changes something under a key of its own, which stays the same over all tries.
func (c *Client) post(ctx context.Context, path string, body, into any) error {
	if body == nil {
		body = struct{}{}
	}
	_, err := c.call(ctx, Request{Method: http.MethodPost, Path: path, Body: body}, into)
	return err
}

// A Hold is a task of which nothing is claimed until it is released.
type Hold struct {
	Task   string    `json:"task"`
	Reason string    `json:"reason"`
	Actor  string    `json:"actor"`
	At     time.Time `json:"at"`
	// Warnings, of Hold only, say that no deployed flow has the task.
	Warnings []string `json:"warnings"`
}

// Holds reads the tasks that are held.
func (c *Client) Holds(ctx context.Context) ([]Hold, error) { return all[Hold](ctx, c, path("holds")) }

// Hold keeps a task's work from being claimed, on all servers, until it is released. What is claimed already may end.
func (c *Client) Hold(ctx context.Context, task, reason string) (Hold, error) {
	var out Hold
	err := c.post(ctx, path("holds"), map[string]string{"task": task, "reason": reason}, &out)
	return out, err
}

type done struct {
	Done bool `json:"done"`
}

// ReleaseHold lets a held task's work be claimed again. One that is not held is a Problem with the code NotFound.
func (c *Client) ReleaseHold(ctx context.Context, task string) error {
	return c.post(ctx, path("holds", task, "release"), nil, &done{})
}

// A Queue is a queue's limits over all servers; 0 sets none. Rate is how many claims in each span of PerMs milliseconds.
type Queue struct {
	Queue       string `json:"queue"`
	Concurrency int64  `json:"concurrency"`
	Rate        int64  `json:"rate"`
	PerMs       int64  `json:"perMs"`
}

// Queues reads the queues that have limits.
func (c *Client) Queues(ctx context.Context) ([]Queue, error) {
	return all[Queue](ctx, c, path("queues"))
}

// LimitQueue sets how much of a queue runs at once and, in each span of per in whole seconds, how much is claimed. 0 sets no limit.
func (c *Client) LimitQueue(ctx context.Context, queue string, concurrency, rate int64, per time.Duration) (Queue, error) {
	body := struct {
		Concurrency int64  `json:"concurrency"`
		Rate        int64  `json:"rate"`
		Per         string `json:"per,omitempty"`
	}{concurrency, rate, duration(per)}
	var out Queue
	err := c.post(ctx, path("queues", queue), body, &out)
	return out, err
}

// A TaskMoved is what became of a task that a person moved.
type TaskMoved struct {
	Task      string    `json:"task"`
	Status    string    `json:"status"`
	Outcome   string    `json:"outcome"` // what the token made of it: accepted, queued, error
	NextAt    time.Time `json:"nextAt"`  // of the next attempt
	Token     string    `json:"token"`
	Version   int64     `json:"version"`
	Cancelled bool      `json:"cancelled"` // the token had left already; nothing was saved
}

type operateBody struct {
	Action  string `json:"action"`
	Result  any    `json:"result,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

func (c *Client) operate(ctx context.Context, task string, body operateBody, call Call) (TaskMoved, error) {
	var out TaskMoved
	_, err := c.call(ctx, Request{Method: http.MethodPost, Path: path("tasks", task, "operate"), Body: body, Key: call.IdempotencyKey, IfVersion: call.IfVersion}, &out)
	return out, err
}

// RetryTask offers a task again at once, by hand and without its lease.
func (c *Client) RetryTask(ctx context.Context, task string, call Call) (TaskMoved, error) {
	return c.operate(ctx, task, operateBody{Action: "retry"}, call)
}

// CompleteTask ends a task with a result, an object of the task's results, by hand and without its lease.
func (c *Client) CompleteTask(ctx context.Context, task string, result any, call Call) (TaskMoved, error) {
	return c.operate(ctx, task, operateBody{Action: "complete", Result: result}, call)
}

// FailTask ends a task with an error, by hand and without its lease; no further attempt is made.
func (c *Client) FailTask(ctx context.Context, task, code, message string, call Call) (TaskMoved, error) {
	return c.operate(ctx, task, operateBody{Action: "fail", Code: code, Message: message}, call)
}

// A Quarantined is a token that is set aside because it cannot be stepped.
type Quarantined struct {
	Token  string    `json:"token"`
	Flow   string    `json:"flow"`
	Key    string    `json:"key"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// Quarantine reads the tokens that are set aside, oldest first: the first limit of them, at most 1000; 0: 100.
func (c *Client) Quarantine(ctx context.Context, limit int) ([]Quarantined, error) {
	q := query()
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	var out struct {
		Items []Quarantined `json:"items"`
	}
	err := c.get(ctx, path("quarantine"), q, &out)
	return out.Items, err
}

// ReleaseToken lets a token go on that is set aside, after what was wrong has been put right. One that is not set aside is a Problem
// with the code NotFound. The reason stands in the server's log.
func (c *Client) ReleaseToken(ctx context.Context, token, reason string) error {
	return c.post(ctx, path("quarantine", token, "release"), reasonBody{reason}, &done{})
}

// A Purge says which ended tokens are to be removed: Tokens, by id or flow:key, which may also have failed, or all that have not moved
// for OlderThan.
type Purge struct {
	Tokens    []string
	OlderThan time.Duration // in whole seconds; either this or Tokens
	Flow      string
	Status    string // completed, cancelled or failed; "": completed and cancelled
	Forget    bool   // the keys too, so that they can be used again; named by flow:key also of tokens purged before
	DryRun    bool   // count only
}

// Purge removes ended tokens with all that is theirs but their keys, and says how many and which of those named it left. Cut short, the
// same call goes on.
func (c *Client) Purge(ctx context.Context, p Purge) (PurgeResult, error) {
	body := struct {
		Tokens    []string `json:"tokens,omitempty"`
		OlderThan string   `json:"olderThan,omitempty"`
		Flow      string   `json:"flow,omitempty"`
		Status    string   `json:"status,omitempty"`
		Forget    bool     `json:"forget,omitempty"`
		DryRun    bool     `json:"dryRun,omitempty"`
	}{p.Tokens, duration(p.OlderThan), p.Flow, p.Status, p.Forget, p.DryRun}
	var total PurgeResult
	for {
		var out struct {
			PurgeResult
			More bool `json:"more"`
		}
		if err := c.post(ctx, path("purge"), body, &out); err != nil {
			return total, err
		}
		total.Tokens += out.Tokens
		total.Keys += out.Keys
		if total.Left = append(total.Left, out.Left...); !out.More || p.DryRun {
			return total, nil
		}
	}
}

// A PurgeResult says what a purge removed, or would.
type PurgeResult struct {
	Tokens int64       `json:"tokens"`
	Keys   int64       `json:"keys"` // that were freed of tokens purged before
	Left   []PurgeLeft `json:"left"` // of the tokens that were named
}

// A PurgeLeft is a named token that was not removed, and why. Code: living, other-flow, work-open or busy.
type PurgeLeft struct {
	Token  string `json:"token"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}
