package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// An opCase runs instructions, stores what they leave as data field 0 unless bare, and says what the host saw.
type opCase struct {
	name string
	ins  []program.Ins
	bare bool
	want string // the log, or `error CODE`
}

const i32 = program.OpInt

func push(n int32) program.Ins { return ins(i32, n) }

func pointOf(x, y int32) []program.Ins {
	return []program.Ins{push(x), push(y), ins(program.OpRecord, 0, 2)}
}

func join(parts ...any) []program.Ins {
	var all []program.Ins
	for _, p := range parts {
		switch p := p.(type) {
		case program.Ins:
			all = append(all, p)
		case []program.Ins:
			all = append(all, p...)
		}
	}
	return all
}

func opCases() []opCase {
	list := join(push(1), push(2), ins(program.OpList, 2))
	table := join(ins(program.OpConst, 1), push(1), ins(program.OpMap, 1))
	return []opCase{
		{name: "const", ins: join(ins(program.OpConst, 1)), want: `data 0 = "hello"`},
		{name: "null", ins: join(ins(program.OpNull)), want: "data 0 = null"},
		{name: "bool", ins: join(ins(program.OpBool, 1)), want: "data 0 = true"},
		{name: "int", ins: join(push(-3)), want: "data 0 = -3"},
		{name: "input", ins: join(ins(program.OpInput, 0)), want: "data 0 = 5"},
		{name: "data", ins: join(ins(program.OpData, 1)), want: "data 0 = 8"},
		{name: "local", ins: join(push(4), ins(program.OpSetLocal, 0), ins(program.OpLocal, 0)), want: "data 0 = 4"},
		{name: "event", ins: join(ins(program.OpEvent, 0)), want: "data 0 = 42"},
		{name: "event without the field", ins: join(ins(program.OpEvent, 1)), want: "data 0 = null"},
		{name: "active", ins: join(ins(program.OpActive, 0)), want: "data 0 = true"},
		{name: "pop", ins: join(push(1), push(2), ins(program.OpPop)), want: "data 0 = 1"},
		{name: "field", ins: join(pointOf(1, 2), ins(program.OpField, 1)), want: "data 0 = 2"},
		{name: "field of null", ins: join(ins(program.OpNull), ins(program.OpField, 1)), want: "error null_value"},
		{name: "index", ins: join(list, push(1), ins(program.OpIndex)), want: "data 0 = 2"},
		{name: "index out of range", ins: join(list, push(2), ins(program.OpIndex)), want: "error out_of_range"},
		{name: "index of a map", ins: join(table, ins(program.OpConst, 1), ins(program.OpIndex)), want: "data 0 = 1"},
		{name: "index of a map without the key", ins: join(table, ins(program.OpConst, 0), ins(program.OpIndex)), want: "data 0 = null"},
		{name: "index of null", ins: join(ins(program.OpNull), push(2), ins(program.OpIndex)), want: "error null_value"},
		{name: "record", ins: pointOf(1, 2), want: `data 0 = {"x":1,"y":2}`},
		{name: "list", ins: list, want: "data 0 = [1,2]"},
		{name: "map", ins: table, want: `data 0 = {"hello":1}`},
		{name: "map with null as a key", ins: join(ins(program.OpNull), push(1), ins(program.OpMap, 1)), want: "error null_value"},
		{name: "interp", ins: join(ins(program.OpConst, 1), push(2), ins(program.OpInterp, 2)), want: `data 0 = "hello2"`},
		{name: "binary", ins: join(push(7), push(2), ins(program.OpBinary, int32(value.OpSub))), want: "data 0 = 5"},
		{name: "binary that fails", ins: join(push(7), push(0), ins(program.OpBinary, int32(value.OpDiv))), want: "error division_by_zero"},
		{name: "neg", ins: join(push(7), ins(program.OpNeg)), want: "data 0 = -7"},
		{name: "not", ins: join(ins(program.OpBool), ins(program.OpNot)), want: "data 0 = true"},
		{name: "in", ins: join(push(2), list, ins(program.OpIn)), want: "data 0 = true"},
		{name: "must", ins: join(push(2), ins(program.OpMust)), want: "data 0 = 2"},
		{name: "must of null", ins: join(ins(program.OpNull), ins(program.OpMust)), want: "error null_value"},
		{name: "field without a value", ins: join(ins(program.OpNull), ins(program.OpMust, program.MustSet)), want: "error null_value"},
		{name: "decimal", ins: join(push(2), ins(program.OpDecimal)), want: "data 0 = 2"},
		{name: "json", ins: join(list, ins(program.OpJSON)), want: "data 0 = [1,2]"},
		{name: "call", ins: join(push(20), ins(program.OpCall, 2)), want: "data 0 = 21"},
		{name: "builtin", ins: join(list, ins(program.OpBuiltin, 0, 1)), want: "data 0 = 2"},
		{name: "builtin of the token", ins: join(ins(program.OpBuiltin, 2, 0)), want: `data 0 = "token-1"`},
		{name: "lambda", ins: join(list, ins(program.OpLambda, 1, 0)), want: "data 0 = [10,20]"},
		{name: "jump", ins: join(ins(program.OpJump, 3), push(1), ins(program.OpJump, 4), push(2)), want: "data 0 = 2"},
		{name: "jump-not", ins: join(ins(program.OpBool), ins(program.OpJumpNot, 4), push(1), ins(program.OpJump, 5), push(2)), want: "data 0 = 2"},
		{name: "and", ins: join(ins(program.OpBool), ins(program.OpAnd, 3), ins(program.OpBool, 1)), want: "data 0 = false"},
		{name: "or", ins: join(ins(program.OpBool), ins(program.OpOr, 3), ins(program.OpBool, 1)), want: "data 0 = true"},
		{name: "else", ins: join(ins(program.OpNull), ins(program.OpElse, 3), push(6)), want: "data 0 = 6"},
		{
			name: "next", bare: true, want: "data 0 = 1\ndata 0 = 2",
			ins: join(list, ins(program.OpSetLocal, 1), push(0), ins(program.OpSetLocal, 0),
				ins(program.OpNext, 1, 0), ins(program.OpJumpNot, 10), ins(program.OpSetData, 0), ins(program.OpJump, 6), ins(program.OpPop)),
		},
		{name: "return", ins: join(push(20), ins(program.OpCall, 2)), want: "data 0 = 21"},
		{name: "end", bare: true, ins: join(ins(program.OpEnd)), want: ""},
		{name: "refuse", bare: true, ins: join(ins(program.OpConst, 1), ins(program.OpRefuse)), want: "refused hello"},
		{name: "fail", bare: true, ins: join(ins(program.OpConst, 1), ins(program.OpFail)), want: "failed hello"},
		{name: "go", bare: true, ins: join(ins(program.OpGo, int32(program.ToSelf))), want: "gone 2 0"},
		{name: "set-data", bare: true, ins: join(push(1), ins(program.OpSetData, 1)), want: "data 1 = 1"},
		{name: "set-local", ins: join(push(4), ins(program.OpSetLocal, 0), ins(program.OpLocal, 0)), want: "data 0 = 4"},
		{name: "clear", ins: join(push(4), ins(program.OpSetLocal, 0), ins(program.OpClear, 0), ins(program.OpLocal, 0)), want: "data 0 = null"},
		{name: "with-field", ins: join(pointOf(1, 2), push(9), ins(program.OpWithField, 0)), want: `data 0 = {"x":9,"y":2}`},
		{name: "with-index", ins: join(list, push(0), push(9), ins(program.OpWithIndex)), want: "data 0 = [9,2]"},
		{name: "with-index of a map", ins: join(table, ins(program.OpConst, 0), push(9), ins(program.OpWithIndex)), want: `data 0 = {"hello":1,"id":9}`},
		{name: "with-index out of range", ins: join(list, push(2), push(9), ins(program.OpWithIndex)), want: "error out_of_range"},
		{name: "without", ins: join(table, ins(program.OpConst, 1), ins(program.OpWithout)), want: "data 0 = {}"},
	}
}

