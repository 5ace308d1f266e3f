package api

import (
	"context"
	"encoding/json"
	"errors"
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
	first, err := a.engine.History(ctx, engine.HistoryRequest{Token: refOf(p.ID), After: after})
	var e *engine.Error
	switch {
	case errors.As(err, &e) && e.Code == engine.Malformed && p.Last != "":
		return nil, parameter("Last-Event-ID", "%s", e.Detail)
	case err != nil:
		return nil, err
	}
	return &stream{ContentType: "text/event-stream", Body: func(hc huma.Context) {
		w := watcher{api: a, out: hc.BodyWriter(), flush: flusher(hc), token: engine.Ref{ID: first.Token}, after: after, page: first}
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

// A watcher sends a token's history as it grows. It holds one page of it at a time and no connection to the database while it sends
// or waits, however slowly its client reads.
type watcher struct {
	api   *API
	out   io.Writer
	flush func() error
	token engine.Ref
	after string
	page  engine.HistoryPage // that is to be sent
}

// beat is how often a stream on which nothing happens shows that it lives.
const beat = 15 * time.Second

func (w *watcher) run(ctx context.Context) {
	w.write(ctx, ": hello\n\n")
	for w.lines(ctx) {
		if w.page.Next == "" && w.page.Status.Ended() {
			w.send(ctx, "event: end\ndata: {}\n\n")
			return
		}
		if w.page.Next == "" && !w.wait(ctx) {
			return
		}
		var err error
		if w.page, err = w.api.engine.History(ctx, engine.HistoryRequest{Token: w.token, After: w.after}); err != nil {
			return
		}
	}
}

// lines sends the page's lines. Each has an id that a client goes on after when it comes back.
func (w *watcher) lines(ctx context.Context) bool {
	items := w.page.Items
	w.page.Items = nil
	for i := range items {
		w.after = items[i].ID
		data, err := json.Marshal(items[i])
		items[i] = engine.HistoryLine{} // not held any longer, should the client read slowly
		if err != nil || !w.write(ctx, fmt.Sprintf("id: %s\ndata: %s\n\n", w.after, data)) {
			return false
		}
	}
	return w.flush() == nil && ctx.Err() == nil
}

// wait waits until there is more than the page had.
func (w *watcher) wait(ctx context.Context) bool {
	for {
		waiting, cancel := context.WithTimeout(ctx, beat)
		end, err := w.api.engine.Grown(waiting, w.token, w.page.End)
		cancel()
		switch {
		case ctx.Err() != nil || err != nil:
			return false
		case end != w.page.End:
			return true
		case !w.send(ctx, ": still here\n\n"):
			return false
		}
	}
}

func (w *watcher) send(ctx context.Context, text string) bool {
	return w.write(ctx, text) && w.flush() == nil
}

// write gives each text the time that a client has for an answer; one that takes longer is cut off.
func (w *watcher) write(ctx context.Context, text string) bool {
	w.api.answerWithin(ctx, 0)
	_, err := io.WriteString(w.out, text)
	return err == nil
}
