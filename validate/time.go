package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// limit reports after how long a state is left for certain by its timeout: the duration is constant, nothing starts the timer over,
// and either nothing handles the timeout, so that the token fails, or every handler that it may meet leaves the state and the last
// of them has no guard.
func (s *state) limit() (int64, bool) {
	t := s.timeout
	if t == nil || t.dur <= 0 || t.rearmed {
		return 0, false
	}
	found := s.search(model.OnTimeout)
	for _, h := range found {
		if h.m.Target.Kind == model.ToState && h.target == nil || !leaves(h.st, h.m.Target.Kind, h.target, s) {
			return 0, false
		}
	}
	return t.dur, len(found) == 0 || !found[len(found)-1].guarded()
}

// deadline is the shortest time after which a state, or one around it, is certain to be left; from is where the search begins.
func deadline(from *state) (best *state, after int64) {
	for s := from; s != nil; s = s.parent {
		if d, ok := s.limit(); ok && (best == nil || d < after) {
			best, after = s, d
		}
	}
	return best, after
}

// checkTimers reports the timers of a state that can never fire, and those that are due together with one that leaves.
func (c *checker) checkTimers(s *state) {
	for _, t := range s.timers {
		from := s
		if t == s.timeout {
			from = s.parent
		}
		c.checkDead(t, from)
	}
	c.checkRaces(s)
	if w := s.work; w != nil {
		c.checkRetries(s, w)
	}
}

func (c *checker) checkDead(t *timer, from *state) {
	if t.dur <= 0 || t.m.Kind == model.Idle {
		return
	}
	owner, after := deadline(from)
	if owner == nil || t.dur <= after {
		return
	}
	c.report(t.at, diag.DeadTimer, "this timer can never fire: it is due after %s, and %s ends after %s", duration(t.dur), owner.title(), duration(after)).
		related(owner.timeout.at, "ends here").
		help("make it shorter than %s, or that timeout longer", duration(after))
	t.dead = true
}

// checkRaces reports timers that are due at the instant at which an earlier one leaves the state.
func (c *checker) checkRaces(s *state) {
	order := make([]*timer, 0, len(s.timers))
	for _, t := range s.timers {
		if t != s.timeout && t.m.Kind != model.Idle {
			order = append(order, t)
		}
	}
	if s.timeout != nil {
		order = append(order, s.timeout)
	}
	for i, first := range order {
		if first.dur <= 0 || first.dead || first.guarded || !leaves(s, first.m.Target.Kind, first.target, s) {
			continue
		}
		for _, t := range order[i+1:] {
			if t.dur != first.dur || t.dead || t.raced {
				continue
			}
			t.raced = true
			c.report(t.at, diag.TimerRace, "two timers are due after %s, and the other one comes first and leaves %s: this one never takes effect", duration(t.dur), s.title()).
				related(first.at, "comes first").
				help("choose different times, or put both into one block")
		}
	}
}

// checkRetries reports work whose waits between attempts use up the time until the state is left.
func (c *checker) checkRetries(s *state, w *work) {
	owner, after := deadline(s)
	if owner == nil {
		return
	}
	sites := []callSite{}
	switch {
	case w.m.Kind == model.Do && w.task != nil:
		sites = append(sites, callSite{w.at, w.policy, w.task})
	case w.effects != nil:
		sites = w.effects.callSites
	}
	for _, site := range sites {
		sum := backoffs(site.policy)
		if sum < after {
			continue
		}
		c.report(site.at, diag.RetryExceedsTimeout, "the waits between the attempts of `%s` add up to %s, and %s ends after %s: the last attempts never come", site.task.name, duration(sum), owner.title(), duration(after)).
			related(owner.timeout.at, "ends here").
			related(site.task.env.of(site.task.ident), "the task").
			help("write fewer retries or shorter waits, or make the timeout longer")
	}
}

// checkSchedules reports scheduled events that can never fire, or that no handler in reach could take.
func (c *checker) checkSchedules(fl *flow) {
	takers := fl.takers()
	fl.allEffects(func(s *state, e *effects) {
		if e == nil || s.damaged() {
			return
		}
		for _, out := range e.schedules {
			if out.lives == nil || out.lives.damaged() {
				continue
			}
			if !inReach(out.lives, takers[out.sym]) {
				c.report(out.at, diag.ScheduledEventNotHandled, "the timer of `%s` stops when %s is left, and until then no handler in reach takes the event", out.sym.name, out.lives.title()).
					help("handle `%s` in that state, around it or inside it, or schedule it in the state that handles it", out.sym.name)
				out.sym.handled = true // one finding is enough
				continue
			}
			owner, after := deadline(out.lives)
			if out.dur > 0 && owner != nil && out.dur > after {
				c.report(out.at, diag.DeadTimer, "this event can never come: it is due after %s, and %s ends after %s", duration(out.dur), owner.title(), duration(after)).
					related(owner.timeout.at, "ends here").
					help("make the delay shorter than %s, or that timeout longer", duration(after))
			}
		}
	})
}

// inReach reports whether one of the states could take an event while the state in which its timer lives is active: that state, one
// around it or inside it, or one of a region beside it.
func inReach(lives *state, takers []*state) bool {
	if lives.endsFlow() {
		return false
	}
	for _, t := range takers {
		if t.within(lives) || lives.within(t) {
			return true
		}
		for u := lives; u != nil; u = u.parent {
			if u.m.Kind == model.Parallel && t.within(u) {
				return true
			}
		}
	}
	return false
}
