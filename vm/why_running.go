package vm

import (
	"fmt"
	"strings"
	"time"
)

// running explains a token that goes on by itself or waits for others.
func (w *why) running() {
	var events, timers []string
	for _, a := range Accepts(w.p, w.t, w.now) {
		if !a.Deferred {
			events = append(events, a.Event)
		}
		w.wait(WhyWait{Kind: "event", Name: a.Event, Who: "whoever may send events", Text: eventText(a)})
	}
	for _, a := range Timers(w.p, w.t, w.now) {
		timers = append(timers, fmt.Sprintf("`%s` at %s", a.ID, moment(a.Due)))
		w.wait(WhyWait{Kind: "timer", Name: a.ID, State: a.State, Who: "the server", Due: a.Due, Text: timerText(&a)})
	}
	w.next()
	kind, text := w.work()
	switch {
	case w.t.Status == Scheduled:
		w.out.Kind, w.out.Summary = WhyScheduled, "it is not started yet and starts at "+moment(w.t.StartAt)
	case kind != "":
		w.out.Kind, w.out.Summary = kind, text
	case w.out.Refused != nil && w.out.Refused.Since:
		w.out.Kind = WhyRefused
		w.out.Summary = fmt.Sprintf("%s refused `%s` at %s: %s", w.where(), w.out.Refused.Event, moment(w.out.Refused.At), w.out.Refused.Reason)
	case len(events) > 0 && len(timers) > 0:
		w.out.Kind = WhyEither
		w.out.Summary = fmt.Sprintf("%s waits for %s, or for %s", w.where(), eventNames(events), timers[0])
	case len(events) > 0:
		w.out.Kind, w.out.Summary = WhyEvent, fmt.Sprintf("%s waits for %s, for as long as it takes", w.where(), eventNames(events))
	case len(timers) > 0:
		w.out.Kind, w.out.Summary = WhyTimer, fmt.Sprintf("%s waits for %s", w.where(), timers[0])
	default:
		w.out.Kind, w.out.Summary = WhyNothing, w.where()+" takes no event now and has no timer: only a command can move it"
		w.command("retry", "`flowc retry --state STATE` moves it")
		w.command("cancel", "`flowc cancel` ends it")
	}
}

func eventText(a Accept) string {
	switch {
	case a.Deferred:
		return "would be kept until a state takes it"
	case a.Conditional:
		return "is taken when its guard holds for the payload"
	}
	return "is taken now"
}

func timerText(a *ArmedTimer) string {
	if a.Remaining == 0 {
		return "is due"
	}
	return "in " + length(a.Remaining)
}

func eventNames(names []string) string {
	if len(names) == 1 {
		return "the event `" + names[0] + "`"
	}
	return "one of the events `" + strings.Join(names, "`, `") + "`"
}

// next foretells the token's next timer by taking it on a copy.
func (w *why) next() {
	due, ok := NextDue(w.t)
	if !ok {
		return
	}
	i := nextTimer(w.f, w.t, max(due, w.now))
	if i < 0 {
		return
	}
	n := &WhyNext{At: due, What: "`" + timerID(w.p, w.f, &w.t.Timers[i]) + "` fires"}
	r, err := Apply(w.p, w.t, nil, max(due, w.now))
	if err != nil || r.Token == nil {
		w.out.Next = n
		return
	}
	n.States, n.Status, n.Final = leavesOf(w.f, r.Token), r.Token.Status, FinalName(w.p, r.Token)
	switch {
	case n.Final != "":
		n.What += ", and the token ends in `" + n.Final + "`"
	case n.Status == Cancelled || n.Status == Completed:
		n.What += ", and the token ends, " + r.Token.Outcome
	case n.Status == Failed:
		n.What += ", and the token fails"
		if r.Token.Error != nil {
			n.What += ": " + r.Token.Error.Code
		}
	case strings.Join(n.States, " ") == strings.Join(leavesOf(w.f, w.t), " "):
		n.What += ", and the token stays in `" + strings.Join(n.States, "`, `") + "`"
	default:
		n.What += ", and the token is in `" + strings.Join(n.States, "`, `") + "`"
	}
	w.out.Next = n
}

// sooner takes what happens by itself when it comes before what is known already.
func (w *why) sooner(at int64, what string) {
	if at > 0 && (w.out.Next == nil || at < w.out.Next.At) {
		w.out.Next = &WhyNext{At: at, What: what, States: leavesOf(w.f, w.t), Status: w.t.Status}
	}
}

// work lists tasks, children and fan-outs. What it says first is what is most in the way: a child or a worker who is missing
// before what merely takes its time.
func (w *why) work() (WhyKind, string) {
	best, text := WhyKind(""), ""
	better := func(kind WhyKind, say string) {
		if best == "" || weight[kind] > weight[best] {
			best, text = kind, say
		}
	}
	for i := range w.facts.Tasks {
		better(w.task(&w.facts.Tasks[i]))
	}
	for i := range w.facts.Children {
		better(w.child(&w.facts.Children[i]))
	}
	for i := range w.t.Fans {
		w.fan(&w.t.Fans[i])
	}
	return best, text
}

var weight = map[WhyKind]int{WhyChildFailed: 6, WhyChildPaused: 5, WhyUnclaimed: 4, WhyBackoff: 3, WhyChild: 2, WhyWorking: 1}

