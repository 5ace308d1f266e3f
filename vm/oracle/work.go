package oracle

import "slices"

// A Job is the row of a task.
type Job struct {
	Token   *Token
	state   *State
	visit   int
	claimed bool
	over    bool
	used    int
	next    int64 // claimable from; of a claimed one: when its lease runs out
	held    int64 // its token is paused since; 0: it is not
}

// lease is how long an attempt may take without a word.
const lease = 30 * Second

// An ending is how a task ended: with a result, an event, or an error.
type ending struct {
	event  string
	k      int
	failed bool
}

// beginWork begins what a leaf does.
func (t *Token) beginWork(s *State) {
	switch {
	case len(s.run) > 0:
		t.routine[s] = -1
		t.proceed(s)
	case s.work != nil:
		t.world.Jobs = append(t.world.Jobs, &Job{Token: t, state: s, visit: t.visits[s], next: t.world.Now})
	case s.child:
		kid := newToken(t.world, t.flow.Kid)
		kid.parent, kid.at, kid.visit = t, s, t.visits[s]
		t.waiting = append(t.waiting, kid)
		t.world.send(func() {
			t.Kids = append(t.Kids, kid)
			t.world.tokens = append(t.world.tokens, kid)
			kid.begin()
			kid.FireDue()
		})
	}
}

// stopWork ends what a state does: its routine, its task, its child (R33, R46).
func (t *Token) stopWork(s *State) {
	delete(t.routine, s)
	for _, j := range t.world.Jobs {
		if j.Token == t && j.state == s {
			j.over = true
		}
	}
	for _, k := range t.waiting {
		if k.at == s {
			t.world.send(func() { k.FireDue(); k.cancel(true) })
		}
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(k *Token) bool { return k.at == s })
}

// hold keeps the tasks of a paused token from being claimed; a running attempt may finish (R46).
func (t *Token) hold() {
	for _, j := range t.world.Jobs {
		if j.Token == t {
			j.held = t.world.Now
		}
	}
}

// unhold gives a backoff the paused time back (R15).
func (t *Token) unhold() {
	for _, j := range t.world.Jobs {
		if j.Token == t && j.held != 0 {
			if !j.claimed && j.next > j.held {
				j.next += t.world.Now - j.held
			}
			j.held = 0
		}
	}
}

// Over says that the task has ended, or that nobody waits for it.
func (j *Job) Over() bool { return j.over }

// Claimed says that a worker has it, and Next when that attempt's lease runs out, or from when on a worker may have it; while its token
// is paused nobody may.
func (j *Job) Claimed() bool { return j.claimed }
func (j *Job) Next() int64   { return j.next }

// Claim gives the task to a worker, and says whether one may have it.
func (j *Job) Claim() bool {
	now := j.Token.world.Now
	switch {
	case j.over || !j.claimed && (j.held != 0 || j.next > now):
		return false
	case !j.claimed:
		j.claimed, j.next = true, now+lease
	}
	return true
}

// Complete ends the claimed task with a result, or with an event that it may end with. One that nothing takes leaves the lease (R45).
func (j *Job) Complete(event string, k int) Answer {
	if event != "" && j.state.work.may != event {
		return Invalid
	}
	return j.Token.outcome(j, ending{event: event, k: k})
}

// Fail uses up an attempt, or all of them (R41).
func (j *Job) Fail(all bool) {
	j.used++
	j.claimed = false
	if now := j.Token.world.Now; !all && j.used <= j.state.work.retries {
		j.next = now + j.state.work.backoff
		if j.held != 0 {
			j.held = now // the backoff begins in the pause, and gets back what it lost of it
		}
		return
	}
	j.Token.outcome(j, ending{failed: true})
	j.over = true
}

// Late is an outcome of a task that is over.
func (j *Job) Late() Answer { return j.Token.outcome(j, ending{}) }

// outcome hands the end of a task to its token (R42, R46, R50).
func (t *Token) outcome(j *Job, e ending) Answer {
	defer t.FireDue()
	t.FireDue()
	switch {
	case j.over:
		return LeaseLost
	case t.Status == Paused:
		t.kept = append(t.kept, stimulus{job: j, end: e})
		j.over = true
		return Queued
	}
	return t.jobEnded(j, e)
}

func (t *Token) jobEnded(j *Job, e ending) Answer {
	switch {
	case !t.isActive(j.state) || t.visits[j.state] != j.visit:
		return LeaseLost
	case e.event != "":
		event := Event{Name: e.event, K: e.k}
		found := t.selected(event)
		if len(found) == 0 {
			return Refused
		}
		j.over = true
		t.restartIdle()
		t.carry(found, event)
	case e.failed:
		j.over = true
		if !t.tell(j.state, Event{Name: "error"}) {
			t.fail()
		}
	default:
		j.over = true
		t.tell(j.state, Event{Name: "completed", K: e.k})
	}
	t.settle()
	return Accepted
}

// tellParent tells the parent that its child ended or failed (R52). A pause keeps what the parent still waits for; of other children
// only the end counts.
func (t *Token) tellParent() {
	up := t.parent
	if up == nil {
		return
	}
	told := *t
	t.world.send(func() {
		up.FireDue()
		if up.Status == Paused && up.isActive(told.at) && up.visits[told.at] == told.visit {
			up.kept = append(up.kept, stimulus{child: &told})
		} else {
			up.childEnded(&told)
		}
		up.FireDue()
	})
}

// childEnded takes how a child was when it told; one that failed is waited for until its state is left, since it may be retried.
func (t *Token) childEnded(k *Token) {
	i := slices.IndexFunc(t.waiting, func(x *Token) bool { return x.at == k.at && x.visit == k.visit })
	if i < 0 || t.Status != Running {
		return
	}
	if k.Status != Failed {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		t.tell(k.at, Event{Name: "completed"})
	} else if !t.tell(k.at, Event{Name: "error"}) {
		t.fail()
	}
	t.settle()
}
