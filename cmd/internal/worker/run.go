package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"flowc/vm/client"
)

// maxOutput is the most that a program may write to standard output: what a result may have.
const maxOutput = 1 << 20

// maxMessage is how much of the end of standard error becomes the message of a failure.
const maxMessage = 1 << 10

// run runs the program for a task until it ends or the context does. Then it is asked to stop, and killed after the grace.
func (o Options) run(ctx context.Context, task client.Task) ending {
	cmd := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	cmd.Env = slices.Concat(o.Env, variables(task))
	cmd.Stdin = bytes.NewReader(task.Input)
	stdout, stderr := &head{limit: maxOutput + 1}, &tail{limit: maxMessage}
	cmd.Stdout = stdout
	cmd.Stderr = io.Writer(stderr)
	if o.Stderr != nil {
		cmd.Stderr = io.MultiWriter(stderr, o.Stderr)
	}
	// The program gets a group of its own, so that what it has started stops with it and a Ctrl-C reaches only the worker.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = o.Grace
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what is left of the group, if anything
	}
	return endingOf(err, stdout.text, stderr.String())
}

func endingOf(err error, stdout []byte, message string) ending {
	end := ending{stdout: stdout, message: message}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit):
		end.code = exit.ExitCode()
		if end.code < 0 && message == "" {
			end.message = exit.Error()
		}
	case errors.Is(err, exec.ErrWaitDelay):
		end.code, end.message = -1, "the program left its output open"
	default:
		end.code, end.message = -1, err.Error()
	}
	return end
}

// variables tell the program about its task.
func variables(task client.Task) []string {
	all := []string{
		"FLOWC_TASK=" + task.Task, "FLOWC_TASK_ID=" + task.ID, "FLOWC_TOKEN=" + task.Token, "FLOWC_FLOW=" + task.Flow,
		"FLOWC_ATTEMPT=" + strconv.Itoa(task.Attempt), "FLOWC_IDEMPOTENCY_KEY=" + task.IdempotencyKey,
	}
	if !task.Deadline.IsZero() {
		all = append(all, "FLOWC_DEADLINE="+task.Deadline.UTC().Format(time.RFC3339Nano))
	}
	if task.Traceparent != "" {
		all = append(all, "TRACEPARENT="+task.Traceparent)
	}
	return all
}

// A head keeps the first bytes that are written to it.
type head struct {
	text  []byte
	limit int
}

// Write implements io.Writer; it never fails, so that the program can go on.
func (h *head) Write(b []byte) (int, error) {
	h.text = append(h.text, b[:min(len(b), h.limit-len(h.text))]...)
	return len(b), nil
}

// A tail keeps the last bytes that are written to it.
type tail struct {
	text  []byte
	limit int
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if extra := len(t.text) - t.limit; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(b), nil
}

// String gives the text as it can stand in a message.
func (t *tail) String() string { return clean(t.text) }

func clean(b []byte) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(b), "�"), "\x00", "�"))
}

func trim(b []byte) []byte { return bytes.TrimSpace(b) }

// short cuts text for a message.
func short(b []byte) string {
	const most = 80
	if len(b) > most {
		b = append(b[:most:most], "…"...)
	}
	return clean(b)
}
