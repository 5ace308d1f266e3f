package client

import (
	"context"
	"net/http"
	"slices"
	"time"
)

type claimTask struct {
	Name string `json:"name"`
	Max  int    `json:"max"`
}

type claimBody struct {
	Worker string      `json:"worker"`
	Tasks  []claimTask `json:"tasks"`
	Wait   string      `json:"wait,omitempty"`
	Lease  string      `json:"lease"`
}

// claim asks for work for n handlers. A claim gives so much of each task, so a worker of more tasks than it has free handlers
// first looks, without waiting, for some of them in turn; only when there is nothing at all it waits for any. It may then get
// more than n, which begin gives back. The very first claim does not wait either, so that a misspelt name is told of at once.
func (w *worker) claim(ctx context.Context, n int) ([]Task, error) {
	for _, names := range w.turn.windows(n) {
		tasks, err := w.ask(ctx, split(names, n), 0)
		if err != nil || len(tasks) > 0 {
			return tasks, err
		}
	}
	wait := w.o.Poll
	if w.o.Once || !w.asked {
		wait = 0
	}
	w.asked = true
	return w.ask(ctx, split(w.turn.all(), n), wait)
}

func (w *worker) ask(ctx context.Context, tasks []claimTask, wait time.Duration) ([]Task, error) {
	var out struct {
		Tasks    []Task   `json:"tasks"`
		Warnings []string `json:"warnings"`
	}
	_, err := w.c.call(ctx, Request{
		Method: http.MethodPost, Path: path("tasks", "claim"), NoKey: true, Wait: wait, Tries: 1,
		Body: claimBody{Worker: w.o.Name, Tasks: tasks, Wait: duration(wait), Lease: duration(w.o.Lease)},
	}, &out)
	for _, warning := range out.Warnings {
		if !w.warned[warning] { // once, for it stands in every answer until a deploy
			w.warned[warning] = true
			w.o.Log.Warn("waiting for work of a task that may be misspelt", "warning", warning)
		}
	}
	return out.Tasks, err
}

// split shares n among tasks, at least one for each.
func split(names []string, n int) []claimTask {
	out := make([]claimTask, len(names))
	for i, name := range names {
		share := n / len(names)
		if i < n%len(names) {
			share++
		}
		out[i] = claimTask{Name: name, Max: min(max(share, 1), 1000)}
	}
	return out
}

// A turn is which task comes first.
type turn struct {
	tasks []string
	next  int
}

// all gives the tasks beginning with the one whose turn it is.
func (t *turn) all() []string {
	return slices.Concat(t.tasks[t.next:], t.tasks[:t.next])
}

// windows gives the tasks in groups of n and passes the turn on by one; none when n handlers are enough for all.
func (t *turn) windows(n int) [][]string {
	if n >= len(t.tasks) {
		return nil
	}
	windows := slices.Collect(slices.Chunk(t.all(), n))
	t.next = (t.next + 1) % len(t.tasks)
	return windows
}
