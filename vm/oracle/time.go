package oracle

import (
	"fmt"
	"slices"
	"time"
)

// A timer is one of a visit (R10).
type timer struct {
	state   *State
	clock   *clock // nil of a routine's and of a scheduled event
	event   string // of a scheduled event
	period  int64  // of a scheduled event
	due     int64
	left    int64 // while the token stands still
	instant bool  // a pause does not move it
	until   int64 // of `every … for`
	fires   int
	fired   int64 // the instant that fired last
	off     bool
}

func (x *timer) name(t *Token) string {
	switch i := t.routine[x.state]; {
	case x.clock != nil:
		return x.clock.name
	case x.event != "":
		return x.event
	case i < len(x.state.run) && x.state.run[i].event == "":
		return "sleep"
	}
	return "wait"
}

func (x *timer) id(t *Token) string {
	if path := x.state.Path(); path != "" {
		return path + "." + x.name(t)
	}
	return x.name(t)
}

// order compares two timers by R16: due time, inner before outer, otherwise the order of the file, a state's timeout last.
func (x *timer) order(y *timer) int {
	switch {
	case x.due != y.due:
		return int(max(-1, min(1, x.due-y.due)))
	case x.state != y.state && x.state.inside(y.state):
		return -1
	case x.state != y.state && y.state.inside(x.state):
		return 1
	case x.state != y.state:
		return x.state.order - y.state.order
	}
	return x.rank() - y.rank()
}

func (x *timer) rank() int {
	switch {
	case x.event != "":
		return 500
	case x.clock == nil:
		return 600
	case x.clock.kind == "timeout":
		return 900
	}
	return slices.IndexFunc(x.state.clocks, func(c clock) bool { return c.name == x.clock.name })
}

// armed are the armed timers in the order in which they fire.
func (t *Token) armed() []*timer {
	var out []*timer
	for _, x := range t.timers {
		if !x.off {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, (*timer).order)
	return out
}

// arm arms the timers of a state that was entered now.
func (t *Token) arm(s *State) {
	for i := range s.clocks {
		c := &s.clocks[i]
		x := &timer{state: s, clock: c, instant: c.kind == "at" || c.kind == "calendar" || c.kind == "idle"}
		if c.limit > 0 {
			x.until = t.world.Now + c.limit
		}
		t.startOver(x)
		t.timers = append(t.timers, x)
	}
}

// startOver lets a timer begin now, whatever it did before; `times` and `for` count from the entry.
func (t *Token) startOver(x *timer) {
	now := t.world.Now
	switch {
	case x.clock == nil:
		x.due, x.instant, x.off = now+x.period, false, false
	case x.clock.kind == "at":
		x.due, x.off = t.due+x.clock.dur, t.due == 0
	case x.clock.kind == "calendar":
		x.due = nextLocal(x.clock.zone, x.clock.minute, now)
	default:
		x.due, x.instant = now+x.clock.dur, x.clock.kind == "idle"
		x.off = x.until != 0 && x.due >= x.until || x.clock.times > 0 && x.fires >= x.clock.times
	}
}

// setDue gives the deadline another value. Timers that read it follow: null stops them, and the deadline that fired last does not fire
// again in the visit (R18).
func (t *Token) setDue(due int64) {
	if due == t.due {
		return
	}
	t.due = due
	for _, x := range t.timers {
		if x.clock != nil && x.clock.kind == "at" {
			x.due = due + x.clock.dur
			x.off = due == 0 || x.fires > 0 && x.fired == x.due
		}
	}
}

// nextLocal is the first fire of a calendar timer after an instant: on each day of the zone the first instant at which its clocks
// show the time or, when the time is skipped, a later one. So a time that comes twice fires once (R19).
func nextLocal(zone string, minute int, after int64) int64 {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		panic(err) // one of Zones
	}
	clock := func(at int64) (day, minute int) {
		l := time.UnixMicro(at).In(loc)
		return l.YearDay(), l.Hour()*60 + l.Minute()
	}
	at := after/Minute*Minute - 30*Hour // a day before, to see whether today's has been
	fired, _ := clock(at - Minute)
	for ; ; at += Minute {
		if day, m := clock(at); day != fired && m >= minute {
			if fired = day; at > after {
				return at
			}
		}
	}
}

// schedule arms the timer of an event for a state; the same event again replaces it.
func (t *Token) schedule(s *State, event string, after int64) {
	if i := t.scheduled(s, event); i >= 0 {
		t.timers = slices.Delete(t.timers, i, i+1)
	}
	t.timers = append(t.timers, &timer{state: s, event: event, period: after, due: t.world.Now + after})
}

func (t *Token) scheduled(s *State, event string) int {
	return slices.IndexFunc(t.timers, func(x *timer) bool { return x.state == s && x.event == event })
}

// outwardsTimer looks for a timer by name from a state outwards.
func (t *Token) outwardsTimer(s *State, name string) int {
	for ; s != nil; s = s.Parent {
		i := slices.IndexFunc(t.timers, func(x *timer) bool {
			return x.state == s && (x.event == name || x.clock != nil && x.clock.name == name)
		})
		if i >= 0 {
			return i
		}
	}
	return -1
}

func (t *Token) unschedule(s *State, event string) {
	if i := t.outwardsTimer(s, event); i >= 0 {
		t.timers = slices.Delete(t.timers, i, i+1)
	}
}

func (t *Token) rearm(s *State, name string) {
	if i := t.outwardsTimer(s, name); i >= 0 {
		t.startOver(t.timers[i])
	}
}

