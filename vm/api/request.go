package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"flowc/vm/api/door"
	"flowc/vm/engine"
)

// A request is what the door learned of an HTTP request.
type request struct {
	body  *door.Document // nil without one
	hash  string         // of the body and the query
	route string         // the method and the path as sent
	actor Actor
	// bearer is the token of the actor's credential, "" without credentials.
	bearer string
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// hashOf names what a request says. The query counts, since it can change the meaning.
func hashOf(r *http.Request, body []byte) string {
	h := sha256.New()
	h.Write([]byte(r.URL.RawQuery))
	h.Write([]byte{0})
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// Conditions are the headers that every mutation may carry.
type Conditions struct {
	Key     string `header:"Idempotency-Key" doc:"Names the request: a repeat with the same body gets the first answer again" example:"4f2a"`
	IfMatch string `header:"If-Match" doc:"The token's ETag that the decision was made on; another version is refused with 412" example:"\"12\""`
}

// A Keyed is the header of a mutation that no token's version can guard.
type Keyed struct {
	Key string `header:"Idempotency-Key" doc:"Names the request: a repeat with the same body gets the first answer again" example:"4f2a"`
}

// maxKey is the longest Idempotency-Key.
const maxKey = 255

func (c Conditions) mutation(ctx context.Context) (engine.Mutation, error) {
	m, err := Keyed{c.Key}.mutation(ctx)
	if err != nil {
		return m, err
	}
	m.IfMatch, err = ifMatch(c.IfMatch)
	return m, err
}

func (k Keyed) mutation(ctx context.Context) (engine.Mutation, error) {
	req := requestOf(ctx)
	m := engine.Mutation{Actor: req.actor.Name}
	key := strings.TrimSpace(k.Key)
	if key == "" {
		return m, nil
	}
	if len(key) > maxKey {
		return m, parameter("Idempotency-Key", "has %d bytes; at most %d are allowed", len(key), maxKey)
	}
	m.Idempotency = &engine.Idempotency{Credential: req.actor.Name, Route: req.route, Key: key, BodyHash: req.hash}
	return m, nil
}
