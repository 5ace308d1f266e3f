package api

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// A client sends requests to an API and holds every answer to the document: its status must be documented for its route, and its
// body must fit the schema.
type client struct {
	t   *testing.T
	api *API
}

func newClient(t *testing.T, f *fake, opts Options) *client {
	opts.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	return &client{t: t, api: New(f, opts)}
}

// A response is what came back.
type response struct {
	status int
	header http.Header
	text   string
}

// do sends a request; headers are `Name: value`.
func (c *client) do(method, path, body string, headers ...string) response {
	c.t.Helper()
	req := httptest.NewRequest(method, "http://localhost:7654"+path, strings.NewReader(body))
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
		if value == "" {
			req.Header.Del(name)
		}
	}
	rec := httptest.NewRecorder()
	c.api.ServeHTTP(rec, req)
	out := response{rec.Code, rec.Result().Header, rec.Body.String()}
	c.holds(req, out)
	return out
}

// holds compares an answer with the document. The zero instant is never an answer: what does not apply is null.
func (c *client) holds(req *http.Request, res response) {
	c.t.Helper()
	if strings.Contains(res.text, "0001-01-01T00:00:00") {
		c.t.Errorf("%s %s tells of the year 1: %s", req.Method, req.URL.Path, res.text)
	}
	_, pattern := c.api.mux.Handler(req)
	method, path, _ := strings.Cut(pattern, " ")
	item := c.api.huma.OpenAPI().Paths[path]
	if item == nil {
		return // no route, or the document itself
	}
	documented := operation(item, method).Responses[strconv.Itoa(res.status)]
	if documented == nil {
		c.t.Errorf("%s answered %d, which the document does not know: %s", pattern, res.status, res.text)
		return
	}
	media, _, _ := strings.Cut(res.header.Get("Content-Type"), ";")
	content := documented.Content[media]
	if content == nil {
		c.t.Errorf("%s answered %d as %q, which the document does not know", pattern, res.status, media)
		return
	}
	if !strings.HasSuffix(media, "json") {
		return
	}
	var body any
	if err := json.Unmarshal([]byte(res.text), &body); err != nil {
		c.t.Errorf("%s answered %d with no JSON: %s", pattern, res.status, res.text)
		return
	}
	faults := &huma.ValidateResult{}
	huma.Validate(c.api.huma.OpenAPI().Components.Schemas, content.Schema, huma.NewPathBuffer([]byte{}, 0), huma.ModeReadFromServer, body, faults)
	for _, fault := range faults.Errors {
		c.t.Errorf("%s answered %d with a body that does not fit the document: %v", pattern, res.status, fault)
	}
}

// wants fails the test unless the status and, of a problem, the code are these; it gives the problem.
func (c *client) wants(res response, status int, code string) Problem {
	c.t.Helper()
	var p Problem
	if res.status >= http.StatusBadRequest {
		if err := json.Unmarshal([]byte(res.text), &p); err != nil {
			c.t.Fatalf("status %d without a problem: %q", res.status, res.text)
		}
	}
	if res.status != status || p.Code != code {
		c.t.Fatalf("got %d %s, want %d %s; %s", res.status, p.Code, status, code, res.text)
	}
	if code != "" && (p.Status != status || p.Title == "" || p.Detail == "" || res.header.Get("Content-Type") != "application/problem+json") {
		c.t.Errorf("the problem is not whole: %v %s", res.header, res.text)
	}
	return p
}

func sum(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}
