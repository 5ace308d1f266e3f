package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"flowc/vm/engine"
)

// A ClaimBody asks for work.
type ClaimBody struct {
	Worker string      `json:"worker" doc:"The worker's name, for people"`
	Tasks  []ClaimTask `json:"tasks" minItems:"1" maxItems:"100"`
	Wait   *Duration   `json:"wait,omitempty" nullable:"true" doc:"Wait so long for work; at most 60s, without it not at all"`
	Lease  *Duration   `json:"lease,omitempty" nullable:"true" doc:"How long the work is the worker's without a heartbeat; 60s without"`
}

// A ClaimTask asks for some of one task.
type ClaimTask struct {
	Name string `json:"name" doc:"The task's name"`
	Max  int    `json:"max,omitempty" minimum:"1" maximum:"1000" doc:"Most of it; 1 without"`
}

// Claimed is the work that a worker got.
type Claimed struct {
	Tasks    []engine.ClaimedTask `json:"tasks" nullable:"false"`
	Warnings []string             `json:"warnings,omitempty" doc:"For people: of the tasks that were named, those that no deployed flow has"`
}

// A LeaseBody extends a lease.
type LeaseBody struct {
	Lease string    `json:"lease"`
	For   *Duration `json:"for,omitempty" nullable:"true" doc:"How long from now; as it was without"`
}

// A CompleteBody ends a task with a result, or with an event that its may names.
type CompleteBody struct {
	Lease    string          `json:"lease"`
	Result   json.RawMessage `json:"result,omitempty" doc:"An object of the task's results"`
	Event    string          `json:"event,omitempty" nullable:"true" doc:"One of the events of may, instead of a result"`
	Payload  json.RawMessage `json:"payload,omitempty" doc:"The event's fields"`
	Schedule []Schedule      `json:"schedule,omitempty" maxItems:"100" doc:"Events of may for later"`
}

// A Schedule is an event for later.
type Schedule struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload,omitempty"`
	After   *Duration       `json:"after,omitempty" nullable:"true" doc:"So long after the outcome; either this or at"`
	At      *time.Time      `json:"at,omitempty" nullable:"true"`
}

// A FailBody ends an attempt with an error.
type FailBody struct {
	Lease      string    `json:"lease"`
	Code       string    `json:"code" doc:"What the flow can catch; one that the task's fails names gives up all attempts"`
	Message    string    `json:"message,omitempty" nullable:"true" doc:"What happened, for people"`
	NoRetry    bool      `json:"noRetry,omitempty" doc:"Give up all attempts"`
	RetryAfter *Duration `json:"retryAfter,omitempty" nullable:"true" doc:"Try again no earlier"`
}

// A ReleaseBody gives an attempt back unused.
type ReleaseBody struct {
	Lease string `json:"lease"`
}

// TaskParams name a task.
type TaskParams struct {
	ID string `path:"id" doc:"The task's id"`
}

type taskChange struct {
	Keyed
	TaskParams
}

func (a *API) work() {
	ends := []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests}
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/claim", id: "claimTasks", tag: "work", allow: mayWork, noKey: true,
		summary: "Take work, waiting for it if need be"}, a.claim)
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/{id}/heartbeat", id: "heartbeatTask", tag: "work", allow: mayWork, noKey: true,
		summary: "Extend a lease and learn whether the work is still wanted", errors: ends}, a.heartbeat)
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/{id}/complete", id: "completeTask", tag: "work", allow: mayWork,
		summary: "End a task with its result or with an event", success: []int{http.StatusOK, http.StatusAccepted}, errors: ends}, a.complete)
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/{id}/fail", id: "failTask", tag: "work", allow: mayWork,
		summary: "End an attempt with an error", errors: ends}, a.fail)
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/{id}/release", id: "releaseTask", tag: "work", allow: mayWork,
		summary: "Give an attempt back unused", errors: ends}, a.release)
}

func (a *API) claim(ctx context.Context, _ *none, body *ClaimBody) (*plain[Claimed], error) {
	req := engine.ClaimRequest{Worker: body.Worker}
	if body.Wait != nil {
		req.Wait = min(body.Wait.Go(), maxWait)
	}
	if body.Lease != nil {
		req.Lease = body.Lease.Go()
	}
	for _, t := range body.Tasks {
		req.Tasks = append(req.Tasks, engine.ClaimTask{Name: t.Name, Max: max(t.Max, 1)})
	}
	a.answerWithin(ctx, req.Wait)
	waiting, closed := a.whileOpen(ctx)
	defer closed()
	tasks, err := a.engine.Claim(waiting, req)
	if err != nil && !(waiting.Err() != nil && ctx.Err() == nil) { // a server that stops has nothing to give
		return nil, err
	}
	if ctx.Err() != nil {
		a.giveBack(ctx, tasks)
	}
	return &plain[Claimed]{Claimed{orEmpty(tasks), a.warnings(ctx, namesOf(body.Tasks, tasks))}}, nil
}

