package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"
)

func TestDocumentIsServed(t *testing.T) {
	c := newClient(t, newFake(), Options{Version: "1.2.3"})
	res := c.do("GET", "/v1/openapi.json", "")
	var doc struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
			RequestBody *struct{ Required bool }
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal([]byte(res.text), &doc); err != nil || !strings.HasPrefix(doc.OpenAPI, "3.1.") || doc.Info.Version != "1.2.3" {
		t.Fatalf("got %v, %s", err, res.text[:min(len(res.text), 300)])
	}
	// Every route is in the document, and nothing else.
	var documented, served []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			documented = append(documented, strings.ToUpper(method)+" "+path)
			if op.Summary == "" || op.OperationID == "" {
				t.Errorf("%s %s has no summary or no id", method, path)
			}
		}
	}
	for _, r := range c.api.routes {
		served = append(served, r.method+" "+r.path)
	}
	sort.Strings(documented)
	sort.Strings(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented:\n%s\nserved:\n%s", strings.Join(documented, "\n"), strings.Join(served, "\n"))
	}
}

func TestRoutesOfTheContract(t *testing.T) {
	want := []string{
		"POST /v1/flows", "GET /v1/flows", "GET /v1/flows/{flow}", "GET /v1/flows/{flow}/versions", "POST /v1/flows/{flow}/tokens",
		"GET /v1/tokens", "GET /v1/tokens/{id}", "POST /v1/tokens/{id}/events", "POST /v1/tokens/{id}/pause", "POST /v1/tokens/{id}/resume",
		"POST /v1/tokens/{id}/cancel", "POST /v1/tokens/{id}/retry", "POST /v1/tokens/{id}/restart", "POST /v1/batches",
		"GET /v1/tokens/{id}/history", "GET /v1/tokens/{id}/watch", "PATCH /v1/tokens/{id}/timers/{timer}", "POST /v1/tasks/claim",
		"POST /v1/tasks/{id}/heartbeat", "POST /v1/tasks/{id}/complete", "POST /v1/tasks/{id}/fail", "POST /v1/tasks/{id}/release",
		"GET /v1/tasks", "GET /v1/timers", "GET /v1/stats", "GET /healthz", "GET /readyz", "GET /metrics",
	}
	c := newClient(t, newFake(), Options{})
	for _, route := range want {
		method, path, _ := strings.Cut(route, " ")
		item := c.api.huma.OpenAPI().Paths[path]
		if item == nil || operation(item, method) == nil {
			t.Errorf("%s is not served", route)
		}
	}
}

// A mutation takes an Idempotency-Key, claim and heartbeat aside, and no GET changes anything.
func TestEveryMutationTakesAKey(t *testing.T) {
	c := newClient(t, newFake(), Options{})
	for _, r := range c.api.routes {
		has := false
		for _, p := range operation(c.api.huma.OpenAPI().Paths[r.path], r.method).Parameters {
			has = has || p.Name == "Idempotency-Key"
		}
		if want := r.method != http.MethodGet && !r.noKey; has != want {
			t.Errorf("%s %s takes a key: %v, want %v", r.method, r.path, has, want)
		}
	}
}
