package vm

import (
	"fmt"
	"slices"

	"flowc/compiler/program"
	"flowc/vm/machine"
)

// An ArmedTimer is a timer as people see it. Due is null (0) and Remaining counts while a pause or a failure holds a duration; an
// instant keeps its Due, and Overdue says that it fell due meanwhile: it fires on resume (R15).
type ArmedTimer struct {
	ID        string
	Kind      string // timeout, after, at, every, calendar, idle, event, sleep, wait, start
	State     string // path
	Visit     int64
	Event     string // of a scheduled event
	Due       int64
	Held      bool // a duration that stands still: Remaining counts
	Remaining int64
	Overdue   bool
}

var timerKinds = map[program.TimerKind]string{
	program.Timeout: "timeout", program.After: "after", program.At: "at", program.Every: "every", program.Calendar: "calendar", program.Idle: "idle",
}

// Timers lists the timers that are armed, in the order in which they fire (R11: what is shown is what will fire).
func Timers(p *program.Program, t *Token, now int64) []ArmedTimer {
	f := flowOf(p, t.Flow)
	if f == nil || t.Status.Ended() {
		return []ArmedTimer{}
	}
	held := t.Status == Paused || t.Status == Failed
	armed := make([]*Timer, 0, len(t.Timers))
	for i := range t.Timers {
		if !t.Timers[i].Off {
			armed = append(armed, &t.Timers[i])
		}
	}
	slices.SortStableFunc(armed, func(a, b *Timer) int {
		switch {
		case before(f, a, b):
			return -1
		case before(f, b, a):
			return 1
		}
		return 0
	})
	out := make([]ArmedTimer, len(armed))
	for i, tm := range armed {
		out[i] = armedTimer(p, f, tm, held, now)
	}
	return out
}

func armedTimer(p *program.Program, f *program.Flow, t *Timer, held bool, now int64) ArmedTimer {
	a := ArmedTimer{ID: timerID(p, f, t), State: f.States[t.State].Path, Visit: t.Visit, Due: t.Due, Remaining: max(t.Due-now, 0), Kind: timerName(p, f, t)}
	switch {
	case t.Decl >= 0:
		a.Kind = timerKinds[f.States[t.State].Timers[t.Decl].Kind]
	case t.Kind == ScheduledEvent:
		a.Kind, a.Event = "event", p.Events[t.Event].Name
	}
	if held && !t.Instant {
		a.Held, a.Due, a.Remaining = true, 0, t.Left
	}
	a.Overdue = held && t.Instant && t.Due <= now
	return a
}

// Leaves returns the paths of the active leaves, in file order: `states` of the API.
func Leaves(p *program.Program, t *Token) []string {
	if f := flowOf(p, t.Flow); f != nil {
		return leavesOf(f, t)
	}
	return []string{}
}

func leavesOf(f *program.Flow, t *Token) []string {
	paths := []string{}
	for i := range t.Active {
		if path := f.States[t.Active[i].State].Path; isLeaf(f, t, i) && path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// FinalName returns the name of the final state in which the token ended, "" for none.
func FinalName(p *program.Program, t *Token) string {
	f := flowOf(p, t.Flow)
	if f == nil || t.Final < 0 || t.Final >= len(f.States) {
		return ""
	}
	return f.States[t.Final].Name
}

// StatePath returns the path of a state of the token's flow by its index (as in Failure.State), "" for none.
func StatePath(p *program.Program, t *Token, state int) string {
	f := flowOf(p, t.Flow)
	if f == nil || state < 0 || state >= len(f.States) {
		return ""
	}
	return f.States[state].Path
}

// WaitingFor says in a few words what can move the token next: `event approve`, `timer review.timeout`, `task charge`, `child
// payment`, `resume`, `retry`. A program asks Accepts and Timers instead.
func WaitingFor(p *program.Program, t *Token, now int64) []string {
	f := flowOf(p, t.Flow)
	switch {
	case f == nil || t.Status.Ended():
		return []string{}
	case t.Status == Paused:
		return []string{"resume"}
	case t.Status == Failed:
		return []string{"retry"}
	}
	what := []string{}
	for _, a := range Accepts(p, t, now) {
		if !a.Deferred {
			what = append(what, "event "+a.Event)
		}
	}
	for _, a := range Timers(p, t, now) {
		what = append(what, "timer "+a.ID)
	}
	for i := range t.Work {
		what = append(what, "task "+taskOf(p, f, t, &t.Work[i]))
	}
	for i := range t.Children {
		if !t.Children[i].Failed {
			what = append(what, "child "+t.Children[i].Flow)
		}
	}
	for i := range t.Fans {
		fan := &t.Fans[i]
		what = append(what, fmt.Sprintf("%d of %d in %s", fan.Total-fan.Succeeded-fan.Failed, fan.Total, f.States[fan.State].Path))
	}
	return what
}

// taskOf names the task of a work.
func taskOf(p *program.Program, f *program.Flow, t *Token, w *Work) string {
	for i := range t.Frames {
		if fr := &t.Frames[i]; fr.Visit == w.Visit && fr.Wait != nil && fr.Wait.Kind == machine.CallTask {
			return p.Tasks[fr.Wait.Task].Name
		}
	}
	if work := f.States[w.State].Work; work != nil && work.Kind == program.Do {
		return p.Tasks[work.Task].Name
	}
	return w.Task
}
