package program_test

import (
	"strings"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
)

var nothing = &value.Decl{}

// leaf is a state without anything in it.
func leaf(parent int) program.State {
	return program.State{Kind: program.Leaf, Parent: parent, Initial: -1, JoinN: -1, Entry: -1, Exit: -1}
}

// valid is a program with a bit of everything: code 0 is a guard, 1 a block, 2 a routine, 3 a function, 4 a lambda, 5 a guard of
// a wait.
func valid() *program.Program {
	root := leaf(-1)
	root.Kind, root.Children, root.Initial, root.Last = program.Composite, []int{1, 2}, 1, 2
	work := leaf(0)
	work.Path, work.Last = "work", 1
	work.Handlers = []program.Handler{{
		Triggers: []program.Trigger{{Event: 0}}, Guard: 0, Target: program.Target{Kind: program.ToState, State: 2}, Block: 1,
	}}
	work.Timers = []program.Timer{{Kind: program.After, Name: "after1", Dur: 6, Time: -1, For: -1, Times: -1, Zone: -1, Guard: -1, Block: -1}}
	work.Work = &program.Work{
		Kind: program.Run, Task: -1, Flow: -1, Args: -1, Each: -1, Concurrency: -1, JoinN: -1, Key: -1, Routine: 2,
	}
	done := leaf(0)
	done.Kind, done.Path, done.Last = program.Final, "done", 2
	locals := []program.Local{{Name: "x", Type: value.TypeInt}, {Name: "e", Type: value.RecordOf(fault)}}
	return &program.Program{
		Flow:     "f",
		Events:   []program.Event{{Name: "go", Payload: nothing}},
		Tasks:    []program.Task{{Name: "t", Params: nothing, Result: nothing}},
		Types:    []*value.Decl{fault},
		Consts:   []value.Value{value.OfString("code"), value.OfDuration(1)},
		Builtins: []string{"map", "len"},
		Policies: []program.Policy{{}},
		Flows: []*program.Flow{{
			Name: "f", Input: nothing, States: []program.State{root, work, done},
			Data: []program.DataField{{Name: "d", Type: value.TypeInt, Default: -1}},
		}},
		Codes: []program.Code{
			{State: 1, Ins: []program.Ins{{Op: program.OpBool, A: 1}, {Op: program.OpReturn}}},
			{State: 1, Ins: []program.Ins{{Op: program.OpInt, A: 3}, {Op: program.OpSetData}, {Op: program.OpEnd}}},
			{
				State: 1, Locals: locals,
				Ins: []program.Ins{
					{Op: program.OpList}, {Op: program.OpLambda}, {Op: program.OpPop},
					{Op: program.OpConst, A: 1}, {Op: program.OpSleep}, {Op: program.OpWaitCases}, {Op: program.OpEnd},
				},
				Tries:   []program.Try{{From: 0, To: 5, Handler: 6, Var: 1}},
				Calls:   []program.Call{{Task: 0, Flow: -1}},
				Waits:   []program.Wait{{Cases: []program.WaitCase{{Events: []int{0}, Guard: 5, Target: 6}}}},
				Lambdas: []program.Lambda{{Code: 4, Param: 0, Args: 1}},
			},
			{
				Flow: -1, State: -1, Params: 1, Locals: locals[:1],
				Ins: []program.Ins{{Op: program.OpLocal}, {Op: program.OpReturn}},
			},
			{State: 1, Locals: locals, Ins: []program.Ins{{Op: program.OpLocal}, {Op: program.OpCall, A: 3}, {Op: program.OpReturn}}},
			{State: 1, Locals: locals, Ins: []program.Ins{{Op: program.OpBool}, {Op: program.OpReturn}}},
			{State: 1, Ins: []program.Ins{{Op: program.OpConst, A: 1}, {Op: program.OpReturn}}},
		},
	}
}

var fault = &value.Decl{Name: "error", Fields: []value.Field{{Name: "code", Type: value.TypeString}, {Name: "message", Type: value.TypeString}}}

func in(op program.Op, operands ...int32) program.Ins {
	i := program.Ins{Op: op}
	if len(operands) > 0 {
		i.A = operands[0]
	}
	if len(operands) > 1 {
		i.B = operands[1]
	}
	return i
}

