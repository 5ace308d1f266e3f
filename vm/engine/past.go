package engine

import (
	"context"

	"flowc/vm"
)

// TokenAt is described at Service.
func (e *Engine) TokenAt(ctx context.Context, ref Ref, version int64) (TokenView, error) {
	row, err := e.row(ctx, ref)
	if err != nil {
		return TokenView{}, err
	}
	if version < 1 || version > row.Version {
		return TokenView{}, failure(NotFound, "the token has no version %d; it is at version %d", version, row.Version)
	}
	l, err := e.readProgram(ctx, row.Program)
	if err != nil {
		return TokenView{}, readFault(err, ref)
	}
	steps, err := e.steps(ctx, row, version)
	if err != nil {
		return TokenView{}, err
	}
	t, err := vm.Replay(l.program, steps)
	if err != nil {
		return TokenView{}, unavailable(err, "the history does not lead to version %d", version)
	}
	if t == nil || t.Version != version {
		return TokenView{}, failure(NotFound, "the history has no version %d of the token", version)
	}
	return viewOf(l.source, l.program, t, nil, t.LastAt), nil
}