// namesOf are the tasks that were asked for and of which nothing was got: one that gave work is known, if only by an old version.
func namesOf(asked []ClaimTask, got []engine.ClaimedTask) engine.Names {
	var n engine.Names
	for _, t := range asked {
		if !slices.ContainsFunc(got, func(c engine.ClaimedTask) bool { return c.Task == t.Name }) {
			n.Tasks = append(n.Tasks, t.Name)
		}
	}
	return n
}

// warnings say which of the names no deployed flow has. They are advice on an answer that is right without them, so none is given
// when that cannot be found out.
func (a *API) warnings(ctx context.Context, n engine.Names) []string {
	if ctx.Err() != nil {
		return nil
	}
	unknown, err := a.engine.Unknown(ctx, n)
	if err != nil {
		a.log.WarnContext(ctx, "it cannot be told which names are unknown", "error", err)
	}
	return engine.Warnings(unknown)
}

// giveBack releases what was claimed for a worker who has gone meanwhile, as one does that stops: it uses up no attempt. Should
// that fail, the leases run out.
func (a *API) giveBack(ctx context.Context, tasks []engine.ClaimedTask) {
	ctx = context.WithoutCancel(ctx)
	for _, t := range tasks {
		if _, err := a.engine.Release(ctx, engine.ReleaseRequest{Task: t.ID, Lease: t.Lease}); err != nil {
			a.log.WarnContext(ctx, "work of a worker who has gone could not be given back", "task", t.ID, "error", err)
		}
	}
}

func mayClaim(actor Actor, task string) error {
	if len(actor.Tasks) == 0 || slices.Contains(actor.Tasks, task) {
		return nil
	}
	return problem(http.StatusForbidden, codeRole, "%s may not work on %q", actor.Name, task)
}

func (a *API) heartbeat(ctx context.Context, p *TaskParams, body *LeaseBody) (*plain[engine.HeartbeatResult], error) {
	req := engine.HeartbeatRequest{Task: p.ID, Lease: body.Lease}
	if body.For != nil {
		req.For = body.For.Go()
	}
	result, err := a.engine.Heartbeat(ctx, req)
	if err != nil {
		return nil, err
	}
	return &plain[engine.HeartbeatResult]{result}, nil
}

func (a *API) complete(ctx context.Context, p *taskChange, body *CompleteBody) (*reply[engine.TaskAnswer], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	schedule, err := scheduleOf(body.Schedule)
	if err != nil {
		return nil, err
	}
	if body.Event != "" && given(body.Result) != nil {
		return nil, invalid("/event", "stands beside /result; a task ends with one of them")
	}
	answer, err := a.engine.Complete(ctx, engine.CompleteRequest{
		Mutation: mutation, Task: p.ID, Lease: body.Lease,
		Result: given(body.Result), Event: body.Event, Payload: given(body.Payload), Schedule: schedule,
	})
	if body.Event == "" {
		err = within("/result", err)
	}
	return taskReply(answer, err)
}

func scheduleOf(all []Schedule) ([]engine.Schedule, error) {
	var out []engine.Schedule
	for i, s := range all {
		one := engine.Schedule{Event: s.Event, Payload: given(s.Payload)}
		switch where := "/schedule/" + itoa(i); {
		case (s.After == nil) == (s.At == nil):
			return nil, invalid(where, "needs either after or at")
		case s.After != nil:
			after := s.After.Go().Microseconds()
			one.After = &after
		default:
			at, err := micros(where+"/at", *s.At)
			if err != nil {
				return nil, err
			}
			one.At = &at
		}
		out = append(out, one)
	}
	return out, nil
}

func (a *API) fail(ctx context.Context, p *taskChange, body *FailBody) (*reply[engine.TaskAnswer], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	req := engine.FailRequest{Mutation: mutation, Task: p.ID, Lease: body.Lease, Code: body.Code, Message: body.Message, NoRetry: body.NoRetry}
	if body.RetryAfter != nil {
		req.RetryAfter = body.RetryAfter.Go()
	}
	return taskReply(a.engine.Fail(ctx, req))
}

func (a *API) release(ctx context.Context, p *taskChange, body *ReleaseBody) (*reply[engine.TaskAnswer], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	return taskReply(a.engine.Release(ctx, engine.ReleaseRequest{Mutation: mutation, Task: p.ID, Lease: body.Lease}))
}

// taskReply is 202 when the outcome is kept until the token is resumed.
func taskReply(answer engine.TaskAnswer, err error) (*reply[engine.TaskAnswer], error) {
	if err != nil {
		return nil, err
	}
	out := &reply[engine.TaskAnswer]{Status: http.StatusOK, Replayed: replayed(answer.Replayed), Body: answer}
	if answer.Outcome == "queued" {
		out.Status = http.StatusAccepted
	}
	return out, nil
}
