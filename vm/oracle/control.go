package oracle

import "slices"

// Send is an event from outside.
func (t *Token) Send(e Event) Answer {
	defer t.FireDue()
	t.FireDue()
	switch {
	case t.Status == Paused && len(t.active) > 0:
		t.kept = append(t.kept, stimulus{event: &e})
		return Queued
	case t.Status == Running:
		return t.deliver(e)
	}
	return Refused
}

// deliver defers, refuses or takes an event; an accepted one restarts `idle` (R23).
func (t *Token) deliver(e Event) Answer {
	found := t.selected(e)
	if len(found) == 0 && !slices.ContainsFunc(t.active, func(s *State) bool { return s.defers == e.Name }) {
		return Refused
	}
	t.restartIdle()
	if len(found) == 0 {
		t.deferred = append(t.deferred, e)
		return Deferred
	}
	t.carry(found, e)
	t.settle()
	return Accepted
}

func (t *Token) restartIdle() {
	for _, x := range t.timers {
		if x.clock != nil && x.clock.kind == "idle" {
			x.due = t.world.Now + x.clock.dur
		}
	}
}

// Pause stops the token and passes on to its children (R50, R54).
func (t *Token) Pause() Answer {
	t.FireDue()
	return t.pause(false)
}

func (t *Token) pause(byParent bool) Answer {
	switch {
	case t.Status == Failed && byParent:
		t.pausedByParent = true
		return Accepted
	case t.Status.Ended() || t.Status == Failed || t.Cancelling:
		return Refused
	case byParent:
		t.pausedByParent = true
	default:
		t.pausedSelf = true
	}
	if t.Status == Paused {
		return Accepted
	}
	t.Status = Paused
	if len(t.active) == 0 && !t.startMoved {
		t.startAt -= t.world.Now // what remains
	}
	t.stand()
	t.hold()
	for _, k := range t.waiting {
		t.world.send(func() { k.FireDue(); k.pause(true) })
	}
	return Accepted
}

// Resume applies what was kept in the order of receipt; then fires what fell due meanwhile (R15, R50).
func (t *Token) Resume() Answer {
	t.FireDue()
	return t.resume(false)
}

func (t *Token) resume(byParent bool) Answer {
	switch {
	case t.Status == Failed && byParent:
		t.pausedByParent = false
		return Accepted
	case t.Status.Ended() || t.Status == Failed:
		return Refused
	case t.Status != Paused || byParent && !t.pausedByParent:
		return Accepted
	}
	t.pausedByParent = false
	if byParent && t.pausedSelf {
		return Accepted
	}
	t.goFree()
	for _, k := range t.waiting {
		t.world.send(func() { k.FireDue(); k.resume(true) })
	}
	if t.Status == Running {
		t.settle()
		t.takeKept()
	}
	t.FireDue()
	return Accepted
}

// goFree lets the clocks of a token that stood still go on.
func (t *Token) goFree() {
	t.pausedSelf, t.pausedByParent = false, false
	if len(t.active) == 0 {
		t.Status = Scheduled
		if !t.startMoved {
			t.startAt += t.world.Now
		}
		return
	}
	t.Status = Running
	t.goOn()
	t.unhold()
}

func (t *Token) takeKept() {
	for len(t.kept) > 0 && t.Status == Running {
		s := t.kept[0]
		t.kept = t.kept[1:]
		switch {
		case s.event != nil:
			t.deliver(*s.event)
		case s.child != nil:
			t.childEnded(s.child)
		default:
			if t.jobEnded(s.job, s.end) == Refused { // it cannot go back to the worker, so the state gets an error
				t.jobEnded(s.job, ending{failed: true})
			}
		}
	}
	t.kept = nil
}

// Cancel leads to the handler for it, un-paused and no longer pausable, or ends the token (R51).
func (t *Token) Cancel() Answer {
	t.FireDue()
	return t.cancel(false)
}

