package api

import (
	"context"

	"flowc/vm/engine"
)

func (s *scope) Waiting(ctx context.Context, req engine.ListRequest) ([]engine.WaitingCount, error) {
	req.Flows = actorOf(ctx).within()
	return s.all.Waiting(ctx, req)
}