func effectCases() []opCase {
	second := join(ins(program.OpConst, 3))
	return []opCase{
		{name: "raise", bare: true, ins: join(pointOf(1, 2), ins(program.OpRaise, 0)), want: `raise 0 {"x":1,"y":2}`},
		{name: "schedule", bare: true, ins: join(pointOf(1, 2), second, ins(program.OpSchedule, 0, 0)), want: `schedule 0 {"x":1,"y":2} 1000000 false`},
		{name: "schedule after null", bare: true, ins: join(pointOf(1, 2), ins(program.OpNull), ins(program.OpSchedule, 0, 0)), want: "error null_value"},
		{name: "schedule after too long", bare: true, ins: join(pointOf(1, 2), ins(program.OpConst, 4), ins(program.OpSchedule, 0, 0)), want: "error duration_too_long"},
		{name: "unschedule", bare: true, ins: join(ins(program.OpUnschedule, 1)), want: "unschedule 1"},
		{name: "rearm", bare: true, ins: join(ins(program.OpRearm, 0, 0)), want: "rearm 0 0 -1"},
		{name: "rearm-event", bare: true, ins: join(ins(program.OpRearmEvent, 1)), want: "rearm -1 -1 1"},
		{name: "dispatch", bare: true, ins: join(pointOf(1, 2), ins(program.OpDispatch, 0, 0)), want: `dispatch 0 {"x":1,"y":2} retry 2`},
		{
			name: "start", bare: true,
			ins:  join(pointOf(1, 2), push(8), second, ins(program.OpStart, 0, program.StartKeyed|program.StartKeep|program.StartAfter)),
			want: `start {Flow:0 Args:{"x":1,"y":2} Key:8 Keyed:true Keep:true When:1000000 Later:true At:false}`,
		},
		{name: "start with null as its key", bare: true, ins: join(pointOf(1, 2), ins(program.OpNull), ins(program.OpStart, 0, program.StartKeyed)), want: "error null_value"},
		{name: "send", bare: true, ins: join(pointOf(1, 2), ins(program.OpConst, 0), ins(program.OpSend, 0, 1)), want: `send {Event:0 Payload:{"x":1,"y":2} Parent:false Flow:hello Key:id}`},
		{name: "send to the parent", bare: true, ins: join(pointOf(1, 2), ins(program.OpSend, 0, -1)), want: `send {Event:0 Payload:{"x":1,"y":2} Parent:true Flow: Key:}`},
		{name: "note", bare: true, ins: join(ins(program.OpConst, 1), ins(program.OpNote)), want: "note hello"},

		{name: "call-task", bare: true, ins: join(pointOf(1, 2), ins(program.OpCallTask, 0), ins(program.OpPop)), want: `waits kind 0 task 0 flow -1 [{"x":1,"y":2}] concurrency 0 "" timed false`},
		{name: "call-tasks", bare: true, ins: join(pointOf(1, 2), ins(program.OpList, 1), push(3), ins(program.OpCallTasks, 0), ins(program.OpPop)), want: `waits kind 1 task 0 flow -1 [{"x":1,"y":2}] concurrency 3 "" timed false`},
		{name: "call-tasks over nothing", ins: join(ins(program.OpList, 0), ins(program.OpNull), ins(program.OpCallTasks, 0)), want: "data 0 = []"},
		{name: "call-tasks with no concurrency", bare: true, ins: join(pointOf(1, 2), ins(program.OpList, 1), push(0), ins(program.OpCallTasks, 0), ins(program.OpPop)), want: "error out_of_range"},
		{name: "call-flow", bare: true, ins: join(pointOf(1, 2), push(8), ins(program.OpCallFlow, 1), ins(program.OpPop)), want: `waits kind 2 task -1 flow 0 [{"x":1,"y":2}] concurrency 0 "8" timed false`},
		{name: "sleep", bare: true, ins: join(second, ins(program.OpSleep, 0)), want: `waits kind 3 task -1 flow -1 [] concurrency 0 "" timed true 1000000`},
		{name: "sleep of nothing", ins: join(ins(program.OpConst, 5), ins(program.OpSleep, 0), push(1)), want: "data 0 = 1"},
		{name: "sleep until the past", ins: join(ins(program.OpConst, 6), ins(program.OpSleep, 1), push(1)), want: "data 0 = 1"},
		{name: "sleep until null", ins: join(ins(program.OpNull), ins(program.OpSleep, 1), push(1)), want: "error null_value"},
		{name: "wait", bare: true, ins: join(second, ins(program.OpWait, 0), ins(program.OpPop)), want: `waits kind 4 task -1 flow -1 [] concurrency 0 "" timed true 1000000 [{[0] -1}]`},
		{name: "wait-cases", bare: true, ins: join(ins(program.OpWaitCases, 1)), want: `waits kind 4 task -1 flow -1 [] concurrency 0 "" timed false [{[0 1] 4}]`},
		{name: "unwind", bare: true, ins: join(ins(program.OpUnwind, 0)), want: ""},
	}
}

