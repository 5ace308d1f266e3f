package engine

import (
	"context"

	"flowc/vm"
)

// SendEvent is described at Service.
func (e *Engine) SendEvent(ctx context.Context, req EventRequest) (Answer, error) {
	switch {
	case req.Event == "":
		return Answer{}, failure(Malformed, "no event is named").at("/event", "missing")
	case len(req.Payload) > e.limits.Payload:
		return Answer{}, failure(TooLarge, "the payload is larger than %d bytes", e.limits.Payload).at("/payload", "too large")
	}
	st := vm.Stimulus{Kind: vm.OnEvent, Actor: req.Actor, ID: req.ID, Event: req.Event, Payload: req.Payload}
	return e.stimulate(ctx, req.Token, req.Mutation, st)
}

// Control is described at Service.
func (e *Engine) Control(ctx context.Context, req ControlRequest) (Answer, error) {
	st := vm.Stimulus{Actor: req.Actor, Reason: req.Reason}
	switch req.Action {
	case Pause:
		st.Kind = vm.OnPause
	case Resume:
		st.Kind = vm.OnResume
	case Cancel:
		st.Kind = vm.OnCancel
	case Retry:
		st.Kind, st.State = vm.OnRetry, req.State
	case MoveTimer:
		st.Kind, st.Timer, st.Due = vm.OnMove, &vm.TimerRef{ID: req.Timer}, req.Due
	case FireTimer:
		st.Kind, st.Timer = vm.OnFire, &vm.TimerRef{ID: req.Timer}
	case SetField:
		st.Kind, st.Field, st.Value = vm.OnSet, req.Field, req.Value
	case Restart:
		return e.restart(ctx, req)
	default:
		return Answer{}, failure(Malformed, "there is no command %q", req.Action)
	}
	return e.stimulate(ctx, req.Token, req.Mutation, st)
}

// stimulate gives a stimulus to a token and answers with the token after it.
func (e *Engine) stimulate(ctx context.Context, ref Ref, m Mutation, st vm.Stimulus) (Answer, error) {
	j := &job{ref: ref, idem: m.Idempotency, match: m.IfMatch, decode: decodeInto[Answer], event: st.ID}
	j.step = func(r *round, l *live) (any, *Error) {
		got := r.apply(l, st)
		if fault := refusal(got); fault != nil {
			fault.Version = l.version()
			return nil, fault
		}
		a := &Answer{Outcome: got.Outcome}
		r.show(l, a)
		return a, nil
	}
	a, err := e.do(ctx, j)
	return answerOf[Answer](a, err)
}

// restart makes a new token with the same input, linked to the old one (R53). It runs on the flow's current program.
func (e *Engine) restart(ctx context.Context, req ControlRequest) (Answer, error) {
	row, err := e.row(ctx, req.Token)
	if err != nil {
		return Answer{}, err
	}
	if req.IfMatch != nil && *req.IfMatch != row.Version {
		fault := failure(Stale, "the token is at version %d, not at %d", row.Version, *req.IfMatch)
		fault.Version = row.Version
		return Answer{}, fault
	}
	input := documentOf(row.Data).Input
	start := StartRequest{Flow: row.Flow, Key: req.Key, Input: input}
	if fault := start.check(e.limits); fault != nil {
		return Answer{}, fault
	}
	id, fault := newID()
	if fault != nil {
		return Answer{}, fault
	}
	b := &beginning{actor: req.Actor, token: vm.NewToken{ID: id, Flow: row.Flow, Key: req.Key, Input: input, RestartOf: row.ID}}
	return e.begin(ctx, b, req.Idempotency)
}
