package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"flowc/vm/store"
)

// work is what one transaction is to do: jobs of callers, or tokens that a loop wants stepped.
type work struct {
	jobs  []*job
	ids   []string // tokens by id
	claim func(*store.Tx, int, []string) ([]store.Token, error)
	fire  bool // fire what is due
	inbox bool // take what waits in the inboxes
}

// A round is one run of one batch: everything in it is dropped when the transaction is repeated (R4). Its order is the same for
// all: lock, read, step in memory, write; so its number of statements does not grow with the batch (R83).
type round struct {
	e    *Engine
	tx   *store.Tx
	work work
	now  int64

	causes   []trace.Link // of the steps that follow, when there are traces
	live     map[string]*live
	order    []*live
	claimed  []string
	tasks    map[string]*taskState
	known    map[string]bool // tokens that exist but are locked elsewhere
	fresh    map[*job]*live  // tokens that starts made
	faults   map[*job]*Error // why a start made none
	answered map[idemKey]store.Answered
	keys     map[[2]string]store.Key
	current  map[string]string // flow → program
	writes   store.Writes
	views    []*viewWanted
	records  []*record
	answers  map[*job]answered
	again    []*job
	bad      map[string]error // tokens to be set aside, with why
	broken   error            // of the database on the way: the round is to be given up
	steps    int
	late     int64
	lates    []int64 // of each timer that was fired, in microseconds
	fired    int
	lost     int // undeliverable messages
}

// round runs one batch to its end, and then tells everyone whom it concerns.
func (e *Engine) round(ctx context.Context, w work) (*round, error) {
	var r *round
	tries, began := 0, time.Now()
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		tries++
		r = &round{e: e, tx: tx, work: w}
		return r.run()
	})
	e.counters.retries.Add(int64(max(tries-1, 0)))
	if err != nil {
		return r, err
	}
	e.counters.batchTime.observe(time.Since(began).Seconds())
	r.committed()
	return r, nil
}

func (r *round) run() error {
	r.live, r.tasks, r.known = map[string]*live{}, map[string]*taskState{}, map[string]bool{}
	r.answers, r.keys, r.bad = map[*job]answered{}, map[[2]string]store.Key{}, map[string]error{}
	r.fresh, r.faults = map[*job]*live{}, map[*job]*Error{}
	for _, phase := range []struct {
		name string
		do   func() error
	}{
		{"lock", r.lock}, {"read programs", r.loadPrograms}, {"read snapshots", r.decode}, {"read answers", r.loadAnswers},
		{"take keys", r.takeKeys}, {"take messages", r.takeInbox}, {"fire timers", r.fireDue}, {"carry out", r.carryOut},
		{"send messages", r.route}, {"write", r.write}, {"answer", r.answer},
	} {
		err := phase.do()
		if err == nil {
			err = r.broken
		}
		if err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
	}
	return nil
}

// lock locks the tokens and tasks that the work is about, and reads the instant (R12).
func (r *round) lock() error {
	rows, err := r.lockTokens()
	if err != nil {
		return err
	}
	for i := range rows {
		l := &live{row: rows[i]}
		r.live[l.row.ID] = l
		r.order = append(r.order, l)
		r.claimed = append(r.claimed, l.row.ID)
	}
	if err := r.lockTasks(); err != nil {
		return err
	}
	r.now, err = r.tx.Now()
	r.writes.At = r.now
	return err
}

func (r *round) lockTokens() ([]store.Token, error) {
	if r.work.claim != nil {
		return r.work.claim(r.tx, r.e.limits.Batch, r.e.programs.unsupported())
	}
	if r.work.ids != nil {
		return r.tx.LockTokens(r.work.ids)
	}
	ids, err := r.resolve()
	if err != nil {
		return nil, err
	}
	rows, err := r.tx.LockTokens(ids)
	if err != nil || len(rows) == len(ids) {
		return rows, err
	}
	have := map[string]bool{}
	for i := range rows {
		have[rows[i].ID] = true
	}
	var missing []string
	for _, id := range ids {
		if !have[id] {
			missing = append(missing, id)
		}
	}
	r.known, err = r.tx.Exist(missing)
	return rows, err
}

