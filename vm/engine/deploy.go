package engine

import (
	"context"

	"flowc/compiler/program"
	"flowc/vm/store"
)

// Deploy is described at Service. A program that is not what its hash says is refused.
func (e *Engine) Deploy(ctx context.Context, req DeployRequest) (DeployResult, error) {
	for _, d := range req.Programs {
		p, err := program.Decode(d.Code)
		if err != nil {
			return DeployResult{}, failure(Invalid, "the program of flow %s cannot be run: %v", d.Flow, err)
		}
		if h := program.Hash(p); h != d.Hash || p.Flow != d.Flow {
			return DeployResult{}, failure(Invalid, "the program of flow %s is of flow %s with hash %s, not %s", d.Flow, p.Flow, h, d.Hash)
		}
	}
	out, again, err := once(ctx, e, req.Idempotency, func(tx *store.Tx, now int64) (DeployResult, *Error, error) {
		out := DeployResult{Flows: []Deployed{}}
		for _, d := range req.Programs {
			one, err := deployOne(tx, d, req, now)
			if err != nil {
				return out, nil, err
			}
			out.Flows = append(out.Flows, one)
		}
		return out, nil, nil
	})
	e.known.deploys.Add(1)
	out.Replayed = again
	return out, err
}

func deployOne(tx *store.Tx, d Deployment, req DeployRequest, now int64) (Deployed, error) {
	one := Deployed{Flow: d.Flow, Program: d.Hash}
	current, err := tx.Current([]string{d.Flow})
	if err != nil {
		return one, err
	}
	row := store.Program{Hash: d.Hash, Flow: d.Flow, Code: d.Code, Source: d.Source, Files: string(d.Files), Actor: req.Actor, CreatedAt: now}
	if one.New, err = tx.InsertProgram(row); err != nil {
		return one, err
	}
	before, had := current[d.Flow]
	if !one.New && req.OnlyNew && had {
		one.Current = before == d.Hash
		return one, nil
	}
	changed, err := tx.SetCurrent(d.Flow, d.Hash, now)
	if one.Current = true; changed && had {
		one.Before = before
	}
	return one, err
}

// Flows is described at Service.
func (e *Engine) Flows(ctx context.Context) ([]FlowView, error) {
	rows, err := e.store.Flows(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]FlowView, len(rows))
	for i, f := range rows {
		out[i] = flowView(f)
	}
	return out, nil
}

func flowView(f store.Flow) FlowView {
	return FlowView{Name: f.Name, Current: f.Program, Since: instant(f.Since), Versions: f.Versions}
}

// Flow is described at Service.
func (e *Engine) Flow(ctx context.Context, name string) (FlowView, error) {
	f, err := e.store.Flow(ctx, name)
	if isNotFound(err) {
		return FlowView{}, failure(NotFound, "there is no flow %s", name)
	}
	if err != nil {
		return FlowView{}, readFault(err, Ref{})
	}
	return flowView(f), nil
}

// Versions is described at Service.
func (e *Engine) Versions(ctx context.Context, flow string) ([]VersionView, error) {
	f, err := e.Flow(ctx, flow)
	if err != nil {
		return nil, err
	}
	rows, err := e.store.Programs(ctx, flow)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]VersionView, len(rows))
	for i, p := range rows {
		out[i] = VersionView{Program: p.Hash, Current: p.Hash == f.Current, DeployedAt: instant(p.CreatedAt), Actor: p.Actor}
		if p.Files != "" {
			out[i].Files = []byte(p.Files)
		}
	}
	return out, nil
}
