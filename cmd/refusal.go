package cmd

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"flowc/vm/client"
)

// A toldError is an error of the client's in the words of the command line.
type toldError struct {
	text string
	err  error
}

func (e *toldError) Error() string { return e.text }
func (e *toldError) Unwrap() error { return e.err }

// told says of what a server refused all that the server said, and of a server that cannot be reached what to look at.
func told(err error) error {
	var p *client.Problem
	if errors.As(err, &p) {
		text := refusal(p)
		if p.Code == client.Unauthorized {
			text += "; give one that is known with --credential or FLOWC_CREDENTIAL"
		}
		return &toldError{text, err}
	}
	var u *client.UnreachableError
	if errors.As(err, &u) {
		if _, is := errors.AsType[x509.UnknownAuthorityError](err); is {
			return &toldError{u.Error() + "; name a file with the authority that signed the server's certificate in SSL_CERT_FILE", err}
		}
		return &toldError{u.Error() + "; is it running (`flowc run`), and is --server or FLOWC_SERVER right?", err}
	}
	return err
}

// refusal gives the detail, what is wrong field by field, and of a refused event what would have been taken.
func refusal(p *client.Problem) string {
	var b strings.Builder
	b.WriteString(p.Error())
	if len(p.Errors) > 1 {
		for _, e := range p.Errors {
			fmt.Fprintf(&b, "\n  %s: %s", placeOf(e), e.Detail)
		}
	}
	if len(p.State) > 0 {
		fmt.Fprintf(&b, "\n  it is in: %s", strings.Join(p.State, ", "))
	}
	if p.Accepts != nil {
		fmt.Fprintf(&b, "\n  it takes: %s", accepted(p.Accepts))
	}
	if p.Existing != "" {
		fmt.Fprintf(&b, "\n  the key belongs to the token %s; --or-return gives it", p.Existing)
	}
	return b.String()
}

func placeOf(e client.FieldError) string {
	switch {
	case e.Pointer == nil:
		return e.Parameter
	case *e.Pointer == "":
		return "the body"
	}
	return *e.Pointer
}

func accepted(all []client.Accept) string {
	var words []string
	for _, a := range all {
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
