package client

import (
	"context"
	"net/http"
	"time"
)

// A Credential is who may do what. Flows, Events and Tasks limit it; an empty list sets no limit.
type Credential struct {
	Name      string    `json:"name"`
	Role      string    `json:"role"` // viewer, sender, worker, operator, deployer or admin
	Flows     []string  `json:"flows"`
	Events    []string  `json:"events"`
	Tasks     []string  `json:"tasks"`
	Actor     string    `json:"actor"` // who made it
	CreatedAt time.Time `json:"createdAt"`
}

// Credentials reads the credentials of the server's database, without their tokens.
func (c *Client) Credentials(ctx context.Context) ([]Credential, error) {
	return all[Credential](ctx, c, path("credentials"))
}

type newCredential struct {
	Credential
	Token string `json:"token"`
}

// CreateCredential makes a credential of the given name, role and limits, and gives its bearer token, which is shown this once. A
// lost answer is asked for again, except by a client without a credential: the first credential shuts it out.
func (c *Client) CreateCredential(ctx context.Context, of Credential) (made Credential, token string, err error) {
	body := struct {
		Name   string   `json:"name"`
		Role   string   `json:"role"`
		Flows  []string `json:"flows,omitempty"`
		Events []string `json:"events,omitempty"`
		Tasks  []string `json:"tasks,omitempty"`
	}{of.Name, of.Role, of.Flows, of.Events, of.Tasks}
	req := Request{Method: http.MethodPost, Path: path("credentials"), Body: body}
	if c.credential == "" {
		req.Tries = 1
	}
	var out newCredential
	_, err = c.call(ctx, req, &out)
	return out.Credential, out.Token, err
}

// RevokeCredential ends a credential: at once on the server that is asked, within seconds on others.
func (c *Client) RevokeCredential(ctx context.Context, name string) error {
	return c.post(ctx, path("credentials", name, "revoke"), nil, &done{})
}
