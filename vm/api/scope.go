package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"flowc/vm/engine"
)

// A scope is the engine as the sender of a request may see it: what is outside of the flows of a limited credential is not there,
// for every route alike. It implements each method of the engine itself, so that a new one is not served before its check is
// written.
type scope struct{ all engine.Service }

var _ engine.Service = (*scope)(nil)

func actorOf(ctx context.Context) Actor { return requestOf(ctx).actor }

// sees says whether a flow is within a credential's limits.
func (a Actor) sees(flow string) bool { return len(a.Flows) == 0 || slices.Contains(a.Flows, flow) }

// within gives the flows that a credential is limited to, nil for all.
func (a Actor) within() []string {
	if len(a.Flows) == 0 {
		return nil
	}
	return a.Flows
}

// flow refuses a flow outside as one that does not exist.
func (s *scope) flow(ctx context.Context, flow string) error {
	if actorOf(ctx).sees(flow) {
		return nil
	}
	return s.orNearest(ctx, flow, &engine.Error{Code: engine.NotFound, Detail: "there is no flow " + flow})
}

// orNearest adds to the refusal of a flow that does not exist the one that was probably meant, of those that the sender may see.
func (s *scope) orNearest(ctx context.Context, flow string, err error) error {
	var missing *engine.Error
	if !errors.As(err, &missing) || missing.Code != engine.NotFound {
		return err
	}
	flows, failed := s.Flows(ctx)
	if failed != nil {
		return err // the refusal is true without it
	}
	names := make([]string, len(flows))
	for i, f := range flows {
		if names[i] = f.Name; f.Name == flow {
			return err
		}
	}
	told := *missing
	told.Detail += meant(flow, names)
	return &told
}

// token refuses a token of a flow outside exactly as the engine refuses one that does not exist.
func (s *scope) token(ctx context.Context, ref engine.Ref) error {
	actor := actorOf(ctx)
	if len(actor.Flows) == 0 {
		return nil
	}
	flow, err := s.all.FlowOf(ctx, ref)
	if err != nil || actor.sees(flow) {
		return err
	}
	name := ref.ID
	if name == "" {
		name = ref.Flow + ":" + ref.Key
	}
	return &engine.Error{Code: engine.NotFound, Detail: "there is no token " + name}
}

// task refuses work of a flow outside, and of a task that a worker is not for.
func (s *scope) task(ctx context.Context, id string) error {
	actor := actorOf(ctx)
	if len(actor.Flows) == 0 && len(actor.Tasks) == 0 {
		return nil
	}
	flow, name, err := s.all.TaskOf(ctx, id)
	switch {
	case err != nil:
		return err
	case !actor.sees(flow):
		return &engine.Error{Code: engine.NotFound, Detail: "there is no task " + id}
	}
	return mayClaim(actor, name)
}

// whole refuses what concerns all flows to a credential that is limited to some.
func (s *scope) whole(ctx context.Context) error {
	actor := actorOf(ctx)
	if len(actor.Flows) == 0 {
		return nil
	}
	return problem(http.StatusForbidden, codeRole, "%s is limited to flows, and this concerns all of them", actor.Name)
}

func (s *scope) Deploy(ctx context.Context, req engine.DeployRequest) (engine.DeployResult, error) {
	for _, p := range req.Programs {
		if err := s.flow(ctx, p.Flow); err != nil {
			return engine.DeployResult{}, err
		}
	}
	return s.all.Deploy(ctx, req)
}

func (s *scope) Flows(ctx context.Context) ([]engine.FlowView, error) {
	flows, err := s.all.Flows(ctx)
	actor := actorOf(ctx)
	return slices.DeleteFunc(flows, func(f engine.FlowView) bool { return !actor.sees(f.Name) }), err
}

func (s *scope) Flow(ctx context.Context, name string) (engine.FlowView, error) {
	if err := s.flow(ctx, name); err != nil {
		return engine.FlowView{}, err
	}
	flow, err := s.all.Flow(ctx, name)
	return flow, s.orNearest(ctx, name, err)
}

func (s *scope) Versions(ctx context.Context, flow string) ([]engine.VersionView, error) {
	if err := s.flow(ctx, flow); err != nil {
		return nil, err
	}
	versions, err := s.all.Versions(ctx, flow)
	return versions, s.orNearest(ctx, flow, err)
}

