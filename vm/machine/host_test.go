package machine_test

import (
	"fmt"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// A host is a token of a test: it logs what code does to it.
type host struct {
	inputs, data []value.Value
	event        map[string]value.Value
	active       map[int]bool
	log          []string
	refuse       *value.Error // what Schedule and Rearm answer
}

const now = int64(1_767_225_600_000_000) // 2026-01-01T00:00:00Z

func (h *host) logf(format string, args ...any) { h.log = append(h.log, fmt.Sprintf(format, args...)) }

func (h *host) Now() int64               { return now }
func (h *host) EnteredAt() int64         { return now - 1_000_000 }
func (h *host) StartedAt() int64         { return now - 2_000_000 }
func (h *host) TokenID() string          { return "token-1" }
func (h *host) TokenKey() (string, bool) { return "key-1", true }

func (h *host) Input(i int) value.Value { return h.inputs[i] }
func (h *host) Data(i int) value.Value  { return h.data[i] }
func (h *host) SetData(i int, v value.Value) {
	h.data[i] = v
	h.logf("data %d = %s", i, v)
}
func (h *host) EventField(name string) value.Value { return h.event[name] }
func (h *host) Active(state int) bool              { return h.active[state] }

func (h *host) Raise(event int, payload value.Value) { h.logf("raise %d %s", event, payload) }
func (h *host) Schedule(event int, payload value.Value, when int64, at bool) *value.Error {
	h.logf("schedule %d %s %d %t", event, payload, when, at)
	return h.refuse
}
func (h *host) Unschedule(event int) { h.logf("unschedule %d", event) }
func (h *host) Rearm(state, timer, event int) *value.Error {
	h.logf("rearm %d %d %d", state, timer, event)
	return h.refuse
}
func (h *host) Dispatch(task int, args value.Value, policy program.Policy) {
	h.logf("dispatch %d %s%s", task, args, policy)
}
func (h *host) Start(s machine.Start) { h.logf("start %+v", s) }
func (h *host) Send(s machine.Send)   { h.logf("send %+v", s) }
func (h *host) Note(text string)      { h.logf("note %s", text) }

var (
	point  = &value.Decl{Name: "point", Fields: []value.Field{{Name: "x", Type: value.TypeInt}, {Name: "y", Type: value.TypeInt}}}
	fault  = &value.Decl{Name: "error", Fields: []value.Field{{Name: "code", Type: value.TypeString}, {Name: "message", Type: value.TypeString}}}
	nobody = &value.Decl{}
)

// A sample is a program whose flow holds one state and whose code 0 is its routine.
type sample struct {
	*program.Program
}

func newSample() *sample {
	root := program.State{
		Kind: program.Leaf, Parent: -1, Initial: -1, JoinN: -1, Entry: -1, Exit: -1,
		Work: &program.Work{Kind: program.Run, Task: -1, Flow: -1, Args: -1, Each: -1, Concurrency: -1, JoinN: -1, Key: -1, Routine: 0},
		Timers: []program.Timer{{
			Kind: program.After, Name: "after1", Dur: 1, Time: -1, For: -1, Times: -1, Zone: -1, Guard: -1, Block: -1,
		}},
	}
	p := &program.Program{
		Flow: "f",
		Flows: []*program.Flow{{
			Name:   "f",
			Input:  &value.Decl{Fields: []value.Field{{Name: "in", Type: value.TypeInt}}},
			Data:   []program.DataField{{Name: "d", Type: value.TypeInt, Default: -1}, {Name: "e", Type: value.TypeInt, Default: -1}},
			States: []program.State{root},
		}},
		Events: []program.Event{
			{Name: "go", Payload: &value.Decl{Fields: []value.Field{{Name: "id", Type: value.TypeInt}}}},
			{Name: "stop", Payload: nobody},
		},
		Tasks:    []program.Task{{Name: "work", Params: point, Result: point}},
		Types:    []*value.Decl{point},
		Consts:   []value.Value{value.OfString("id"), value.OfString("hello"), value.OfString("actor")},
		Builtins: []string{"len", "map", "token.id"},
		Policies: []program.Policy{{Retries: 2}},
		Codes: []program.Code{
			{Ins: []program.Ins{{Op: program.OpEnd}}},
			{Ins: []program.Ins{{Op: program.OpConst, A: 0}, {Op: program.OpReturn}}},
		},
	}
	return &sample{p}
}

// routine makes these instructions the routine's.
func (s *sample) routine(ins ...program.Ins) *sample {
	s.Codes[0].Ins = ins
	return s
}

func (s *sample) locals(types ...*value.Type) *sample {
	for i, t := range types {
		s.Codes[0].Locals = append(s.Codes[0].Locals, program.Local{Name: fmt.Sprintf("l%d", i), Type: t})
	}
	return s
}

// add appends a code that belongs to the flow and returns its index.
func (s *sample) add(c program.Code) int {
	s.Codes = append(s.Codes, c)
	return len(s.Codes) - 1
}

func (s *sample) link(t testing.TB) *program.Program {
	t.Helper()
	if err := program.Link(s.Program); err != nil {
		t.Fatal(err)
	}
	return s.Program
}

func ins(op program.Op, operands ...int32) program.Ins {
	in := program.Ins{Op: op}
	if len(operands) > 0 {
		in.A = operands[0]
	}
	if len(operands) > 1 {
		in.B = operands[1]
	}
	return in
}

func newHost() *host {
	return &host{
		inputs: []value.Value{value.OfInt(5)},
		data:   []value.Value{value.OfInt(7), value.OfInt(8)},
		event:  map[string]value.Value{"id": value.OfInt(42)},
		active: map[int]bool{0: true},
	}
}
