package engine

import (
	"errors"
	"fmt"
	"time"

	"flowc/vm"
)

// A Code says why a request was not carried out. It is stable: scripts and the API's problem documents depend on it.
type Code string

// The codes, with the HTTP status that they stand for.
const (
	Malformed           Code = "malformed"            // 400: the request itself makes no sense
	NotFound            Code = "not-found"            // 404
	Conflict            Code = "conflict"             // 409: the key is taken; Error.Existing names its token
	Refused             Code = "refused"              // 409: the token does not take it; State and Accepts say what it takes
	LeaseLost           Code = "lease-lost"           // 409: the attempt is no longer the caller's
	Purged              Code = "purged"               // 410
	Stale               Code = "stale"                // 412: IfMatch names another version
	TooLarge            Code = "too-large"            // 413
	Invalid             Code = "invalid"              // 422: does not fit the types; Fields say where
	IdempotencyMismatch Code = "idempotency-mismatch" // 422: the key was used with another body
	Full                Code = "full"                 // 429: too much waits already; try again after RetryAfter
	Quarantined         Code = "quarantined"          // 503: the token is set aside because it cannot be stepped (R6)
	Unavailable         Code = "unavailable"          // 503: nothing was done; try again after RetryAfter
	UnknownOutcome      Code = "unknown-outcome"      // 503: it may have been done; repeat with the same idempotency key
)

var statuses = map[Code]int{
	Malformed: 400, NotFound: 404, Conflict: 409, Refused: 409, LeaseLost: 409, Purged: 410, Stale: 412, TooLarge: 413,
	Invalid: 422, IdempotencyMismatch: 422, Full: 429, Quarantined: 503, Unavailable: 503, UnknownOutcome: 503,
}

// Status is the HTTP status that the code stands for.
func (c Code) Status() int { return statuses[c] }

// An Error is why a request was not carried out. What does not apply is empty.
type Error struct {
	Code       Code            `json:"code"`
	Detail     string          `json:"detail,omitempty"`  // for a person
	Refusal    string          `json:"refusal,omitempty"` // the step's own stable code: event-refused, token-ended, not-started …
	Fields     []vm.FieldError `json:"fields,omitempty"`  // JSON Pointers
	State      []string        `json:"state,omitempty"`
	Accepts    []vm.Accept     `json:"accepts,omitempty"`
	Version    int64           `json:"version,omitempty"`  // of the token, where one is known: the ETag
	Existing   string          `json:"existing,omitempty"` // of Conflict: the token that holds the key
	PurgedAt   int64           `json:"purgedAt,omitempty"` // microseconds
	RetryAfter time.Duration   `json:"retryAfter,omitempty"`
	Replayed   bool            `json:"-"` // the answer of an earlier request with the same idempotency key

	cause error
}

// Error is the code and the detail; never an SQL text.
func (e *Error) Error() string {
	if e.Detail == "" {
		return string(e.Code)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Unwrap gives the cause for logs, where there is one; it is not for callers' eyes.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf is the code of an error that this package returned, "" for any other.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func failure(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

func unavailable(cause error, format string, args ...any) *Error {
	e := failure(Unavailable, format, args...)
	e.RetryAfter, e.cause = time.Second, cause
	return e
}
