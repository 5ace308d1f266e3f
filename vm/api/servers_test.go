package api

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// A node is one server with all that belongs to it.
type node struct {
	t    *testing.T
	db   store.Store
	eng  *engine.Engine
	api  *API
	http *httptest.Server
}

func newNode(t *testing.T, url string, so store.Options, o Options) *node {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, url, so)
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(ctx, engine.Options{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Start(ctx); err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, db: db, eng: eng, api: New(eng, o)}
	n.http = httptest.NewServer(n.api)
	return n
}

// stop stops the server as the command does: who waits is answered, then nobody is let in, then the engine ends.
func (n *node) stop() {
	n.api.Close()
	n.http.Close()
	if err := n.eng.Stop(context.Background()); err != nil {
		n.t.Error(err)
	}
	if err := n.db.Close(); err != nil {
		n.t.Error(err)
	}
}

// nodes are servers over one database, which come and go.
type nodes struct {
	t     *testing.T
	url   string
	opts  Options
	mu    sync.RWMutex
	up    []*node
	stops sync.Once
}

// onNodes runs a test on two servers over Postgres, and on one over SQLite.
func onNodes(t *testing.T, flow string, test func(n *nodes)) {
	t.Run("postgres", func(t *testing.T) { test(newNodes(t, pgtest.Reused(t), 2, flow)) })
	t.Run("sqlite", func(t *testing.T) { test(newNodes(t, filepath.Join(t.TempDir(), "flow.db"), 1, flow)) })
}

func newNodes(t *testing.T, url string, count int, flow string) *nodes {
	n := &nodes{t: t, url: url}
	for range count {
		n.up = append(n.up, newNode(t, url, store.Options{}, n.opts))
	}
	t.Cleanup(n.stop)
	body, _ := json.Marshal(map[string]any{"files": map[string]string{"test.flow": flow}})
	if status, text := n.post("/v1/flows", string(body)); status != http.StatusOK {
		t.Fatalf("deploy: %d %s", status, text)
	}
	return n
}

func (n *nodes) stop() {
	n.stops.Do(func() {
		for _, one := range n.up {
			one.stop()
		}
	})
}

// restart stops one of the servers and starts another in its place.
func (n *nodes) restart() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.up[0].stop()
	n.up = append(n.up[1:], newNode(n.t, n.url, store.Options{}, n.opts))
}

// any is one of the servers that are up.
func (n *nodes) any() *node {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.up[rand.N(len(n.up))]
}

// post sends a request to any server, again and again while there is nobody to answer.
func (n *nodes) post(path, body string, headers ...string) (int, string) {
	return n.ask(http.MethodPost, path, body, headers...)
}

func (n *nodes) ask(method, path, body string, headers ...string) (int, string) {
	n.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		req, _ := http.NewRequest(method, n.any().http.URL+path, strings.NewReader(body))
		if method != http.MethodGet {
			req.Header.Set("Content-Type", "application/json")
		}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			text, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err == nil && res.StatusCode != http.StatusServiceUnavailable {
				return res.StatusCode, string(text)
			}
		}
		if time.Now().After(end) {
			n.t.Errorf("%s %s was not answered in a minute: %v", method, path, err)
			return 0, ""
		}
	}
}

// get reads JSON.
func (n *nodes) get(path string, into any) {
	n.t.Helper()
	status, text := n.ask(http.MethodGet, path, "")
	if status != http.StatusOK {
		n.t.Errorf("%s: %d %s", path, status, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		n.t.Errorf("%s: %v", path, err)
	}
}

// start starts a token and gives its id.
func (n *nodes) start(flow, body string) string {
	n.t.Helper()
	status, text := n.post("/v1/flows/"+flow+"/tokens", body)
	var v engine.TokenView
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != http.StatusCreated {
		n.t.Fatalf("start %s: %d %s", flow, status, text)
	}
	return v.ID
}

// history reads the whole history, in pages of a size.
func (n *nodes) history(token, limit string) []string {
	n.t.Helper()
	var all []string
	after := ""
	for {
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  *string           `json:"next"`
		}
		n.get("/v1/tokens/"+token+"/history?limit="+limit+after, &page)
		for _, line := range page.Items {
			all = append(all, string(line))
		}
		if page.Next == nil || n.t.Failed() {
			return all
		}
		after = "&after=" + *page.Next
	}
}
