// Package client speaks to a flowc server over HTTP, as the commands and the worker need it.
//
// Every request that changes something carries an Idempotency-Key, so that repeating it after a lost answer does no harm; Do
// repeats by itself when the server asks for it.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DefaultServer is where a server listens unless it is told otherwise.
const DefaultServer = "http://127.0.0.1:7654"

// A Client speaks to one server. Its zero value speaks to DefaultServer without a credential.
type Client struct {
	Server     string
	Credential string
	HTTP       *http.Client
	// Tries is how often a request is sent before its failure is final: 4.
	Tries int
}

// A Request is one request. Key names it; a mutation without one gets a fresh one.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         any // marshalled as JSON; nil: none
	Key          string
	IfMatch      string
	NoKey        bool // claim and heartbeat take none
}

// A Response is an answer that is no error.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Decode reads the body into a value.
func (r *Response) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return nil
}

// New makes a client for a server's address, with or without its scheme.
func New(server, credential string) (*Client, error) {
	if server == "" {
		server = DefaultServer
	}
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of a server; write it as %s", server, DefaultServer)
	}
	return &Client{Server: strings.TrimRight(u.String(), "/"), Credential: credential}, nil
}

// Do sends a request. An answer of 400 and above is a *Refusal; a server that cannot be reached is an *UnreachableError.
func (c *Client) Do(ctx context.Context, req Request) (*Response, error) {
	body, err := encode(req.Body)
	if err != nil {
		return nil, err
	}
	if req.Key == "" && !req.NoKey && req.Method != http.MethodGet {
		req.Key = NewKey()
	}
	tries := c.Tries
	if tries == 0 {
		tries = 4
	}
	for try := 1; ; try++ {
		res, again, err := c.once(ctx, req, body)
		if err == nil || again == 0 || try == tries || ctx.Err() != nil {
			return res, err
		}
		if !pause(ctx, again*time.Duration(try)) {
			return nil, err
		}
	}
}

func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	return b.Bytes(), nil
}

// once sends a request once. When it makes sense to send it again, it says after how long.
func (c *Client) once(ctx context.Context, req Request, body []byte) (*Response, time.Duration, error) {
	target := c.Server + req.Path
	if len(req.Query) > 0 {
		target += "?" + req.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("make the request: %w", err)
	}
	c.headers(r, req)
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(r)
	if err != nil {
		return nil, resend(err), &UnreachableError{Server: c.Server, Err: err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, resend(err), &UnreachableError{Server: c.Server, Err: err}
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, retryAfter(res), refusal(res, text)
	}
	return &Response{Status: res.StatusCode, Header: res.Header, Body: text}, 0, nil
}

func (c *Client) headers(r *http.Request, req Request) {
	if req.Method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if req.Key != "" {
		r.Header.Set("Idempotency-Key", req.Key)
	}
	if req.IfMatch != "" {
		r.Header.Set("If-Match", req.IfMatch)
	}
	if c.Credential != "" {
		r.Header.Set("Authorization", "Bearer "+c.Credential)
	}
}

// resend says when a request that got no answer is sent again. Where nobody listens, nobody will in a second.
func resend(err error) time.Duration {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return 0
	}
	return 200 * time.Millisecond
}

func retryAfter(res *http.Response) time.Duration {
	if res.StatusCode != http.StatusServiceUnavailable && res.StatusCode != http.StatusTooManyRequests {
		return 0
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		return 0
	}
	return min(time.Duration(seconds), 5) * time.Second
}

// pause waits, and says whether the context allowed it.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// NewKey makes an Idempotency-Key that nobody else has.
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// TokenPath is the path of a token that is named by its id or as flow:key.
func TokenPath(token string, more ...string) string {
	path := "/v1/tokens/" + url.PathEscape(token)
	for _, m := range more {
		path += "/" + url.PathEscape(m)
	}
	return path
}