func (s *scope) StartToken(ctx context.Context, req engine.StartRequest) (engine.Answer, error) {
	if err := s.flow(ctx, req.Flow); err != nil {
		return engine.Answer{}, err
	}
	answer, err := s.all.StartToken(ctx, req)
	return s.answer(ctx, answer), s.orNearest(ctx, req.Flow, err)
}

func (s *scope) SendEvent(ctx context.Context, req engine.EventRequest) (engine.Answer, error) {
	if err := s.token(ctx, req.Token); err != nil {
		return engine.Answer{}, err
	}
	if actor := actorOf(ctx); len(actor.Events) > 0 && !slices.Contains(actor.Events, req.Event) {
		return engine.Answer{}, problem(http.StatusForbidden, codeRole, "%s may not send %q", actor.Name, req.Event)
	}
	answer, err := s.all.SendEvent(ctx, req)
	return s.answer(ctx, answer), err
}

func (s *scope) Control(ctx context.Context, req engine.ControlRequest) (engine.Answer, error) {
	if err := s.token(ctx, req.Token); err != nil {
		return engine.Answer{}, err
	}
	answer, err := s.all.Control(ctx, req)
	return s.answer(ctx, answer), err
}

func (s *scope) answer(ctx context.Context, a engine.Answer) engine.Answer {
	if a.Token != nil {
		view := shown(ctx, *a.Token)
		a.Token = &view
	}
	return a
}

// shown hides a parent of a flow outside in a token's view, and keys of such flows in its error; that there is one stays.
func shown(ctx context.Context, view engine.TokenView) engine.TokenView {
	if view.Parent != nil && !actorOf(ctx).sees(view.Parent.Flow) {
		view.Parent = &engine.ParentView{Hidden: true}
	}
	if flows := actorOf(ctx).within(); view.Error != nil && flows != nil {
		fault := *view.Error
		fault.Message = engine.HideKeys(fault.Message, flows)
		view.Error = &fault
	}
	return view
}

func (s *scope) Token(ctx context.Context, ref engine.Ref) (engine.TokenView, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.TokenView{}, err
	}
	view, err := s.all.Token(ctx, ref)
	return shown(ctx, view), err
}

func (s *scope) List(ctx context.Context, req engine.ListRequest) (engine.TokenPage, error) {
	req.Flows = actorOf(ctx).within()
	list, err := s.all.List(ctx, req)
	for i := range list.Items {
		list.Items[i] = shown(ctx, list.Items[i])
	}
	return list, err
}

func (s *scope) Count(ctx context.Context, req engine.ListRequest) (int64, error) {
	req.Flows = actorOf(ctx).within()
	return s.all.Count(ctx, req)
}

func (s *scope) States(ctx context.Context, req engine.ListRequest) ([]engine.StateCount, error) {
	req.Flows = actorOf(ctx).within()
	return s.all.States(ctx, req)
}

func (s *scope) History(ctx context.Context, req engine.HistoryRequest) (engine.HistoryPage, error) {
	if err := s.token(ctx, req.Token); err != nil {
		return engine.HistoryPage{}, err
	}
	req.Flows = actorOf(ctx).within()
	return s.all.History(ctx, req)
}

func (s *scope) Changed(ctx context.Context, ref engine.Ref, version int64) (int64, error) {
	if err := s.token(ctx, ref); err != nil {
		return 0, err
	}
	return s.all.Changed(ctx, ref, version)
}

func (s *scope) Grown(ctx context.Context, ref engine.Ref, since engine.Mark) (engine.Mark, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.Mark{}, err
	}
	return s.all.Grown(ctx, ref, since)
}

func (s *scope) Timers(ctx context.Context, req engine.TimersRequest) (engine.TimerPage, error) {
	req.Flows = actorOf(ctx).within()
	return s.all.Timers(ctx, req)
}

func (s *scope) Health(ctx context.Context) engine.Health { return s.all.Health(ctx) }

// Stats gives a limited credential the counts of its own flows, and no names of tasks.
func (s *scope) Stats(ctx context.Context) (engine.Stats, error) {
	flows := actorOf(ctx).within()
	if flows == nil {
		return s.all.Stats(ctx)
	}
	out := engine.Stats{Tokens: map[string]int64{}}
	for _, status := range []string{"scheduled", "running", "paused", "failed", "completed", "cancelled"} {
		n, err := s.all.Count(ctx, engine.ListRequest{Flows: flows, Status: status})
		if err != nil {
			return engine.Stats{}, err
		}
		if n > 0 {
			out.Tokens[status] = n
		}
	}
	return out, nil
}
