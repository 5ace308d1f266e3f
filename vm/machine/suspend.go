package machine

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// MaxItems is the most items of one fan-out (R57); more is the error too_many_items.
const MaxItems = 10_000

// suspend prepares what the routine waits for. It does not park when there is nothing to wait for: the result is then on the
// stack already.
func (r *run) suspend(c *program.Code, in program.Ins) (parked bool, err error) {
	switch in.Op {
	case program.OpCallTask:
		return r.callTask(&c.Calls[in.A])
	case program.OpCallTasks:
		return r.callTasks(&c.Calls[in.A])
	case program.OpCallFlow:
		return r.callFlow(&c.Calls[in.A])
	case program.OpSleep:
		return r.sleep(in.A == 1)
	}
	return r.wait(&c.Waits[in.A])
}

// park makes the frame stand at the suspension.
func (r *run) park(code, pc int) {
	r.end.Kind, r.end.Code, r.end.PC = Suspended, code, pc
	if r.frame != nil {
		r.frame.PC = pc
	}
}

func (r *run) waitFor(s *Suspension) (bool, error) {
	r.end = Ending{Suspend: s}
	return true, nil
}

func (r *run) callTask(c *program.Call) (bool, error) {
	return r.waitFor(&Suspension{Kind: CallTask, Task: c.Task, Flow: -1, Policy: c.Policy, Result: c.Result, Args: []value.Value{r.pop()}})
}

// callTasks offers a task for each record of a list; over nothing the result is at once the empty list.
func (r *run) callTasks(c *program.Call) (bool, error) {
	limit, list := r.pop(), r.pop()
	n := list.Len()
	if n > MaxItems {
		return false, value.Errorf(value.CodeTooManyItems, "%d items, more than %d", n, MaxItems)
	}
	if n == 0 {
		r.push(value.OfList(nil))
		return false, nil
	}
	s := &Suspension{Kind: CallTasks, Task: c.Task, Flow: -1, Policy: c.Policy, Result: c.Result, Args: make([]value.Value, 0, n)}
	if !limit.IsNull() {
		if limit.Int() < 1 {
			return false, value.Errorf(value.CodeRange, "concurrency is %s, and at least 1 is needed", limit)
		}
		s.Concurrency = int(min(limit.Int(), MaxItems))
	}
	for _, args := range list.All() {
		s.Args = append(s.Args, args)
	}
	return r.waitFor(s)
}

func (r *run) callFlow(c *program.Call) (bool, error) {
	s := &Suspension{Kind: CallFlow, Task: -1, Flow: c.Flow, Policy: c.Policy, Result: c.Result}
	if c.Keyed {
		key, err := keyText(r.pop())
		if err != nil {
			return false, err
		}
		s.Keyed, s.Key = true, key
	}
	s.Args = []value.Value{r.pop()}
	return r.waitFor(s)
}

// sleep passes at once when there is nothing to sleep (language.md 6).
func (r *run) sleep(until bool) (bool, error) {
	when := r.pop()
	if err := checkWhen(when, until); err != nil {
		return false, err
	}
	us := when.Micros()
	if us <= 0 && !until || until && us <= r.host.Now() {
		return false, nil
	}
	return r.waitFor(&Suspension{Kind: Sleep, Task: -1, Flow: -1, Timed: true, At: until, When: us})
}

// wait always parks, also with a limit that has passed: events that wait as deferred come first (language.md 6), and of those
// only the step knows.
func (r *run) wait(w *program.Wait) (bool, error) {
	s := &Suspension{Kind: Wait, Task: -1, Flow: -1, Timed: w.Limit != program.NoLimit, At: w.Limit == program.LimitUntil}
	if s.Timed {
		when := r.pop()
		if err := checkWhen(when, s.At); err != nil {
			return false, err
		}
		s.When = when.Micros()
	}
	s.Cases = make([]WaitCase, len(w.Cases))
	for i, c := range w.Cases {
		s.Cases[i] = WaitCase{Events: c.Events, Guard: c.Guard}
	}
	return r.waitFor(s)
}
