package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"flowc/vm/api"
)

// An UnreachableError says that no answer came.
type UnreachableError struct {
	Server string
	Err    error
}

// Error says what to do about it.
func (e *UnreachableError) Error() string {
	cause := e.Err
	var in *url.Error
	if errors.As(cause, &in) {
		cause = in.Err // without the address, which is there already
	}
	return fmt.Sprintf("the server at %s cannot be reached: %v; is it running (`flowc run`), and is --server or FLOWC_SERVER right?", e.Server, cause)
}

// Unwrap gives the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// A Refusal is a problem document that the server sent.
type Refusal struct {
	api.Problem
	body []byte
}

// Read reads the body into a value, for the few answers of an error's status that are no problem.
func (r *Refusal) Read(into any) error {
	if err := json.Unmarshal(r.body, into); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return nil
}

// Error gives the detail, what is wrong field by field, and of a refused event what would have been taken.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d %s)", r.Detail, r.Status, r.Code)
	if len(r.Errors) > 1 {
		for _, e := range r.Errors {
			fmt.Fprintf(&b, "\n  %s: %s", placeOf(e), e.Detail)
		}
	}
	if len(r.State) > 0 {
		fmt.Fprintf(&b, "\n  it is in: %s", strings.Join(r.State, ", "))
	}
	if r.Accepts != nil {
		fmt.Fprintf(&b, "\n  it takes: %s", accepted(r.Problem))
	}
	if r.Existing != "" {
		fmt.Fprintf(&b, "\n  the key belongs to the token %s", r.Existing)
	}
	return b.String()
}

func placeOf(e api.FieldProblem) string {
	switch {
	case e.Pointer == nil:
		return e.Parameter
	case *e.Pointer == "":
		return "the body"
	}
	return *e.Pointer
}

func accepted(p api.Problem) string {
	var words []string
	for _, a := range p.Accepts {
		switch {
		case a.Conditional:
			words = append(words, a.Event+" (depends on the payload)")
		case a.Deferred:
			words = append(words, a.Event+" (would wait)")
		default:
			words = append(words, a.Event)
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// refusal reads a problem. What is none, such as a proxy's page, is shown by its status.
func refusal(res *http.Response, text []byte) error {
	r := &Refusal{body: text}
	if err := json.Unmarshal(text, &r.Problem); err != nil || r.Code == "" {
		r.Problem = api.Problem{Status: res.StatusCode, Code: "no-problem-document", Detail: "the server answered " + res.Status + "; is it a flowc server?"}
	}
	return r
}
