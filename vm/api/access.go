package api

import (
	"context"
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
	Token string `json:"token" doc:"The bearer token; the server keeps its hash only"`
}

// CredentialParams name a credential.
type CredentialParams struct {
	Name string `path:"name" doc:"The credential's name"`
}

// Done says that something has been done that has no more to tell.
type Done struct {
	Done bool `json:"done"`
}

type made[T any] struct {
	Status int
	Body   T
}

func (a *API) credentials() {
	handle(a, route{method: http.MethodGet, path: "/v1/credentials", id: "listCredentials", tag: "access", allow: mayAdmin,
		summary: "The credentials of the database, without their tokens"}, a.listCredentials)
	handle(a, route{method: http.MethodPost, path: "/v1/credentials", id: "createCredential", tag: "access", allow: mayAdmin, noKey: true,
		summary: "Make a credential; its token is shown this once", success: []int{http.StatusCreated}, errors: []int{http.StatusConflict}}, a.createCredential)
	handle(a, route{method: http.MethodPost, path: "/v1/credentials/{name}/revoke", id: "revokeCredential", tag: "access", allow: mayAdmin, noKey: true,
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

func (a *API) createCredential(ctx context.Context, _ *none, body *CredentialBody) (*made[NewCredential], error) {
	made, err := MakeCredential(*body)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(a.opts.Credentials, func(c Credential) bool { return c.Name == body.Name }) {
		return nil, &engine.Error{Code: engine.Conflict, Detail: "the server's own configuration has a credential " + body.Name}
	}
	made.Actor = actorOf(ctx).Name
	if made.Credential, err = a.engine.CreateCredential(ctx, made.Credential); err != nil {
		return nil, err
	}
	a.keys.changed()
	return created(made), nil
}

func created[T any](body T) *made[T] { return &made[T]{http.StatusCreated, body} }

func (a *API) revokeCredential(ctx context.Context, p *CredentialParams, _ *ReasonBody) (*plain[Done], error) {
	if err := a.engine.RevokeCredential(ctx, p.Name); err != nil {
		return nil, err
	}
	a.keys.changed()
	return &plain[Done]{Done{true}}, nil
}

var credentialName = regexp.MustCompile(`^[A-Za-z0-9._@-]{1,100}$`)

// MakeCredential checks what a credential is to be and makes its token, 32 bytes by chance.
func MakeCredential(body CredentialBody) (NewCredential, error) {
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
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return NewCredential{}, fmt.Errorf("make a token: %w", err)
	}
	token := "flowc_" + base64.RawURLEncoding.EncodeToString(secret[:])
	hash := sha256.Sum256([]byte(token))
	return NewCredential{Token: token, Credential: engine.Credential{Name: body.Name, Role: string(body.Role), Hash: hex.EncodeToString(hash[:]),
		Flows: orEmpty(body.Flows), Events: orEmpty(body.Events), Tasks: orEmpty(body.Tasks)}}, nil
}
