package api

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"flowc/vm/engine"
)

// A CredentialBody makes a credential.
type CredentialBody struct {
	Name   string   `json:"name" doc:"Who acts: it stands in the history; letters, digits and . _ @ -"`
	Role   Role     `json:"role" enum:"viewer,sender,worker,operator,deployer,admin"`
	Flows  []string `json:"flows,omitempty" maxItems:"1000" doc:"The flows that it is limited to; all others do not exist for it"`
	Events []string `json:"events,omitempty" maxItems:"1000" doc:"The only events that it may send"`
	Tasks  []string `json:"tasks,omitempty" maxItems:"1000" doc:"The only tasks that it may work on"`
}

// A NewCredential is a credential with its bearer token, which is shown this once.
type NewCredential struct {
	engine.Credential
	Token    string   `json:"token" doc:"The bearer token; the server keeps its hash only. A repeat with the same Idempotency-Key and the same bearer token gets it again"`
	Warnings []string `json:"warnings,omitempty" doc:"For people: of the flows, events and tasks that it is limited to, those that no deployed flow has"`
}

// CredentialParams name a credential.
type CredentialParams struct {
	Keyed
	Name string `path:"name" doc:"The credential's name"`
}

// Done says that something has been done that has no more to tell.
type Done struct {
	Done bool `json:"done"`
}

func (a *API) credentials() {
	handle(a, route{method: http.MethodGet, path: "/v1/credentials", id: "listCredentials", tag: "access", allow: mayAdmin,
		summary: "The credentials of the database, without their tokens"}, a.listCredentials)
	handle(a, route{method: http.MethodPost, path: "/v1/credentials", id: "createCredential", tag: "access", allow: mayAdmin,
		summary: "Make a credential; its token is shown by this answer only", success: []int{http.StatusCreated}, errors: []int{http.StatusConflict}}, a.createCredential)
	handle(a, route{method: http.MethodPost, path: "/v1/credentials/{name}/revoke", id: "revokeCredential", tag: "access", allow: mayAdmin,
		summary: "Revoke a credential: at once here, within seconds on other servers", optional: true, errors: []int{http.StatusNotFound}}, a.revokeCredential)
}

func (a *API) listCredentials(ctx context.Context, _ *none, _ *none) (*plain[Page[engine.Credential]], error) {
	all, err := a.engine.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Flows, all[i].Events, all[i].Tasks = orEmpty(all[i].Flows), orEmpty(all[i].Events), orEmpty(all[i].Tasks)
	}
	return &plain[Page[engine.Credential]]{page(all, "")}, nil
}

func (a *API) createCredential(ctx context.Context, p *Keyed, body *CredentialBody) (*once[NewCredential], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	seed, err := newSecret()
	if err != nil {
		return nil, err
	}
	bearer, token, kept := requestOf(ctx).bearer, tokenOf(seed), ""
	if mutation.Idempotency != nil && bearer != "" {
		token, kept = derivedToken(bearer, seed), seed
	}
	made, err := makeCredential(*body, token)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(a.opts.Credentials, func(c Credential) bool { return c.Name == body.Name }) {
		return nil, &engine.Error{Code: engine.Conflict, Detail: "the server's own configuration has a credential " + body.Name}
	}
	got, err := a.engine.CreateCredential(ctx, engine.CredentialRequest{Mutation: mutation, Credential: made.Credential, Seed: kept})
	if err != nil {
		return nil, err
	}
	if made.Credential = got.Credential; got.Replayed {
		if made.Token = derivedToken(bearer, got.Seed); hashed(made.Token) != got.Hash {
			return nil, &engine.Error{Code: engine.Conflict, Detail: "an earlier request with this Idempotency-Key made the credential " + body.Name +
				", and its token can be shown again only to the bearer token that made it; revoke " + body.Name + ", then make it with another key"}
		}
	}
	a.keys.changed()
	made.Warnings = a.warnings(ctx, engine.Names{Flows: body.Flows, Events: body.Events, Tasks: body.Tasks, IfDeployed: true})
	out := done(made, got.Replayed)
	out.Status = http.StatusCreated
	return out, nil
}

func (a *API) revokeCredential(ctx context.Context, p *CredentialParams, _ *ReasonBody) (*once[Done], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	again, err := a.engine.RevokeCredential(ctx, mutation, p.Name)
	if err != nil {
		return nil, err
	}
	a.keys.changed()
	return done(Done{true}, again), nil
}

var credentialName = regexp.MustCompile(`^[A-Za-z0-9._@-]{1,100}$`)

// MakeCredential checks what a credential is to be and makes its token, 32 bytes by chance.
func MakeCredential(body CredentialBody) (NewCredential, error) {
	secret, err := newSecret()
	if err != nil {
		return NewCredential{}, err
	}
	return makeCredential(body, tokenOf(secret))
}

func makeCredential(body CredentialBody, token string) (NewCredential, error) {
	switch {
	case !credentialName.MatchString(body.Name):
		return NewCredential{}, invalid("/name", "must be 1 to 100 letters, digits and . _ @ -")
	case !slices.Contains(roles, body.Role):
		return NewCredential{}, invalid("/role", "must be one of %s", joinRoles(roles))
	case len(body.Tasks) > 0 && body.Role != Worker && body.Role != Admin:
		return NewCredential{}, invalid("/tasks", "limit workers only, and %s is to be %s", body.Name, body.Role)
	case len(body.Events) > 0 && !slices.Contains(maySend, body.Role):
		return NewCredential{}, invalid("/events", "limit those who may send only, and %s is to be %s", body.Name, body.Role)
	}
	return NewCredential{Token: token, Credential: engine.Credential{Name: body.Name, Role: string(body.Role), Hash: hashed(token),
		Flows: orEmpty(body.Flows), Events: orEmpty(body.Events), Tasks: orEmpty(body.Tasks)}}, nil
}

// newSecret is 32 bytes by chance, as text.
func newSecret() (string, error) {
	var secret [sha256.Size]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(secret[:]), nil
}

func tokenOf(secret string) string { return "flowc_" + secret }

// derivedToken is the token of a credential that is made with an Idempotency-Key. A repeat must get it again, but nothing of which a
// token can be made may be kept, so it takes two parts: the seed, which stays with the recorded answer, and the bearer token of
// the one who asks, which only he has.
func derivedToken(bearer, seed string) string {
	mac := hmac.New(sha256.New, []byte(bearer))
	mac.Write([]byte("flowc credential\x00" + seed))
	return tokenOf(base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
}

func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
