package sim

import (
	"fmt"
	"slices"
	"strings"

	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm"
)

// A verdict is what an expectation found: whether it holds, and what was there instead.
type verdict struct {
	holds bool
	found string
}

// expect looks at one expectation, or at its opposite.
func (r *runner) expect(s *model.Expect) error {
	t, err := r.subject(s.Subject)
	if err != nil {
		return err
	}
	v, err := r.look(s.What, t)
	if err != nil {
		return err
	}
	if v.holds != s.Not {
		return nil
	}
	want := s.Text
	if s.Not {
		want = "not " + want
	}
	return &failure{want: want, got: v.found, about: t}
}

func (r *runner) look(what model.Expectation, t *Token) (verdict, error) {
	switch e := what.(type) {
	case model.ExpectStates:
		return r.states(e, t), nil
	case model.ExpectStatus:
		return verdict{string(t.vm.Status) == e.Status, "status " + t.condition()}, nil
	case model.ExpectFinal:
		return verdict{t.vm.Final == e.State, "final " + t.final()}, nil
	case model.ExpectOutcome:
		want := outcomeNames[e.Outcome]
		return verdict{t.vm.Outcome == want, "outcome " + orNone(t.vm.Outcome)}, nil
	case model.ExpectError:
		return verdict{t.vm.Error != nil && t.vm.Error.Code == e.Code, "error " + t.failureText()}, nil
	case model.ExpectTrue:
		return r.truth(e, t)
	case model.ExpectTimer:
		return r.timer(e, t)
	case model.ExpectNoTimers:
		return verdict{len(t.timers(r.world.now)) == 0, t.timersText(r.world.now)}, nil
	case model.ExpectRefused:
		return r.refused(e, t)
	case model.ExpectOffered:
		return r.offered(e, t)
	case model.ExpectChild:
		return r.child(e, t), nil
	case model.ExpectNote:
		notes := t.notes()
		return verdict{slices.Contains(notes, e.Text), "notes " + quoted(notes)}, nil
	case model.ExpectAccepts:
		return r.accepts(e, t), nil
	}
	return verdict{}, fmt.Errorf("an unknown expectation: %T", what)
}

var outcomeNames = map[model.Outcome]string{model.Success: "success", model.Failure: "failure", model.Cancelled: "cancelled"}

func (r *runner) states(e model.ExpectStates, t *Token) verdict {
	for _, s := range e.States {
		if !t.in(s) {
			return verdict{false, "state " + t.place()}
		}
	}
	return verdict{true, "state " + t.place()}
}

func (r *runner) truth(e model.ExpectTrue, t *Token) (verdict, error) {
	v, err := r.eval(e.Cond, t)
	if err != nil {
		return verdict{}, err
	}
	found := "it is " + value.OfBool(v.Bool()).String()
	if e.Left != nil && e.Right != nil {
		left, err := r.eval(e.Left, t)
		if err != nil {
			return verdict{}, err
		}
		right, err := r.eval(e.Right, t)
		if err != nil {
			return verdict{}, err
		}
		found = fmt.Sprintf("%s on the left and %s on the right", literal(left), literal(right))
	}
	return verdict{v.Bool(), found}, nil
}

func (r *runner) timer(e model.ExpectTimer, t *Token) (verdict, error) {
	found := verdict{false, t.timersText(r.world.now)}
	a, ok := t.findTimer(e, r.world.now)
	if !ok {
		return found, nil
	}
	if e.In != nil {
		v, err := r.eval(e.In, t)
		found.holds = err == nil && a.Remaining == v.Micros() && !a.Overdue
		return found, err
	}
	v, err := r.eval(e.At, t)
	found.holds = err == nil && !a.Held && a.Due == v.Micros()
	return found, err
}

func (r *runner) refused(e model.ExpectRefused, t *Token) (verdict, error) {
	a, err := r.event(t, e.Event, e.Args, e.Actor)
	if err != nil {
		return verdict{}, err
	}
	holds := !taken(a) && (!e.HasText || a.Reason == e.Text)
	return verdict{holds, "it was " + refusal(a)}, nil
}

func (r *runner) offered(e model.ExpectOffered, t *Token) (verdict, error) {
	match, err := r.matcher(e.Match, t)
	if err != nil {
		return verdict{}, err
	}
	n := 0
	var all []string
	for _, k := range r.world.tasks {
		if k.token != t || k.row.Task != e.Task.Name || k.row.Dispatched != e.Dispatched {
			continue
		}
		all = append(all, k.row.Task+string(value.AppendJSON(nil, k.input)))
		if match(k.input) {
			n++
		}
	}
	return verdict{enough(n, e.Times), fmt.Sprintf("%d of %s", n, listed(all))}, nil
}

// enough compares a count with `N times`, or with "at least once" when there is none.
func enough(n, times int) bool {
	if times < 0 {
		return n > 0
	}
	return n == times
}

func (r *runner) child(e model.ExpectChild, t *Token) verdict {
	n := 0
	var all []string
	for _, c := range r.world.Children(t, e.Flow.Name) {
		all = append(all, c.place())
		if e.State < 0 || c.in(e.State) {
			n++
		}
	}
	return verdict{enough(n, e.Times), fmt.Sprintf("%d of the children %s", n, listed(all))}
}

func (r *runner) accepts(e model.ExpectAccepts, t *Token) verdict {
	var names []string
	for _, a := range vm.Accepts(t.program, t.vm, r.world.now) {
		names = append(names, a.Event)
	}
	holds := true
	for _, ev := range e.Events {
		holds = holds && slices.Contains(names, ev.Name)
	}
	return verdict{holds, "it accepts " + listed(names)}
}

// matcher tells whether an input has the arguments that a statement names.
func (r *runner) matcher(args []model.ArgMatch, t *Token) (func(value.Value) bool, error) {
	want := make([]value.Value, len(args))
	for i, a := range args {
		v, err := r.eval(a.Value, t)
		if err != nil {
			return nil, err
		}
		want[i] = v
	}
	return func(input value.Value) bool {
		for i, a := range args {
			if !value.Equal(input.At(a.Param), want[i]) {
				return false
			}
		}
		return true
	}, nil
}

func listed(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}

func quoted(items []string) string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = fmt.Sprintf("%q", s)
	}
	return listed(out)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func literal(v value.Value) string { return string(value.AppendJSON(nil, v)) }
