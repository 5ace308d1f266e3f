package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// A route is one operation of the API as this package declares it.
type route struct {
	method, path string
	id, summary  string
	tag          string
	success      []int  // the statuses of what goes well, the usual one first; none: 200
	errors       []int  // those besides the ones that every route has
	allow        []Role // who may, when there are credentials
	limit        int64  // bytes of the body; 0: bodyLimit
	noKey        bool   // a POST that takes no Idempotency-Key, because a repeat does no harm
	media        string // of the answer; "": JSON
	optional     bool   // the body may be left out
}

// everyRoute are the statuses that any request may get: malformed, without or with too weak a credential, a fault of the server.
var everyRoute = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError, http.StatusServiceUnavailable}

// withBody are the statuses of a request that has a body.
var withBody = []int{http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}

// none is the body of a request that has none.
type none struct{}

// handle registers a route. P are the parameters, B is the body or none, O the answer.
func handle[P, B, O any](a *API, r route, do func(ctx context.Context, params *P, body *B) (*O, error)) {
	if len(r.success) == 0 {
		r.success = []int{http.StatusOK}
	}
	_, bare := any(new(B)).(*none)
	if !bare {
		r.errors = append(r.errors, withBody...)
	}
	op := huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Tags: []string{r.tag},
		DefaultStatus: r.success[0],
		Errors:        append(slices.Clone(everyRoute), r.errors...),
		Security:      []map[string][]string{{"credential": {}}, {}},
	}
	if len(r.allow) == 0 {
		op.Security = nil
	}
	op.Middlewares = huma.Middlewares{a.admit(r, !bare)}
	huma.Register(a.huma, op, func(ctx context.Context, params *P) (*O, error) {
		body := new(B)
		if doc := requestOf(ctx).body; doc != nil && !bare {
			if faults := doc.Decode(body); len(faults) > 0 {
				return nil, misfit(http.StatusUnprocessableEntity, codeInvalid, faults)
			}
		}
		out, err := do(ctx, params, body)
		if err != nil {
			p := a.problemOf(ctx, err)
			if r.method == http.MethodGet {
				p.ofParameters()
			}
			return nil, p
		}
		return out, nil
	})
	a.describe(r, bare, new(B))
	a.routes = append(a.routes, r)
}

// describe adds to the document what the library cannot see: the body, which is read at the door, and the other successes.
func (a *API) describe(r route, bare bool, body any) {
	op := operation(a.huma.OpenAPI().Paths[r.path], r.method)
	if !bare {
		op.RequestBody = &huma.RequestBody{Required: !r.optional, Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.schema(body)},
		}}
	}
	usual := op.Responses[strconv.Itoa(r.success[0])]
	if r.media != "" {
		usual.Content = map[string]*huma.MediaType{r.media: {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
	for _, status := range r.success[1:] {
		other := *usual
		other.Description = http.StatusText(status)
		other.Headers = maps.Clone(usual.Headers)
		op.Responses[strconv.Itoa(status)] = &other
	}
	delete(op.Responses, "422")
	if slices.Contains(r.errors, http.StatusUnprocessableEntity) {
		bad := *op.Responses["400"]
		bad.Description = http.StatusText(http.StatusUnprocessableEntity)
		op.Responses["422"] = &bad
	}
}

func operation(item *huma.PathItem, method string) *huma.Operation {
	switch method {
	case http.MethodGet:
		return item.Get
	case http.MethodPatch:
		return item.Patch
	default:
		return item.Post
	}
}

// A reply is an answer about a token.
type reply[T any] struct {
	Status   int
	ETag     string `header:"ETag" doc:"The token's version; send it back as If-Match"`
	Replayed string `header:"Idempotency-Replayed" doc:"true: this is the answer of an earlier request with the same Idempotency-Key"`
	Location string `header:"Location" doc:"Where what was made can be found"`
	Body     T
}

// once is the answer of a mutation of no token, which a repeat gets again.
type once[T any] struct {
	Status   int
	Replayed string `header:"Idempotency-Replayed" doc:"true: this is the answer of an earlier request with the same Idempotency-Key"`
	Body     T
}

func done[T any](body T, again bool) *once[T] {
	return &once[T]{Status: http.StatusOK, Replayed: replayed(again), Body: body}
}

// plain is an answer without headers of its own.
type plain[T any] struct{ Body T }

func replayed(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}