// opSample is what the cases refer to: code 2 is n => n + 1, code 3 the lambda x => x * 10 over the routine's locals, code 4 a
// guard; constants 3 to 6 are 1s, 3651d, 0s and the year 1970.
func opSample() *sample {
	s := newSample().locals(value.TypeInt, value.ListOf(value.TypeInt))
	s.Consts = append(s.Consts, value.OfDuration(1_000_000), value.OfDuration(3651*86400*1_000_000), value.OfDuration(0), value.OfTime(0))
	s.add(program.Code{
		Flow: -1, State: -1, Params: 1, Locals: []program.Local{{Name: "n", Type: value.TypeInt}},
		Ins: join(ins(program.OpLocal, 0), push(1), ins(program.OpBinary, int32(value.OpAdd)), ins(program.OpReturn)),
	})
	routine := &s.Codes[0]
	s.add(program.Code{Locals: routine.Locals, Ins: join(ins(program.OpLocal, 0), push(10), ins(program.OpBinary, int32(value.OpMul)), ins(program.OpReturn))})
	s.add(program.Code{Locals: routine.Locals, Ins: join(ins(program.OpBool, 1), ins(program.OpReturn))})
	routine = &s.Codes[0]
	routine.Lambdas = []program.Lambda{{Code: 3, Param: 0, Args: 1}}
	routine.Calls = []program.Call{{Task: 0, Flow: -1}, {Task: -1, Flow: 0, Keyed: true}}
	routine.Waits = []program.Wait{
		{Limit: program.LimitFor, Cases: []program.WaitCase{{Events: []int{0}, Guard: -1}}},
		{Cases: []program.WaitCase{{Events: []int{0, 1}, Guard: 4, Target: 0}}},
	}
	return s
}

