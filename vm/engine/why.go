package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/task"
)

// A WhyView is the answer to "why is it still waiting" (UX-01). Kind is one of vm.WhyKind.
type WhyView struct {
	Token   string        `json:"token"`
	Flow    string        `json:"flow"`
	Key     *string       `json:"key"`
	Status  string        `json:"status"`
	States  []string      `json:"states"`
	Version int64         `json:"version"`
	At      time.Time     `json:"at"` // the database's instant of the answer
	Kind    vm.WhyKind    `json:"kind"`
	Summary string        `json:"summary"`
	Waits   []WhyWaitView `json:"waits"`
	// Next is what happens if nobody does anything; null: nothing, for ever.
	Next *WhyNextView `json:"next"`
	// Refused is the last event that was refused, null when none of the last steps was.
	Refused *WhyRefusalView `json:"refused"`
}

// A WhyWaitView is one thing that can move the token, and who can do it.
type WhyWaitView struct {
	Kind  string     `json:"kind"` // event, timer, task, child, fan-out, command
	Name  string     `json:"name"`
	ID    *string    `json:"id"` // of the task or child
	State *string    `json:"state"`
	Who   string     `json:"who"`
	Text  string     `json:"text"`
	Due   *time.Time `json:"due"`
}

// A WhyNextView is what happens by itself, and where the token would then be.
type WhyNextView struct {
	At     time.Time `json:"at"`
	InMs   int64     `json:"inMs"`
	What   string    `json:"what"`
	Status *string   `json:"status"`
	States []string  `json:"states"`
	Final  *string   `json:"final"`
}

// A WhyRefusalView is an event that was refused. Since: nothing has happened to the token after it.
type WhyRefusalView struct {
	At      time.Time   `json:"at"`
	Event   string      `json:"event"`
	Actor   *string     `json:"actor"`
	Reason  string      `json:"reason"`
	Accepts []vm.Accept `json:"accepts"`
	Since   bool        `json:"since"`
}

// whySteps is how far back a refusal or a pause is looked for.
const whySteps = 100

// Why is described at Service.
func (e *Engine) Why(ctx context.Context, req WhyRequest) (WhyView, error) {
	ref := req.Token
	row, err := e.row(ctx, ref)
	if err != nil {
		return WhyView{}, err
	}
	_, now, err := e.store.NextDue(ctx)
	if err != nil {
		return WhyView{}, readFault(err, ref)
	}
	refused, err := e.lastRefusal(ctx, row)
	if err != nil {
		return WhyView{}, readFault(err, ref)
	}
	w, err := e.explain(ctx, row, req.Flows, refused, now)
	if err != nil {
		return WhyView{}, readFault(err, ref)
	}
	return whyView(row, &w, now), nil
}

// explain asks the step, once it is clear that the token can be stepped at all.
func (e *Engine) explain(ctx context.Context, row store.Token, flows []string, refused *vm.WhyRefusal, now int64) (vm.Why, error) {
	if row.Quarantined {
		q, err := e.store.QuarantineOf(ctx, row.ID)
		if err == nil {
			return setAside(q, refused), nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return vm.Why{}, err
		}
	}
	l, err := e.readProgram(ctx, row.Program)
	switch {
	case errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil:
		return vm.Why{}, err
	case err != nil:
		return programMissing(row, err, refused), nil
	case len(row.Snapshot) == 0:
		return vm.Why{Kind: vm.WhyNothing, Summary: "its start waits in its inbox; the next batch of a server takes it", Refused: refused}, nil
	}
	t, err := decodeToken(l.program, row)
	if err != nil {
		return vm.Why{Kind: vm.WhySetAside, Summary: "its snapshot cannot be read: " + err.Error(), Refused: refused}, nil
	}
	facts := vm.WhyFacts{Refused: refused}
	if facts.Tasks, err = e.whyTasks(ctx, row.ID); err != nil {
		return vm.Why{}, err
	}
	if facts.Children, err = e.whyChildren(ctx, t, flows); err != nil {
		return vm.Why{}, err
	}
	return vm.Explain(l.program, t, &facts, now), nil
}

