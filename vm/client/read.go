package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// A Filter says which tokens are meant; empty fields do not filter.
type Filter struct {
	Flow   string `json:"flow,omitempty"`
	State  string `json:"state,omitempty"`  // an active state's path
	Status string `json:"status,omitempty"` // scheduled, running, paused, failed, completed or cancelled
	Key    string `json:"key,omitempty"`
	Error  string `json:"error,omitempty"` // failed with this code
	// Waiting is what it waits for, a Kind of Why such as "unclaimed" or "child-paused"; not of an ended one.
	Waiting string `json:"waiting,omitempty"`
	// Made longer ago, and less long ago, in whole seconds.
	OlderThan time.Duration `json:"olderThan,omitempty"`
	NewerThan time.Duration `json:"newerThan,omitempty"`
}

func (f Filter) query() url.Values {
	return query("flow", f.Flow, "state", f.State, "status", f.Status, "key", f.Key, "error", f.Error, "waiting", f.Waiting,
		"olderThan", duration(f.OlderThan), "newerThan", duration(f.NewerThan))
}

// MarshalJSON writes the durations as the API reads them.
func (f Filter) MarshalJSON() ([]byte, error) {
	fields := map[string]string{}
	for name := range f.query() {
		fields[name] = f.query().Get(name)
	}
	return json.Marshal(fields)
}

// query makes a query of names and values; empty values are left out.
func query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// Token reads a token.
func (c *Client) Token(ctx context.Context, token string) (Token, error) {
	var out Token
	err := c.get(ctx, TokenPath(token), nil, &out)
	return out, err
}

// Tokens reads the tokens that a filter finds, newest first, page by page. What is there from the begin to the end of the
// reading comes once. An error is the last that comes.
func (c *Client) Tokens(ctx context.Context, f Filter) iter.Seq2[Token, error] {
	return pages[Token](ctx, c, path("tokens"), f.query(), "cursor")
}

// Count counts the tokens that a filter finds.
func (c *Client) Count(ctx context.Context, f Filter) (int64, error) {
	var out struct {
		Count int64 `json:"count"`
	}
	err := c.get(ctx, path("tokens", "count"), f.query(), &out)
	return out.Count, err
}

// History reads what happened to a token, oldest first, from the line after the given one on; "" is the beginning.
func (c *Client) History(ctx context.Context, token, after string) iter.Seq2[Line, error] {
	return pages[Line](ctx, c, TokenPath(token, "history"), query("after", after), "after")
}

// A TaskFilter says which tasks are meant. Without Status they are those that are not over.
type TaskFilter struct {
	Task, Status, Token string
}

// A TaskInfo is a task with its attempts.
type TaskInfo struct {
	TokenTask
	Token      string          `json:"token"`
	Flow       string          `json:"flow"`
	Queue      string          `json:"queue"`
	Input      json.RawMessage `json:"input"`
	Dispatched bool            `json:"dispatched"`
	Held       bool            `json:"held"`     // its token is paused
	TaskHeld   bool            `json:"taskHeld"` // nothing of this task is claimed until it is released
	Worker     string          `json:"worker"`
	LeaseUntil time.Time       `json:"leaseUntil"`
	OfferedAt  time.Time       `json:"offeredAt"`
	Attempts   []Attempt       `json:"attempts"`
}

// An Attempt is one attempt that is over. Kind: failed, lease-lost, timeout, released.
type Attempt struct {
	Attempt   int       `json:"attempt"`
	Worker    string    `json:"worker"`
	ClaimedAt time.Time `json:"claimedAt"`
	EndedAt   time.Time `json:"endedAt"`
	Kind      string    `json:"kind"`
	Code      string    `json:"code"`
	Message   string    `json:"message"`
}

// Tasks reads tasks.
func (c *Client) Tasks(ctx context.Context, f TaskFilter) iter.Seq2[TaskInfo, error] {
	return pages[TaskInfo](ctx, c, path("tasks"), query("task", f.Task, "status", f.Status, "token", f.Token), "cursor")
}

// pages reads a list page by page; the next of each goes into the parameter of the following request.
func pages[T any](ctx context.Context, c *Client, path string, q url.Values, next string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			var page struct {
				Items []T     `json:"items"`
				Next  *string `json:"next"`
			}
			if err := c.get(ctx, path, q, &page); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.Next == nil {
				return
			}
			q.Set(next, *page.Next)
		}
	}
}

// A Deploy is the source files of flows. They import each other and nothing else.
type Deploy struct {
	Files          map[string]string `json:"files"` // by their paths
	Flows          []string          `json:"flows,omitempty"`
	OnlyNew        bool              `json:"onlyNew,omitempty"` // leave a program that is known already as it is
	DryRun         bool              `json:"-"`                 // give the findings only
	IdempotencyKey string            `json:"-"`
}

// A Deployed is what became of a deploy.
type Deployed struct {
	Flows    []DeployedFlow  `json:"flows"`
	Findings json.RawMessage `json:"findings"` // as `flowc validate --format json` gives them
	Files    int             `json:"files"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
}

// A DeployedFlow is what became of one flow. New: the program was not known. Current: new tokens now use it.
type DeployedFlow struct {
	Flow    string `json:"flow"`
	Program string `json:"program"`
	New     bool   `json:"new"`
	Current bool   `json:"current"`
	Before  string `json:"before"` // the program that was current before, when it changed
}

// Deploy checks, compiles and deploys files. Files with errors are a Problem with the code Findings.
func (c *Client) Deploy(ctx context.Context, d Deploy) (Deployed, error) {
	req := Request{Method: http.MethodPost, Path: path("flows"), Body: d, Key: d.IdempotencyKey}
	if d.DryRun {
		req.Query = query("dryRun", "true")
	}
	var out Deployed
	_, err := c.call(ctx, req, &out)
	return out, err
}