// faults break the valid program in one place each; the error has the words.
var faults = []struct {
	name  string
	spoil func(p *program.Program)
	words string
}{
	{"another flow first", func(p *program.Program) { p.Flow = "g" }, "does not come first"},
	{"two flows of a name", func(p *program.Program) { p.Flows = append(p.Flows, p.Flows[0]) }, "occurs twice"},
	{"two events of a name", func(p *program.Program) { p.Events = append(p.Events, p.Events[0]) }, "occurs twice"},
	{"a payload without declaration", func(p *program.Program) { p.Events[0].Payload = nil }, "no declaration"},
	{"a negative policy", func(p *program.Program) { p.Policies[0].Retries = -1 }, "negative"},
	{"an unknown built-in", func(p *program.Program) { p.Builtins[0] = "nope" }, "unknown built-in"},
	{"a built-in that is an operation", func(p *program.Program) { p.Builtins[0] = "active" }, "unknown built-in"},

	{"a wrong parent", func(p *program.Program) { p.Flows[0].States[2].Parent = 1 }, "parent"},
	{"a subtree that ends too late", func(p *program.Program) { p.Flows[0].States[1].Last = 7 }, "last"},
	{"a child that is missing", func(p *program.Program) { p.Flows[0].States[0].Children = []int{1} }, "children"},
	{"no initial state", func(p *program.Program) { p.Flows[0].States[0].Initial = -1 }, "no initial"},
	{"an initial that is no child", func(p *program.Program) { p.Flows[0].States[0].Initial = 3 }, "no child"},
	{"a region outside a parallel", func(p *program.Program) { p.Flows[0].States[1].Kind = program.Region }, "region"},
	{"an unknown kind", func(p *program.Program) { p.Flows[0].States[2].Kind = 9 }, "kind"},
	{"work of a final", func(p *program.Program) { p.Flows[0].States[2].Work = p.Flows[0].States[1].Work }, "work"},
	{"a target outside", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Target.State = 9 }, "target"},
	{"the root as a target", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Target.State = 0 }, "root"},
	{"a handler of nothing", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Triggers = nil }, "trigger"},
	{"an event outside", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Triggers[0].Event = 5 }, "event"},
	{"a guard outside", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Guard = 99 }, "code"},
	{"a block as a guard", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Guard = 1 }, "both"},
	{"a guard as a block", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Block = 0 }, "both"},
	{"a routine as a block", func(p *program.Program) { p.Flows[0].States[1].Entry = 2 }, "both"},
	{"a function as a guard", func(p *program.Program) { p.Flows[0].States[1].Handlers[0].Guard = 3 }, "flow -1"},
	{"a timer without a duration", func(p *program.Program) { p.Flows[0].States[1].Timers[0].Dur = -1 }, "duration"},
	{"a timer without a name", func(p *program.Program) { p.Flows[0].States[1].Timers[0].Name = "" }, "name"},
	{"a clock over a day", func(p *program.Program) { p.Flows[0].States[1].Timers[0].Clock = 86400 }, "day"},
	{"an owner outside", func(p *program.Program) { p.Flows[0].Data[0].Owner = 3 }, "owner"},
	{"a result outside", func(p *program.Program) { p.Flows[0].Result = []int{1} }, "result"},
	{"a join without its number", func(p *program.Program) {
		p.Flows[0].States[1].Work.Each, p.Flows[0].States[1].Work.Join = 0, program.JoinCount
	}, "join"},

	{"an unknown operation", func(p *program.Program) { p.Codes[1].Ins[0].Op = 200 }, "unknown operation"},
	{"an operand that is none", func(p *program.Program) { p.Codes[1].Ins[2].A = 1 }, "where there is none"},
	{"a constant outside", func(p *program.Program) { p.Codes[6].Ins[0].A = 2 }, "constant"},
	{"data outside", func(p *program.Program) { p.Codes[1].Ins[1].A = 1 }, "data field"},
	{"a local outside", func(p *program.Program) { p.Codes[4].Ins[0].A = 2 }, "local"},
	{"a jump outside", func(p *program.Program) { p.Codes[1].Ins[2] = in(program.OpJump, 3) }, "instruction"},
	{"an event named by no string", func(p *program.Program) { p.Codes[0].Ins[0] = in(program.OpEvent, 1) }, "no string"},
	{"too few fields", func(p *program.Program) { p.Codes[1].Ins[0] = in(program.OpRecord, 0, 1) }, "fields"},
	{"no operand", func(p *program.Program) { p.Codes[1].Ins[0] = in(program.OpUnschedule, 0) }, "operands"},
	{"an operand left", func(p *program.Program) { p.Codes[1].Ins[1] = in(program.OpNull) }, "left"},
	{"no end", func(p *program.Program) { p.Codes[1].Ins = p.Codes[1].Ins[:2] }, "does not end"},
	{"empty", func(p *program.Program) { p.Codes[1].Ins = nil }, "empty"},
	{"two depths", func(p *program.Program) {
		p.Codes[1].Ins = []program.Ins{in(program.OpBool, 1), in(program.OpJumpNot, 3), in(program.OpNull), in(program.OpEnd)}
	}, "by another way"},
	{"a stack without limit", func(p *program.Program) { p.Codes[1].Ins = []program.Ins{in(program.OpNull), in(program.OpJump, 0)} }, "by another way"},
	{"an effect in a guard", func(p *program.Program) { p.Codes[0].Ins[0] = in(program.OpUnschedule, 0) }, "not in an expression"},
	{"a sleep in a block", func(p *program.Program) { p.Codes[1].Ins[1] = in(program.OpSleep) }, "not in a block"},
	{"a return in a block", func(p *program.Program) { p.Codes[1].Ins[1] = in(program.OpReturn) }, "not in a block"},
	{"a sleep with operands left", func(p *program.Program) { p.Codes[2].Ins[2] = in(program.OpNot) }, "left"},
	{"data in a function", func(p *program.Program) { p.Codes[3].Ins[0] = in(program.OpData) }, "data field"},
	{"a function that calls itself", func(p *program.Program) {
		p.Codes[3].Ins = []program.Ins{in(program.OpLocal), in(program.OpCall, 3), in(program.OpReturn)}
	}, "itself"},
	{"a lambda with other locals", func(p *program.Program) { p.Codes[4].Locals = p.Codes[4].Locals[:1] }, "locals"},
	{"a lambda that is the routine", func(p *program.Program) { p.Codes[2].Lambdas[0].Code = 2 }, "both"},
	{"a built-in without its arguments", func(p *program.Program) { p.Codes[0].Ins[0] = in(program.OpBuiltin, 1, 0) }, "len"},
	{"a built-in that takes no lambda", func(p *program.Program) { p.Codes[2].Ins[1].A = 1 }, "lambda"},
	{"a call of another code", func(p *program.Program) { p.Codes[4].Ins[1].A = 0 }, "belongs to a flow"},
	{"a try outside", func(p *program.Program) { p.Codes[2].Tries[0].To = 99 }, "try"},
	{"a handler outside", func(p *program.Program) { p.Codes[2].Tries[0].Handler = 99 }, "handler"},
	{"an error caught into an int", func(p *program.Program) { p.Codes[2].Tries[0].Var = 0 }, "caught"},
	{"a wait for nothing", func(p *program.Program) { p.Codes[2].Waits[0].Cases = nil }, "cases"},
	{"a wait with a target outside", func(p *program.Program) { p.Codes[2].Waits[0].Cases[0].Target = 99 }, "target"},
	{"a plain wait with a guard", func(p *program.Program) { p.Codes[2].Ins[5].Op = program.OpWait }, "guard"},
	{"a call of both", func(p *program.Program) { p.Codes[2].Calls[0].Flow = 0 }, "task with a flow"},
	{"a local without a type", func(p *program.Program) { p.Codes[1].Locals = []program.Local{{Name: "x"}} }, "no type"},
	{"a list of nothing", func(p *program.Program) {
		p.Codes[1].Locals = []program.Local{{Name: "x", Type: &value.Type{Kind: value.List}}}
	}, "no type"},
	{"more parameters than locals", func(p *program.Program) { p.Codes[3].Params = 2 }, "parameters"},
	{"a state of no flow", func(p *program.Program) { p.Codes[3].State = 0 }, "no flow"},
}

func TestVerifyRefusesWhatTheMachineCannotRun(t *testing.T) {
	if err := program.Verify(valid()); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		p := valid()
		f.spoil(p)
		if err := program.Verify(p); err == nil || !strings.Contains(err.Error(), f.words) {
			t.Errorf("%s: got %v, want %q", f.name, err, f.words)
		}
	}
}
