package sim

import (
	"errors"
	"fmt"

	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// eval computes an expression of a test block over a token's inputs and data, or over nothing when there is no token.
func (r *runner) eval(c *model.Code, t *Token) (value.Value, error) {
	code, ok := r.suite.tests.Code(c)
	if !ok {
		return value.Value{}, errors.New("an expression of the test was not compiled")
	}
	h := &host{now: r.world.now, token: t}
	end := machine.Eval(r.suite.tests.Program, code, h, machine.NewBudget())
	if end.Kind == machine.Raised {
		return value.Value{}, failf(t, "the expression fails with %s: %s", end.Err.Code, end.Err.Message)
	}
	if h.changed {
		return value.Value{}, fmt.Errorf("an expression of the test changed something")
	}
	return end.Value, nil
}

// A host lets expressions of a test read a token. Expressions change nothing; one that tried to is noticed.
type host struct {
	now     int64
	token   *Token
	changed bool
}

func (h *host) Now() int64       { return h.now }
func (h *host) EnteredAt() int64 { return h.of(0, h.entered) }
func (h *host) StartedAt() int64 { return h.of(0, func() int64 { return h.token.vm.StartedAt }) }

func (h *host) of(none int64, read func() int64) int64 {
	if h.token == nil {
		return none
	}
	return read()
}

// entered is when the innermost active state was entered: a test stands in no state of its own.
func (h *host) entered() int64 {
	if n := len(h.token.vm.Active); n > 0 {
		return h.token.vm.Active[n-1].EnteredAt
	}
	return 0
}

func (h *host) TokenID() string {
	if h.token == nil {
		return ""
	}
	return h.token.vm.ID
}

func (h *host) TokenKey() (string, bool) {
	if h.token == nil {
		return "", false
	}
	return h.token.vm.Key, h.token.vm.Key != ""
}

func (h *host) Input(i int) value.Value {
	if h.token == nil {
		return value.Value{}
	}
	return h.token.vm.Input.At(i)
}

func (h *host) Data(i int) value.Value {
	if h.token == nil || i >= len(h.token.vm.Data) {
		return value.Value{}
	}
	return h.token.vm.Data[i]
}

func (h *host) Active(state int) bool         { return h.token != nil && h.token.in(state) }
func (h *host) EventField(string) value.Value { return value.Value{} }

func (h *host) SetData(int, value.Value)                            { h.changed = true }
func (h *host) Raise(int, value.Value)                              { h.changed = true }
func (h *host) Schedule(int, value.Value, int64, bool) *value.Error { h.changed = true; return nil }
func (h *host) Unschedule(int)                                      { h.changed = true }
func (h *host) Rearm(int, int, int) *value.Error                    { h.changed = true; return nil }
func (h *host) Dispatch(int, value.Value, program.Policy)           { h.changed = true }
func (h *host) Start(machine.Start)                                 { h.changed = true }
func (h *host) Send(machine.Send)                                   { h.changed = true }
func (h *host) Note(string)                                         { h.changed = true }
