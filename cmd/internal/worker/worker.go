// Package worker does the work of a task with a program: the input is JSON on its standard input, the result JSON on its standard
// output. Claiming, leases, heartbeats and reports are package client's; this is what happens between them.
//
// Exit code 0 is done, 2 gives up, any other fails the attempt. Every program runs in a process group of its own, which is ended
// with it. When the worker has to stop it ends its programs and gives their tasks back unused.
package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"flowc/vm/client"
)

// Options say what to work on and how.
type Options struct {
	Client      *client.Client
	Name        string // of the worker, for people; "": the client's default
	Task        string
	Command     []string
	Concurrency int           // programs at once: 1
	Lease       time.Duration // 60 s
	Grace       time.Duration // between the request to stop and the kill: 5 s
	Once        bool          // end when nothing is left to do, and do not wait for work
	Env         []string      // of the programs
	Stderr      io.Writer
	Log         *slog.Logger
}

// Run works until the context ends, then it returns nil. It returns an error only for a refusal that will not go away, such as
// one of the credential; a server that is away is waited for.
func Run(ctx context.Context, o Options) error {
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	return o.Client.Work(ctx, client.WorkerOptions{
		Tasks: []string{o.Task}, Name: o.Name, Concurrency: o.Concurrency, Lease: o.Lease, Grace: -1, Once: o.Once, Log: o.Log,
	}, o.do)
}

// do does one attempt.
func (o Options) do(ctx context.Context, task client.Task) (client.Outcome, error) {
	end := o.run(ctx, task)
	switch {
	case end.code != 0 && ctx.Err() != nil:
		return client.Outcome{}, fmt.Errorf("the program was stopped: %w", context.Cause(ctx))
	case end.code != 0:
		return client.Outcome{}, end.failure()
	case len(end.stdout) > maxOutput:
		return client.Outcome{}, client.Fail(client.CodeOutput, "the program wrote more than %d bytes", maxOutput)
	case len(trim(end.stdout)) == 0:
		return client.Outcome{}, nil
	case !json.Valid(end.stdout):
		return client.Outcome{}, client.Fail(client.CodeOutput, "the program wrote something that is no JSON: %s", short(end.stdout))
	}
	return client.Done(json.RawMessage(trim(end.stdout))), nil
}

// An ending is how a program ended.
type ending struct {
	code    int    // exit code; -1: it could not be run or was killed
	stdout  []byte // at most maxOutput+1 bytes
	message string // what it said last on standard error, or why it could not be run
}

// giveUp is the exit code of a program that will not succeed later either.
const giveUp = 2

// failure is what a program that failed said: the object {"code", "message"} on its standard output where it wrote one, otherwise
// the end of its standard error.
func (e ending) failure() *client.Failure {
	f := &client.Failure{Code: "command_failed", Message: e.message, NoRetry: e.code == giveUp}
	var said struct{ Code, Message string }
	switch {
	case json.Unmarshal(e.stdout, &said) == nil && said.Code != "":
		f.Code, f.Message = said.Code, said.Message
	case f.Message == "":
		f.Message = fmt.Sprintf("exit code %d", e.code)
	}
	return f
}
