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
	CreateCredential(context.Context, Credential) (Credential, error)
	// RevokeCredential forgets a credential. NotFound: there is none.
	RevokeCredential(ctx context.Context, name string) error
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
func (e *Engine) CreateCredential(ctx context.Context, c Credential) (Credential, error) {
	made := false
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		made, err = tx.InsertCredential(store.Credential{Name: c.Name, Role: c.Role, Hash: c.Hash, Flows: c.Flows, Events: c.Events,
			Tasks: c.Tasks, Actor: c.Actor, CreatedAt: now})
		c.CreatedAt = instant(now)
		return err
	})
	switch {
	case err != nil:
		return Credential{}, unableTo(err)
	case !made:
		return Credential{}, failure(Conflict, "there is a credential %s already; revoke it first, or take another name", c.Name)
	}
	return c, nil
}

// RevokeCredential is described at Access.
func (e *Engine) RevokeCredential(ctx context.Context, name string) error {
	return e.remove(ctx, "there is no credential "+name, func(tx *store.Tx) (bool, error) { return tx.DeleteCredential(name) })
}

// remove deletes one row; NotFound says that there was none.
func (e *Engine) remove(ctx context.Context, missing string, del func(*store.Tx) (bool, error)) error {
	was := false
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		was, err = del(tx)
		return err
	})
	switch {
	case err != nil:
		return unableTo(err)
	case !was:
		return failure(NotFound, "%s", missing)
	}
	return nil
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
