package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Task is one attempt at some work, given to this worker under a lease.
type Task struct {
	ID         string    `json:"id"`
	Lease      string    `json:"lease"`
	LeaseUntil time.Time `json:"leaseUntil"`
	Task       string    `json:"task"` // the task's name
	Token      string    `json:"token"`
	Flow       string    `json:"flow"`
	Attempt    int       `json:"attempt"` // counted from 1
	// IdempotencyKey is the same on every delivery of the work. Work is delivered at least once: what it does outside should be
	// named by the key, so that doing it again does nothing.
	IdempotencyKey string          `json:"idempotencyKey"`
	Input          json.RawMessage `json:"input"`
	Deadline       time.Time       `json:"deadline"` // of the attempt, by the server's clock; zero: none
	May            []string        `json:"may"`      // the events that the work may end with or schedule
	// Traceparent is the attempt's span as W3C Trace Context writes it; "" where the server makes no traces.
	Traceparent string `json:"traceparent"`
}

// Decode reads the input into a value.
func (t Task) Decode(into any) error {
	if err := json.Unmarshal(t.Input, into); err != nil {
		return fmt.Errorf("read the input of %s: %w", t.Task, err)
	}
	return nil
}

// An Outcome is how work ends well. The zero value is a result without fields.
type Outcome struct {
	Result   any    // an object of the task's results; nil: none
	Event    string // one of the events of May, instead of a result
	Payload  any    // of the event
	Schedule []Scheduled
}

// A Scheduled is an event of May for later.
type Scheduled struct {
	Event   string
	Payload any
	After   time.Duration // from the outcome on, in whole seconds; or
	At      time.Time
}

// Done ends work with a result, an object of the task's results.
func Done(result any) Outcome { return Outcome{Result: result} }

// Instead ends work with an event that the flow names by `may`, instead of a result.
func Instead(event string, payload any) Outcome { return Outcome{Event: event, Payload: payload} }

// After schedules an event with the outcome, so much later. Both are saved together.
func (o Outcome) After(d time.Duration, event string, payload any) Outcome {
	o.Schedule = append(o.Schedule[:len(o.Schedule):len(o.Schedule)], Scheduled{Event: event, Payload: payload, After: d})
	return o
}

// At schedules an event with the outcome, for an instant.
func (o Outcome) At(at time.Time, event string, payload any) Outcome {
	o.Schedule = append(o.Schedule[:len(o.Schedule):len(o.Schedule)], Scheduled{Event: event, Payload: payload, At: at})
	return o
}

type completeBody struct {
	Lease    string          `json:"lease"`
	Result   any             `json:"result,omitempty"`
	Event    string          `json:"event,omitempty"`
	Payload  any             `json:"payload,omitempty"`
	Schedule []scheduledBody `json:"schedule,omitempty"`
}

type scheduledBody struct {
	Event   string     `json:"event"`
	Payload any        `json:"payload,omitempty"`
	After   string     `json:"after,omitempty"`
	At      *time.Time `json:"at,omitempty"`
}

func (o Outcome) body(lease string) completeBody {
	b := completeBody{Lease: lease, Result: o.Result, Event: o.Event, Payload: o.Payload}
	for _, s := range o.Schedule {
		one := scheduledBody{Event: s.Event, Payload: s.Payload}
		if s.At.IsZero() {
			one.After = duration(s.After)
		} else {
			one.At = &s.At
		}
		b.Schedule = append(b.Schedule, one)
	}
	return b
}

// A Failure is how an attempt ends badly; a handler returns it as its error.
type Failure struct {
	// Code is what the flow can catch. One that the task's `fails` names gives up all attempts.
	Code       string
	Message    string        // what happened, for people
	NoRetry    bool          // give up all attempts
	RetryAfter time.Duration // try again no sooner, in whole seconds
}

// Fail makes a Failure that is retried as the task says.
func Fail(code, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error gives the code and the message.
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

type failBody struct {
	Lease      string `json:"lease"`
	Code       string `json:"code"`
	Message    string `json:"message,omitempty"`
	NoRetry    bool   `json:"noRetry,omitempty"`
	RetryAfter string `json:"retryAfter,omitempty"`
}

// maxMessage is how much of a message is sent.
const maxMessage = 4 << 10

func (f *Failure) body(lease string) failBody {
	message := strings.ReplaceAll(f.Message, "\x00", "\uFFFD") // a NUL is refused at the server's door
	if len(message) > maxMessage {
		message = message[:maxMessage] + "…"
	}
	return failBody{
		Lease: lease, Code: f.Code, Message: strings.ToValidUTF8(message, ""), NoRetry: f.NoRetry, RetryAfter: duration(f.RetryAfter),
	}
}

// The codes of failures that the worker itself reports.
const (
	CodeHandler = "handler_failed"  // a handler's error that is no *Failure, or its panic
	CodeOutput  = "bad_output"      // an outcome that is no JSON
	CodeRefused = "outcome_refused" // an outcome that the server does not take
	CodeTimeout = "attempt_timeout" // the time of an attempt is over
)

// Why a handler's context has ended; context.Cause says it. Besides these it ends with context.DeadlineExceeded when the time of
// an attempt is over.
var (
	ErrCancelled = errors.New("the work is not wanted any more")
	ErrLeaseLost = errors.New("the lease was lost, another worker may have the work")
	ErrStopping  = errors.New("the worker stops")
)

// ErrRelease is what a handler returns to give its work back: another worker may take it at once, and no attempt is used up.
var ErrRelease = errors.New("the work is given back")

// A Handler does work. The error is a *Failure, ErrRelease, or any other, which is reported with the code CodeHandler. When the
// context has ended the handler should return soon; an error that it then returns is not counted against the work, except at the
// end of the attempt's time.
type Handler func(ctx context.Context, task Task) (Outcome, error)

// ByTask makes a handler of one for each task's name.
func ByTask(handlers map[string]Handler) Handler {
	return func(ctx context.Context, task Task) (Outcome, error) {
		do := handlers[task.Task]
		if do == nil {
			return Outcome{}, ErrRelease
		}
		return do(ctx, task)
	}
}

// raw writes an outcome once, so that one that is no JSON is found before it is sent.
func raw(body any) (json.RawMessage, error) {
	text, err := encode(body)
	return bytes.TrimSpace(text), err
}
