package vm

import (
	"fmt"
	"strings"

	"flowc/compiler/program"
)

// WhyKind says in one word what a token waits for (UX-01).
type WhyKind string

// The kinds of waiting. A token that waits for work says what stands in the work's way; the refusal of an event shows as long as
// nothing has happened since.
const (
	WhyEvent       WhyKind = "event"           // an event from outside
	WhyTimer       WhyKind = "timer"           // an instant
	WhyEither      WhyKind = "event-or-timer"  // whichever comes first
	WhyWorking     WhyKind = "working"         // a worker has the task
	WhyBackoff     WhyKind = "backoff"         // an attempt failed, and the next one is not yet
	WhyUnclaimed   WhyKind = "unclaimed"       // the task is on offer and no worker has taken it
	WhyChild       WhyKind = "child"           // a child that goes on
	WhyChildPaused WhyKind = "child-paused"    // a child that is paused
	WhyChildFailed WhyKind = "child-failed"    // a child that failed and may be retried
	WhyRefused     WhyKind = "refused"         // an event, and the last one was refused
	WhyNoProgram   WhyKind = "program-missing" // its program is missing, or this server cannot run it
	WhyPaused      WhyKind = "paused"
	WhyFailed      WhyKind = "failed"
	WhyScheduled   WhyKind = "scheduled"
	WhyEnded       WhyKind = "ended"
	WhySetAside    WhyKind = "set-aside" // stepping it failed, so no server tries (R6)
	WhyNothing     WhyKind = "nothing"   // only a command can move it
)

// A Why is the answer to "why is it still waiting": what the token waits for, who can move it, what happens by itself and when,
// and why the last event was refused. Instants are microseconds.
type Why struct {
	Kind    WhyKind
	Summary string
	Waits   []WhyWait
	Next    *WhyNext // what happens if nobody does anything; nil: nothing, for ever
	Refused *WhyRefusal
}

// A WhyWait is one thing that can move the token, and who can do it.
type WhyWait struct {
	Kind  string // event, timer, task, child, fan-out, command
	Name  string // of the event, timer, task, flow or command
	ID    string // of the task or child
	State string // the path of the state that waits for it
	Who   string
	Text  string // how it stands
	Due   int64  // of a timer; 0: none
}

// A WhyNext is what happens by itself: the token's next timer, or the end of an attempt's time or of a backoff. States, Status
// and Final are what a step at that instant would make of the token as it is now.
type WhyNext struct {
	At     int64
	What   string
	States []string
	Status Status
	Final  string
}

// A WhyRefusal is the last event that was refused. Since says that nothing has happened to the token after it.
type WhyRefusal struct {
	At      int64
	Event   string
	Actor   string
	Reason  string
	Accepts []Accept // what would have been taken
	Since   bool
}

// WhyFacts are what the snapshot does not say: the rows of its tasks, the states of its children, the last refusal.
type WhyFacts struct {
	Tasks    []WhyTask
	Children []WhyChildState
	Refused  *WhyRefusal
}

// A WhyTask is how a task of the token stands. Status is `offered`, `claimed` or `backoff`. Asked is when a worker last asked this
// server for such a task, 0 for never.
type WhyTask struct {
	ID, Task, State, Status string
	Attempt, Used, Max      int
	NextAt, OfferedAt       int64
	Worker                  string
	ClaimedAt               int64
	LastCode, LastMessage   string
	Asked                   int64
	Held                    *WhyHold // nothing of the task is claimed until it is released; nil: it is not held
	Limit                   string   // what its queue allows over all servers, in words; "": no limit
}

// A WhyHold is who holds a task's work back, since when and why.
type WhyHold struct {
	At         int64
	By, Reason string
}

// A WhyChildState is how a child stands. By is who paused it; PausedAt is 0 when the pause is too far back to be looked for.
type WhyChildState struct {
	ID, Flow, Key string
	Status        Status
	States        []string
	PausedAt      int64
	By, Reason    string // of the pause
	Error         string // why it failed
	Hidden        bool   // of a flow that the one who asks may not see: nothing but Flow and Status is told
}

func (c *WhyChildState) name() string {
	if c.Hidden {
		return c.Flow
	}
	if c.Key != "" {
		return c.Flow + ":" + c.Key
	}
	return c.Flow + " " + c.ID
}

