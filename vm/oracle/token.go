package oracle

import (
	"fmt"
	"slices"
)

// Status is a token's status (R52).
type Status string

// The statuses.
const (
	Scheduled Status = "scheduled"
	Running   Status = "running"
	Paused    Status = "paused"
	Failed    Status = "failed"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
)

// Ended says that nothing more can happen.
func (s Status) Ended() bool { return s == Completed || s == Cancelled }

// Answer is what a sender is told.
type Answer string

// The answers.
const (
	Accepted  Answer = "accepted"
	Deferred  Answer = "deferred"
	Queued    Answer = "queued"
	Refused   Answer = "refused"
	LeaseLost Answer = "lease-lost"
	Invalid   Answer = "invalid"
)

// A Token is the model of one token.
type Token struct {
	Status     Status
	Cancelling bool
	N          int      // the data field n
	Fired      []string // the timers that fired, in their order
	Kids       []*Token // in the order of their creation

	world  *World
	flow   *Flow
	parent *Token // whose child it is; at the state and visit that wait for it
	at     *State
	visit  int

	active   []*State // in the order of the file
	visits   map[*State]int
	memory   map[*State][]*State // of composites with history
	routine  map[*State]int      // the running segment
	joined   map[*State]bool     // a parallel that was told
	entering []*State            // parallels whose regions are being entered
	timers   []*timer
	news     []news
	due      int64 // the data field; 0: null
	startAt  int64 // while it is paused and no hand has moved it: what remains
	// startMoved: a hand has made the start an instant.
	startMoved bool
	stoodAt    int64 // since when it stands still
	kept       []stimulus
	deferred   []Event
	waiting    []*Token // children whose states are not left
	moves      int

	pausedSelf, pausedByParent, parentGone bool
}

// An Event comes from outside, from a worker or from a timer.
type Event struct {
	Name string
	K    int   // of b
	Due  int64 // of due_is; 0: null
}

// A stimulus is what a paused token keeps.
type stimulus struct {
	event *Event
	job   *Job
	end   ending
	child *Token
}

// news are what a state is told after a move: that what is below it has ended.
type news struct {
	state *State
	visit int
	event string
}

func (t *Token) isActive(s *State) bool { return slices.Contains(t.active, s) }

// Leaves are the innermost active states.
func (t *Token) leaves() []*State {
	var out []*State
	for _, s := range t.active {
		if !slices.ContainsFunc(t.active, func(x *State) bool { return x.Parent == s }) {
			out = append(out, s)
		}
	}
	return out
}

// States are the paths of the innermost active states, in the order of the file.
func (t *Token) States() []string {
	out := []string{}
	for _, s := range t.leaves() {
		if s.Parent != nil {
			out = append(out, s.Path())
		}
	}
	return out
}

// Kept and Deferred count the stimuli that wait.
func (t *Token) Kept() int     { return len(t.kept) }
func (t *Token) Deferred() int { return len(t.deferred) }

// visitState makes a new visit: its entry block runs, its timers are armed, its work is offered (R10).
func (t *Token) visitState(s *State) {
	t.active = append(t.active, s)
	slices.SortFunc(t.active, func(a, b *State) int { return a.order - b.order })
	t.visits[s]++
	t.run(s.entry, s, Event{})
	t.arm(s)
}

// enter enters a state and what is below it: what leads to the goals, otherwise what its history remembers, otherwise the initial
// states.
func (t *Token) enter(s *State, goals []*State) {
	t.visitState(s)
	switch s.Kind {
	case Leaf:
		t.beginWork(s)
	case Final:
		t.reached(s)
	case Composite:
		if !leads(s, goals) {
			goals = t.memory[s]
		}
		next := s.Kids[0]
		for _, k := range s.Kids {
			if slices.ContainsFunc(goals, func(g *State) bool { return g.inside(k) }) {
				next = k
			}
		}
		t.enter(next, goals)
	case Parallel:
		t.joined[s] = false
		t.entering = append(t.entering, s)
		for _, k := range s.Kids {
			t.enter(k, goals)
		}
		t.entering = t.entering[:len(t.entering)-1]
		t.join(s)
	}
}