func (t *Token) cancel(byParent bool) Answer {
	switch {
	case t.Status == Completed:
		return Refused
	case t.Status == Cancelled || t.Cancelling:
		return Accepted
	case byParent && t.Status == Failed:
		t.parentGone = true
		return Accepted
	}
	if t.Status == Paused || t.Status == Failed {
		t.goFree()
	}
	t.kept, t.deferred = nil, nil
	if t.Status == Running {
		if found := t.selected(Event{Name: "cancel"}); len(found) > 0 {
			t.Cancelling = true
			t.carry(found, Event{})
			t.settle()
			t.FireDue()
			return Accepted
		}
	}
	t.endCancelled()
	return Accepted
}

func (t *Token) endCancelled() {
	t.Status = Cancelled
	t.close()
	t.tellParent()
}

// fail stops the timers, withdraws the tasks and cancels the children (R9). A token that is being cancelled ends (R51).
func (t *Token) fail() {
	if t.Cancelling {
		t.endCancelled()
		return
	}
	t.Status = Failed
	for _, s := range t.active {
		t.stopWork(s)
	}
	t.timers = slices.DeleteFunc(t.timers, func(x *timer) bool { return x.clock == nil && x.event == "" })
	t.news = nil
	t.stand()
	t.tellParent()
}

func (t *Token) mayRetry() bool {
	return (t.Status == Failed || t.Status == Running) && !t.Cancelling && !(t.Status == Failed && (t.pausedByParent || t.parentGone))
}

// Retry enters every active leaf again; finals stay, and the states around go on (R53).
func (t *Token) Retry() Answer {
	t.FireDue()
	if t.Status != Failed || !t.mayRetry() {
		return Refused
	}
	t.Status = Running
	t.goOn()
	for _, leaf := range t.leaves() {
		if leaf.Kind != Final {
			t.leave(leaf)
			t.enter(leaf, nil)
		}
	}
	t.settle()
	t.FireDue()
	return Accepted
}

// RetryAt goes on at a state outside of parallel regions: what is below the nearest active state around it is left, and it is
// entered (R53).
func (t *Token) RetryAt(s *State) Answer {
	t.FireDue()
	switch {
	case !t.mayRetry():
		return Refused
	case s.InRegion():
		return Invalid
	}
	if t.Status == Failed {
		t.Status = Running
		t.goOn()
	}
	var way []*State
	up := s.Parent
	for ; !t.isActive(up); up = up.Parent {
		way = append(way, up)
	}
	for _, k := range up.Kids {
		t.leave(k)
	}
	slices.Reverse(way)
	for _, x := range way {
		t.visitState(x)
	}
	t.enter(s, nil)
	t.settle()
	t.FireDue()
	return Accepted
}

// FireByHand fires an armed timer now.
func (t *Token) FireByHand(id string) Answer {
	t.FireDue()
	x, answer := t.byHand(id)
	switch {
	case answer != Accepted:
		return answer
	case t.Status == Paused:
		return Refused
	case x == nil:
		t.startAt = t.world.Now
	default:
		x.due = t.world.Now
	}
	t.fire(x)
	t.FireDue()
	return Accepted
}

// MoveByHand makes an armed timer an instant: no pause moves it until it has fired or begins anew.
func (t *Token) MoveByHand(id string, due int64) Answer {
	t.FireDue()
	x, answer := t.byHand(id)
	switch {
	case answer != Accepted:
		return answer
	case x == nil:
		t.startAt, t.startMoved = due, true
	default:
		x.due, x.instant = due, true
	}
	t.FireDue()
	return Accepted
}

// byHand looks for an armed timer; nil is the start.
func (t *Token) byHand(id string) (*timer, Answer) {
	if t.Status.Ended() || t.Status == Failed {
		return nil, Refused
	}
	if len(t.active) == 0 {
		return nil, Accepted
	}
	for _, x := range t.armed() {
		if x.id(t) == id {
			return x, Accepted
		}
	}
	return nil, Invalid
}