func setAside(q store.Quarantined, refused *vm.WhyRefusal) vm.Why {
	return vm.Why{Kind: vm.WhySetAside, Refused: refused,
		Summary: fmt.Sprintf("it is set aside since %s, because it could not be stepped: %s", instant(q.At).Format(time.RFC3339), q.Reason),
		Waits: []vm.WhyWait{{Kind: "command", Name: "doctor", Who: "an operator",
			Text: "put right what is wrong, then `flowc release " + q.Token + "` lets it go on; `flowc quarantine` lists all that are set aside"}}}
}

func programMissing(row store.Token, err error, refused *vm.WhyRefusal) vm.Why {
	w := vm.Why{Kind: vm.WhyNoProgram, Refused: refused}
	var other *program.VersionError
	if errors.As(err, &other) {
		w.Summary = fmt.Sprintf("its program %s is for another version of the server: %s", row.Program, other)
		w.Waits = []vm.WhyWait{{Kind: "command", Name: "run", Who: "an operator", Text: "start a server of that version on this database; this one leaves the token alone"}}
		return w
	}
	w.Summary = fmt.Sprintf("its program %s is missing from the database; whatever touches the token sets it aside", row.Program)
	w.Waits = []vm.WhyWait{{Kind: "command", Name: "deploy", Who: "a deployer", Text: "`flowc deploy` the very files that it was started with"}}
	return w
}

// lastRefusal looks for the last event that was refused.
func (e *Engine) lastRefusal(ctx context.Context, row store.Token) (*vm.WhyRefusal, error) {
	steps, err := e.store.Recent(ctx, row.ID, whySteps)
	if err != nil {
		return nil, err
	}
	for i, h := range steps {
		lines, err := historyLines(h)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if l.Kind == "event-refused" {
				return &vm.WhyRefusal{At: h.At, Event: l.Name, Actor: l.Actor, Reason: l.Text, Accepts: acceptsOf(l.More),
					Since: onlyRefusals(steps[:i])}, nil
			}
		}
	}
	return nil, nil
}

// onlyRefusals says that none of the steps changed the token: those that do begin their version's lines.
func onlyRefusals(steps []store.History) bool {
	for _, h := range steps {
		if h.Line == 1 {
			return false
		}
	}
	return true
}

func acceptsOf(more map[string]any) []vm.Accept {
	out := []vm.Accept{}
	if raw, err := json.Marshal(more["accepts"]); err == nil {
		_ = json.Unmarshal(raw, &out) // ours; what it cannot read stays empty
	}
	return out
}

func (e *Engine) whyTasks(ctx context.Context, token string) ([]vm.WhyTask, error) {
	rows, err := e.store.Tasks(ctx, store.TaskFilter{Token: token, Limit: whySteps})
	if err != nil {
		return nil, err
	}
	var out []vm.WhyTask
	for _, r := range rows {
		if !r.Dispatched {
			out = append(out, whyTask(r, e.claims.asked(r.Task)))
		}
	}
	return out, e.whyHeldBack(ctx, rows, out)
}

// whyHeldBack adds what operators did to hold back those tasks that nobody has claimed.
func (e *Engine) whyHeldBack(ctx context.Context, rows []task.Row, tasks []vm.WhyTask) error {
	if !slices.ContainsFunc(tasks, func(t vm.WhyTask) bool { return t.Status != string(task.Claimed) }) {
		return nil
	}
	held, err := e.store.HeldTasks(ctx)
	if err != nil {
		return err
	}
	limits, err := e.store.Queues(ctx)
	if err != nil {
		return err
	}
	queues := map[string]string{} // by the task's id
	for _, r := range rows {
		queues[r.ID] = r.Queue
	}
	for i := range tasks {
		t := &tasks[i]
		for _, h := range held {
			if h.Task == t.Task {
				t.Held = &vm.WhyHold{At: h.At, By: h.Actor, Reason: h.Reason}
			}
		}
		for _, q := range limits {
			if q.Name == queues[t.ID] {
				t.Limit = queueWords(q)
			}
		}
	}
	return nil
}

func queueWords(q store.Queue) string {
	var parts []string
	if q.Concurrency > 0 {
		parts = append(parts, fmt.Sprintf("%d at once", q.Concurrency))
	}
	if q.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%d in %s", q.Rate, time.Duration(q.Per)*time.Microsecond))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("its queue `%s` lets no more begin than %s", q.Name, strings.Join(parts, " and "))
}

