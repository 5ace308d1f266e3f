package machine_test

import (
	"strings"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

func run(t *testing.T, p *program.Program, f *machine.Frame, h *host) machine.Ending {
	t.Helper()
	return machine.Run(p, f, h, machine.NewBudget())
}

// reload saves a frame and reads it back, as a restart does (R30).
func reload(t *testing.T, p *program.Program, f *machine.Frame) *machine.Frame {
	t.Helper()
	b, err := machine.EncodeFrame(p, f)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := machine.DecodeFrame(p, b)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	again, err := machine.EncodeFrame(p, loaded)
	if err != nil || string(again) != string(b) {
		t.Fatalf("%s is read as %s, %v", b, again, err)
	}
	return loaded
}

// A loop over a list in which the routine sleeps goes on where it was, over restarts.
func TestR30ALoopGoesOnAfterASleep(t *testing.T) {
	s := newSample().locals(value.ListOf(value.TypeInt), value.TypeInt, value.TypeInt)
	s.Consts = append(s.Consts, value.OfDuration(1_000_000))
	p := s.routine(
		push(10), push(20), ins(program.OpList, 2), ins(program.OpSetLocal, 0),
		push(0), ins(program.OpSetLocal, 1),
		ins(program.OpNext, 0, 1), ins(program.OpJumpNot, 14),
		ins(program.OpSetLocal, 2),
		ins(program.OpConst, 3), ins(program.OpSleep, 0),
		ins(program.OpLocal, 2), ins(program.OpSetData, 0),
		ins(program.OpJump, 6),
		ins(program.OpPop), ins(program.OpEnd),
	).link(t)
	h := newHost()
	f := machine.NewFrame(p, 0)
	end := run(t, p, f, h)
	for i, want := range []string{"", "data 0 = 10", "data 0 = 10\ndata 0 = 20"} {
		if got := strings.Join(h.log, "\n"); got != want {
			t.Fatalf("segment %d: %s", i, got)
		}
		if i < 2 {
			if end.Kind != machine.Suspended {
				t.Fatalf("segment %d: %+v", i, end)
			}
			f = reload(t, p, f)
			end = machine.Resume(p, f, value.OfNull(), h, machine.NewBudget())
		}
	}
	if end.Kind != machine.Done {
		t.Fatalf("%+v", end)
	}
}

// catching calls a task inside a try that catches only `declined`, stores the result, or the error's code in data field 1.
func catching(t *testing.T, codes ...string) *program.Program {
	s := newSample().locals(value.RecordOf(fault))
	s.Codes[0].Calls = []program.Call{{Task: 0, Flow: -1}}
	s.Codes[0].Tries = []program.Try{{From: 0, To: 6, Handler: 7, Codes: codes, Var: 0}}
	return s.routine(
		push(1), push(2), ins(program.OpRecord, 0, 2), ins(program.OpCallTask, 0), ins(program.OpField, 0), ins(program.OpSetData, 0),
		ins(program.OpEnd),
		ins(program.OpLocal, 0), ins(program.OpField, 0), ins(program.OpSetData, 1), ins(program.OpEnd),
	).link(t)
}

func TestATryCatchesTheErrorOfACall(t *testing.T) {
	for _, c := range []struct {
		codes []string
		code  string
		want  string
	}{
		{nil, "declined", `data 1 = "declined"`},
		{[]string{"other", "declined"}, "declined", `data 1 = "declined"`},
		{[]string{"other"}, "declined", "error declined"},
		{nil, machine.CodeInstructions, "error instruction_limit"},
		{nil, machine.CodeMemory, "error memory_limit"},
	} {
		p, h := catching(t, c.codes...), newHost()
		f := machine.NewFrame(p, 0)
		run(t, p, f, h)
		end := machine.ResumeError(p, f, value.Errorf(c.code, "no money"), h, machine.NewBudget())
		if got := outcome(h, end); got != c.want {
			t.Errorf("%v, %s: got %s, want %s", c.codes, c.code, got, c.want)
		}
	}
}

func TestACallEndsWithItsResult(t *testing.T) {
	p, h := catching(t), newHost()
	f := machine.NewFrame(p, 0)
	run(t, p, f, h)
	result := value.OfRecord(point, []value.Value{value.OfInt(3), value.OfInt(4)})
	end := machine.Resume(p, reload(t, p, f), result, h, machine.NewBudget())
	if got := outcome(h, end); got != "data 0 = 3" {
		t.Error(got)
	}
}

func TestAnErrorInAFunctionSaysWhereItIs(t *testing.T) {
	s := newSample()
	fn := s.add(program.Code{
		Flow: -1, State: -1, Params: 1, Locals: []program.Local{{Name: "n", Type: value.TypeInt}},
		Ins: join(push(1), ins(program.OpLocal, 0), ins(program.OpBinary, int32(value.OpDiv)), ins(program.OpReturn)),
	})
	p := s.routine(push(0), ins(program.OpCall, int32(fn)), ins(program.OpSetData, 0), ins(program.OpEnd)).link(t)
	end := run(t, p, machine.NewFrame(p, 0), newHost())
	if end.Kind != machine.Raised || end.Err.Code != value.CodeDivision || end.Code != fn || end.PC != 2 {
		t.Errorf("%+v", end)
	}
}

// waiting waits for `go` with a guard, and inside its case for `stop`; each body reads `event`.
func waiting(t testing.TB) *program.Program {
	s := newSample()
	s.Consts = append(s.Consts, value.OfDuration(1_000_000))
	guard := s.add(program.Code{Ins: join(
		ins(program.OpEvent, 0), push(9), ins(program.OpBinary, int32(value.OpLt)), ins(program.OpReturn),
	)})
	s.Codes[0].Waits = []program.Wait{
		{Cases: []program.WaitCase{{Events: []int{0}, Guard: guard, Target: 1}}},
		{Limit: program.LimitFor, Target: 9, Cases: []program.WaitCase{{Events: []int{1}, Guard: -1, Target: 5}}},
	}
	return s.routine(
		ins(program.OpWaitCases, 0),
		ins(program.OpEvent, 0), ins(program.OpSetData, 0), // 1: the outer case
		ins(program.OpConst, 3), ins(program.OpWaitCases, 1),
		ins(program.OpEvent, 2), ins(program.OpSetData, 1), ins(program.OpUnwind, 1), ins(program.OpJump, 9), // 5: the inner one
		ins(program.OpEvent, 0), ins(program.OpSetData, 1), ins(program.OpUnwind, 0), // 9: the outer one again
		ins(program.OpEvent, 0), ins(program.OpSetData, 0), ins(program.OpEnd),
	).link(t)
}

func TestAWaitsCaseHidesTheEventAroundIt(t *testing.T) {
	p, h := waiting(t), newHost()
	f := machine.NewFrame(p, 0)
	end := run(t, p, f, h)
	taken := machine.Taken{Event: 0, Payload: value.OfRecord(p.Events[0].Payload, []value.Value{value.OfInt(8)})}
	if g := machine.Guard(p, f, end.Suspend.Cases[0].Guard, taken, h, machine.NewBudget()); g.Kind != machine.Done || !g.Value.Bool() {
		t.Fatalf("guard: %+v", g)
	}
	tooLarge := machine.Taken{Event: 0, Payload: value.OfRecord(p.Events[0].Payload, []value.Value{value.OfInt(9)})}
	if g := machine.Guard(p, f, end.Suspend.Cases[0].Guard, tooLarge, h, machine.NewBudget()); g.Value.Bool() {
		t.Fatalf("guard: %+v", g)
	}
	f = reload(t, p, f)
	end = machine.ResumeWait(p, f, 0, taken, h, machine.NewBudget())
	if end.Kind != machine.Suspended || end.Suspend.When != 1_000_000 {
		t.Fatalf("%+v", end)
	}
	f = reload(t, p, f)
	inner := machine.Taken{Event: 1, Payload: value.OfRecord(nobody, nil), Actor: value.OfString("ann")}
	end = machine.ResumeWait(p, f.Clone(), 0, inner, h, machine.NewBudget())
	want := "data 0 = 8\ndata 1 = \"ann\"\ndata 1 = 8\ndata 0 = 42"
	if got := outcome(h, end); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	h.log = nil
	end = machine.ResumeLimit(p, f, h, machine.NewBudget())
	if got := outcome(h, end); got != "data 1 = 8\ndata 0 = 42" {
		t.Errorf("after the limit: %s", got)
	}
}

func TestAPlainWaitGivesThePayloadOrNull(t *testing.T) {
	s := newSample()
	s.Consts = append(s.Consts, value.OfTime(now+5))
	s.Codes[0].Waits = []program.Wait{{Limit: program.LimitUntil, Cases: []program.WaitCase{{Events: []int{0}, Guard: -1}}}}
	p := s.routine(ins(program.OpConst, 3), ins(program.OpWait, 0), ins(program.OpSetData, 0), ins(program.OpEnd)).link(t)
	h := newHost()
	f := machine.NewFrame(p, 0)
	if end := run(t, p, f, h); !end.Suspend.At || end.Suspend.When != now+5 {
		t.Fatalf("%+v", end)
	}
	machine.ResumeLimit(p, f.Clone(), h, machine.NewBudget())
	taken := machine.Taken{Event: 0, Payload: value.OfRecord(p.Events[0].Payload, []value.Value{value.OfInt(8)})}
	end := machine.ResumeWait(p, f, 0, taken, h, machine.NewBudget())
	if got := outcome(h, end); got != "data 0 = null\ndata 0 = {\"id\":8}" {
		t.Error(got)
	}
}

// What does not fit together is an error of the step, not a crash.
func TestAFrameIsNotResumedWithWhatItDoesNotWaitFor(t *testing.T) {
	p, h := waiting(t), newHost()
	fresh, waits := machine.NewFrame(p, 0), machine.NewFrame(p, 0)
	run(t, p, waits, h)
	fresh.PC = 1
	taken := machine.Taken{Event: 0, Payload: value.OfRecord(nobody, nil)}
	for name, end := range map[string]machine.Ending{
		"result of a wait":    machine.Resume(p, waits, value.OfNull(), h, machine.NewBudget()),
		"no such case":        machine.ResumeWait(p, waits, 1, taken, h, machine.NewBudget()),
		"no such event":       machine.ResumeWait(p, waits, 0, machine.Taken{Event: 7}, h, machine.NewBudget()),
		"not at a suspension": machine.ResumeLimit(p, fresh, h, machine.NewBudget()),
		"error elsewhere":     machine.ResumeError(p, fresh, value.Errorf("x", "y"), h, machine.NewBudget()),
		"no such code":        machine.Resume(p, &machine.Frame{Code: 99}, value.OfNull(), h, machine.NewBudget()),
	} {
		if end.Kind != machine.Raised || end.Err.Code != machine.CodeInternal {
			t.Errorf("%s: %+v", name, end)
		}
	}
}

func TestDecodeFrameRefusesWhatDoesNotFitTheProgram(t *testing.T) {
	p := catching(t)
	for _, text := range []string{
		``, `[]`, `{"code":9}`, `{"code":0,"pc":1}`, `{"code":0,"pc":-1}`, `{"code":0,"pc":3,"locals":{"7":1}}`,
		`{"code":0,"pc":3,"locals":{"x":1}}`, `{"code":0,"pc":3,"locals":{"0":1}}`, `{"code":0,"pc":3,"events":[{"event":"none","payload":{}}]}`,
		`{"code":0,"pc":3,"events":[{"event":"go","payload":{"id":"x"}}]}`,
	} {
		if f, err := machine.DecodeFrame(p, []byte(text)); err == nil {
			t.Errorf("%s is read as %+v", text, f)
		}
	}
}
