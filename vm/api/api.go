// Package api serves the engine over HTTP: JSON under /v1, described by the OpenAPI document at /v1/openapi.json, which is made
// of the same declarations as the routes.
//
// It promises: a request is refused at the door when it could mean two things (package door); every error is a problem document
// with a stable code; nothing that a client sends makes a 500; numbers keep every digit both ways; a request that waits for work
// holds no connection to the database. It holds no state of its own: what a repeat of a request gets is decided by the engine in
// the transaction of the step.
//
//	handler := api.New(service, api.Options{})
//	http.Serve(listener, handler)
package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"flowc/validate/diag"
	"flowc/vm/engine"
)

// A Build is what became of the source files of a deploy.
type Build struct {
	Report   diag.Report
	Programs []engine.Deployment // none when there is an error
}

// A Compiler checks and compiles source files, which import each other and nothing else. Faults of the files are findings; an
// error is a fault of the compiler.
type Compiler func(files map[string]string) (Build, error)

// Options configure an API. The zero value serves without credentials, to loopback only.
type Options struct {
	Compile     Compiler // nil: Compile
	Credentials []Credential
	// AnyHost lets requests in that are addressed to another host than this machine itself. Without it a page of some web site
	// could reach the server through a name of its own that leads to 127.0.0.1.
	AnyHost bool
	// Closed lets nobody in without a credential even when there is none: for a server that others can reach.
	Closed  bool
	Log     *slog.Logger
	Version string
	// BodyTime is how long a client may take to send a body: 30 s.
	BodyTime time.Duration
	// AnswerTime is how long a client may take to read an answer, waiting aside: 60 s.
	AnswerTime time.Duration
}

// An API is the handler of all routes.
type API struct {
	engine  *scope
	opts    Options
	log     *slog.Logger
	mux     *http.ServeMux
	huma    huma.API
	routes  []route
	keys    *keys
	metrics *metrics
	closing context.Context
	// Close ends what waits: claims, streams and starts with a wait are answered at once with what there is.
	Close context.CancelFunc
}

// New makes the handler.
func New(service engine.Service, opts Options) *API {
	if opts.Log == nil {
		opts.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if opts.BodyTime == 0 {
		opts.BodyTime = 30 * time.Second
	}
	if opts.AnswerTime == 0 {
		opts.AnswerTime = 60 * time.Second
	}
	if opts.Compile == nil {
		opts.Compile = Compile
	}
	a := &API{engine: &scope{service}, keys: &keys{access: service, given: opts.Credentials, log: opts.Log}, opts: opts, log: opts.Log, mux: http.NewServeMux(), metrics: newMetrics(service)}
	a.closing, a.Close = context.WithCancel(context.Background())
	a.huma = humago.New(a.mux, a.config())
	a.flows()
	a.tokens()
	a.events()
	a.control()
	a.history()
	a.reasons()
	a.batches()
	a.work()
	a.tasks()
	a.operations()
	a.credentials()
	a.holds()
	a.queues()
	a.quarantine()
	a.purges()
	a.document()
	return a
}

// config sets the library up: JSON only, nothing served but what is registered.
func (a *API) config() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "flowc", Version: a.opts.Version, Description: "Workflows that wait: tokens, events, timers, tasks."},
			Components: &huma.Components{
				Schemas:         huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{"credential": {Type: "http", Scheme: "bearer"}},
			},
		},
		Formats:                      map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}, // the second is problem+json's
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
}

// whileOpen gives a context that also ends when the API closes, for what waits and can be cut short.
func (a *API) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(a.closing, cancel)
	return ctx, func() { stop(); cancel() }
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.guard(w, r) }