// resolve finds the tokens of the jobs: those named by key, and those of tasks.
func (r *round) resolve() ([]string, error) {
	var keys []store.Key
	var tasks []string
	for _, j := range r.work.jobs {
		switch {
		case j.begin != nil || j.free:
		case j.task != "":
			tasks = append(tasks, j.task)
		case j.ref.ID == "":
			keys = append(keys, store.Key{Flow: j.ref.Flow, Key: j.ref.Key})
		}
	}
	held, err := r.tx.Keys(keys)
	if err != nil {
		return nil, err
	}
	for _, k := range held {
		r.keys[[2]string{k.Flow, k.Key}] = k
	}
	owners, err := r.tx.TaskTokens(tasks)
	if err != nil {
		return nil, err
	}
	for id, token := range owners {
		r.tasks[id] = &taskState{token: token}
	}
	var ids []string
	seen := map[string]bool{}
	for _, j := range r.work.jobs {
		if id := r.tokenOf(j); id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// tokenOf is the token that a job is about; "" when there is none.
func (r *round) tokenOf(j *job) string {
	switch {
	case j.begin != nil || j.free:
		return ""
	case j.task != "":
		if t := r.tasks[j.task]; t != nil {
			return t.token
		}
		return ""
	case j.ref.ID != "":
		return j.ref.ID
	}
	return r.keys[[2]string{j.ref.Flow, j.ref.Key}].Token
}

// fireDue fires what is due on the tokens that the due loop claimed.
func (r *round) fireDue() error {
	if !r.work.fire {
		return nil
	}
	for _, l := range r.order {
		if l.row.NextDue != 0 && l.row.NextDue <= r.now && l.tok != nil {
			r.late = max(r.late, r.now-l.row.NextDue)
			r.lates = append(r.lates, r.now-l.row.NextDue)
			r.fired++
			r.because()
			r.fire(l)
		}
	}
	return nil
}

// carryOut carries out the jobs in their order; several of one token follow each other in memory.
func (r *round) carryOut() error {
	if err := r.foreseeJobs(); err != nil {
		return err
	}
	for i, j := range r.work.jobs {
		if _, done := r.answers[j]; done {
			continue // together with one before it
		}
		if replayed, ok := r.replay(j); ok {
			r.answers[j] = replayed
			continue
		}
		if r.together(j, r.work.jobs[i+1:]) {
			continue
		}
		r.because(j)
		body, fault, later := r.one(j)
		if later {
			r.postpone(j)
			continue
		}
		r.answers[j] = answered{body: body, err: fault}
		r.record(j, body, fault)
	}
	r.takeBack()
	return nil
}

// takeBack takes back the answers about tokens that became bad after them: nothing of those tokens is written.
func (r *round) takeBack() {
	for _, j := range r.work.jobs {
		cause := r.bad[r.tokenOf(j)]
		if cause == nil {
			continue
		}
		r.answers[j] = answered{err: quarantined(cause)}
		r.records = slices.DeleteFunc(r.records, func(rec *record) bool { return rec.idem == j.idem })
	}
}

func (r *round) one(j *job) (body any, fault *Error, later bool) {
	switch {
	case j.begin != nil:
		body, fault = r.start(j)
		return body, fault, false
	case j.free:
		t := r.tasks[j.task]
		if t == nil {
			return nil, failure(NotFound, "there is no task %s", j.task), false
		}
		if !t.locked {
			return nil, nil, true
		}
		body, fault = j.stepTask(r, t)
		return body, fault, false
	}
	l, fault, later := r.liveOf(j)
	if l == nil {
		return nil, fault, later
	}
	if j.match != nil && *j.match != l.version() {
		fault = failure(Stale, "the token is at version %d, not at %d", l.version(), *j.match)
		fault.Version = l.version()
		return nil, fault, false
	}
	body, fault = j.step(r, l)
	if err, bad := r.bad[l.row.ID]; bad {
		return nil, quarantined(err), false
	}
	return body, fault, false
}

// liveOf finds the token of a job, or why there is none.
func (r *round) liveOf(j *job) (l *live, fault *Error, later bool) {
	id := r.tokenOf(j)
	if k, ok := r.keys[[2]string{j.ref.Flow, j.ref.Key}]; ok && k.PurgedAt != 0 && j.ref.ID == "" {
		fault = failure(Purged, "the token of %s:%s has been purged", k.Flow, k.Key)
		fault.PurgedAt = k.PurgedAt
		return nil, fault, false
	}
	l = r.live[id]
	switch {
	case l == nil && r.known[id]:
		return nil, nil, true
	case l == nil && j.task != "":
		return nil, failure(NotFound, "there is no task %s", j.task), false
	case l == nil:
		return nil, notFound(j.ref), false
	case r.bad[id] != nil:
		return nil, quarantined(r.bad[id]), false
	case l.row.Quarantined:
		return nil, quarantined(nil), false
	case l.fault != nil:
		return nil, l.fault, false
	case l.tok == nil:
		return nil, nil, true // its start waits in its inbox
	}
	return l, nil, false
}

func notFound(ref Ref) *Error {
	if ref.ID != "" {
		return failure(NotFound, "there is no token %s", ref.ID)
	}
	return failure(NotFound, "there is no token %s:%s", ref.Flow, ref.Key)
}

// postpone puts a job back whose token is locked elsewhere: a transaction of another loop or server, which is short.
func (r *round) postpone(j *job) {
	if j.tries++; j.tries > maxTries {
		r.answers[j] = answered{err: unavailable(nil, "the token is busy; try again")}
		return
	}
	j.after = r.e.clock.Now().Add(min(time.Duration(j.tries)*time.Millisecond, 20*time.Millisecond))
	r.again = append(r.again, j)
}

// write writes what the steps made, in a fixed number of statements.
func (r *round) write() error {
	for _, l := range r.order {
		if err := r.collect(l); err != nil {
			return err
		}
	}
	for _, t := range r.tasks {
		if t.changed && r.bad[t.row.Token] == nil {
			r.writes.Tasks = append(r.writes.Tasks, t.row)
		}
	}
	r.wakes()
	if err := r.tx.Write(&r.writes); err != nil {
		return err
	}
	for id, cause := range r.bad {
		r.e.log.Error("a token is set aside; see flowc doctor", "token", id, "cause", cause)
		if err := r.tx.Quarantine(id, cause.Error()); err != nil {
			return err
		}
	}
	return nil
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // the types are ours and hold nothing that JSON cannot; a raw payload was checked at the door
		b, _ = json.Marshal(map[string]string{"unreadable": err.Error()})
	}
	return string(b)
}
