package api

import (
	"context"
	"encoding/json"

	"flowc/vm/engine"
)

func (s *scope) Tasks(ctx context.Context, req engine.TasksRequest) (engine.TaskPage, error) {
	req.Flows = actorOf(ctx).within()
	return s.all.Tasks(ctx, req)
}

func (s *scope) Unknown(ctx context.Context, n engine.Names) ([]engine.UnknownName, error) {
	n.Within = actorOf(ctx).within()
	return s.all.Unknown(ctx, n)
}

func (s *scope) Claim(ctx context.Context, req engine.ClaimRequest) ([]engine.ClaimedTask, error) {
	actor := actorOf(ctx)
	req.Flows = actor.within()
	for _, t := range req.Tasks {
		if err := mayClaim(actor, t.Name); err != nil {
			return nil, err
		}
	}
	return s.all.Claim(ctx, req)
}

func (s *scope) Heartbeat(ctx context.Context, req engine.HeartbeatRequest) (engine.HeartbeatResult, error) {
	if err := s.task(ctx, req.Task); err != nil {
		return engine.HeartbeatResult{}, err
	}
	return s.all.Heartbeat(ctx, req)
}

func (s *scope) Complete(ctx context.Context, req engine.CompleteRequest) (engine.TaskAnswer, error) {
	if err := s.task(ctx, req.Task); err != nil {
		return engine.TaskAnswer{}, err
	}
	return s.all.Complete(ctx, req)
}

func (s *scope) Fail(ctx context.Context, req engine.FailRequest) (engine.TaskAnswer, error) {
	if err := s.task(ctx, req.Task); err != nil {
		return engine.TaskAnswer{}, err
	}
	return s.all.Fail(ctx, req)
}

func (s *scope) Release(ctx context.Context, req engine.ReleaseRequest) (engine.TaskAnswer, error) {
	if err := s.task(ctx, req.Task); err != nil {
		return engine.TaskAnswer{}, err
	}
	return s.all.Release(ctx, req)
}

func (s *scope) OperateTask(ctx context.Context, req engine.OperateTaskRequest) (engine.TaskAnswer, error) {
	if err := s.task(ctx, req.Task); err != nil {
		return engine.TaskAnswer{}, err
	}
	return s.all.OperateTask(ctx, req)
}

func (s *scope) TaskOf(ctx context.Context, id string) (flow, name string, err error) {
	if err := s.task(ctx, id); err != nil {
		return "", "", err
	}
	return s.all.TaskOf(ctx, id)
}

func (s *scope) FlowOf(ctx context.Context, ref engine.Ref) (string, error) {
	if err := s.token(ctx, ref); err != nil {
		return "", err
	}
	return s.all.FlowOf(ctx, ref)
}

// What follows concerns all flows: tasks and queues are named for all of them.

func (s *scope) HeldTasks(ctx context.Context) ([]engine.HeldTask, error) {
	if err := s.whole(ctx); err != nil {
		return nil, err
	}
	return s.all.HeldTasks(ctx)
}

func (s *scope) HoldTask(ctx context.Context, h engine.HoldRequest) (engine.HeldTask, error) {
	if err := s.whole(ctx); err != nil {
		return engine.HeldTask{}, err
	}
	return s.all.HoldTask(ctx, h)
}

func (s *scope) ReleaseHeld(ctx context.Context, m engine.Mutation, task string) (bool, error) {
	if err := s.whole(ctx); err != nil {
		return false, err
	}
	return s.all.ReleaseHeld(ctx, m, task)
}

func (s *scope) QueueLimits(ctx context.Context) ([]engine.QueueLimit, error) {
	if err := s.whole(ctx); err != nil {
		return nil, err
	}
	return s.all.QueueLimits(ctx)
}

func (s *scope) LimitQueue(ctx context.Context, m engine.Mutation, q engine.QueueLimit) (bool, error) {
	if err := s.whole(ctx); err != nil {
		return false, err
	}
	return s.all.LimitQueue(ctx, m, q)
}

func (s *scope) Credentials(ctx context.Context) ([]engine.Credential, error) {
	if err := s.whole(ctx); err != nil {
		return nil, err
	}
	return s.all.Credentials(ctx)
}

func (s *scope) CreateCredential(ctx context.Context, req engine.CredentialRequest) (engine.CredentialMade, error) {
	if err := s.whole(ctx); err != nil {
		return engine.CredentialMade{}, err
	}
	return s.all.CreateCredential(ctx, req)
}

func (s *scope) RevokeCredential(ctx context.Context, m engine.Mutation, name string) (bool, error) {
	if err := s.whole(ctx); err != nil {
		return false, err
	}
	return s.all.RevokeCredential(ctx, m, name)
}

func (s *scope) Quarantined(ctx context.Context, limit int) ([]engine.QuarantineView, error) {
	if err := s.whole(ctx); err != nil {
		return nil, err
	}
	return s.all.Quarantined(ctx, limit)
}

func (s *scope) Unquarantine(ctx context.Context, m engine.Mutation, token engine.Ref) (bool, error) {
	if err := s.token(ctx, token); err != nil {
		return false, err
	}
	return s.all.Unquarantine(ctx, m, token)
}

func (s *scope) Purge(ctx context.Context, req engine.PurgeRequest) (engine.PurgeResult, error) {
	if len(req.Tokens) == 0 && req.Flow == "" {
		if err := s.whole(ctx); err != nil {
			return engine.PurgeResult{}, err
		}
	}
	if req.Flow != "" {
		if err := s.flow(ctx, req.Flow); err != nil {
			return engine.PurgeResult{}, err
		}
	}
	for _, ref := range req.Tokens {
		if err := s.token(ctx, ref); err != nil {
			return engine.PurgeResult{}, err
		}
	}
	return s.all.Purge(ctx, req)
}

// An idempotency record belongs to the credential that it names.

func (s *scope) Begin(ctx context.Context, i engine.Idempotency) (json.RawMessage, error) {
	return s.all.Begin(ctx, i)
}

func (s *scope) End(ctx context.Context, i engine.Idempotency, answer json.RawMessage) error {
	return s.all.End(ctx, i, answer)
}
