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
	"time"
)

// A Request is one request to the API, for what no method of Client does.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         any    // written as JSON; nil: none
	Key          string // the Idempotency-Key; what changes something gets a fresh one without
	IfVersion    int64  // the token's version that the decision was made on; 0: any
	// NoKey says that the request takes no key and a repeat does no harm, as of claim and heartbeat.
	NoKey bool
	Wait  time.Duration // what the request asks the server to wait; it adds to the time of a try
	Tries int           // 0: the client's
}

// A Response is an answer that is no error.
type Response struct {
	Status   int
	Header   http.Header
	Body     []byte
	Replayed bool // the answer of an earlier request with the same key
}

// Decode reads the body into a value.
func (r *Response) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	return nil
}

// Do sends a request, again while that is safe and of use. An answer of 400 and above is a *Problem, a server that gave no answer
// an *UnreachableError; once the context has ended, errors wrap its cause.
func (c *Client) Do(ctx context.Context, req Request) (*Response, error) {
	body, err := encode(req.Body)
	if err != nil {
		return nil, err
	}
	if req.Key == "" && !req.NoKey && req.Method != http.MethodGet {
		req.Key = NewKey()
	}
	tries := c.tries
	if req.Tries > 0 {
		tries = req.Tries
	}
	for try := 1; ; try++ {
		res, err := c.once(ctx, req, body)
		if err == nil || try == tries || !c.again(req, err) || !pause(ctx, wait(try, err)) {
			return res, ended(ctx, err)
		}
	}
}

// ended puts the end of the context beside what it led to.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return errors.Join(context.Cause(ctx), err)
}

// call sends a request and reads the answer into a value.
func (c *Client) call(ctx context.Context, req Request, into any) (*Response, error) {
	res, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	return res, res.Decode(into)
}

// get reads something.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	_, err := c.call(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, into)
	return err
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

// once sends a request once.
func (c *Client) once(ctx context.Context, req Request, body []byte) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout+req.Wait)
	defer cancel()
	r, err := c.build(ctx, req, body)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, &UnreachableError{Server: c.server, Err: err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, &UnreachableError{Server: c.server, Err: fmt.Errorf("the answer was cut off: %w", err)}
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, problem(res, text)
	}
	return &Response{Status: res.StatusCode, Header: res.Header, Body: text, Replayed: res.Header.Get("Idempotency-Replayed") == "true"}, nil
}

func (c *Client) build(ctx context.Context, req Request, body []byte) (*http.Request, error) {
	target := c.server + req.Path
	if len(req.Query) > 0 {
		target += "?" + req.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if req.Method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if req.Key != "" {
		r.Header.Set("Idempotency-Key", req.Key)
	}
	if req.IfVersion != 0 {
		r.Header.Set("If-Match", `"`+strconv.FormatInt(req.IfVersion, 10)+`"`)
	}
	if c.credential != "" {
		r.Header.Set("Authorization", "Bearer "+c.credential)
	}
	return r, nil
}

// again says whether to send a request again: where the server asks for it, and where no answer came. Both only when a repeat
// can do no harm.
func (c *Client) again(req Request, err error) bool {
	safe := req.Method == http.MethodGet || req.Key != "" || req.NoKey
	var p *Problem
	if errors.As(err, &p) {
		return p.Temporary() && safe
	}
	var u *UnreachableError
	if !errors.As(err, &u) {
		return false
	}
	if refusedDial(err) {
		return !c.failFast
	}
	return safe
}

// refusedDial says that there was no connection, so that nothing was sent.
func refusedDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// NewKey makes an Idempotency-Key that nobody else has.
func NewKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
