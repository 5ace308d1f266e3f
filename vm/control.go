package vm

import "flowc/compiler/program"

// pause stops the token (R50). Its children get a message of their own (R54).
func (s *step) pause(st *Stimulus) Answer {
	switch {
	case s.t.Status.Ended():
		return s.refuse(TokenEnded, "the token has ended")
	case s.t.Status == Failed && st.ByParent:
		return s.holdFailed(st, true)
	case s.t.Status == Failed:
		return s.refuse(TokenFailed, "the token has failed: nothing moves until it is retried")
	case s.t.Cancelling:
		return s.refuse(NotPausable, "the token is being cancelled and cannot be paused any more")
	}
	if st.ByParent && s.t.PausedByParent || !st.ByParent && s.t.PausedSelf {
		s.same = true
		return Answer{Outcome: Accepted}
	}
	first := s.t.Status != Paused
	if st.ByParent {
		s.t.PausedByParent = true
	} else {
		s.t.PausedSelf = true
	}
	s.controlLine(st)
	if first {
		s.t.Status, s.t.PausedAt = Paused, s.now
		s.stopClock()
		s.toChildren(OnPause)
	}
	return Answer{Outcome: Accepted}
}

// resumeToken lets the token go on. A parent's resume leaves a child paused that was paused on its own (R54); a command resumes it
// whatever paused it.
func (s *step) resumeToken(st *Stimulus) Answer {
	switch {
	case s.t.Status.Ended():
		return s.refuse(TokenEnded, "the token has ended")
	case s.t.Status == Failed && st.ByParent:
		return s.holdFailed(st, false)
	case s.t.Status == Failed:
		return s.refuse(TokenFailed, "the token has failed: `retry` lets it go on")
	case s.t.Status != Paused || st.ByParent && !s.t.PausedByParent:
		s.same = true
		return Answer{Outcome: Accepted}
	}
	s.controlLine(st)
	if s.t.PausedByParent = false; st.ByParent && s.t.PausedSelf {
		return Answer{Outcome: Accepted}
	}
	s.goOnRunning()
	s.toChildren(OnResume)
	s.taken()
	if s.t.Status == Running {
		s.rearmChanged()
		s.settle()
	}
	return Answer{Outcome: Accepted}
}

// holdFailed notes the pause or resume of the parent of a failed child, so that no retry lets it run while its parent is paused
// (R54).
func (s *step) holdFailed(st *Stimulus, held bool) Answer {
	if s.t.PausedByParent == held {
		s.same = true
		return Answer{Outcome: Accepted}
	}
	s.t.PausedByParent = held
	s.controlLine(st)
	return Answer{Outcome: Accepted}
}

// goOnRunning un-pauses: durations go on from what remained.
func (s *step) goOnRunning() {
	s.unpause()
	s.t.Status = Running
	if s.t.StartedAt == 0 {
		s.t.Status = Scheduled
	}
	s.startClock()
	if s.t.Status == Scheduled && len(s.t.Timers) > 0 {
		s.t.StartAt = s.t.Timers[0].Due
	}
}

// ByItsParent is the text of a control line that a token's parent caused (R54).
const ByItsParent = "by its parent"

func (s *step) controlLine(st *Stimulus) {
	text := st.Reason
	if st.ByParent {
		text = ByItsParent
	}
	s.line(Line{Kind: "control", Name: string(st.Kind), Text: text, More: actorOf(st)})
}

func actorOf(st *Stimulus) map[string]any {
	if st.Actor == "" {
		return nil
	}
	return map[string]any{"actor": st.Actor}
}

// toChildren passes a pause or a resume on to every child that is waited for, failed ones too, which may be retried.
func (s *step) toChildren(kind StimulusKind) {
	pass := func(token, flow string) {
		s.send(Message{To: token, Flow: flow, Stimulus: Stimulus{Kind: kind, From: s.t.ID, ByParent: true}})
	}
	for _, c := range s.t.Children {
		pass(c.Token, c.Flow)
	}
	for i := range s.t.Fans {
		fan := &s.t.Fans[i]
		for index := range fan.Next {
			if fan.Flow != "" && !fan.has(index) {
				pass(fan.id(s.t.ID, index), fan.Flow)
			}
		}
	}
}

// cancel cancels the token (R51): with an `on cancel` handler it goes there, un-paused and no longer pausable; otherwise its exit
// blocks run and it ends at once.
func (s *step) cancel(st *Stimulus) Answer {
	switch {
	case s.t.Status == Completed || s.t.Status.Ended() && st.ByParent:
		return s.refuse(TokenEnded, "the token has ended")
	case s.t.Status.Ended() || s.t.Cancelling:
		s.same = true
		return Answer{Outcome: Accepted}
	case st.ByParent && s.t.Status == Failed:
		return s.orphan(st)
	}
	s.controlLine(st)
	s.t.Reason = st.Reason
	if s.t.Status == Paused || s.t.Status == Failed {
		s.goOnRunning()
	}
	s.dropWaiting("the token is cancelled")
	s.taken()
	if len(s.t.Active) == 0 {
		for i := range s.t.Timers {
			s.stopped(&s.t.Timers[i], "the token has ended")
		}
		s.finished("cancelled")
		return Answer{Outcome: Accepted}
	}
	e := reservedEvent(program.OnCancel, extra{"reason", optional(st.Reason)})
	found, ok := s.pick(e)
	if ok && len(found) == 0 {
		s.endCancelled(st.Reason)
	} else if ok {
		s.t.Cancelling = true
		s.carryOut(found, e)
		s.settle()
	}
	return Answer{Outcome: Accepted}
}

// orphan is what a failed child does when its parent waits no more: it stays failed, and is not retried in vain (R53).
func (s *step) orphan(st *Stimulus) Answer {
	if s.t.ParentGone {
		s.same = true
		return Answer{Outcome: Accepted}
	}
	s.t.ParentGone = true
	s.controlLine(st)
	return Answer{Outcome: Accepted}
}
