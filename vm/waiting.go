package vm

import "flowc/compiler/program"

// What a token waits for as far as its snapshot knows: the column by which tokens are listed by their reason. Of a token that
// waits for tasks or children the store looks at those, too, to say the same as Explain.
const (
	WaitsForTasks    = "task"
	WaitsForChildren = "child"
	WaitsForBoth     = "task-and-child"
	WaitsReleased    = "failed-released" // it failed, and its parent waits for it no more
)

// Waiting says in one word what a token waits for: one of the constants above, or a WhyKind. "" is an ended one. refused says that
// an event was refused and that nothing has happened since.
func Waiting(p *program.Program, t *Token, refused bool, now int64) string {
	switch {
	case t.Status.Ended():
		return ""
	case t.Status == Paused:
		return string(WhyPaused)
	case t.Status == Failed && t.ParentGone:
		return WaitsReleased
	case t.Status == Failed:
		return string(WhyFailed)
	case t.Status == Scheduled:
		return string(WhyScheduled)
	}
	if kind := awaitedKind(t); kind != "" {
		return kind
	}
	if refused {
		return string(WhyRefused)
	}
	event, timer := takesEvent(p, t, now), armed(t)
	switch {
	case event && timer:
		return string(WhyEither)
	case event:
		return string(WhyEvent)
	case timer:
		return string(WhyTimer)
	}
	return string(WhyNothing)
}

func awaitedKind(t *Token) string {
	tasks, children := len(t.Work) > 0, len(t.Children) > 0
	for i := range t.Fans {
		tasks = tasks || t.Fans[i].Flow == ""
		children = children || t.Fans[i].Flow != ""
	}
	switch {
	case tasks && children:
		return WaitsForBoth
	case tasks:
		return WaitsForTasks
	case children:
		return WaitsForChildren
	}
	return ""
}

func armed(t *Token) bool {
	for i := range t.Timers {
		if !t.Timers[i].Off {
			return true
		}
	}
	return false
}

// takesEvent says whether Accepts has an event that is not only deferred. It stops at the first.
func takesEvent(p *program.Program, t *Token, now int64) bool {
	f := flowOf(p, t.Flow)
	if f == nil || len(t.Active) == 0 {
		return false
	}
	s := newStep(p, f, t, &Stimulus{}, max(now, t.LastAt))
	for i := range p.Events {
		if !p.Events[i].Internal && s.acceptance(i) >= perhaps {
			return true
		}
	}
	return false
}
