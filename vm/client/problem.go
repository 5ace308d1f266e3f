package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Code is the stable code of a Problem. It is an error, so that errors.Is(err, client.LeaseLost) asks for it.
type Code string

// The codes that programs tell apart; there are more, which /v1/openapi.json and docs/http.md tell of.
const (
	Malformed           Code = "malformed"            // 400
	Unauthorized        Code = "unauthorized"         // 401
	Forbidden           Code = "forbidden"            // 403
	NotFound            Code = "not-found"            // 404
	UnknownTimer        Code = "unknown-timer"        // 404: no timer of that id is armed
	Conflict            Code = "conflict"             // 409: the key is taken; Existing names its token
	EventRefused        Code = "event-refused"        // 409: nothing takes the event now; State and Accepts say what it takes
	TokenEnded          Code = "token-ended"          // 409
	TokenFailed         Code = "token-failed"         // 409: until a retry
	TokenPaused         Code = "token-paused"         // 409
	NotStarted          Code = "not-started"          // 409
	LeaseLost           Code = "lease-lost"           // 409: the attempt is no longer the caller's
	Purged              Code = "purged"               // 410
	Stale               Code = "stale"                // 412: the token has another version
	TooLarge            Code = "too-large"            // 413
	Invalid             Code = "invalid"              // 422: does not fit the types; Errors say where
	UnknownEvent        Code = "unknown-event"        // 422
	IdempotencyMismatch Code = "idempotency-mismatch" // 422: the key was used with another body
	Findings            Code = "findings"             // 422: the files of a deploy have errors
	Full                Code = "full"                 // 429
	Unavailable         Code = "unavailable"          // 503: nothing was done
	UnknownOutcome      Code = "unknown-outcome"      // 503: it may have been done; repeat with the same key
	NoProblem           Code = "no-problem-document"  // the answer was none of a flowc server's
)

// Error is the code.
func (c Code) Error() string { return string(c) }

// A Problem is an answer of the server that is an error, as RFC 9457 has it.
type Problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"` // the HTTP status
	Code   Code   `json:"code"`   // what programs should look at
	Detail string `json:"detail"` // what happened, why, and what to do

	Errors   []FieldError    `json:"errors"`
	State    []string        `json:"state"`    // of a refusal: the active states
	Accepts  []Accept        `json:"accepts"`  // of a refusal: the events that would be taken; nil where it does not say
	Existing string          `json:"existing"` // of a conflict: the token that holds the key
	Version  int64           `json:"version"`  // the token's, where it is known
	PurgedAt time.Time       `json:"purgedAt"`
	Findings json.RawMessage `json:"findings"` // of a refused deploy, as `flowc validate --format json` gives them

	RetryAfter time.Duration `json:"-"` // what the server asks to wait; 0: it does not say
	Replayed   bool          `json:"-"` // the answer of an earlier request with the same key
	Body       []byte        `json:"-"` // the answer as it came
}

// A FieldError says what is wrong with one field.
type FieldError struct {
	Pointer   *string `json:"pointer"`   // JSON Pointer into the request's body; "" is the whole body, nil: it is a parameter
	Parameter string  `json:"parameter"` // the parameter or header
	Detail    string  `json:"detail"`
}

// Error gives the detail with the status and the code.
func (p *Problem) Error() string { return fmt.Sprintf("%s (%d %s)", p.Detail, p.Status, p.Code) }

// Is says whether the problem has a code.
func (p *Problem) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == p.Code
}

// Temporary says that the same request may go well later, with the same key.
func (p *Problem) Temporary() bool {
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// problem reads a problem document. What is none, such as a proxy's page, is told by its status.
func problem(res *http.Response, text []byte) *Problem {
	p := &Problem{}
	if err := json.Unmarshal(text, p); err != nil || p.Code == "" {
		*p = Problem{Title: http.StatusText(res.StatusCode), Code: NoProblem, Detail: "the server answered " + res.Status + "; is it a flowc server?"}
		if bytes.Contains(text, []byte("HTTP request to an HTTPS server")) { // as net/http answers
			p.Detail = "the server speaks HTTPS: begin its address with https://"
		}
	}
	p.Status, p.Body = res.StatusCode, text
	p.Replayed = res.Header.Get("Idempotency-Replayed") == "true"
	p.RetryAfter = retryAfter(res.Header.Get("Retry-After"))
	return p
}

// retryAfter reads seconds or, as proxies write it, a date.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return max(0, time.Duration(min(seconds, 3600))*time.Second)
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(0, time.Until(at)), time.Hour)
}

// An UnreachableError says that no answer came. What was asked for may have been done or not.
type UnreachableError struct {
	Server string
	Err    error
}

// Error says which server and why.
func (e *UnreachableError) Error() string {
	cause := e.Err
	var in *url.Error
	if errors.As(cause, &in) {
		cause = in.Err // without the address, which is there already
	}
	return fmt.Sprintf("the server at %s cannot be reached: %v", e.Server, cause)
}

// Unwrap gives the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// problemIn is the Problem that an error is, nil when it is another.
func problemIn(err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return nil
}
