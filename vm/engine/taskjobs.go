package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"flowc/vm"
	"flowc/vm/task"
)

// lockTasks locks the tasks that the jobs name: with their tokens, or alone for those that touch no token.
func (r *round) lockTasks() error {
	var held, free []string
	for _, j := range r.work.jobs {
		switch {
		case j.task == "":
		case j.free:
			free = append(free, j.task)
		case r.live[r.tokenOf(j)] != nil:
			held = append(held, j.task)
		}
	}
	rows, err := r.tx.LockTasks(held)
	if err != nil {
		return err
	}
	r.hold(rows)
	return r.lockFree(free)
}

func (r *round) hold(rows []task.Row) {
	for i := range rows {
		r.tasks[rows[i].ID] = &taskState{token: rows[i].Token, row: rows[i], locked: true}
	}
}

func (r *round) lockFree(free []string) error {
	if len(free) == 0 {
		return nil
	}
	owners, err := r.tx.TaskTokens(free)
	if err != nil {
		return err
	}
	for id, token := range owners {
		if r.tasks[id] == nil {
			r.tasks[id] = &taskState{token: token}
		}
	}
	rows, err := r.tx.LockFreeTasks(free)
	r.hold(rows)
	return err
}

func (t *taskState) set(row task.Row) {
	t.row, t.changed = row, true
}

// Heartbeat is described at Service.
func (e *Engine) Heartbeat(ctx context.Context, req HeartbeatRequest) (HeartbeatResult, error) {
	length := min(req.For, e.limits.MaxLease).Microseconds()
	j := &job{task: req.Task, free: true}
	j.stepTask = func(r *round, t *taskState) (any, *Error) {
		row, err := task.Heartbeat(t.row, req.Lease, length, r.now)
		switch {
		case errors.Is(err, task.ErrOver):
			return &HeartbeatResult{Cancelled: true}, nil
		case err != nil:
			return nil, leaseLost(err)
		}
		t.set(row)
		return &HeartbeatResult{LeaseUntil: instantOf(row.LeaseUntil)}, nil
	}
	a, err := e.do(ctx, j)
	if err != nil {
		return HeartbeatResult{}, err
	}
	return *a.body.(*HeartbeatResult), nil
}

func leaseLost(err error) *Error { return failure(LeaseLost, "%s", err.Error()) }

// Release is described at Service.
func (e *Engine) Release(ctx context.Context, req ReleaseRequest) (TaskAnswer, error) {
	return e.taskJob(ctx, req.Task, req.Mutation, nil, releasing(req.Lease))
}

func releasing(lease string) func(*round, *live, *taskState) (any, *Error) {
	return func(r *round, l *live, t *taskState) (any, *Error) {
		row, err := task.Release(t.row, lease, r.now)
		return r.outcome(l, t, row, nil, err, "", nil)
	}
}

// Complete is described at Service.
func (e *Engine) Complete(ctx context.Context, req CompleteRequest) (TaskAnswer, error) {
	if len(req.Result)+len(req.Payload) > e.limits.Payload {
		return TaskAnswer{}, failure(TooLarge, "the outcome is larger than %d bytes", e.limits.Payload)
	}
	if req.Event == "" && len(req.Result) == 0 {
		req.Result = json.RawMessage("{}")
	}
	c := task.Completion{Result: req.Result, Event: req.Event, Payload: req.Payload}
	for _, s := range req.Schedule {
		c.Schedule = append(c.Schedule, vm.TaskSchedule(s))
	}
	end := func(r *round, t *taskState) (task.Row, *vm.Stimulus, error) {
		return task.Complete(t.row, req.Lease, c, r.now)
	}
	return e.taskJob(ctx, req.Task, req.Mutation, end, func(r *round, l *live, t *taskState) (any, *Error) {
		row, st, err := end(r, t)
		var not *task.NotMay
		if errors.As(err, &not) {
			return nil, failure(Invalid, "%s", err.Error()).at(not.Pointer, "not named by may")
		}
		bad := task.Failing{Code: "bad_output"}
		return r.outcome(l, t, row, st, err, req.Actor, func(fault *Error) {
			if req.Event != "" || fault.Code != Invalid || aboutSchedule(fault) {
				return // nothing is saved and the lease goes on (R45)
			}
			// a result that does not fit is an error of that attempt (R43)
			bad.Message = fault.Detail
			row, st, err := r.e.rules.Fail(t.row, req.Lease, bad, r.now)
			if err == nil {
				r.outcome(l, t, row, st, nil, req.Actor, nil)
			}
		})
	})
}

// aboutSchedule tells whether what a refused outcome schedules is at fault, not its result.
func aboutSchedule(fault *Error) bool {
	return slices.ContainsFunc(fault.Fields, func(f vm.FieldError) bool { return strings.HasPrefix(f.Pointer, "/schedule/") })
}

