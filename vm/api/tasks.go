package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"flowc/vm/engine"
)

type tasksParams struct {
	Task   string `query:"task" doc:"Only work of this task"`
	Status string `query:"status" enum:"offered,claimed,backoff,done,failed,withdrawn" doc:"Only work of this status; without it what is not over"`
	Token  string `query:"token" doc:"Only work of this token, by its id or FLOW:KEY"`
	PageParams
}

type timersParams struct {
	Flow string `query:"flow" doc:"Only timers of this flow's tokens"`
	PageParams
}

// An OperateBody is what a person does with a task, without its lease.
type OperateBody struct {
	Action  engine.TaskAction `json:"action" enum:"retry,complete,fail" doc:"retry: offer it again at once; complete and fail: end it"`
	Result  json.RawMessage   `json:"result,omitempty" doc:"Of complete: an object of the task's results"`
	Code    string            `json:"code,omitempty" nullable:"true" doc:"Of fail"`
	Message string            `json:"message,omitempty" nullable:"true" doc:"Of fail"`
}

func (a *API) tasks() {
	handle(a, route{method: http.MethodGet, path: "/v1/tasks", id: "listTasks", tag: "tasks", allow: mayRead,
		summary: "Work that is offered or under way"}, a.listTasks)
	handle(a, route{method: http.MethodGet, path: "/v1/timers", id: "listTimers", tag: "tokens", allow: mayRead,
		summary: "Armed timers, soonest first"}, a.listTimers)
	handle(a, route{method: http.MethodPost, path: "/v1/tasks/{id}/operate", id: "operateTask", tag: "tasks", allow: mayControl,
		summary: "Retry, complete or fail a task by hand", success: []int{http.StatusOK, http.StatusAccepted},
		errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests}}, a.operate)
}

func (a *API) listTasks(ctx context.Context, p *tasksParams, _ *none) (*plain[Page[engine.TaskView]], error) {
	list, err := a.engine.Tasks(ctx, engine.TasksRequest{Task: p.Task, Status: p.Status, Token: refOf(p.Token), Limit: p.Limit, Cursor: p.Cursor})
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.TaskView]]{page(list.Items, list.Next)}, nil
}

func (a *API) listTimers(ctx context.Context, p *timersParams, _ *none) (*plain[Page[engine.TokenTimerView]], error) {
	list, err := a.engine.Timers(ctx, engine.TimersRequest{Flow: p.Flow, Limit: p.Limit, Cursor: p.Cursor})
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.TokenTimerView]]{page(list.Items, list.Next)}, nil
}

func (a *API) operate(ctx context.Context, p *taskChange, body *OperateBody) (*reply[engine.TaskAnswer], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := a.engine.OperateTask(ctx, engine.OperateTaskRequest{
		Mutation: mutation, Task: p.ID, Action: body.Action, Result: given(body.Result), Code: body.Code, Message: body.Message,
	})
	return taskReply(answer, within("/result", err))
}

func itoa(i int) string { return strconv.Itoa(i) }
