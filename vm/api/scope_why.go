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

func (s *scope) Why(ctx context.Context, ref engine.Ref) (engine.WhyView, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.WhyView{}, err
	}
	return s.all.Why(ctx, ref)
}

func (s *scope) Replay(ctx context.Context, ref engine.Ref) (engine.ReplayResult, error) {
	if err := s.token(ctx, ref); err != nil {
		return engine.ReplayResult{}, err
	}
	return s.all.Replay(ctx, ref)
}
