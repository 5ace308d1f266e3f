package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"flowc/vm"
	"flowc/vm/api/door"
	"flowc/vm/engine"
)

// The codes of problems that arise before a request reaches the engine; the engine's own codes come besides (engine.Code and,
// for a refused event, the step's: event-refused, token-ended, token-failed, not-started …).
const (
	codeMalformed   = string(engine.Malformed)
	codeInvalid     = string(engine.Invalid)
	codeTooLarge    = string(engine.TooLarge)
	codeNotFound    = string(engine.NotFound)
	codeUnavailable = string(engine.Unavailable)
	codeFindings    = "findings"               // 422: the files of a deploy have errors
	codeMethod      = "method-not-allowed"     // 405
	codeMediaType   = "unsupported-media-type" // 415
	codeSlow        = "request-timeout"        // 408
	codeHost        = "host-refused"           // 403
	codeOrigin      = "origin-refused"         // 403
	codeCredential  = "unauthorized"           // 401
	codeRole        = "forbidden"              // 403
	codeNotReady    = "not-ready"              // 503
	codeInternal    = "internal"               // 500: a fault of the server's own
)

// A Problem is an error as RFC 9457 has it, with a stable code for programs and a detail for people.
type Problem struct {
	Title  string `json:"title" doc:"The status in words"`
	Status int    `json:"status" doc:"The HTTP status"`
	Code   string `json:"code" doc:"Stable: what programs should look at"`
	Detail string `json:"detail" doc:"What happened, why, and what to do"`

	Errors   []FieldProblem `json:"errors,omitempty" doc:"The fields that are wrong"`
	State    []string       `json:"state,omitzero" doc:"Of a refusal: the active states"`
	Accepts  []vm.Accept    `json:"accepts,omitzero" doc:"Of a refusal: the events that would be taken"`
	Existing string         `json:"existing,omitempty" doc:"Of a conflict: the token that holds the key"`
	Version  *int64         `json:"version,omitempty" doc:"The token's version, where it is known"`
	PurgedAt *time.Time     `json:"purgedAt,omitempty" doc:"When the token was purged"`
	Findings []Finding      `json:"findings,omitempty" doc:"Of a refused deploy: what is wrong with the files"`

	header http.Header
}

// A FieldProblem says what is wrong with one field.
type FieldProblem struct {
	Pointer   *string `json:"pointer,omitempty" doc:"JSON Pointer into the body; empty: the whole body"`
	Parameter string  `json:"parameter,omitempty" doc:"The parameter or header, where it is none of the body's fields"`
	Detail    string  `json:"detail"`
}

// Error gives the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus gives the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders gives the headers that go with the problem.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType names the media type of RFC 9457.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// problem makes a Problem.
func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{
		Title: http.StatusText(status), Status: status, Code: code,
		Detail: fmt.Sprintf(format, args...), header: http.Header{},
	}
}

// parameter makes the Problem of a parameter or header that cannot be understood.
func parameter(name, format string, args ...any) *Problem {
	detail := fmt.Sprintf(format, args...)
	p := problem(http.StatusBadRequest, codeMalformed, "%s: %s", name, detail)
	p.Errors = []FieldProblem{{Parameter: name, Detail: detail}}
	return p
}

// ofParameters names parameters where the engine, which does not know how it was asked, pointed at fields: a GET has no body.
func (p *Problem) ofParameters() {
	for i, f := range p.Errors {
		if f.Pointer != nil {
			p.Errors[i] = FieldProblem{Parameter: strings.TrimPrefix(*f.Pointer, "/"), Detail: f.Detail}
		}
	}
}

// misfit makes the Problem of a body that does not fit its request.
func misfit(status int, code string, faults []door.Fault) *Problem {
	p := problem(status, code, "%s", worded(faults))
	for _, f := range faults {
		p.Errors = append(p.Errors, FieldProblem{Pointer: &f.Pointer, Detail: f.Detail})
	}
	return p
}

