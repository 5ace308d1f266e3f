// Package client speaks to a flowc server from Go: it deploys flows, starts tokens, sends events, reads, controls, watches, and
// does the work of tasks. It imports nothing but the standard library.
//
// What is promised: every request that changes something carries an Idempotency-Key, which stays the same over all tries, so a
// lost answer is asked for again and the effect happens once. A request is repeated only where that is safe: when it has a key,
// when it only reads, or when it never reached a server. What is not promised: that anything happened when a call gives an
// *UnreachableError; repeating the call with the same key, a field of every call's options, settles it.
//
// Refusals are *Problem values; errors.Is tells them apart by their code:
//
//	c, err := client.New(client.Options{})
//	…
//	_, err = c.Send(ctx, "order:A1", client.Event{Name: "pay", Payload: payment})
//	if errors.Is(err, client.EventRefused) { … } // the Problem says what the token accepts
//
// A token is named by its id or as flow:key.
package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultServer is where a server listens unless it is told otherwise.
const DefaultServer = "http://127.0.0.1:7654"

// Options say how to reach a server. The zero value reaches DefaultServer without a credential.
type Options struct {
	Server     string // with or without its scheme
	Credential string // the bearer token
	// Tries is how often a request is sent before its failure is final: 8, which takes about 15 seconds.
	Tries int
	// FailFast gives up at once where nobody listens, as a command for people should. Otherwise that too is tried again, for a
	// server that is being restarted comes back.
	FailFast bool
	// Timeout is how long one try may take, the time that a request asks the server to wait aside: 30 s.
	Timeout time.Duration
	// HTTP sends the requests; nil: a client of its own.
	HTTP *http.Client
}

// A Client speaks to one server. It may be used by many goroutines at once.
type Client struct {
	server, credential string
	tries              int
	failFast           bool
	timeout            time.Duration
	http               *http.Client
}

// New makes a client. It sends nothing; the error is a server's address that is none.
func New(o Options) (*Client, error) {
	server, err := address(o.Server)
	if err != nil {
		return nil, err
	}
	c := &Client{server: server, credential: o.Credential, tries: o.Tries, failFast: o.FailFast, timeout: o.Timeout, http: o.HTTP}
	if c.tries <= 0 {
		c.tries = 8
	}
	if c.timeout <= 0 {
		c.timeout = 30 * time.Second
	}
	if c.http == nil {
		c.http = newHTTP()
	}
	return c, nil
}

// newHTTP keeps more idle connections to the one server than the standard client would.
func newHTTP() *http.Client {
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok { // a program may have put its own there
		return http.DefaultClient
	}
	transport = transport.Clone()
	transport.MaxIdleConnsPerHost = 32
	return &http.Client{Transport: transport}
}

func address(server string) (string, error) {
	if server == "" {
		return DefaultServer, nil
	}
	full := server
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is no address of a server; write it as %s", server, DefaultServer)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// Server is the address that requests go to.
func (c *Client) Server() string { return c.server }

// TokenPath is the path of a token that is named by its id or as flow:key, for Do.
func TokenPath(token string, more ...string) string {
	return path(append([]string{"tokens", token}, more...)...)
}

func path(parts ...string) string {
	var b strings.Builder
	b.WriteString("/v1")
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(p))
	}
	return b.String()
}
