package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

// silence is how long a stream may say nothing before it counts as lost; the server says something every 15 seconds.
const silence = 45 * time.Second

// errSilent is why a stream was given up.
var errSilent = errors.New("the server has said nothing for 45 seconds")

// Watch gives the lines of a token's history as they come, from the line after the given one on; "" is the beginning. A lost
// connection is made again and goes on after the last line, so that no line is missing and none comes twice. It ends
// when the token has ended, and with an error when the context ends, the server refuses, or it cannot be reached in as many tries
// in a row as Options say. A failed token is watched on, for a retry may follow.
//
// The lines about an attempt of a task, whose Stimulus is "attempt", come when it has ended, at its place in the history.
func (c *Client) Watch(ctx context.Context, token, after string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		s := stream{c: c, path: TokenPath(token, "watch"), last: after, yield: yield}
		for try := 1; ; try++ {
			lines := s.lines
			err := s.once(ctx)
			if s.over {
				return
			}
			if s.lines > lines {
				try = 1
			}
			if ctx.Err() != nil {
				yield(Line{}, context.Cause(ctx))
				return
			}
			if !c.again(Request{Method: http.MethodGet}, err) || try >= c.tries || !pause(ctx, wait(try, err)) {
				yield(Line{}, ended(ctx, err))
				return
			}
		}
	}
}

// A stream is a watch over as many connections as it takes.
type stream struct {
	c     *Client
	path  string
	last  string // the id of the last line, which the next connection begins after
	lines int    // that came
	over  bool   // the token has ended, or the caller wants no more
	yield func(Line, error) bool
}

// once reads from one connection until it ends. It always returns an error, but for when the stream is over.
func (s *stream) once(ctx context.Context) error {
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	alive := time.AfterFunc(silence, func() { lost(errSilent) })
	defer alive.Stop()
	r, err := s.c.build(ctx, Request{Method: http.MethodGet, Path: s.path}, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	if s.last != "" {
		r.Header.Set("Last-Event-ID", s.last)
	}
	res, err := s.c.http.Do(r)
	if err != nil {
		return &UnreachableError{Server: s.c.server, Err: err}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return &UnreachableError{Server: s.c.server, Err: err}
		}
		return problem(res, text)
	}
	err = s.read(bufio.NewReader(res.Body), func() { alive.Reset(silence) })
	if errors.Is(context.Cause(ctx), errSilent) {
		err = errSilent
	}
	if s.over {
		return nil
	}
	var bad *badLine
	if errors.As(err, &bad) {
		return err
	}
	return &UnreachableError{Server: s.c.server, Err: err}
}

// A badLine is one that is no line of a history: no repeat makes it better.
type badLine struct{ err error }

func (e *badLine) Error() string { return fmt.Sprintf("the server's answer cannot be read: %v", e.err) }
func (e *badLine) Unwrap() error { return e.err }

// read takes server-sent events apart: fields of one event until an empty line, `:` begins a comment.
func (s *stream) read(in *bufio.Reader, alive func()) error {
	var event, id, data string
	for !s.over {
		text, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		alive()
		text = strings.TrimRight(text, "\r\n")
		name, value, _ := strings.Cut(text, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case text == "":
			if err := s.event(event, id, data); err != nil {
				return err
			}
			event, id, data = "", "", ""
		case name == "event":
			event = value
		case name == "id":
			id = value
		case name == "data":
			data += value
		}
	}
	return nil
}

func (s *stream) event(event, id, data string) error {
	if event == "end" {
		s.over = true
		return nil
	}
	if data == "" {
		return nil
	}
	var line Line
	if err := json.Unmarshal([]byte(data), &line); err != nil {
		return &badLine{err}
	}
	if id != "" {
		s.last = id
	}
	s.lines++
	s.over = !s.yield(line, nil)
	return nil
}
