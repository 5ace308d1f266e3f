package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// checkLeaving reports states that nothing leaves, or only what may never come.
func (c *checker) checkLeaving(fl *flow) {
	fl.collectMade()
	stuck := map[*state]bool{}
	for i := len(fl.states) - 1; i >= 0; i-- { // inner states first
		s := fl.states[i]
		if s.isFinal() || s.damaged() || s.m.Kind == model.Region || s.parent == nil && len(s.kids) > 0 {
			continue
		}
		if c.checkState(s, stuck) {
			s.stuck = true
			for u := s; u != nil; u = u.parent {
				stuck[u] = true
			}
		}
	}
}

// checkState reports whether the state had a finding that says it is never left.
func (c *checker) checkState(s *state, stuck map[*state]bool) bool {
	out := s.exits()
	if c.checkCompleted(s, out) {
		return true
	}
	if s.neverMeant() {
		return false
	}
	leaf := len(s.kids) == 0
	switch {
	case len(out) == 0:
		if stuck[s] || !leaf && s.stuckInside() {
			return false
		}
		n := c.report(s.named, diag.NoWayOut, "nothing can ever leave %s, so a token that comes here stays for ever", s.title()).
			help("add a transition, or make it `final`; `timeout never` says that waiting without end is meant")
		s.relateAbsent(n)
		return true
	case !leaf:
		return false
	case onlyGuessed(out) && !s.changes():
		c.report(s.named, diag.AlwaysWithoutElse, "only guarded `always` transitions leave %s, and nothing changes while a token is in it: when no guard holds on entry it stays for ever", s.title()).
			help("end with an `always -> STATE` without a guard")
	case onlyOutside(out) && !s.timeoutInReach():
		c.report(s.named, diag.UnboundedWait, "only an outside event can leave %s, so a token waits here for ever when none comes", s.title()).
			help("add a `timeout`, here or around it; `timeout never` says that waiting without end is meant")
	}
	return false
}

// checkCompleted reports work, or states inside, whose end nothing takes in a state that nothing but an error leaves.
func (c *checker) checkCompleted(s *state, out []exit) bool {
	kind, what := model.OnCompleted, "completed"
	if s.ends(model.OnJoined) {
		kind, what = model.OnJoined, "joined"
	}
	if !s.ends(kind) || len(s.search(kind)) > 0 || !s.canEnd() {
		return false
	}
	for _, e := range out {
		if e.kind != byError {
			return false
		}
	}
	at := s.named
	if s.work != nil {
		at = s.work.at
	}
	n := c.report(at, diag.UnhandledCompleted, "nothing takes the `%s` of %s, and nothing but an error leaves it: a token would stand here for ever after everything went well", what, s.title()).
		help("add `on %s -> STATE`", what)
	s.relateAbsent(n)
	for _, other := range []model.Reserved{model.OnCompleted, model.OnJoined} {
		if h, ev := s.firstHandler(other); h != nil && s.absent(other) != nil {
			s.write(kind, n, h, ev)
		}
	}
	return true
}

// canEnd reports whether the state's work or the states in it may come to an end.
func (s *state) canEnd() bool {
	if s.work != nil {
		return s.work.effects == nil || !s.work.effects.endless
	}
	if s.m.Kind != model.Parallel {
		return true
	}
	ending := 0
	for _, r := range s.kids {
		if r.hasFinal() {
			ending++
		}
	}
	return ending == len(s.kids) || s.m.Join.Kind != model.JoinAll && ending > 0
}

// neverMeant reports whether `timeout never` stands here or around it.
func (s *state) neverMeant() bool {
	for ; s != nil; s = s.parent {
		if s.never {
			return true
		}
	}
	return false
}

func (s *state) timeoutInReach() bool {
	for ; s != nil; s = s.parent {
		if s.timeout != nil || s.idle != nil {
			return true
		}
	}
	return false
}

// stuckInside reports whether a state inside has a finding of its own already, so that the one around it needs none.
func (s *state) stuckInside() bool {
	for _, k := range s.kids {
		if k.damaged() || k.neverInside() {
			return true
		}
	}
	return false
}

func (s *state) neverInside() bool {
	if s.never {
		return true
	}
	for _, k := range s.kids {
		if k.neverInside() {
			return true
		}
	}
	return false
}

func onlyGuessed(out []exit) bool {
	for _, e := range out {
		if e.kind != byGuess {
			return false
		}
	}
	return len(out) > 0
}

func onlyOutside(out []exit) bool {
	waits := false
	for _, e := range out {
		switch e.kind {
		case byOutside, byGuess:
			waits = true
		case byError:
		default:
			return false
		}
	}
	return waits
}

// changes reports whether something may change the data while the state is active, so that a guard may come to hold later.
func (s *state) changes() bool {
	if s.work != nil {
		return true
	}
	for u := s; u != nil; u = u.parent {
		if u.changesData() {
			return true
		}
		if p := u.parent; p != nil && p.m.Kind == model.Parallel && len(p.kids) > 1 {
			return true
		}
	}
	return false
}

func (s *state) changesData() bool {
	for _, h := range s.handlers {
		if h.effects != nil && len(h.effects.assigns) > 0 {
			return true
		}
	}
	for _, t := range s.timers {
		if t.effects != nil && len(t.effects.assigns) > 0 {
			return true
		}
	}
	return false
}
