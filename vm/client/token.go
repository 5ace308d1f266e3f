package client

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Token is one run of a flow. What does not apply is empty.
type Token struct {
	ID         string          `json:"id"`
	Flow       string          `json:"flow"`
	Key        string          `json:"key"`
	Program    string          `json:"program"`
	Status     string          `json:"status"` // scheduled, running, paused, failed, completed or cancelled
	Cancelling bool            `json:"cancelling"`
	Version    int64           `json:"version"`
	States     []string        `json:"states"` // the active states, by their paths
	Final      string          `json:"final"`  // the final state that ended it
	Outcome    string          `json:"outcome"`
	Input      json.RawMessage `json:"input"`
	Data       json.RawMessage `json:"data"`
	Result     json.RawMessage `json:"result"`
	Error      *TokenError     `json:"error"` // why it failed
	Reason     string          `json:"reason"`
	CreatedAt  time.Time       `json:"createdAt"`
	StartAt    time.Time       `json:"startAt"`
	StartedAt  time.Time       `json:"startedAt"`
	EndedAt    time.Time       `json:"endedAt"`
	PausedAt   time.Time       `json:"pausedAt"`
	Parent     *Parent         `json:"parent"`
	Children   Children        `json:"children"`
	RestartOf  string          `json:"restartOf"`
	Timers     []Timer         `json:"timers"`
	Tasks      []TokenTask     `json:"tasks"`     // that are not over, at most the 100 that were offered first
	TaskCount  int             `json:"taskCount"` // of all; Client.Tasks reads them
	MoreTasks  string          `json:"moreTasks"` // the request that reads them all, when they are more than shown
	Accepts    []Accept        `json:"accepts"`   // the events that it takes now
	WaitingFor []string        `json:"waitingFor"`
	Queued     int             `json:"queued"`     // events kept until the resume
	Deferred   int             `json:"deferred"`   // events that wait for a handler
	Quarantine string          `json:"quarantine"` // why it is set aside and not stepped; "" in health
}

// Ended says that the token has reached its end. A failed one has not: a retry lets it go on.
func (t Token) Ended() bool { return t.Status == "completed" || t.Status == "cancelled" }

// Failed says that the token waits for a retry.
func (t Token) Failed() bool { return t.Status == "failed" }

// DecodeResult reads the result into a value.
func (t Token) DecodeResult(into any) error {
	if len(t.Result) == 0 || string(t.Result) == "null" {
		return fmt.Errorf("the token %s has no result; it is %s", t.ID, t.Status)
	}
	if err := json.Unmarshal(t.Result, into); err != nil {
		return fmt.Errorf("read the result of the token %s: %w", t.ID, err)
	}
	return nil
}

// A TokenError is why a token failed and where in its source.
type TokenError struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	State   string    `json:"state"`
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Column  int       `json:"column"`
	At      time.Time `json:"at"`
}

// Error gives the code and the message.
func (e *TokenError) Error() string { return e.Code + ": " + e.Message }

// A Parent is the token that waits for this one. Hidden: there is one, of a flow that the credential may not see.
type Parent struct {
	ID     string `json:"id"`
	Flow   string `json:"flow"`
	Index  int    `json:"index"`
	Hidden bool   `json:"hidden"`
}

// Children counts the children ever made.
type Children struct {
	Running   int `json:"running"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
}

// A Timer is one that is armed. Due is zero while a pause holds what is left of it.
type Timer struct {
	ID          string    `json:"id"` // STATE_PATH.NAME
	Kind        string    `json:"kind"`
	State       string    `json:"state"`
	Visit       int64     `json:"visit"`
	Event       string    `json:"event"`
	Due         time.Time `json:"due"`
	RemainingMs int64     `json:"remainingMs"`
	Overdue     bool      `json:"overdue"` // fell due while the token is paused; it fires on resume
}

// A TokenTask is a task in its token's view.
type TokenTask struct {
	ID          string    `json:"id"`
	Task        string    `json:"task"`
	State       string    `json:"state"`
	Status      string    `json:"status"`
	Attempt     int       `json:"attempt"` // the running or last one, from 1; 0 before the first claim
	Used        int       `json:"used"`    // attempts used up; one that was given back is not
	MaxAttempts int       `json:"maxAttempts"`
	NextAt      time.Time `json:"nextAt"` // claimable from; of claimed work: when the attempt is over without a heartbeat
}

// An Accept is an event that a token takes. Conditional: a guard reads the payload. Deferred: it would wait for a handler.
type Accept struct {
	Event       string `json:"event"`
	Conditional bool   `json:"conditional"`
	Deferred    bool   `json:"deferred"`
}

// A Line is one line of a token's history. ID is `version.n`; the lines about attempts of tasks have ids of their own.
type Line struct {
	ID       string          `json:"id"`
	At       time.Time       `json:"at"`
	Stimulus string          `json:"stimulus"`
	Actor    string          `json:"actor"`
	Kind     string          `json:"kind"`
	State    string          `json:"state"`
	Visit    int64           `json:"visit"`
	Name     string          `json:"name"`
	Text     string          `json:"text"`
	Due      time.Time       `json:"due"`
	Was      time.Time       `json:"was"` // of a timer that moved: its due time before
	LateMs   int64           `json:"lateMs"`
	Missed   int             `json:"missed"`
	More     map[string]any  `json:"more"`
	Payload  json.RawMessage `json:"payload"`
}

// A Moved is what became of an event or a command.
type Moved struct {
	// Outcome is accepted: its step is done; deferred: it waits for a handler; queued: it waits for the resume; error: the step
	// was undone.
	Outcome  string `json:"outcome"`
	Token    Token  `json:"token"`
	Replayed bool   `json:"-"` // the answer of an earlier request with the same key
}
