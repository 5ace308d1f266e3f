package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/otel/propagation"
)

// guard is what every request passes first, whatever it asks for.
func (a *API) guard(w http.ResponseWriter, r *http.Request) {
	out := &answer{ResponseWriter: w}
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			a.recovered(out, r, v)
		}
		a.metrics.served(r, out.code(), time.Since(began))
	}()
	out.Header().Set("X-Content-Type-Options", "nosniff")
	out.Header().Set("Cache-Control", "no-store")
	a.hurry(w, r, began)
	if p := a.refuse(r); p != nil {
		a.write(out, p)
		return
	}
	handler, pattern := a.mux.Handler(r)
	if pattern == "" {
		a.unrouted(out, r, handler)
		return
	}
	a.mux.ServeHTTP(out, traced(r))
}

// traced lets the steps of a request point to the span of its sender, by the headers of W3C Trace Context.
func traced(r *http.Request) *http.Request {
	if r.Header.Get("Traceparent") == "" {
		return r
	}
	return r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
}

// hurry limits the time that a client may take to send its body and to read the answer. The first limit is lifted when the body
// has been read, and stays on a request that is refused before: the server reads on behind the answer.
func (a *API) hurry(w http.ResponseWriter, r *http.Request, began time.Time) {
	control := http.NewResponseController(w) // a recorder in a test knows no deadlines; a connection does
	_ = control.SetWriteDeadline(began.Add(a.opts.AnswerTime))
	if r.ContentLength != 0 {
		_ = control.SetReadDeadline(began.Add(a.opts.BodyTime))
	}
}

// recovered answers for a handler that broke. A client that has gone makes the library break, too: that is no fault.
func (a *API) recovered(w *answer, r *http.Request, v any) {
	if r.Context().Err() != nil || w.status != 0 {
		a.log.DebugContext(r.Context(), "an answer could not be written", "path", r.URL.Path, "error", v)
		return
	}
	a.write(w, a.internal(r.Context(), fmt.Errorf("panic: %v", v)))
}

// refuse turns away what no route should see.
func (a *API) refuse(r *http.Request) *Problem {
	if !clean(r.URL.Path) {
		return problem(http.StatusBadRequest, codeMalformed, "the path holds a NUL or is not UTF-8")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem(http.StatusBadRequest, codeMalformed, "the query cannot be read: it is not encoded as a URL needs it")
	}
	for name, values := range query {
		if !clean(name) || !clean(strings.Join(values, "")) {
			return parameter(strings.ToValidUTF8(name, "?"), "holds a NUL or is not UTF-8")
		}
		if len(values) > 1 {
			return parameter(name, "is given twice")
		}
	}
	return a.refuseForeign(r)
}

func clean(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// refuseForeign keeps pages of other web sites out. Where credentials are asked for they are what keeps them out, for a browser
// sends no bearer token of its own accord.
func (a *API) refuseForeign(r *http.Request) *Problem {
	if known, err := a.keys.list(r.Context()); len(known) > 0 || err != nil || a.opts.Closed {
		return nil // what is not known lets nobody in either
	}
	if !a.opts.AnyHost && !loopback(r.Host) {
		return problem(http.StatusForbidden, codeHost,
			"this server answers to localhost only, not to the host %q; give it credentials to open it to others", r.Host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
		return problem(http.StatusForbidden, codeOrigin, "requests from pages of %q are refused", origin)
	}
	return nil
}

// loopback says whether a Host header names this machine itself.
func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// unrouted answers what no route takes, with the mux's own status and a body like all others.
func (a *API) unrouted(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	silent := &silence{header: http.Header{}}
	handler.ServeHTTP(silent, r)
	if allow := silent.header.Get("Allow"); silent.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow)
		a.write(w, problem(http.StatusMethodNotAllowed, codeMethod, "%s is not for %s; %s takes %s", r.Method, r.URL.Path, r.URL.Path, allow))
		return
	}
	a.write(w, problem(http.StatusNotFound, codeNotFound, "there is nothing at %s; /v1/openapi.json lists all routes", r.URL.Path))
}

// write sends a problem outside the library.
func (a *API) write(w http.ResponseWriter, p *Problem) {
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		a.log.Debug("an answer could not be written", "error", err)
	}
}

// An answer remembers the status that was sent.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *answer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *answer) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// A silence takes an answer and shows nobody.
type silence struct {
	header http.Header
	status int
}

// Header implements http.ResponseWriter.
func (s *silence) Header() http.Header { return s.header }

// Write implements http.ResponseWriter.
func (s *silence) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (s *silence) WriteHeader(status int) { s.status = status }

// answerWithin gives a request that waits more time to be answered.
func (a *API) answerWithin(ctx context.Context, wait time.Duration) {
	if w, ok := ctx.Value(writerKey{}).(http.ResponseWriter); ok {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(wait + a.opts.AnswerTime))
	}
}

type writerKey struct{}
