package engine

import (
	"encoding/json"
	"time"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/task"
)

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func instantOf(micros int64) *time.Time {
	if micros == 0 {
		return nil
	}
	t := instant(micros)
	return &t
}

func textOf(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// viewWanted is an answer that waits for the view of a token, made once all of the batch is written.
type viewWanted struct {
	live   *live  // a token of the batch
	stored string // or any other
	into   *Answer
}

func (r *round) show(l *live, into *Answer) {
	r.views = append(r.views, &viewWanted{live: l, into: into})
}

func (r *round) showStored(id string, into *Answer) {
	r.views = append(r.views, &viewWanted{stored: id, into: into})
}

// fillViews makes the views: the tasks of all tokens are read in one statement, tokens outside the batch in another.
func (r *round) fillViews() error {
	var working, others []string
	for _, v := range r.views {
		switch {
		case v.live == nil:
			others = append(others, v.stored)
			working = append(working, v.stored)
		case hasTasks(v.live.tok):
			working = append(working, v.live.row.ID)
		}
	}
	rows, err := r.tx.TasksOf(working, shownTasks+1)
	if err != nil {
		return err
	}
	tasks := map[string][]task.Row{}
	for _, t := range rows {
		tasks[t.Token] = append(tasks[t.Token], t)
	}
	if err := r.fillOthers(others, tasks); err != nil {
		return err
	}
	for _, v := range r.views {
		if v.live != nil {
			view := viewOf(r.e.programs.source(v.live.row.Program), v.live.program, v.live.tok, tasks[v.live.row.ID], r.now)
			v.into.Token = &view
		}
	}
	return nil
}

func hasTasks(t *vm.Token) bool { return t != nil && len(t.Work)+len(t.Fans) > 0 }

func (r *round) fillOthers(ids []string, tasks map[string][]task.Row) error {
	rows, err := r.tx.Tokens(ids)
	if err != nil {
		return err
	}
	need := map[string]bool{}
	for _, row := range rows {
		need[row.Program] = true
	}
	if err := r.e.programs.load(r.tx, need); err != nil {
		return err
	}
	for _, row := range rows {
		view := r.e.rowView(row, tasks[row.ID], r.now, nil)
		for _, v := range r.views {
			if v.stored == row.ID {
				v.into.Token = &view
			}
		}
	}
	return nil
}

// rowView is the view of a stored token. One that cannot be read, or has not taken its first step, shows what its row says.
func (e *Engine) rowView(row store.Token, tasks []task.Row, now int64, q *store.Quarantined) TokenView {
	p, err := e.programs.get(row.Program)
	if err == nil && len(row.Snapshot) > 0 {
		if t, err := decodeToken(p, row); err == nil {
			v := viewOf(e.programs.source(row.Program), p, t, tasks, now)
			v.quarantine(q)
			return v
		}
	}
	v := TokenView{ID: row.ID, Flow: row.Flow, Key: textOf(row.Key), Program: row.Program, Status: row.Status, Version: row.Version,
		States: []string{}, Input: documentOf(row.Data).Input, Data: documentOf(row.Data).Data, Result: json.RawMessage("null"),
		CreatedAt: instant(row.CreatedAt), RestartOf: textOf(row.RestartOf), Timers: []TimerView{}, Tasks: taskViews(tasks),
		Accepts: []vm.Accept{}, WaitingFor: []string{}}
	_ = json.Unmarshal([]byte(row.States), &v.States) // ours; what it cannot read stays empty
	v.countTasks(tasks, nil)
	v.quarantine(q)
	return v
}

func (v *TokenView) quarantine(q *store.Quarantined) {
	if q != nil {
		v.Quarantine = &q.Reason
	}
}

// document is the data column of a token.
type document struct {
	Input json.RawMessage `json:"input"`
	Data  json.RawMessage `json:"data"`
}

// documentOf reads the data column; what is missing is null.
func documentOf(raw []byte) document {
	var d document
	if json.Unmarshal(raw, &d) != nil {
		d = document{}
	}
	// Not set before: what is read into a RawMessage is written over the bytes that it had.
	return document{Input: rawOr(d.Input, "null"), Data: rawOr(d.Data, "null")}
}

func rawOr(raw []byte, otherwise string) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(otherwise)
	}
	return raw
}