// Fail is described at Service.
func (e *Engine) Fail(ctx context.Context, req FailRequest) (TaskAnswer, error) {
	if req.Code == "" {
		return TaskAnswer{}, failure(Malformed, "no error code is given").at("/code", "missing")
	}
	f := task.Failing{Code: req.Code, Message: req.Message, NoRetry: req.NoRetry, After: req.RetryAfter.Microseconds()}
	end := func(r *round, t *taskState) (task.Row, *vm.Stimulus, error) {
		return r.e.rules.Fail(t.row, req.Lease, f, r.now)
	}
	return e.taskJob(ctx, req.Task, req.Mutation, end, func(r *round, l *live, t *taskState) (any, *Error) {
		row, st, err := end(r, t)
		return r.outcome(l, t, row, st, err, req.Actor, nil)
	})
}

// OperateTask is described at Service.
func (e *Engine) OperateTask(ctx context.Context, req OperateTaskRequest) (TaskAnswer, error) {
	return e.taskJob(ctx, req.Task, req.Mutation, nil, func(r *round, l *live, t *taskState) (any, *Error) {
		switch req.Action {
		case RetryTask:
			row, err := task.OfferNow(t.row, r.now)
			return r.outcome(l, t, row, nil, err, req.Actor, nil)
		case CompleteTask:
			row, st, err := task.EndByHand(t.row, vm.TaskOutcome{Result: jsonOr(req.Result, "{}")}, r.now)
			return r.outcome(l, t, row, st, err, req.Actor, nil)
		case FailTask:
			code := req.Code
			if code == "" {
				code = "failed"
			}
			row, st, err := task.EndByHand(t.row, vm.TaskOutcome{Code: code, Message: req.Message}, r.now)
			return r.outcome(l, t, row, st, err, req.Actor, nil)
		}
		return nil, failure(Malformed, "there is no task command %q", req.Action)
	})
}

func (e *Engine) taskJob(ctx context.Context, id string, m Mutation, end ending, f func(*round, *live, *taskState) (any, *Error)) (TaskAnswer, error) {
	j := &job{task: id, idem: m.Idempotency, match: m.IfMatch, decode: decodeInto[TaskAnswer], ending: end, actor: m.Actor}
	j.step = func(r *round, l *live) (any, *Error) { return f(r, l, r.tasks[id]) }
	a, err := e.do(ctx, j)
	return answerOf[TaskAnswer](a, err)
}

// outcome gives what ended a task to its token, which has the last word: what it refuses is not saved and the lease goes on
// (R45). st nil: the token need not know.
func (r *round) outcome(l *live, t *taskState, row task.Row, st *vm.Stimulus, err error, actor string, refused func(*Error)) (any, *Error) {
	if err != nil {
		return r.ended(t, row, l, err, nil)
	}
	before := l.lines
	row = r.place(l, row) // before the step, whose lines are what it led to
	after := l.lines
	if st == nil {
		return r.ended(t, row, l, nil, nil)
	}
	st.Actor = actor
	got := r.apply(l, *st)
	fault := refusal(got)
	if fault != nil && l.lines == after {
		l.lines = before
	}
	switch {
	case fault == nil:
		return r.ended(t, row, l, nil, &got)
	case fault.Code == LeaseLost:
		t.set(task.Withdraw(t.row, r.now))
	case refused != nil:
		refused(fault)
	}
	fault.Version = l.version()
	return nil, fault
}

// ended saves the row and makes the answer; the very repeat of the request that ended the attempt gets the answer kept with it
// (R42).
func (r *round) ended(t *taskState, row task.Row, l *live, err error, got *vm.Answer) (any, *Error) {
	var repeat *task.Repeat
	switch {
	case errors.As(err, &repeat):
		a, bad := decodeInto[TaskAnswer](repeat.Ending.Answer)
		if bad != nil {
			return nil, leaseLost(err)
		}
		return a, nil
	case errors.Is(err, task.ErrOver) || err != nil && t.row.Status.Over():
		return nil, leaseLost(errors.New("the task is " + string(t.row.Status)))
	case err != nil:
		return nil, leaseLost(err)
	}
	a := &TaskAnswer{Task: row.ID, Status: string(row.Status), Token: row.Token}
	if l != nil {
		a.Version = l.version()
	}
	if got != nil {
		a.Outcome = string(got.Outcome)
	}
	if row.Status == task.Backoff || row.Status == task.Offered {
		at := instant(row.NextAt)
		a.NextAt = &at
	}
	if row.Last != nil {
		last := *row.Last
		last.Answer = json.RawMessage(mustJSON(a))
		row.Last = &last
	}
	t.set(row)
	return a, nil
}