func leads(s *State, goals []*State) bool {
	return slices.ContainsFunc(goals, func(g *State) bool { return g != s && g.inside(s) })
}

// reached says what a final state ends.
func (t *Token) reached(s *State) {
	switch up := s.Parent; {
	case up.Parent == nil:
		t.end(s)
	case up.isRegion():
		t.join(up.Parent)
	default:
		t.news = append(t.news, news{up, t.visits[up], "completed"})
	}
}

// join decides a parallel's join, once; regions that still run are then left.
func (t *Token) join(p *State) {
	if t.joined[p] || slices.Contains(t.entering, p) || t.Status != Running {
		return
	}
	ended, good := 0, 0
	var run []*State
	for _, region := range p.Kids {
		final := region.Kids[len(region.Kids)-1]
		switch {
		case !t.isActive(final):
			run = append(run, region)
		case final.outcome == "success":
			ended, good = ended+1, good+1
		default:
			ended++
		}
	}
	decided := map[string]bool{"all": len(run) == 0, "any": good > 0 || len(run) == 0, "race": ended > 0}[p.join]
	if !decided {
		return
	}
	t.joined[p] = true
	for _, region := range run {
		t.leave(region)
	}
	t.news = append(t.news, news{p, t.visits[p], "joined"})
}

// leave leaves a state and what is below it: composites with history remember, timers stop, work is withdrawn (R10, R33, R46).
func (t *Token) leave(s *State) {
	for _, x := range t.active {
		if x.inside(s) {
			t.remember(x)
		}
	}
	for _, x := range t.active {
		if x.inside(s) {
			t.stopWork(x)
		}
	}
	t.active = slices.DeleteFunc(t.active, func(x *State) bool { return x.inside(s) })
	t.timers = slices.DeleteFunc(t.timers, func(x *timer) bool { return x.state.inside(s) })
}

// remember notes what a composite with history is in. One that has ended begins anew.
func (t *Token) remember(s *State) {
	if s.history == "" {
		return
	}
	delete(t.memory, s)
	for _, k := range s.Kids {
		switch {
		case !t.isActive(k) || k.Kind == Final:
		case s.history == "history":
			t.memory[s] = []*State{k}
		default:
			for _, leaf := range t.leaves() {
				if leaf.inside(k) {
					t.memory[s] = append(t.memory[s], leaf)
				}
			}
		}
	}
}

// move takes a transition: the flow's own to a state in it, any other to a state beside its source or to the source itself. The block
// runs between leaving and entering.
func (t *Token) move(from, to *State, acts []act, e Event) {
	if from.Parent == nil {
		for _, k := range from.Kids {
			t.leave(k)
		}
	} else {
		t.leave(from)
	}
	t.run(acts, to, e)
	t.enter(to, nil)
}

func (t *Token) end(final *State) {
	t.Status = Completed
	if final.outcome == "cancelled" {
		t.Status = Cancelled
	}
	t.close()
	t.active = []*State{t.flow.Root, final}
	t.tellParent()
}

// close is what ends with a token that ends.
func (t *Token) close() {
	for _, s := range t.active {
		t.stopWork(s)
	}
	t.timers, t.kept, t.deferred, t.news = nil, nil, nil, nil
	t.active = nil
	t.pausedSelf, t.pausedByParent = false, false
}

// A choice is a handler that was selected, or a wait of a routine.
type choice struct {
	source  *State
	handler *handler
	visit   int
}

