package sim

import (
	"fmt"
	"slices"

	"flowc/compiler/program"
	"flowc/vm"
)

// deliver hands a message to its receiver, or tells the sender why it could not be.
func (w *World) deliver(m letter) error {
	if m.Start != nil {
		return w.begin(m)
	}
	to := w.byID[m.To]
	if m.To == "" {
		to = w.byKey[key{m.Flow, m.Key}]
	}
	if to == nil {
		return w.undeliverable(m, fmt.Sprintf("there is no token %s[%q]", m.Flow, m.Key))
	}
	a, err := w.Give(to, &m.Stimulus) // the step itself tells the sender of what it does not take
	if a.Outcome == vm.Full {
		to.full = append(to.full, m)
	}
	return err
}

// undeliverable gives the sender back what a message without a taker leads to (R1).
func (w *World) undeliverable(m letter, reason string) error {
	s, ok := vm.Undelivered(&m.Message, reason)
	if !ok {
		return nil
	}
	_, err := w.Give(m.from, &s)
	return err
}

// begin makes the token that a message starts.
func (w *World) begin(m letter) error {
	if m.Start.Key != "" && w.byKey[key{m.Start.Flow, m.Start.Key}] != nil {
		return w.undeliverable(m, fmt.Sprintf("the key %s[%q] is taken", m.Start.Flow, m.Start.Key))
	}
	if m.Start.Parent != nil {
		if k := w.mocks.take("flow " + m.Start.Flow); k != nil {
			return w.endAtOnce(m, k)
		}
	}
	_, a, err := w.Begin(m.from.program, *m.Start, m.Stimulus.Actor)
	if err == nil && !taken(a) {
		err = w.undeliverable(m, a.Reason)
	}
	return err
}

// Begin makes a token by its first step. A refusal (an input that does not fit) makes none.
func (w *World) Begin(p *program.Program, n vm.NewToken, actor string) (*Token, vm.Answer, error) {
	if n.Key != "" && w.byKey[key{n.Flow, n.Key}] != nil {
		return nil, vm.Answer{Outcome: vm.Refused, Code: "key-taken", Reason: fmt.Sprintf("the key %q of %s is taken", n.Key, n.Flow)}, nil
	}
	t := &Token{program: p, flow: flowOf(p, n.Flow)}
	a, err := w.Give(t, &vm.Stimulus{Kind: vm.OnStart, Actor: actor, Start: &n})
	if err != nil || t.vm == nil {
		return nil, a, err
	}
	w.add(t)
	return t, a, nil
}

func (w *World) add(t *Token) {
	w.tokens = append(w.tokens, t)
	w.byID[t.vm.ID] = t
	if t.vm.Key != "" {
		w.byKey[key{t.vm.Flow, t.vm.Key}] = t
	}
}

func flowOf(p *program.Program, name string) *program.Flow {
	for _, f := range p.Flows {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Send gives an event from outside to a token.
func (w *World) Send(t *Token, event string, payload []byte, actor string) (vm.Answer, error) {
	return w.Give(t, &vm.Stimulus{Kind: vm.OnEvent, Event: event, Payload: payload, Actor: actor})
}

// endAtOnce makes a child that has ended as its mock says, and tells its parent.
func (w *World) endAtOnce(m letter, k *mock) error {
	f := flowOf(m.from.program, m.Start.Flow)
	final := slices.IndexFunc(f.States, func(s program.State) bool { return s.Path == k.final })
	if final < 0 {
		return fmt.Errorf("the flow %s has no final state %s", f.Name, k.final)
	}
	end := outcomeOf(f.States[final].Outcome)
	w.add(&Token{program: m.from.program, flow: f, mocked: true, vm: &vm.Token{
		ID: m.Start.ID, Flow: f.Name, Key: m.Start.Key, Program: m.Start.Program, Parent: m.Start.Parent, Status: vm.Completed,
		Final: final, Outcome: end, LastAt: w.now, CreatedAt: w.now, StartedAt: w.now, EndedAt: w.now,
	}})
	p := m.Start.Parent
	_, err := w.Give(m.from, &vm.Stimulus{Kind: vm.OnChild, Child: &vm.ChildOutcome{
		Token: m.Start.ID, Flow: f.Name, Index: p.Index, State: p.State, Visit: p.Visit,
		Final: k.final, Outcome: end, Result: k.result,
	}})
	return err
}

func outcomeOf(o program.Outcome) string {
	return [...]string{program.Success: "success", program.Failure: "failure", program.Cancelled: "cancelled"}[o]
}
