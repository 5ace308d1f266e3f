package engine

import (
	"context"
	"time"

	"flowc/vm/store"
)

// Access is what those who serve a database to others ask besides: who may do what, and whose a token or a task is. *Engine is
// one.
type Access interface {
	// Credentials lists who may do what, by name.
	Credentials(context.Context) ([]Credential, error)
	// CreateCredential keeps a credential and returns it with the instant. A taken name is Conflict.
	CreateCredential(context.Context, CredentialRequest) (CredentialMade, error)
	// RevokeCredential forgets a credential. NotFound: there is none.
	RevokeCredential(ctx context.Context, m Mutation, name string) (replayed bool, err error)
	// FlowOf is the flow of a token, found without reading the token whole.
	FlowOf(context.Context, Ref) (string, error)
	// TaskOf is the flow and the name of a task.
	TaskOf(ctx context.Context, id string) (flow, name string, err error)
}

var _ Access = (*Engine)(nil)

// A Credential is who may do what. The bearer token is kept nowhere; Hash is the hex of its SHA-256. Flows, Events and Tasks limit
// it; an empty list sets no limit.
type Credential struct {
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Hash      string    `json:"-"`
	Flows     []string  `json:"flows" nullable:"false"`
	Events    []string  `json:"events" nullable:"false"`
	Tasks     []string  `json:"tasks" nullable:"false"`
	Actor     string    `json:"actor,omitempty"` // who made it
	CreatedAt time.Time `json:"createdAt"`
}

// A CredentialRequest makes a credential, for Actor. Seed is kept with the answer for as long as that is: what the caller needs to
// find the bearer token again when the answer was lost, and from which nobody else can.
type CredentialRequest struct {
	Mutation
	Credential Credential
	Seed       string
}

// A CredentialMade is a credential as it is kept, with the hash and the seed of the request that made it.
type CredentialMade struct {
	Credential Credential `json:"credential"`
	Hash       string     `json:"hash"`
	Seed       string     `json:"seed"`
	Replayed   bool       `json:"-"`
}

// Credentials is described at Access.
func (e *Engine) Credentials(ctx context.Context) ([]Credential, error) {
	rows, err := e.store.Credentials(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	return credentialsOf(rows), nil
}

func credentialsOf(rows []store.Credential) []Credential {
	out := make([]Credential, len(rows))
	for i, r := range rows {
		out[i] = Credential{Name: r.Name, Role: r.Role, Hash: r.Hash, Flows: r.Flows, Events: r.Events, Tasks: r.Tasks, Actor: r.Actor,
			CreatedAt: instant(r.CreatedAt)}
	}
	return out
}

// CreateCredential is described at Access.
func (e *Engine) CreateCredential(ctx context.Context, req CredentialRequest) (CredentialMade, error) {
	c := req.Credential
	c.Actor = req.Actor
	made, again, err := once(ctx, e, req.Idempotency, func(tx *store.Tx, now int64) (CredentialMade, *Error, error) {
		c.CreatedAt = instant(now)
		free, err := tx.InsertCredential(store.Credential{Name: c.Name, Role: c.Role, Hash: c.Hash, Flows: c.Flows, Events: c.Events,
			Tasks: c.Tasks, Actor: c.Actor, CreatedAt: now})
		if err == nil && !free {
			return CredentialMade{}, failure(Conflict, "there is a credential %s already; revoke it first, or take another name", c.Name), nil
		}
		return CredentialMade{Credential: c, Hash: c.Hash, Seed: req.Seed}, nil, err
	})
	made.Replayed = again
	return made, err
}

// RevokeCredential is described at Access.
func (e *Engine) RevokeCredential(ctx context.Context, m Mutation, name string) (bool, error) {
	return e.remove(ctx, m, "there is no credential "+name, func(tx *store.Tx) (bool, error) { return tx.DeleteCredential(name) })
}

// remove deletes one row; NotFound says that there was none.
func (e *Engine) remove(ctx context.Context, m Mutation, missing string, del func(*store.Tx) (bool, error)) (replayed bool, err error) {
	_, replayed, err = once(ctx, e, m.Idempotency, func(tx *store.Tx, _ int64) (struct{}, *Error, error) {
		was, err := del(tx)
		if err == nil && !was {
			return struct{}{}, failure(NotFound, "%s", missing), nil
		}
		return struct{}{}, nil, err
	})
	return replayed, err
}

// FlowOf is described at Access.
func (e *Engine) FlowOf(ctx context.Context, ref Ref) (string, error) {
	if ref.ID == "" {
		return ref.Flow, nil
	}
	flows, err := e.store.FlowsOf(ctx, []string{ref.ID})
	if err != nil {
		return "", readFault(err, ref)
	}
	if flow, there := flows[ref.ID]; there {
		return flow, nil
	}
	return "", notFound(ref)
}

// TaskOf is described at Access.
func (e *Engine) TaskOf(ctx context.Context, id string) (flow, name string, err error) {
	rows, err := e.store.Tasks(ctx, store.TaskFilter{ID: id, All: true, Limit: 1})
	switch {
	case err != nil:
		return "", "", readFault(err, Ref{})
	case len(rows) == 0:
		return "", "", failure(NotFound, "there is no task %s", id)
	}
	return rows[0].Flow, rows[0].Task, nil
}

// A StateCount is how many tokens of a flow are in a state.
type StateCount struct {
	Flow  string `json:"flow"`
	State string `json:"state"`
	Count int64  `json:"count"`
}

// States is described at Service.
func (e *Engine) States(ctx context.Context, req ListRequest) ([]StateCount, error) {
	rows, err := e.store.States(ctx, e.filter(req))
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]StateCount, len(rows))
	for i, r := range rows {
		out[i] = StateCount{Flow: r.Flow, State: r.State, Count: r.N}
	}
	return out, nil
}
