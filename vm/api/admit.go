package api

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"flowc/vm/api/door"
)

// Limits of bodies, in bytes. A payload is at most 1 MiB (the engine's limit); around it stands the rest of the request.
const (
	bodyLimit   = 1<<20 + 1<<16
	deployLimit = 64 << 20
)

// admit is what a request of a route passes before its handler: who asks, and what is in the body.
func (a *API) admit(r route, body bool) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		httpReq, w := humago.Unwrap(hc)
		req, p := a.read(w, httpReq, r, body)
		if p != nil {
			a.write(w, p)
			return
		}
		ctx := context.WithValue(hc.Context(), requestKey{}, req)
		ctx = context.WithValue(ctx, writerKey{}, w)
		next(huma.WithContext(hc, ctx))
	}
}

func (a *API) read(w http.ResponseWriter, r *http.Request, route route, body bool) (*request, *Problem) {
	req := &request{route: r.Method + " " + r.URL.EscapedPath()}
	var p *Problem
	if len(route.allow) > 0 {
		if req.actor, p = a.authorize(r, route.allow); p != nil {
			return nil, p
		}
		if req.actor.Name != "" {
			req.bearer = bearerOf(r)
		}
	}
	if route.method == http.MethodGet {
		return req, nil
	}
	if p = refuseMedia(r); p != nil {
		return nil, p
	}
	text, p := a.readBody(w, r, route)
	if p != nil {
		return nil, p
	}
	req.hash = hashOf(r, text)
	if len(text) == 0 && (route.optional || !body) {
		return req, nil
	}
	doc, fault := door.Parse(text)
	if fault != nil {
		return nil, misfit(http.StatusBadRequest, codeMalformed, []door.Fault{*fault})
	}
	req.body = doc
	return req, nil
}

// refuseMedia demands JSON of every request that changes something, also of one without a body: a form of a foreign page cannot
// say so.
func refuseMedia(r *http.Request) *Problem {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return problem(http.StatusUnsupportedMediaType, codeMediaType, "a body in the encoding %q is not understood; send it as it is", coding)
	}
	header := r.Header.Get("Content-Type")
	media, params, err := mime.ParseMediaType(header)
	if err != nil || media != "application/json" {
		return problem(http.StatusUnsupportedMediaType, codeMediaType, "the Content-Type is %q; it must be application/json", header)
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return problem(http.StatusUnsupportedMediaType, codeMediaType, "JSON is UTF-8, but the Content-Type says %q", header)
	}
	return nil
}

func (a *API) readBody(w http.ResponseWriter, r *http.Request, route route) ([]byte, *Problem) {
	limit := route.limit
	if limit == 0 {
		limit = bodyLimit
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case err == nil:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		return text, nil
	case errors.As(err, &large):
		return nil, problem(http.StatusRequestEntityTooLarge, codeTooLarge, "the body is larger than %d bytes, the most that this request may have", limit)
	case errors.As(err, &network) && network.Timeout():
		return nil, problem(http.StatusRequestTimeout, codeSlow, "the body did not arrive within %s", a.opts.BodyTime)
	default:
		return nil, problem(http.StatusBadRequest, codeMalformed, "the body ended before it was whole")
	}
}