// viewOf is a token as the API shows it. source may be nil.
func viewOf(source *program.Source, p *program.Program, t *vm.Token, tasks []task.Row, now int64) TokenView {
	v := TokenView{
		ID: t.ID, Flow: t.Flow, Key: textOf(t.Key), Program: t.Program, Status: string(t.Status), Cancelling: t.Cancelling,
		Version: t.Version, States: vm.Leaves(p, t), Final: textOf(vm.FinalName(p, t)), Outcome: textOf(t.Outcome),
		Result: vm.ResultOf(p, t), Error: errorView(source, p, t),
		Reason: textOf(t.Reason), CreatedAt: instant(t.CreatedAt), StartAt: instantOf(t.StartAt), StartedAt: instantOf(t.StartedAt),
		EndedAt: instantOf(t.EndedAt), Children: ChildrenView(t.Totals), RestartOf: textOf(t.RestartOf),
		Timers: timerViews(p, t, now), Tasks: taskViews(tasks), Accepts: vm.Accepts(p, t, now), WaitingFor: vm.WaitingFor(p, t, now),
		Queued: len(t.Kept), Deferred: len(t.Deferred),
	}
	v.countTasks(tasks, t)
	if raw, err := vm.EncodeData(p, t); err == nil {
		doc := documentOf(raw)
		v.Input, v.Data = doc.Input, doc.Data
	}
	if t.Status == vm.Paused {
		v.PausedAt = instantOf(t.PausedAt)
	}
	if t.Parent != nil {
		v.Parent = &ParentView{ID: t.Parent.Token, Flow: t.Parent.Flow, Index: t.Parent.Index}
	}
	if v.Accepts == nil {
		v.Accepts = []vm.Accept{}
	}
	return v
}

func errorView(source *program.Source, p *program.Program, t *vm.Token) *ErrorView {
	f := t.Error
	if f == nil {
		return nil
	}
	v := &ErrorView{Code: f.Code, Message: f.Message, State: textOf(vm.StatePath(p, t, f.State)), At: instantOf(f.At)}
	if source == nil || f.CodeRef < 0 {
		return v
	}
	if place, ok := source.Locate(f.CodeRef, f.PC); ok {
		v.File = textOf(place.File)
		if place.Line > 0 {
			v.Line, v.Column = &place.Line, &place.Column
		}
	}
	return v
}

func timerViews(p *program.Program, t *vm.Token, now int64) []TimerView {
	out := []TimerView{}
	for _, a := range vm.Timers(p, t, now) {
		v := TimerView{ID: a.ID, Kind: a.Kind, State: a.State, Visit: a.Visit, Event: textOf(a.Event), Overdue: a.Overdue}
		left := (a.Remaining + 999) / 1000
		v.RemainingMs = &left
		if !a.Held {
			due := instant(a.Due)
			v.Due = &due
		}
		out = append(out, v)
	}
	return out
}

// shownTasks is how many of its tasks a token shows: a fan-out may have 10,000.
const shownTasks = 100

func taskViews(rows []task.Row) []TokenTaskView {
	out := []TokenTaskView{}
	for _, r := range rows[:min(len(rows), shownTasks)] {
		out = append(out, tokenTask(r))
	}
	return out
}

// countTasks says how many tasks there are, of which there may be more than were read.
func (v *TokenView) countTasks(rows []task.Row, t *vm.Token) {
	if v.TaskCount = len(rows); v.TaskCount > shownTasks {
		if t != nil {
			v.TaskCount = max(v.TaskCount, vm.OpenTasks(t))
		}
		v.MoreTasks = "GET /v1/tasks?token=" + v.ID
	}
}

func tokenTask(r task.Row) TokenTaskView {
	v := TokenTaskView{ID: r.ID, Task: r.Task, State: r.State, Status: string(r.Status), Attempt: r.Attempt, Used: r.Used,
		MaxAttempts: r.MaxAttempts()}
	if !r.Status.Over() {
		v.NextAt = instantOf(r.NextAt)
	}
	return v
}

func taskView(r task.Row) TaskView {
	v := TaskView{TokenTaskView: tokenTask(r), Token: r.Token, Flow: r.Flow, Queue: r.Queue, Input: rawOr(r.Input, "null"),
		Dispatched: r.Dispatched, Held: r.HeldAt != 0, Worker: textOf(r.Worker), LeaseUntil: instantOf(r.LeaseUntil),
		OfferedAt: instant(r.OfferedAt), Attempts: []AttemptView{}}
	for _, a := range r.Log {
		v.Attempts = append(v.Attempts, AttemptView{Attempt: a.Attempt, Worker: a.Worker, ClaimedAt: instant(a.ClaimedAt),
			EndedAt: instant(a.EndedAt), Kind: a.Kind, Code: a.Code, Message: a.Message})
	}
	return v
}
