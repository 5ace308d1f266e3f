package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// A Why is the answer to "why is it still waiting". Kind says it in one word: event, timer, event-or-timer, working, backoff, unclaimed,
// child, child-paused, child-failed, refused, program-missing, paused, failed, scheduled, ended, set-aside or nothing.
type Why struct {
	Token   string      `json:"token"`
	Flow    string      `json:"flow"`
	Key     string      `json:"key"`
	Status  string      `json:"status"`
	States  []string    `json:"states"`
	Version int64       `json:"version"`
	At      time.Time   `json:"at"` // the database's instant of the answer
	Kind    string      `json:"kind"`
	Summary string      `json:"summary"` // the same for people
	Waits   []WhyWait   `json:"waits"`   // what can move it
	Next    *WhyNext    `json:"next"`    // what happens if nobody does anything; nil: nothing, for ever
	Refused *WhyRefused `json:"refused"` // the last event that was refused
}

// A WhyWait is one thing that can move a token, and who can do it. Kind: event, timer, task, child, fan-out or command.
type WhyWait struct {
	Kind  string    `json:"kind"`
	Name  string    `json:"name"`
	ID    string    `json:"id"` // of the task or child
	State string    `json:"state"`
	Who   string    `json:"who"`
	Text  string    `json:"text"`
	Due   time.Time `json:"due"` // of a timer
}

// A WhyNext is what happens by itself, and where the token would then be.
type WhyNext struct {
	At     time.Time `json:"at"`
	InMs   int64     `json:"inMs"`
	What   string    `json:"what"`
	Status string    `json:"status"`
	States []string  `json:"states"`
	Final  string    `json:"final"`
}

// A WhyRefused is an event that was refused. Since: nothing has happened to the token after it.
type WhyRefused struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"`
	Actor   string    `json:"actor"`
	Reason  string    `json:"reason"`
	Accepts []Accept  `json:"accepts"` // what would have been taken
	Since   bool      `json:"since"`
}

// Why says what a token waits for, who can move it, what happens if nobody does, and why the last event was refused.
func (c *Client) Why(ctx context.Context, token string) (Why, error) {
	var out Why
	err := c.get(ctx, TokenPath(token, "why"), nil, &out)
	return out, err
}

// TokenAt reads a token as it was at a version, without its tasks.
func (c *Client) TokenAt(ctx context.Context, token string, version int64) (Token, error) {
	var out Token
	err := c.get(ctx, TokenPath(token), url.Values{"at": {strconv.FormatInt(version, 10)}}, &out)
	return out, err
}

// A Replay says whether a token's history leads to its snapshot, and if not where they part.
type Replay struct {
	Steps  int    `json:"steps"`
	Same   bool   `json:"same"`
	Reason string `json:"reason"`
}

// Replay makes a token's steps again from its history and compares the whole snapshots.
func (c *Client) Replay(ctx context.Context, token string) (Replay, error) {
	var out Replay
	err := c.get(ctx, TokenPath(token, "replay"), nil, &out)
	return out, err
}

// A StateCount is how many tokens of a flow are in a state.
type StateCount struct {
	Flow  string `json:"flow"`
	State string `json:"state"`
	Count int64  `json:"count"`
}

// States counts the tokens that a filter finds by flow and active state.
func (c *Client) States(ctx context.Context, f Filter) ([]StateCount, error) {
	var out struct {
		Items []StateCount `json:"items"`
	}
	err := c.get(ctx, path("tokens", "states"), f.query(), &out)
	return out.Items, err
}

// A WaitingCount is how many tokens of a flow wait for a reason, a Kind of Why.
type WaitingCount struct {
	Flow    string `json:"flow"`
	Waiting string `json:"waiting"`
	Count   int64  `json:"count"`
}

// Waiting counts the tokens that a filter finds by flow and by what they wait for; the ended ones are left out.
func (c *Client) Waiting(ctx context.Context, f Filter) ([]WaitingCount, error) {
	var out struct {
		Items []WaitingCount `json:"items"`
	}
	err := c.get(ctx, path("tokens", "waiting"), f.query(), &out)
	return out.Items, err
}

// A TokenTimer is a timer with its token.
type TokenTimer struct {
	Timer
	Token string `json:"token"`
	Flow  string `json:"flow"`
	Key   string `json:"key"`
}

// Timers reads armed timers of all tokens, or of one flow's, soonest first.
func (c *Client) Timers(ctx context.Context, flow string) iter.Seq2[TokenTimer, error] {
	return pages[TokenTimer](ctx, c, path("timers"), query("flow", flow), "cursor")
}
