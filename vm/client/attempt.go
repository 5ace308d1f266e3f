package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// attempt does one attempt and reports on it.
func (w *worker) attempt(task Task) {
	log := w.o.Log.With("task", task.Task, "id", task.ID, "token", task.Token, "attempt", task.Attempt)
	log.Info("task claimed")
	claimed := time.Now()
	ctx, stop := context.WithCancelCause(w.hard)
	defer stop(nil)
	if left, limited := w.left(task); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	// The lease is kept until the report is through, not only until the handler has returned.
	leased, done := context.WithCancel(context.WithoutCancel(w.hard))
	defer done()
	go w.beat(leased, task, claimed.Add(w.o.Lease), stop, log)
	outcome, err := w.call(ctx, task, log)
	w.report(leased, task, outcome, err, context.Cause(ctx), log)
}

// left is how long the attempt may take. The deadline is by the server's clock, and so is the end of the lease, which began just
// now: the difference holds by any clock.
func (w *worker) left(task Task) (time.Duration, bool) {
	if task.Deadline.IsZero() {
		return 0, false
	}
	return max(0, task.Deadline.Sub(task.LeaseUntil)+w.o.Lease), true
}

// call calls the handler. One that panics fails its attempt and nothing else.
func (w *worker) call(ctx context.Context, task Task, log *slog.Logger) (outcome Outcome, err error) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("the handler panicked", "panic", v, "stack", string(debug.Stack()))
			err = Fail(CodeHandler, "the handler panicked: %v", v)
		}
	}()
	return w.do(ctx, task)
}

// beat extends the lease until the context ends, and stops the handler when the work is not wanted any more or the lease is lost.
func (w *worker) beat(ctx context.Context, task Task, until time.Time, stop context.CancelCauseFunc, log *slog.Logger) {
	for pause(ctx, min(w.o.Lease/3, max(0, time.Until(until)))) {
		sent := time.Now()
		cancelled, err := w.heartbeat(ctx, task, until)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && cancelled:
			log.Info("the work is not wanted any more")
			stop(ErrCancelled)
			return
		case err == nil:
			until = sent.Add(w.o.Lease)
		case final(err) || !time.Now().Before(until):
			log.Warn("the lease was lost", "error", err)
			stop(ErrLeaseLost)
			return
		default:
			log.Warn("heartbeat failed, trying again", "error", err)
		}
	}
}

// heartbeat tries until the lease has run out.
func (w *worker) heartbeat(ctx context.Context, task Task, until time.Time) (cancelled bool, err error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	var out struct {
		Cancelled bool `json:"cancelled"`
	}
	_, err = w.c.call(ctx, Request{
		Method: http.MethodPost, Path: path("tasks", task.ID, "heartbeat"), Body: map[string]string{"lease": task.Lease}, NoKey: true, Tries: 1000,
	}, &out)
	return out.Cancelled, err
}

// reportTime is how long a report is tried at least.
const reportTime = 30 * time.Second

// report tells the server how the attempt ended. Cause is why the handler's context has ended, nil when it has not.
func (w *worker) report(ctx context.Context, task Task, outcome Outcome, err, cause error, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, max(reportTime, w.o.Lease))
	defer cancel()
	verb, body := ending(task, outcome, err, cause)
	if verb == "" {
		log.Info("task ended", "outcome", cause)
		return
	}
	sent := w.send(ctx, task, verb, body)
	switch {
	case misfit(verb, outcome, sent):
		log.Warn("the result does not fit, which has failed the attempt", "error", sent)
		return
	case verb == "complete" && final(sent) && !errors.Is(sent, LeaseLost):
		// The lease goes on and would only run out: the attempt ends now, with what the server said.
		log.Warn("the outcome is refused", "error", sent)
		verb, body = "fail", Fail(CodeRefused, "%v", sent).body(task.Lease)
		sent = w.send(ctx, task, verb, body)
	}
	switch {
	case errors.Is(sent, LeaseLost):
		log.Warn("the report came too late; the attempt was over", "report", verb)
	case sent != nil:
		log.Warn("the outcome could not be reported; the lease will run out", "error", sent)
	default:
		if failed, is := body.(failBody); is { // who wrote the command sees here why it failed, not in the history alone
			log = log.With("code", failed.Code, "message", failed.Message)
		}
		log.Info("task ended", "outcome", verb)
	}
}

// misfit says that the server refused a result for not fitting, by which the attempt has failed: there is nothing left to report. Of
// an event, and of what is scheduled, nothing was saved, and the lease goes on.
func misfit(verb string, outcome Outcome, sent error) bool {
	p := problemIn(sent)
	if verb != "complete" || outcome.Event != "" || p == nil || p.Status != http.StatusUnprocessableEntity || len(p.Errors) == 0 {
		return false
	}
	return !slices.ContainsFunc(p.Errors, func(f FieldError) bool { return f.Pointer == nil || !underResult(*f.Pointer) })
}

func underResult(pointer string) bool {
	return pointer == "/result" || strings.HasPrefix(pointer, "/result/")
}

// ending turns what a handler returned into a report; "": there is nothing to report.
func ending(task Task, outcome Outcome, err, cause error) (verb string, body any) {
	var failure *Failure
	switch {
	case errors.Is(cause, ErrCancelled), errors.Is(cause, ErrLeaseLost) && err != nil:
		return "", nil
	case err == nil:
		body, err := raw(outcome.body(task.Lease))
		if err != nil {
			return "fail", Fail(CodeOutput, "%v", err).body(task.Lease)
		}
		return "complete", body
	case errors.Is(err, ErrRelease), errors.Is(cause, ErrStopping):
		return "release", map[string]string{"lease": task.Lease}
	case errors.As(err, &failure):
	case errors.Is(cause, context.DeadlineExceeded):
		failure = Fail(CodeTimeout, "the time of the attempt is over: %v", err)
	default:
		failure = Fail(CodeHandler, "%s", fmt.Sprint(err))
	}
	if failure.Code == "" {
		failure = &Failure{Code: CodeHandler, Message: failure.Message, NoRetry: failure.NoRetry, RetryAfter: failure.RetryAfter}
	}
	return "fail", failure.body(task.Lease)
}