// proceed begins the next segment of a routine; after the last it has completed, which is told later.
func (t *Token) proceed(s *State) {
	t.routine[s]++
	t.timers = slices.DeleteFunc(t.timers, func(x *timer) bool { return x.state == s && x.clock == nil && x.event == "" })
	if i := t.routine[s]; i < len(s.run) {
		t.timers = append(t.timers, &timer{state: s, due: t.world.Now + s.run[i].dur})
		return
	}
	delete(t.routine, s)
	t.news = append(t.news, news{s, t.visits[s], "completed"})
}

// nextDue is when the next timer of a token that runs is due.
func (t *Token) nextDue() (int64, bool) {
	switch armed := t.armed(); {
	case t.Status == Scheduled:
		return t.startAt, true
	case t.Status == Running && len(armed) > 0:
		return armed[0].due, true
	}
	return 0, false
}

// At moves the clock of the token's World, without anybody looking.
func (t *Token) At(now int64) { t.world.Now = now }

// FireDue fires all that is due, as before every stimulus, each followed by a new look at what still stands (R12, R16).
func (t *Token) FireDue() {
	for due, ok := t.nextDue(); ok && due <= t.world.Now; due, ok = t.nextDue() {
		t.Fire()
	}
}

// Fire fires the timer that is due first, due or not, as a step of its own, and says which it is.
func (t *Token) Fire() (id string, due int64) {
	if t.Status == Scheduled {
		return t.fire(nil)
	}
	return t.fire(t.armed()[0])
}

// fire fires a timer, nil for the start.
func (t *Token) fire(x *timer) (id string, due int64) {
	if t.moves++; t.moves > 10_000 {
		panic("the model does not come to rest")
	}
	now := t.world.Now
	if x == nil {
		t.Fired = append(t.Fired, fmt.Sprintf("start due %d at %d", t.startAt, now))
		due = t.startAt
		t.begin()
		return "start", due
	}
	id, due = x.id(t), x.due
	t.Fired = append(t.Fired, fmt.Sprintf("%s due %d at %d", id, due, now))
	x.fires++
	x.fired = due
	if x.clock != nil && x.clock.kind == "at" {
		x.fired = t.due + x.clock.dur // its deadline, wherever a hand has moved it
	}
	t.happen(x)
	t.settle()
	return id, due
}

// begin is the start step.
func (t *Token) begin() {
	t.Status = Running
	t.enter(t.flow.Root, nil)
	t.settle()
}

// happen is what a timer does.
func (t *Token) happen(x *timer) {
	x.off = true
	switch {
	case x.event != "":
		e := Event{Name: x.event}
		t.carry(t.selected(e), e) // what nothing takes is refused, and the token stays (R20)
		return
	case x.clock == nil:
		t.proceed(x.state)
		return
	}
	switch c := x.clock; c.kind {
	case "timeout":
		if !t.tell(x.state, Event{Name: "timeout"}) {
			t.fail() // R20
		}
	case "idle":
		t.tell(x.state, Event{Name: "expired"})
	case "every", "calendar":
		t.again(x)
		t.run(c.acts, x.state, Event{})
	default:
		switch {
		case !c.when.holds(t.N, 0): // that fire is lost
		case c.target != nil:
			t.move(x.state, c.target, c.acts, Event{})
		default:
			t.run(c.acts, x.state, Event{})
		}
	}
}

// again moves a repetition: the previous due time plus the period, what was missed collapses into one fire; strictly within `for`
// (R17).
func (t *Token) again(x *timer) {
	if x.clock.kind == "calendar" {
		x.due = nextLocal(x.clock.zone, x.clock.minute, max(x.due, t.world.Now))
		x.off = false
		return
	}
	x.instant = false
	for x.due += x.clock.dur; x.due <= t.world.Now && (x.until == 0 || x.due < x.until); x.due += x.clock.dur {
	}
	x.off = x.until != 0 && x.due >= x.until || x.clock.times > 0 && x.fires >= x.clock.times
}

// stand stops the clock of durations; goOn gives them back what remained (R9, R15).
func (t *Token) stand() {
	t.stoodAt = t.world.Now
	for _, x := range t.timers {
		x.left = max(x.due-t.world.Now, 0)
	}
}

func (t *Token) goOn() {
	for _, x := range t.timers {
		if x.off {
			continue
		}
		if x.instant {
			if x.until != 0 {
				x.until += t.world.Now - t.stoodAt
			}
			continue
		}
		if x.until != 0 {
			x.until += t.world.Now + x.left - x.due
		}
		x.due = t.world.Now + x.left
	}
}

// A Shown is a timer as people see it: when it is due, or what is left of it while the token stands still.
type Shown struct {
	ID        string
	Held      bool
	Due, Left int64
}

// Timers are the armed timers, in the order in which they fire.
func (t *Token) Timers() []Shown {
	out := []Shown{}
	switch {
	case t.Status == Scheduled:
		return []Shown{{ID: "start", Due: t.startAt}}
	case t.Status == Paused && len(t.active) == 0 && t.startMoved:
		return []Shown{{ID: "start", Due: t.startAt}}
	case t.Status == Paused && len(t.active) == 0:
		return []Shown{{ID: "start", Held: true, Left: t.startAt}}
	case t.Status.Ended():
		return out
	}
	still := t.Status == Paused || t.Status == Failed
	for _, x := range t.armed() {
		s := Shown{ID: x.id(t), Due: x.due}
		if still && !x.instant {
			s.Held, s.Due, s.Left = true, 0, x.left
		}
		out = append(out, s)
	}
	return out
}
