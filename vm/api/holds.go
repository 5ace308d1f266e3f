package api

import (
	"context"
	"net/http"
	"time"

	"flowc/vm/engine"
)

// A HoldBody holds a task.
type HoldBody struct {
	Task   string `json:"task" doc:"The task's name"`
	Reason string `json:"reason,omitempty" nullable:"true" doc:"Why, for people"`
}

// HeldParams name a held task.
type HeldParams struct {
	Keyed
	Task string `path:"task" doc:"The task's name"`
}

// A QueueBody limits a queue. What is left out or 0 sets no limit.
type QueueBody struct {
	Concurrency int64     `json:"concurrency,omitempty" minimum:"0" maximum:"1000000" doc:"Attempts that may run at once, over all servers"`
	Rate        int64     `json:"rate,omitempty" minimum:"0" maximum:"1000000" doc:"Claims in each span of per"`
	Per         *Duration `json:"per,omitempty" nullable:"true" doc:"The span of rate: 1s without"`
}

// A QueueView is a queue with limits.
type QueueView struct {
	Queue       string `json:"queue"`
	Concurrency int64  `json:"concurrency" doc:"0: no limit"`
	Rate        int64  `json:"rate" doc:"0: no limit"`
	PerMs       int64  `json:"perMs"`
}

// QueueParams name a queue.
type QueueParams struct {
	Keyed
	Queue string `path:"queue" doc:"The queue's name, as the flows write it; without one a task is in default"`
}

func (a *API) holds() {
	handle(a, route{method: http.MethodGet, path: "/v1/holds", id: "listHolds", tag: "tasks", allow: mayRead,
		summary: "The tasks of which nothing is claimed"}, a.listHolds)
	handle(a, route{method: http.MethodPost, path: "/v1/holds", id: "holdTask", tag: "tasks", allow: mayControl,
		summary: "Hold a task: none of its work is claimed until it is released; what is claimed already may end"}, a.hold)
	handle(a, route{method: http.MethodPost, path: "/v1/holds/{task}/release", id: "releaseHold", tag: "tasks", allow: mayControl,
		summary: "Let a held task's work be claimed again", optional: true, errors: []int{http.StatusNotFound}}, a.releaseHold)
}

func (a *API) listHolds(ctx context.Context, _ *none, _ *none) (*plain[Page[engine.HeldTask]], error) {
	held, err := a.engine.HeldTasks(ctx)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.HeldTask]]{page(held, "")}, nil
}

func (a *API) hold(ctx context.Context, p *Keyed, body *HoldBody) (*once[engine.HeldTask], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	if body.Task == "" || len(body.Task) > maxName {
		return nil, invalid("/task", "must be a task's name")
	}
	held, err := a.engine.HoldTask(ctx, engine.HoldRequest{Mutation: mutation, Task: body.Task, Reason: body.Reason})
	if err != nil {
		return nil, err
	}
	return done(held, held.Replayed), nil
}

// maxName is the longest name of a task or queue.
const maxName = 200

func (a *API) releaseHold(ctx context.Context, p *HeldParams, _ *ReasonBody) (*once[Done], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	again, err := a.engine.ReleaseHeld(ctx, mutation, p.Task)
	if err != nil {
		return nil, err
	}
	return done(Done{true}, again), nil
}

func (a *API) queues() {
	handle(a, route{method: http.MethodGet, path: "/v1/queues", id: "listQueues", tag: "tasks", allow: mayRead,
		summary: "The queues that have limits"}, a.listQueues)
	handle(a, route{method: http.MethodPost, path: "/v1/queues/{queue}", id: "limitQueue", tag: "tasks", allow: mayControl,
		summary: "Limit how much of a queue runs at once and how often it is claimed; without limits it has none"}, a.limitQueue)
}

func (a *API) listQueues(ctx context.Context, _ *none, _ *none) (*plain[Page[QueueView]], error) {
	limits, err := a.engine.QueueLimits(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]QueueView, len(limits))
	for i, q := range limits {
		out[i] = queueView(q)
	}
	return &plain[Page[QueueView]]{page(out, "")}, nil
}

func queueView(q engine.QueueLimit) QueueView {
	return QueueView{Queue: q.Queue, Concurrency: q.Concurrency, Rate: q.Rate, PerMs: q.Per.Milliseconds()}
}

func (a *API) limitQueue(ctx context.Context, p *QueueParams, body *QueueBody) (*once[QueueView], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.Queue) > maxName {
		return nil, parameter("queue", "is longer than %d bytes", maxName)
	}
	q := engine.QueueLimit{Queue: p.Queue, Concurrency: body.Concurrency, Rate: body.Rate, Per: time.Second}
	if body.Per != nil {
		q.Per = body.Per.Go()
	}
	if q.Per <= 0 {
		return nil, invalid("/per", "must be longer than nothing")
	}
	again, err := a.engine.LimitQueue(ctx, mutation, q)
	if err != nil {
		return nil, err
	}
	return done(queueView(q), again), nil
}