func whyTask(r task.Row, asked int64) vm.WhyTask {
	return vm.WhyTask{ID: r.ID, Task: r.Task, State: r.State, Status: string(r.Status), Attempt: r.Attempt, Used: r.Used,
		Max: r.MaxAttempts(), NextAt: r.NextAt, OfferedAt: r.OfferedAt, Worker: r.Worker, ClaimedAt: r.ClaimedAt,
		LastCode: r.LastCode, LastMessage: r.LastMessage, Asked: asked}
}

// asked is when a worker last asked this server for a task, in microseconds; 0 for never.
func (c *claims) asked(task string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.last[task]
	if !ok {
		return 0
	}
	return at.UnixMicro()
}

func (e *Engine) whyChildren(ctx context.Context, t *vm.Token, flows []string) ([]vm.WhyChildState, error) {
	rows, err := e.store.Tokens(ctx, vm.Awaited(t))
	if err != nil {
		return nil, err
	}
	var out []vm.WhyChildState
	for _, row := range rows {
		if !sees(flows, row.Flow) {
			out = append(out, vm.WhyChildState{Flow: row.Flow, Status: vm.Status(row.Status), Hidden: true})
			continue
		}
		c := vm.WhyChildState{ID: row.ID, Flow: row.Flow, Key: row.Key, Status: vm.Status(row.Status), States: []string{}}
		_ = json.Unmarshal([]byte(row.States), &c.States) // ours; what it cannot read stays empty
		if err := e.whyChild(ctx, row, &c); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// whyChild adds who paused a child, or why it failed.
func (e *Engine) whyChild(ctx context.Context, row store.Token, c *vm.WhyChildState) error {
	if c.Status != vm.Paused && c.Status != vm.Failed {
		return nil
	}
	steps, err := e.store.Recent(ctx, row.ID, whySteps)
	if err != nil {
		return err
	}
	parentOver := false // its parent's pause ended, as the steps looked at so far, the latest first, say
	for _, h := range steps {
		lines, err := historyLines(h)
		if err != nil {
			return err
		}
		for _, l := range lines {
			byParent := l.Kind == "control" && l.Text == vm.ByItsParent
			switch {
			case c.Status == vm.Paused && byParent && (parentOver || l.Name == string(vm.OnResume)):
				parentOver = true // what is left is a pause of its own (R54), which is older
			case c.Status == vm.Paused && l.Kind == "control" && l.Name == string(vm.OnPause):
				c.PausedAt, c.By, c.Reason = h.At, l.Actor, l.Text
				return nil
			case c.Status == vm.Failed && (l.Kind == "failed" || l.Kind == "error"):
				c.Error = l.Name + ": " + l.Text
				return nil
			}
		}
	}
	return nil
}

func whyView(row store.Token, w *vm.Why, now int64) WhyView {
	v := WhyView{Token: row.ID, Flow: row.Flow, Key: textOf(row.Key), Status: row.Status, States: []string{}, Version: row.Version,
		At: instant(now), Kind: w.Kind, Summary: w.Summary, Waits: []WhyWaitView{}}
	_ = json.Unmarshal([]byte(row.States), &v.States) // ours; what it cannot read stays empty
	for _, x := range w.Waits {
		v.Waits = append(v.Waits, WhyWaitView{Kind: x.Kind, Name: x.Name, ID: textOf(x.ID), State: textOf(x.State), Who: x.Who, Text: x.Text, Due: instantOf(x.Due)})
	}
	if n := w.Next; n != nil {
		v.Next = &WhyNextView{At: instant(n.At), InMs: max(0, (n.At-now+999)/1000), What: n.What, Status: textOf(string(n.Status)), States: n.States, Final: textOf(n.Final)}
		if v.Next.States == nil {
			v.Next.States = []string{}
		}
	}
	if r := w.Refused; r != nil {
		v.Refused = &WhyRefusalView{At: instant(r.At), Event: r.Event, Actor: textOf(r.Actor), Reason: r.Reason, Accepts: r.Accepts, Since: r.Since}
	}
	return v
}
