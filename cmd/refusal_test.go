package cmd

import (
	"crypto/x509"
	"errors"
	"strings"
	"testing"

	"flowc/vm/client"
)

func TestTold(t *testing.T) {
	place, body := "/payload/n", ""
	err := told(&client.Problem{
		Status: 409, Code: client.EventRefused, Detail: "waiting does not take pay", State: []string{"waiting"},
		Accepts:  []client.Accept{{Event: "go"}, {Event: "stop", Conditional: true}, {Event: "late", Deferred: true}},
		Errors:   []client.FieldError{{Pointer: &place, Detail: "is no number"}, {Pointer: &body, Detail: "is odd"}, {Parameter: "limit", Detail: "is large"}},
		Existing: "t1",
	})
	want := `waiting does not take pay (409 event-refused)
  /payload/n: is no number
  the body: is odd
  limit: is large
  it is in: waiting
  it takes: go, stop (depends on the payload), late (would wait)
  the key belongs to the token t1; --or-return gives it`
	if err.Error() != want || !errors.Is(err, client.EventRefused) {
		t.Errorf("got %s", err)
	}
	if err := told(&client.Problem{Accepts: []client.Accept{}}); !strings.HasSuffix(err.Error(), "it takes: nothing") {
		t.Errorf("got %s", err)
	}
	if err := told(&client.UnreachableError{Server: "x", Err: errors.New("y")}); !strings.Contains(err.Error(), "flowc run") {
		t.Errorf("got %s", err)
	}
	unknown := &client.UnreachableError{Server: "x", Err: x509.UnknownAuthorityError{}}
	if err := told(unknown); !strings.Contains(err.Error(), "SSL_CERT_FILE") || strings.Contains(err.Error(), "flowc run") {
		t.Errorf("got %s", err)
	}
	if err := errors.New("other"); told(err) != err {
		t.Error("another error is not as it was")
	}
}
