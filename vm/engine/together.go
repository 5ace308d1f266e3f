package engine

import (
	"slices"

	"flowc/vm"
	"flowc/vm/task"
)

// An ending says how a job ends an attempt, before the token is asked.
type ending func(r *round, t *taskState) (task.Row, *vm.Stimulus, error)

// maxTogether is how many outcomes of a fan-out's tasks one step takes at most.
const maxTogether = 256

// A member is one outcome of several that one step takes.
type member struct {
	j   *job
	t   *taskState
	row task.Row
	st  *vm.Stimulus
}

func jobsOf(group []member) []*job {
	jobs := make([]*job, len(group))
	for i, m := range group {
		jobs[i] = m.j
	}
	return jobs
}

// together takes the outcomes of a fan-out's tasks that wait in this round in one step (R57): that of the job and those of jobs after
// it. It reports false, having done nothing, when there is but one.
func (r *round) together(j *job, after []*job) bool {
	l := r.live[r.tokenOf(j)]
	if j.ending == nil || l == nil || l.tok == nil || len(l.tok.Fans) == 0 || r.bad[l.row.ID] != nil || l.row.Quarantined || l.fault != nil {
		return false
	}
	first, ok := r.member(l, j)
	if !ok {
		return false
	}
	group := []member{first}
	for _, k := range after {
		if len(group) == maxTogether {
			break
		}
		if k.ending == nil || k.actor != j.actor || r.tokenOf(k) != l.row.ID || slices.ContainsFunc(group, func(m member) bool { return m.j.task == k.task }) {
			continue
		}
		if m, ok := r.member(l, k); ok && m.st.Task.Visit == first.st.Task.Visit {
			group = append(group, m)
		}
	}
	return len(group) > 1 && r.takeGroup(l, group)
}

// member says how a job's attempt ends, if a step may take that together with others.
func (r *round) member(l *live, j *job) (member, bool) {
	t := r.tasks[j.task]
	if t == nil || !t.locked || j.match != nil {
		return member{}, false
	}
	if _, replayed := r.replay(j); replayed {
		return member{}, false
	}
	row, st, err := j.ending(r, t)
	if err != nil || st == nil || st.Task == nil || !vm.CanJoin(l.program, l.tok, st) {
		return member{}, false
	}
	return member{j, t, row, st}, true
}

// takeGroup makes the step and answers the jobs. One that the token refuses is as if it had not been tried.
func (r *round) takeGroup(l *live, group []member) bool {
	st := *group[0].st
	st.Actor = group[0].j.actor
	for _, m := range group[1:] {
		st.Tasks = append(st.Tasks, *m.st.Task)
	}
	before := l.lines
	for i := range group {
		group[i].row = r.place(l, group[i].row)
	}
	after := l.lines
	r.because(jobsOf(group)...)
	got := r.apply(l, st)
	if r.bad[l.row.ID] == nil && r.broken == nil && refusal(got) != nil {
		if l.lines == after {
			l.lines = before
		}
		return false
	}
	for _, m := range group {
		var body any
		var fault *Error
		switch {
		case r.bad[l.row.ID] != nil:
			fault = quarantined(r.bad[l.row.ID])
		case slices.Contains(got.Left, m.j.task):
			m.t.set(task.Withdraw(m.t.row, r.now))
			fault = refusal(vm.Answer{Outcome: vm.LeaseLost, Code: vm.Withdrawn, Reason: "the token waits for this task no more"})
			fault.Version = l.version()
		default:
			body, fault = r.ended(m.t, m.row, l, nil, &got)
		}
		r.answers[m.j] = answered{body: body, err: fault}
		r.record(m.j, body, fault)
	}
	return true
}
