package serve

import (
	"encoding/json"
	"net/http"
	"sync"

	"flowc/vm/api"
	"flowc/vm/engine"
)

// A front answers while the API is not there yet, or not any more.
type front struct {
	mu      sync.Mutex
	handler http.Handler
	reason  string
}

func newFront() *front { return &front{reason: "the server is starting"} }

func (f *front) wait(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reason = reason
}

func (f *front) open(h http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handler = h
}

func (f *front) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handler, f.reason = nil, "the server is stopping"
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	handler, reason := f.handler, f.reason
	f.mu.Unlock()
	switch {
	case handler != nil:
		handler.ServeHTTP(w, r)
	case r.URL.Path == "/healthz":
		answer(w, http.StatusOK, "application/json", api.Alive{Status: "ok"})
	case r.URL.Path == "/readyz":
		answer(w, http.StatusServiceUnavailable, "application/json", engine.Health{Reason: reason, Loops: []engine.LoopHealth{}})
	default:
		w.Header().Set("Retry-After", "1")
		answer(w, http.StatusServiceUnavailable, "application/problem+json", api.Problem{
			Title: http.StatusText(http.StatusServiceUnavailable), Status: http.StatusServiceUnavailable, Code: "not-ready",
			Detail: reason + "; /readyz says when it is ready",
		})
	}
}

func answer(w http.ResponseWriter, status int, media string, body any) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that has gone needs no answer
}