func (c opCase) run(t *testing.T) string {
	s := opSample()
	code := join(c.ins)
	if !c.bare {
		code = append(code, ins(program.OpSetData, 0))
	}
	s.routine(append(code, ins(program.OpEnd))...)
	p := s.link(t)
	h := newHost()
	return outcome(h, machine.Run(p, machine.NewFrame(p, 0), h, machine.NewBudget()))
}

// outcome is what the host saw and how the run ended, one line each.
func outcome(h *host, e machine.Ending) string {
	lines := h.log
	switch e.Kind {
	case machine.Raised:
		lines = append(lines, "error "+e.Err.Code)
	case machine.Refused:
		lines = append(lines, "refused "+e.Text)
	case machine.Failed:
		lines = append(lines, "failed "+e.Text)
	case machine.Gone:
		lines = append(lines, fmt.Sprint("gone ", e.Target.Kind, " ", e.Target.State))
	case machine.Suspended:
		lines = append(lines, waits(e.Suspend))
	}
	return strings.Join(lines, "\n")
}

func waits(s *machine.Suspension) string {
	text := fmt.Sprintf("waits kind %d task %d flow %d %v concurrency %d %q timed %t", s.Kind, s.Task, s.Flow, s.Args, s.Concurrency, s.Key, s.Timed)
	if s.Timed {
		text += fmt.Sprint(" ", s.When)
	}
	if s.Cases != nil {
		text += fmt.Sprint(" ", s.Cases)
	}
	return text
}

func TestEveryOperationDoesWhatItsPictureSays(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range append(opCases(), effectCases()...) {
		op, _, _ := strings.Cut(c.name, " ")
		covered[op] = true
		t.Run(c.name, func(t *testing.T) {
			if got := c.run(t); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	for op := range program.Ops {
		if name := program.Op(op).String(); !covered[name] {
			t.Errorf("no case for %s", name)
		}
	}
}
