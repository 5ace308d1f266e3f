package api

import (
	"context"
	"encoding/json"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

func (f *fake) Credentials(context.Context) ([]engine.Credential, error) { return f.credentials, nil }
func (f *fake) CreateCredential(_ context.Context, r engine.CredentialRequest) (engine.CredentialMade, error) {
	f.ask(r)
	c := r.Credential
	c.CreatedAt = now
	f.credentials = append(f.credentials, c)
	return engine.CredentialMade{Credential: c, Hash: c.Hash, Seed: r.Seed}, f.err
}
func (f *fake) RevokeCredential(_ context.Context, _ engine.Mutation, name string) (bool, error) {
	f.ask(name)
	return false, f.err
}
func (f *fake) Begin(context.Context, engine.Idempotency) (json.RawMessage, error) { return nil, f.err }
func (f *fake) End(context.Context, engine.Idempotency, json.RawMessage) error     { return f.err }
func (f *fake) FlowOf(_ context.Context, r engine.Ref) (string, error) {
	if r.ID == "" {
		return r.Flow, f.err
	}
	return "order", f.err
}
func (f *fake) TaskOf(context.Context, string) (flow, name string, err error) {
	return "order", "charge", f.err
}
func (f *fake) HeldTasks(context.Context) ([]engine.HeldTask, error) {
	return []engine.HeldTask{{Task: "charge", At: now}}, f.err
}
func (f *fake) HoldTask(_ context.Context, r engine.HoldRequest) (engine.HeldTask, error) {
	f.ask(r)
	return engine.HeldTask{Task: r.Task, Reason: r.Reason, Actor: r.Actor, At: now}, f.err
}
func (f *fake) ReleaseHeld(_ context.Context, _ engine.Mutation, task string) (bool, error) {
	f.ask(task)
	return false, f.err
}
func (f *fake) QueueLimits(context.Context) ([]engine.QueueLimit, error) {
	return []engine.QueueLimit{{Queue: "slow", Concurrency: 2, Rate: 10, Per: time.Second}}, f.err
}
func (f *fake) LimitQueue(_ context.Context, _ engine.Mutation, q engine.QueueLimit) (bool, error) {
	f.ask(q)
	return false, f.err
}
func (f *fake) Waiting(_ context.Context, r engine.ListRequest) ([]engine.WaitingCount, error) {
	f.ask(r)
	return []engine.WaitingCount{{Flow: "order", Waiting: vm.WhyEvent, Count: 2}}, f.err
}
func (f *fake) Quarantined(context.Context, int) ([]engine.QuarantineView, error) {
	return []engine.QuarantineView{{Token: "t1", Flow: "order", At: now, Reason: "broken"}}, f.err
}
func (f *fake) Unquarantine(_ context.Context, _ engine.Mutation, r engine.Ref) (bool, error) {
	f.ask(r)
	return false, f.err
}
func (f *fake) Purge(_ context.Context, r engine.PurgeRequest) (engine.PurgeResult, error) {
	f.ask(r)
	return engine.PurgeResult{Tokens: 4, Left: []engine.PurgeLeft{}}, f.err
}
func (f *fake) States(_ context.Context, r engine.ListRequest) ([]engine.StateCount, error) {
	f.ask(r)
	return []engine.StateCount{{Flow: "order", State: "waiting", Count: 3}}, f.err
}
