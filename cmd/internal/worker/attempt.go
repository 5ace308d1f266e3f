package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"flowc/cmd/internal/client"
	"flowc/vm/engine"
)

// Why a program was stopped before its end.
var (
	errCancelled = errors.New("the work is not wanted any more")
	errLeaseLost = errors.New("the lease was lost")
	errStopping  = errors.New("the worker stops")
)

// duration writes a duration as the API reads it, rounded up to seconds.
func duration(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10) + "s"
}

// do runs one attempt and reports on it.
func (w *worker) do(ctx context.Context, task engine.ClaimedTask) {
	log := w.o.Log.With("task", task.Task, "id", task.ID, "token", task.Token, "attempt", task.Attempt)
	log.Info("task claimed")
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	ended := context.AfterFunc(ctx, func() { stop(errStopping) })
	defer ended()
	if task.Deadline != nil {
		var cancel context.CancelFunc
		running, cancel = context.WithDeadline(running, *task.Deadline)
		defer cancel()
	}
	go w.beat(running, task, stop)
	end := w.run(running, task)
	// What was done is reported also when the worker has to stop meanwhile.
	reporting, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTime)
	defer cancel()
	if err := w.report(reporting, task, end, context.Cause(running)); err != nil {
		log.Warn("the outcome could not be reported; the lease will run out", "error", err)
		return
	}
	log.Info("task ended", "outcome", end.what(context.Cause(running)))
}

// reportTime is how long a report on an attempt is tried.
const reportTime = 30 * time.Second

// beat extends the lease until the program has ended, and stops it when the work is not wanted any more.
func (w *worker) beat(ctx context.Context, task engine.ClaimedTask, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(max(w.o.Lease/3, 100*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var result engine.HeartbeatResult
		res, err := w.send(ctx, task, "heartbeat", map[string]any{"lease": task.Lease}, true)
		if err == nil {
			err = res.Decode(&result)
		}
		switch {
		case err != nil && final(err):
			stop(errLeaseLost)
			return
		case err != nil:
			w.o.Log.Warn("heartbeat failed", "id", task.ID, "error", err)
		case result.Cancelled:
			stop(errCancelled)
			return
		}
	}
}

func (w *worker) send(ctx context.Context, task engine.ClaimedTask, verb string, body map[string]any, noKey bool) (*client.Response, error) {
	return w.o.Client.Do(ctx, client.Request{
		Method: http.MethodPost, Path: "/v1/tasks/" + url.PathEscape(task.ID) + "/" + verb, Body: body, NoKey: noKey,
	})
}

// An ending is how a program ended.
type ending struct {
	code    int    // exit code; -1: it could not be run or was killed
	stdout  []byte // at most maxOutput+1 bytes
	message string // what it said last on standard error, or why it could not be run
}

func (e ending) what(cause error) string {
	switch {
	case cause != nil && !errors.Is(cause, context.Canceled):
		return cause.Error()
	case e.code == 0:
		return "done"
	case e.code == giveUp:
		return "given up"
	}
	return "failed"
}

// giveUp is the exit code of a program that will not succeed later either.
const giveUp = 2

// report says how the attempt ended.
func (w *worker) report(ctx context.Context, task engine.ClaimedTask, end ending, cause error) error {
	verb, body := outcome(end, cause)
	if verb == "" {
		return nil
	}
	body["lease"] = task.Lease
	_, err := w.send(ctx, task, verb, body, false)
	return err
}

// outcome turns a program's end into a request.
func outcome(end ending, cause error) (verb string, body map[string]any) {
	switch {
	case errors.Is(cause, errStopping) && end.code != 0:
		return "release", map[string]any{}
	case errors.Is(cause, errCancelled), errors.Is(cause, errLeaseLost):
		return "", nil
	case errors.Is(cause, context.DeadlineExceeded):
		return failed("attempt_timeout", "the program did not end within the time of an attempt", false)
	case end.code != 0:
		code, message := end.failure()
		return failed(code, message, end.code == giveUp)
	case len(end.stdout) > maxOutput:
		return failed("bad_output", fmt.Sprintf("the program wrote more than %d bytes", maxOutput), false)
	case len(trim(end.stdout)) == 0:
		return "complete", map[string]any{}
	case !json.Valid(end.stdout):
		return failed("bad_output", "the program wrote something that is no JSON: "+short(end.stdout), false)
	}
	return "complete", map[string]any{"result": json.RawMessage(trim(end.stdout))}
}

func failed(code, message string, noRetry bool) (string, map[string]any) {
	body := map[string]any{"code": code, "message": message}
	if noRetry {
		body["noRetry"] = true
	}
	return "fail", body
}

// failure is the code and message of a program that failed: from the object {"code", "message"} on its standard output where it
// wrote one, otherwise what it said last on standard error.
func (e ending) failure() (code, message string) {
	var said struct{ Code, Message string }
	if json.Unmarshal(e.stdout, &said) == nil && said.Code != "" {
		return said.Code, said.Message
	}
	if e.message == "" {
		return "command_failed", fmt.Sprintf("exit code %d", e.code)
	}
	return "command_failed", e.message
}