// why collects the answer for one token.
type why struct {
	p     *program.Program
	f     *program.Flow
	t     *Token
	now   int64
	facts *WhyFacts
	out   Why
}

// Explain says why a token waits (UX-01). It reads nothing but what it is given, and tries the next timer on a copy, so what it
// foretells is what the step will do.
func Explain(p *program.Program, t *Token, facts *WhyFacts, now int64) Why {
	w := &why{p: p, f: flowOf(p, t.Flow), t: t, now: max(now, t.LastAt), facts: facts}
	w.out.Refused = facts.Refused
	if w.f == nil {
		w.out.Kind, w.out.Summary = WhyNoProgram, fmt.Sprintf("its program has no flow `%s`", t.Flow)
		return w.out
	}
	switch t.Status {
	case Paused:
		w.paused()
	case Failed:
		w.failed()
	case Completed, Cancelled:
		w.ended()
	default:
		w.running()
	}
	return w.out
}

func (w *why) wait(x WhyWait) { w.out.Waits = append(w.out.Waits, x) }

func (w *why) command(name, text string) {
	w.wait(WhyWait{Kind: "command", Name: name, Who: "an operator", Text: text})
}

// where names the active leaves.
func (w *why) where() string {
	leaves := leavesOf(w.f, w.t)
	if len(leaves) == 0 {
		return "`" + w.t.Flow + "`"
	}
	return "`" + strings.Join(leaves, "`, `") + "`"
}

func (w *why) paused() {
	w.out.Kind = WhyPaused
	by := ""
	switch {
	case w.t.PausedSelf && w.t.PausedByParent:
		by = ", by a command and by its parent"
	case w.t.PausedByParent:
		by = ", by its parent"
	}
	w.out.Summary = fmt.Sprintf("%s is paused since %s%s: nothing moves until it is resumed", w.where(), moment(w.t.PausedAt), by)
	if n := len(w.t.Kept); n > 0 {
		w.out.Summary += fmt.Sprintf("; %s", counted(n, "stimulus is kept and is applied then", "stimuli are kept and are applied then"))
	}
	w.command("resume", "`flowc resume` lets it go on; durations get the paused time back")
	if !w.t.Cancelling {
		w.command("cancel", "`flowc cancel` ends it, paused as it is")
	}
	for _, a := range Timers(w.p, w.t, w.now) {
		switch {
		case a.Overdue:
			w.wait(WhyWait{Kind: "timer", Name: a.ID, State: a.State, Who: "the resume", Due: a.Due, Text: "fell due in the pause and fires on resume"})
		case a.Held:
			w.wait(WhyWait{Kind: "timer", Name: a.ID, State: a.State, Who: "the resume", Text: "stands still, " + length(a.Remaining) + " remain"})
		default:
			w.wait(WhyWait{Kind: "timer", Name: a.ID, State: a.State, Who: "the resume", Due: a.Due, Text: "an instant, which a pause does not move"})
		}
	}
}

func (w *why) failed() {
	w.out.Kind = WhyFailed
	w.out.Summary = fmt.Sprintf("%s has failed", w.where())
	if e := w.t.Error; e != nil {
		w.out.Summary += fmt.Sprintf(" at %s: %s: %s", moment(e.At), e.Code, e.Message)
	}
	w.out.Summary += "; nothing moves until it is retried"
	if w.t.ParentGone {
		w.out.Summary = strings.TrimSuffix(w.out.Summary, "it is retried") + "a new token is started, since its parent waits for it no more"
		w.command("restart", "`flowc restart` starts a new token of the same input")
		return
	}
	if w.t.PausedByParent {
		w.out.Summary += ", and its parent, which is paused, is resumed"
		w.command("resume", "`flowc resume` of its parent "+w.t.Parent.Token+" comes first")
	}
	w.command("retry", "`flowc retry` lets it go on where it failed, `--state` elsewhere")
	w.command("cancel", "`flowc cancel` ends it")
}

func (w *why) ended() {
	w.out.Kind = WhyEnded
	w.out.Summary = fmt.Sprintf("it has ended at %s, %s", moment(w.t.EndedAt), w.t.Outcome)
	if name := FinalName(w.p, w.t); name != "" {
		w.out.Summary += " in `" + name + "`"
	}
	if w.t.Reason != "" {
		w.out.Summary += ": " + w.t.Reason
	}
	w.command("restart", "`flowc restart` starts a new token of the same input")
}
