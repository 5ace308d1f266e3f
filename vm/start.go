package vm

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// New returns the stimulus that makes a token: Apply(p, nil, New(…), now).
func New(n NewToken) *Stimulus { return &Stimulus{Kind: OnStart, Start: &n} }

// takeStart makes the token and, unless it is to start later (R56), takes its first step.
func takeStart(p *program.Program, f *program.Flow, st *Stimulus, now int64) (*outcome, error) {
	n := st.Start
	if st.Kind != OnStart || n == nil {
		return nil, ErrNoToken
	}
	input, errs := decodeRecord(f.Input, n.Input)
	if len(errs) > 0 {
		reason := fmt.Sprintf("the input does not fit `%s`: %s", f.Name, errs[0].text())
		return &outcome{answer: Answer{Outcome: Invalid, Code: InputInvalid, Reason: reason, Errors: errs}}, nil
	}
	t := &Token{
		ID: n.ID, Flow: n.Flow, Key: n.Key, Program: n.Program, Status: Scheduled, Input: input,
		Data: make([]value.Value, len(f.Data)), Final: -1, Parent: n.Parent, RestartOf: n.RestartOf, CreatedAt: now, seenAll: true,
	}
	s := newStep(p, f, t, st, now)
	s.data = true
	s.basis = s.mark()
	s.startOrWait(n)
	return s.finish(t, Answer{Outcome: Accepted}), nil
}

func (s *step) startOrWait(n *NewToken) {
	due := n.StartAt
	if n.Delay > 0 {
		due = later(s.now, n.Delay)
	}
	if due <= s.now {
		s.begin(-1)
		return
	}
	s.t.StartAt = due
	s.t.Timers = append(s.t.Timers, Timer{Decl: -1, Kind: StartTimer, Event: -1, Due: due, Instant: n.Delay <= 0})
	s.line(Line{Kind: "scheduled", Due: due})
}

// begin makes the start step: the data take their defaults in file order, then the states are entered, with a goal when the token
// is to begin at another state than the initial ones (-1: none).
func (s *step) begin(goal int) {
	s.t.Status, s.t.StartedAt = Running, s.now
	s.line(Line{Kind: "started"})
	s.here = place{entered: s.now}
	for i := range s.f.Data {
		if s.f.Data[i].Owner == 0 && !s.setDefault(i) {
			return
		}
	}
	s.earlyDefaults()
	s.dirty = 0
	var goals []int
	if goal > 0 {
		goals = []int{goal}
	}
	s.enter(0, goals)
	s.settle()
}

// earlyDefaults gives parameters and data of fragments their values before any of them is entered, because others may read them: a
// field that is no `T?` is not null. One whose value is an error at the start, which an entry may never meet, stays null until then.
func (s *step) earlyDefaults() {
	for i := range s.f.Data {
		d := &s.f.Data[i]
		if d.Owner == 0 || d.Default < 0 || s.halt != going {
			continue
		}
		s.here = s.at(d.Owner, nil)
		if end := machine.Eval(s.p, d.Default, s, s.budget); end.Kind != machine.Raised {
			s.SetData(i, end.Value)
		}
	}
}