// task explains one task. An attempt whose time is over, and a backoff, end by themselves.
func (w *why) task(k *WhyTask) (WhyKind, string) {
	x := WhyWait{Kind: "task", Name: k.Task, ID: k.ID, State: k.State, Who: "a worker of `" + k.Task + "`"}
	name := "`" + k.Task + "`"
	kind := WhyWorking
	switch {
	case k.Status == "claimed":
		x.Who = k.Worker
		x.Text = fmt.Sprintf("attempt %d of %d runs since %s", k.Attempt, k.Max, moment(k.ClaimedAt))
		then := "the attempt is lost and the next one is offered"
		if k.Used+1 >= k.Max {
			then = "the attempt is lost, which was the last one, and the state gets `error`"
		}
		w.sooner(k.NextAt, fmt.Sprintf("if the worker of %s is not heard of until then, %s", name, then))
	case k.NextAt > w.now:
		kind = WhyBackoff
		x.Text = fmt.Sprintf("attempt %d of %d failed (%s); the next one is offered at %s", k.Used, k.Max, lastError(k), moment(k.NextAt))
		w.sooner(k.NextAt, fmt.Sprintf("attempt %d of %d of %s is offered", k.Used+1, k.Max, name))
	default:
		kind = WhyUnclaimed
		x.Text = fmt.Sprintf("attempt %d of %d is on offer since %s; ", k.Used+1, k.Max, moment(max(k.OfferedAt, k.NextAt)))
		switch {
		case k.Held != nil:
			x.Who = "an operator: `flowc release task " + k.Task + "`"
			x.Text += "no worker gets it, for the task is held " + k.Held.words()
		case k.Limit != "":
			x.Text += asked(k.Asked) + ", and " + k.Limit
		default:
			x.Text += asked(k.Asked)
		}
	}
	w.wait(x)
	return kind, fmt.Sprintf("%s waits for the task %s: %s", w.where(), name, x.Text)
}

func (h *WhyHold) words() string {
	text := "since " + moment(h.At)
	if h.By != "" {
		text += " by " + h.By
	}
	if h.Reason != "" {
		text += ": " + h.Reason
	}
	return text
}

func lastError(k *WhyTask) string {
	if k.LastCode == "" {
		return "no worker reported an error"
	}
	return k.LastCode + ": " + k.LastMessage
}

func asked(at int64) string {
	if at == 0 {
		return "no worker has asked this server for such a task"
	}
	return "a worker last asked this server for such tasks at " + moment(at) + ", all of them may be busy"
}

// child explains one child.
func (w *why) child(c *WhyChildState) (WhyKind, string) {
	x := WhyWait{Kind: "child", Name: c.name(), ID: c.ID, Who: "the child"}
	kind := WhyChild
	switch c.Status {
	case Paused:
		kind = WhyChildPaused
	case Failed:
		kind = WhyChildFailed
	}
	switch {
	case c.Hidden:
		x.Who, x.Text = "who may see "+c.Flow, "is "+string(c.Status)+"; it is hidden from this credential"
	case c.Status == Paused:
		x.Who, x.Text = "an operator: `flowc resume "+c.ID+"`", "is paused"
		if c.PausedAt != 0 {
			x.Text += " since " + moment(c.PausedAt)
		}
		if c.By != "" {
			x.Text += " by " + c.By
		}
		if c.Reason != "" {
			x.Text += ": " + c.Reason
		}
	case c.Status == Failed:
		x.Who, x.Text = "an operator: `flowc retry "+c.ID+"`", "has failed: "+c.Error
	default:
		x.Text = "is " + string(c.Status)
		if len(c.States) > 0 {
			x.Text += " in `" + strings.Join(c.States, "`, `") + "`; ask `flowc why " + c.ID + "`"
		}
	}
	w.wait(x)
	return kind, fmt.Sprintf("%s waits for the child %s, which %s", w.where(), x.Name, x.Text)
}

// fan explains a fan-out: how far it is, and what holds back the items that are not begun.
func (w *why) fan(fan *Fan) {
	text := fmt.Sprintf("%d of %d have ended, %d of them failed", fan.Succeeded+fan.Failed, fan.Total, fan.Failed)
	if left := fan.Total - fan.Next; left > 0 {
		text += fmt.Sprintf("; %s for a free place, at most %d run at once", counted(left, "item waits", "items wait"), fan.Limit)
	}
	w.wait(WhyWait{Kind: "fan-out", Name: w.f.States[fan.State].Name, State: w.f.States[fan.State].Path, Who: "its tasks or children", Text: text})
}

func moment(micros int64) string { return time.UnixMicro(micros).UTC().Format(time.RFC3339) }

// length says a duration in its two largest units.
func length(micros int64) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	s := (micros + 999_999) / 1_000_000
	switch {
	case s >= day:
		return fmt.Sprintf("%dd%dh", s/day, s%day/hour)
	case s >= hour:
		return fmt.Sprintf("%dh%dm", s/hour, s%hour/minute)
	case s >= minute:
		return fmt.Sprintf("%dm%ds", s/minute, s%minute)
	}
	return fmt.Sprintf("%ds", s)
}

// counted chooses a word by a number.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxAsked is how many children an explanation looks at.
const maxAsked = 100

// Awaited returns the ids of children that a token waits for, those that failed and may be retried among them: the first hundred.
func Awaited(t *Token) []string {
	var ids []string
	for i := range t.Children {
		ids = append(ids, t.Children[i].Token)
	}
	for i := range t.Fans {
		fan := &t.Fans[i]
		for index := 0; fan.Flow != "" && index < fan.Next && len(ids) < maxAsked; index++ {
			if !fan.has(index) {
				ids = append(ids, fan.id(t.ID, index))
			}
		}
	}
	return ids[:min(len(ids), maxAsked)]
}
