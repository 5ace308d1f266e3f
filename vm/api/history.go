package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"flowc/vm/engine"
)

type historyParams struct {
	TokenParams
	After string `query:"after" doc:"Only lines after this one, by its id"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" doc:"Most lines of the page; 100 without"`
}

type watchParams struct {
	TokenParams
	After string `query:"after" doc:"Only lines after this one, by its id"`
	Last  string `header:"Last-Event-ID" doc:"The last line that was seen; it goes before after"`
}

// A stream is an answer that goes on.
type stream struct {
	ContentType string `header:"Content-Type"`
	Body        func(huma.Context)
}

func (a *API) history() {
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/{id}/history", id: "getHistory", tag: "tokens", allow: mayRead,
		summary: "What happened to a token, oldest first", errors: []int{http.StatusNotFound, http.StatusGone}}, a.getHistory)
	handle(a, route{method: http.MethodGet, path: "/v1/tokens/{id}/watch", id: "watchToken", tag: "tokens", allow: mayRead,
		summary: "What happens to a token, as server-sent events, one for each line of the history", media: "text/event-stream",
		errors: []int{http.StatusNotFound, http.StatusGone}}, a.watch)
}

func (a *API) getHistory(ctx context.Context, p *historyParams, _ *none) (*plain[Page[engine.HistoryLine]], error) {
	history, err := a.engine.History(ctx, engine.HistoryRequest{Token: refOf(p.ID), After: p.After, Limit: p.Limit})
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.HistoryLine]]{page(history.Items, history.Next)}, nil
}

// watch answers with errors as any route does; once the first line is out, a stream that ends is all that can be said.
func (a *API) watch(ctx context.Context, p *watchParams, _ *none) (*stream, error) {
	after := p.After
	if p.Last != "" {
		after = p.Last
	}
	token, err := a.engine.Token(ctx, refOf(p.ID))
	if err != nil {
		return nil, err
	}
	if _, err := a.engine.History(ctx, engine.HistoryRequest{Token: engine.Ref{ID: token.ID}, After: after, Limit: 1}); err != nil {
		return nil, err
	}
	return &stream{ContentType: "text/event-stream", Body: func(hc huma.Context) {
		w := watcher{api: a, out: hc.BodyWriter(), flush: flusher(hc), token: engine.Ref{ID: token.ID}, after: after}
		open, closed := a.whileOpen(ctx)
		defer closed()
		w.run(open)
	}}, nil
}

func flusher(hc huma.Context) func() error {
	w, ok := hc.Context().Value(writerKey{}).(http.ResponseWriter)
	if !ok {
		return func() error { return nil }
	}
	return http.NewResponseController(w).Flush
}

// A watcher sends a token's history as it grows.
type watcher struct {
	api   *API
	out   io.Writer
	flush func() error
	token engine.Ref
	after string
}

// beat is how often a stream on which nothing happens shows that it lives.
const beat = 15 * time.Second

func (w *watcher) run(ctx context.Context) {
	w.send(ctx, ": hello\n\n")
	for ctx.Err() == nil {
		token, err := w.api.engine.Token(ctx, w.token)
		if err != nil || !w.lines(ctx) {
			return
		}
		if settled(token) && token.Status != "failed" {
			w.send(ctx, "event: end\ndata: {}\n\n")
			return
		}
		waiting, cancel := context.WithTimeout(ctx, beat)
		version, err := w.api.engine.Changed(waiting, w.token, token.Version)
		cancel()
		if ctx.Err() != nil || err != nil && waiting.Err() == nil {
			return
		}
		if version <= token.Version && !w.send(ctx, ": still here\n\n") {
			return
		}
	}
}

// lines sends what the history has beyond the last line sent.
func (w *watcher) lines(ctx context.Context) bool {
	for {
		history, err := w.api.engine.History(ctx, engine.HistoryRequest{Token: w.token, After: w.after})
		if err != nil {
			return false
		}
		for _, line := range history.Items {
			id := ""
			if line.Stimulus != "attempt" { // those of attempts are merged in, and a history cannot be read from them on
				id, w.after = "id: "+line.ID+"\n", line.ID
			}
			data, err := json.Marshal(line)
			if err != nil || !w.send(ctx, fmt.Sprintf("%sdata: %s\n\n", id, data)) {
				return false
			}
		}
		if history.Next == "" || len(history.Items) == 0 {
			return true
		}
	}
}

func (w *watcher) send(ctx context.Context, text string) bool {
	w.api.answerWithin(ctx, 0)
	_, err := io.WriteString(w.out, text)
	if err == nil {
		err = w.flush()
	}
	return err == nil
}