// selected evaluates all guards first, on unchanged data: from every leaf outwards the first that takes the event, a running wait
// before any handler; one shared by several once; of two whose exits intersect the inner one, otherwise the earlier (R7).
func (t *Token) selected(e Event) []choice {
	var found []choice
	for _, leaf := range t.leaves() {
		c, ok := t.outwards(leaf, e)
		if !ok || slices.Contains(found, c) {
			continue
		}
		loses := func(x choice) bool { return t.intersect(x, c) && c.source != x.source && c.source.inside(x.source) }
		found = slices.DeleteFunc(found, loses)
		if !slices.ContainsFunc(found, func(x choice) bool { return t.intersect(x, c) }) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b choice) int {
		if (a.handler == nil) != (b.handler == nil) { // a running wait takes its event before any handler (language.md 4)
			return map[bool]int{true: -1, false: 1}[a.handler == nil]
		}
		return a.source.order - b.source.order
	})
	return found
}

// outwards looks for who takes an event, from a state outwards.
func (t *Token) outwards(s *State, e Event) (choice, bool) {
	if i, runs := t.routine[s]; runs && i < len(s.run) && s.run[i].event == e.Name {
		return choice{source: s, visit: t.visits[s]}, true
	}
	for ; s != nil; s = s.Parent {
		for i := range s.on {
			if h := &s.on[i]; h.event == e.Name && h.when.holds(t.N, e.K) {
				return choice{source: s, handler: h, visit: t.visits[s]}, true
			}
		}
	}
	return choice{}, false
}

// intersect says that two leave a state in common: one of them stands inside the other.
func (t *Token) intersect(a, b choice) bool {
	if a.handler == nil || b.handler == nil || a.handler.target == nil || b.handler.target == nil {
		return false
	}
	return a.source.inside(b.source) || b.source.inside(a.source)
}

// carry carries out what was selected; what is in a region that has since been left does not run.
func (t *Token) carry(found []choice, e Event) {
	for _, c := range found {
		if t.Status != Running || !t.isActive(c.source) || t.visits[c.source] != c.visit {
			continue
		}
		switch {
		case c.handler == nil:
			t.proceed(c.source)
		case c.handler.target == nil:
			t.run(c.handler.acts, c.source, e)
		default:
			t.move(c.source, c.handler.target, c.handler.acts, e)
		}
	}
}

// tell gives a reserved event to the first handler from its state outwards, and says whether there was one.
func (t *Token) tell(s *State, e Event) bool {
	c, ok := t.outwards(s, e)
	if ok {
		t.carry([]choice{c}, e)
	}
	return ok
}

// run runs a block. What it schedules belongs to the owner.
func (t *Token) run(acts []act, owner *State, e Event) {
	for _, a := range acts {
		switch a.verb {
		case "add":
			t.N += a.n
		case "take":
			t.N += e.K
		case "aim":
			t.setDue(e.Due)
		case "schedule":
			t.schedule(owner, a.name, a.dur)
		case "unschedule":
			t.unschedule(owner, a.name)
		case "rearm":
			t.rearm(owner, a.name)
		case "fail":
			t.fail()
			return
		}
	}
}

// settle tells states what has ended below them, in the order in which it ended; then deferred events are looked at again.
func (t *Token) settle() {
	for len(t.news) > 0 && t.Status == Running {
		if t.moves++; t.moves > 10_000 {
			panic("the model does not come to rest")
		}
		x := t.news[0]
		t.news = t.news[1:]
		if t.isActive(x.state) && t.visits[x.state] == x.visit {
			t.tell(x.state, Event{Name: x.event})
		}
	}
	t.news = nil
	for i, e := range t.deferred {
		if found := t.selected(e); t.Status == Running && len(found) > 0 {
			t.deferred = slices.Delete(slices.Clone(t.deferred), i, i+1)
			t.carry(found, e)
			t.settle()
			return
		}
	}
}

func (t *Token) String() string {
	return fmt.Sprintf("%s at +%ds in %v, n is %d, %d kept, %d deferred", t.Status, (t.world.Now-t.world.Began)/Second, t.States(), t.N, len(t.kept), len(t.deferred))
}
