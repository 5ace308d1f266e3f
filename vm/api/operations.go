package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"flowc/vm/engine"
)

// Alive says that the process lives.
type Alive struct {
	Status string `json:"status" enum:"ok"`
}

type readiness struct {
	Status int
	Body   engine.Health
}

func (a *API) operations() {
	handle(a, route{method: http.MethodGet, path: "/v1/stats", id: "getStats", tag: "server", allow: mayRead,
		summary: "Counts over the database and since the server's start"}, a.stats)
	handle(a, route{method: http.MethodGet, path: "/healthz", id: "getHealth", tag: "server", summary: "Whether the process lives"}, alive)
	handle(a, route{method: http.MethodGet, path: "/readyz", id: "getReadiness", tag: "server",
		summary: "Whether the server works: 503 names the loop that is behind, or the database that cannot be written",
		success: []int{http.StatusOK, http.StatusServiceUnavailable}}, a.ready)
	handle(a, route{method: http.MethodGet, path: "/metrics", id: "getMetrics", tag: "server", allow: mayRead, media: "text/plain",
		summary: "Metrics for Prometheus"}, a.scrape)
}

func (a *API) stats(ctx context.Context, _ *none, _ *none) (*plain[engine.Stats], error) {
	stats, err := a.engine.Stats(ctx)
	if err != nil {
		return nil, err
	}
	for _, counts := range []*map[string]int64{&stats.Tokens, &stats.Tasks, &stats.OldestOffer, &stats.LastPoll} {
		if *counts == nil {
			*counts = map[string]int64{}
		}
	}
	stats.HeldTasks = orEmpty(stats.HeldTasks)
	return &plain[engine.Stats]{stats}, nil
}

func alive(context.Context, *none, *none) (*plain[Alive], error) {
	return &plain[Alive]{Alive{"ok"}}, nil
}

func (a *API) ready(ctx context.Context, _ *none, _ *none) (*readiness, error) {
	health := a.engine.Health(ctx)
	health.Loops = orEmpty(health.Loops)
	out := &readiness{Status: http.StatusOK, Body: health}
	if !health.Ready {
		out.Status = http.StatusServiceUnavailable
	}
	return out, nil
}

// scrape leaves the answer to the metrics' own handler.
func (a *API) scrape(ctx context.Context, _ *none, _ *none) (*stream, error) {
	if err := a.engine.whole(ctx); err != nil {
		return nil, err
	}
	handler := promhttp.HandlerFor(a.metrics.registry, promhttp.HandlerOpts{})
	return &stream{Body: func(hc huma.Context) {
		if w, ok := hc.Context().Value(writerKey{}).(http.ResponseWriter); ok {
			r, _ := http.NewRequestWithContext(hc.Context(), http.MethodGet, "/metrics", nil)
			handler.ServeHTTP(w, r)
		}
	}}, nil
}
