package api

import (
	"context"

	"flowc/vm/engine"
)

func (s *scope) TokenAt(ctx context.Context, ref engine.Ref, version int64) (engine.TokenView, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.TokenView{}, err
	}
	view, err := s.all.TokenAt(ctx, ref, version)
	return shown(ctx, view), err
}

func (s *scope) Why(ctx context.Context, req engine.WhyRequest) (engine.WhyView, error) {
	if err := s.token(ctx, req.Token); err != nil {
		return engine.WhyView{}, err
	}
	req.Flows = actorOf(ctx).within()
	return s.all.Why(ctx, req)
}

func (s *scope) Replay(ctx context.Context, ref engine.Ref) (engine.ReplayResult, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.ReplayResult{}, err
	}
	r, err := s.all.Replay(ctx, ref)
	if actorOf(ctx).within() != nil && r.Reason != "" {
		r.Reason = "the history does not lead to the token as it is; what differs is shown to a credential without a limit" // it may name others
	}
	return r, err
}