// worded makes a sentence of the first faults.
func worded(faults []door.Fault) string {
	const most = 3
	var parts []string
	for _, f := range faults[:min(len(faults), most)] {
		where := f.Pointer
		if where == "" {
			where = "the body"
		}
		parts = append(parts, where+": "+f.Detail)
	}
	if more := len(faults) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// problemOf makes a Problem of what the engine returned. What it does not know is the server's fault: the log gets it, the
// client a number to find it by.
func (a *API) problemOf(ctx context.Context, err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	var e *engine.Error
	switch {
	case errors.As(err, &e):
		return a.engineProblem(ctx, e)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		p := problem(http.StatusServiceUnavailable, string(engine.UnknownOutcome),
			"the request ended before its answer was there; repeat it with the same Idempotency-Key to get the answer")
		p.header.Set("Retry-After", "1")
		return p
	}
	return a.internal(ctx, err)
}

func (a *API) internal(ctx context.Context, err error) *Problem {
	ref := newReference()
	a.log.ErrorContext(ctx, "request failed", "reference", ref, "error", err)
	return problem(http.StatusInternalServerError, codeInternal, "the server failed; its log says why under the reference %s", ref)
}

// within makes pointers into a value of the body pointers into the body: the step names what does not fit by its place in the
// input, payload, result or value alone. Those that a worker's event and schedule carry are whole already.
func within(field string, err error) error {
	var e *engine.Error
	if !errors.As(err, &e) || e.Refusal != vm.PayloadInvalid && e.Refusal != vm.InputInvalid {
		return err
	}
	out := *e
	out.Fields = slices.Clone(e.Fields)
	for i, f := range out.Fields {
		if !strings.HasPrefix(f.Pointer, "/schedule/") {
			out.Fields[i].Pointer = field + f.Pointer
		}
	}
	return &out
}

// ofCommands are refusals of commands by tokens that live: what events they take is another matter.
var ofCommands = map[string]bool{vm.TokenPaused: true, vm.TokenRunning: true, vm.NotPausable: true, vm.ParentMovedOn: true}

func (a *API) engineProblem(ctx context.Context, e *engine.Error) *Problem {
	if cause := e.Unwrap(); cause != nil {
		a.log.WarnContext(ctx, "request not carried out", "code", e.Code, "detail", e.Detail, "cause", cause)
	}
	status := e.Code.Status()
	if status == 0 {
		return a.internal(ctx, e)
	}
	code := string(e.Code)
	if e.Refusal != "" {
		code = e.Refusal
	}
	p := problem(status, code, "%s", e.Detail)
	p.State, p.Accepts, p.Existing = e.State, e.Accepts, e.Existing
	if e.Code == engine.Refused && !ofCommands[e.Refusal] {
		p.State, p.Accepts = orEmpty(p.State), orEmpty(p.Accepts)
	}
	for _, f := range e.Fields {
		p.Errors = append(p.Errors, FieldProblem{Pointer: &f.Pointer, Detail: f.Detail})
	}
	if e.Version > 0 {
		p.Version = &e.Version
		p.header.Set("ETag", etag(e.Version))
	}
	if e.PurgedAt > 0 {
		at := time.UnixMicro(e.PurgedAt).UTC()
		p.PurgedAt = &at
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		p.header.Set("Retry-After", strconv.Itoa(max(1, int((e.RetryAfter+time.Second-1)/time.Second))))
	}
	if e.Replayed {
		p.header.Set("Idempotency-Replayed", "true")
	}
	return p
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// The library makes its errors through this: faults of parameters, which it finds itself.
func init() {
	huma.NewError = func(status int, text string, errs ...error) huma.StatusError {
		if status == http.StatusUnprocessableEntity {
			status = http.StatusBadRequest // a parameter that cannot be understood is malformed, not a misfit of types
		}
		p := problem(status, codeMalformed, "%s", text)
		if status >= http.StatusInternalServerError {
			p.Code = codeInternal
		}
		for _, err := range errs {
			p.Errors = append(p.Errors, fieldProblem(err))
		}
		if len(p.Errors) > 0 {
			p.Detail = p.Errors[0].Parameter + ": " + p.Errors[0].Detail
		}
		return p
	}
}

func fieldProblem(err error) FieldProblem {
	var d *huma.ErrorDetail
	if !errors.As(err, &d) {
		return FieldProblem{Detail: err.Error()}
	}
	_, name, _ := strings.Cut(d.Location, ".")
	return FieldProblem{Parameter: name, Detail: d.Message}
}
