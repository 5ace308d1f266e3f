package sim

import (
	"encoding/json"
	"errors"
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

// lease is how long a claim in a test block holds (language.md 9).
const lease = 30_000_000

// rules are those of tests: no jitter, so that they can name instants.
var rules = task.Rules{NoJitter: true}

// offer makes the row of an offer.
func (w *World) offer(t *Token, o vm.Offer) error {
	decl := t.task(o.Task)
	if decl == nil {
		return fmt.Errorf("an offer of %s, which its program does not have", o.Task)
	}
	input, faults := value.DecodeJSON(o.Input, value.RecordOf(decl.Params))
	if len(faults) > 0 {
		return fmt.Errorf("an offer of %s whose input does not fit: %w", o.Task, faults[0])
	}
	k := &Work{row: task.New(t.vm.ID, t.vm.Flow, o, w.now), token: t, input: input}
	w.tasks = append(w.tasks, k)
	w.open = append(w.open, k)
	w.byTask[o.ID] = k
	return nil
}

func (t *Token) task(name string) *program.Task {
	for i := range t.program.Tasks {
		if t.program.Tasks[i].Name == name {
			return &t.program.Tasks[i]
		}
	}
	return nil
}

func (w *World) withdraw(id string) {
	if k := w.byTask[id]; k != nil {
		k.row = task.Withdraw(k.row, w.now)
	}
}

// hold keeps the tasks of a paused token from being claimed, and lets them go when it is resumed (R46).
func (w *World) hold(t *Token) {
	paused := t.vm.Status == vm.Paused
	for _, k := range w.open {
		switch {
		case k.token != t:
		case paused:
			k.row = task.Hold(k.row, w.now)
		default:
			k.row = task.Unhold(k.row, w.now)
		}
	}
}

// work does the first thing that is due in the task rows: an attempt that ran out, or one that a mock ends.
func (w *World) work() (bool, error) {
	w.forgetOver()
	for _, k := range w.open {
		switch {
		case k.row.Expired(w.now):
			row, s, err := rules.Expire(k.row, w.now)
			if err != nil {
				return false, err
			}
			k.row = row
			return true, w.outcome(k, s)
		case k.row.Claimable(w.now):
			if m := w.mocks.take("task " + k.row.Task); m != nil {
				return true, w.endMocked(k, m)
			}
		}
	}
	return false, nil
}

// forgetOver keeps the list of open tasks as short as it is.
func (w *World) forgetOver() {
	kept := w.open[:0]
	for _, k := range w.open {
		if !k.row.Status.Over() {
			kept = append(kept, k)
		}
	}
	w.open = kept
}

// nextTask is when the next attempt runs out, or the next backoff ends.
func (w *World) nextTask() (int64, bool) {
	var at int64
	ok := false
	for _, k := range w.open {
		if k.row.Status.Over() || k.row.HeldAt != 0 && k.row.Status != task.Claimed || k.row.NextAt <= w.now {
			continue
		}
		if !ok || k.row.NextAt < at {
			at, ok = k.row.NextAt, true
		}
	}
	return at, ok
}

// find is the oldest open attempt of a task that matches. Claimed ones are open too unless free is asked for.
func (w *World) find(t *Token, name string, match func(value.Value) bool, free bool) *Work {
	for _, k := range w.open {
		if k.row.Task != name || t != nil && k.token != t || !match(k.input) {
			continue
		}
		if k.row.Claimable(w.now) || !free && k.row.Status == task.Claimed {
			return k
		}
	}
	return nil
}

// Tasks are all tasks in the order of their offers, those that are over among them.
func (w *World) Tasks() []*Work { return w.tasks }

// Row is the task's row.
func (k *Work) Row() task.Row { return k.row }

// Token is the token that waits for the task, or dispatched it.
func (k *Work) Token() *Token { return k.token }

// Claim gives an attempt to the test's worker.
func (w *World) Claim(k *Work) error {
	if k.row.Status == task.Claimed {
		return nil
	}
	w.leases++
	row, err := task.Claim(k.row, "test", fmt.Sprintf("lease-%d", w.leases), lease, w.now)
	if err == nil {
		k.row = row
	}
	return err
}

// Complete ends an attempt with a result or an event. The token has the last word: when it does not take it, nothing of the
// outcome is kept (R45).
func (w *World) Complete(k *Work, c task.Completion) (vm.Answer, error) {
	if err := w.Claim(k); err != nil {
		return vm.Answer{}, err
	}
	row, s, err := task.Complete(k.row, k.row.Lease, c, w.now)
	if errors.Is(err, task.ErrNotMay) {
		return vm.Answer{Outcome: vm.Invalid, Code: "not-may", Reason: err.Error()}, nil
	}
	if err != nil {
		return vm.Answer{}, err
	}
	before := k.row
	k.row = row
	a, err := w.Give(k.token, s)
	if err == nil && !taken(a) {
		k.row = before
	}
	return a, err
}

// Fail ends an attempt with an error.
func (w *World) Fail(k *Work, f task.Failing) error {
	if err := w.Claim(k); err != nil {
		return err
	}
	row, s, err := rules.Fail(k.row, k.row.Lease, f, w.now)
	if err != nil {
		return err
	}
	k.row = row
	return w.outcome(k, s)
}

// outcome hands the end of a task to its token, when it has come to one.
func (w *World) outcome(k *Work, s *vm.Stimulus) error {
	if s == nil {
		return nil
	}
	_, err := w.Give(k.token, s)
	return err
}

// endMocked ends an attempt as its mock says.
func (w *World) endMocked(k *Work, m *mock) error {
	if m.fails {
		return w.Fail(k, task.Failing{Code: m.code, Message: "mocked"})
	}
	a, err := w.Complete(k, task.Completion{Result: m.result})
	if err == nil && !taken(a) {
		err = fmt.Errorf("the mocked result of %s was not taken: %s", k.row.Task, a.Reason)
	}
	return err
}

// taken says that an answer means that the stimulus counts as taken.
func taken(a vm.Answer) bool {
	switch a.Outcome {
	case vm.Accepted, vm.DeferredEvent, vm.Queued, vm.ErrorOutcome:
		return true
	default:
		return false
	}
}

// mocks queue up by the task's or flow's name.
type mocks map[string][]*mock

// A mock ends later attempts of a task, or later children of a flow, at once. times counts down; 0 lasts.
type mock struct {
	result json.RawMessage
	fails  bool
	code   string
	final  string
	times  int
}

// add queues a mock. A second lasting one replaces the first; one with a number comes before the lasting one, which would never
// let it have its turn.
func (ms mocks) add(name string, m *mock) {
	queue := ms[name]
	n := len(queue)
	switch {
	case n == 0 || queue[n-1].times > 0:
		queue = append(queue, m)
	case m.times > 0:
		queue = append(queue[:n-1:n-1], m, queue[n-1])
	default:
		queue[n-1] = m
	}
	ms[name] = queue
}

// take uses the first mock of the queue.
func (ms mocks) take(name string) *mock {
	queue := ms[name]
	if len(queue) == 0 {
		return nil
	}
	m := queue[0]
	if m.times > 0 {
		if m.times--; m.times == 0 {
			ms[name] = queue[1:]
		}
	}
	return m
}

// openTasks names the open attempts, for the message of a statement that found none.
func (w *World) openTasks() string {
	var open []string
	for _, k := range w.open {
		if !k.row.Status.Over() {
			open = append(open, fmt.Sprintf("%s%s (%s)", k.row.Task, value.AppendJSON(nil, k.input), k.row.Status))
		}
	}
	return "; open: " + listed(open)
}
