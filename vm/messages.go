package vm

import "flowc/vm/machine"

// Start starts a token of its own: its message makes it after this step is committed.
func (s *step) Start(st machine.Start) {
	n := &NewToken{ID: s.id(), Flow: s.p.Flows[st.Flow].Name, Key: st.Key, Program: s.t.Program, Input: encode(st.Args)}
	switch {
	case st.Later && st.At:
		n.StartAt = st.When
	case st.Later:
		n.Delay = max(st.When, 0)
	}
	s.line(Line{Kind: "sent", State: s.path(s.here.state), Name: n.Flow, ID: n.ID, Text: "starts a token"})
	s.send(Message{To: n.ID, Flow: n.Flow, Key: n.Key, Keyed: st.Keyed, Keep: st.Keep, Stimulus: Stimulus{Kind: OnStart, Start: n, From: s.t.ID}, Start: n})
	s.spend(len(n.Input))
}

// Send sends an event to another token, delivered after this step is committed.
func (s *step) Send(m machine.Send) {
	event := s.p.Events[m.Event].Name
	st := Stimulus{Kind: OnMessage, Event: event, Payload: encode(m.Payload), From: s.t.ID}
	to := Message{Flow: m.Flow, Key: m.Key, Keyed: true, Stimulus: st}
	if m.Parent {
		if s.t.Parent == nil {
			s.line(Line{Kind: "undeliverable", State: s.path(s.here.state), Name: event, Text: "the token has no parent"})
			return
		}
		to = Message{To: s.t.Parent.Token, Flow: s.t.Parent.Flow, Stimulus: st}
	}
	s.line(Line{Kind: "sent", State: s.path(s.here.state), Name: event, Text: addressOf(&to)})
	s.send(to)
}

func addressOf(m *Message) string {
	if m.To != "" {
		return "to the parent"
	}
	return "to " + m.Flow + "[" + m.Key + "]"
}

// Undelivered returns what the sender of a message is told when there is nobody to deliver it to, or when the key of the token
// that it makes is taken. ok is false when the sender need not know: a cancel, pause or resume, or `start … keep`.
func Undelivered(m *Message, reason string) (st Stimulus, ok bool) {
	switch {
	case m.Start != nil && m.Start.Parent != nil:
		up := m.Start.Parent
		return Stimulus{Kind: OnChild, Child: &ChildOutcome{
			Token: m.Start.ID, Flow: m.Start.Flow, Index: up.Index, State: up.State, Visit: up.Visit, Code: CodeChild, Message: reason,
		}}, true
	case m.Start != nil:
		return Stimulus{Kind: OnUndeliverable, Event: m.Start.Flow, Reason: reason}, !m.Keep
	case m.Stimulus.Kind == OnMessage:
		return Stimulus{Kind: OnUndeliverable, Event: m.Stimulus.Event, Reason: reason}, true
	}
	return Stimulus{}, false
}

// bounce tells the sender of a message that nothing took it.
func (s *step) bounce(st *Stimulus, reason string) {
	if st.Kind == OnMessage && st.From != "" {
		s.send(Message{To: st.From, Stimulus: Stimulus{Kind: OnUndeliverable, Event: st.Event, Reason: reason, From: s.t.ID}})
	}
}

// tellParent tells the parent how this token ended, or that it failed (R52).
func (s *step) tellParent() {
	up := s.t.Parent
	if up == nil {
		return
	}
	o := &ChildOutcome{
		Token: s.t.ID, Flow: s.t.Flow, Index: up.Index, State: up.State, Visit: up.Visit, Outcome: s.t.Outcome, Reason: s.t.Reason,
		Again: s.t.Reported,
	}
	if s.t.Final >= 0 {
		o.Final = s.f.States[s.t.Final].Name
	}
	if s.t.Status.Ended() {
		o.Result = ResultOf(s.p, s.t)
	} else if s.t.Error != nil {
		o.Code, o.Message = s.t.Error.Code, s.t.Error.Message
	}
	s.t.Reported = s.t.Status == Failed
	s.send(Message{To: up.Token, Flow: up.Flow, Stimulus: Stimulus{Kind: OnChild, From: s.t.ID, Child: o}})
}
