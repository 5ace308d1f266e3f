package machine_test

import (
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// endless loops inside a try that catches everything, with body repeated.
func endless(t *testing.T, body ...program.Ins) *program.Program {
	s := newSample().locals(value.TypeString, value.ListOf(value.TypeString))
	code := append(body, ins(program.OpJump, 0), ins(program.OpJump, 0), ins(program.OpEnd))
	s.Codes[0].Tries = []program.Try{{From: 0, To: len(body) + 1, Handler: len(body) + 1, Var: -1}}
	return s.routine(code...).link(t)
}

func TestR7TheInstructionLimitIsCaughtByNoTry(t *testing.T) {
	p := endless(t, push(1), ins(program.OpPop))
	b := machine.NewBudget()
	end := machine.Run(p, machine.NewFrame(p, 0), newHost(), b)
	if !end.Limit() || end.Err.Code != machine.CodeInstructions || b.Instructions >= 0 {
		t.Errorf("%+v, left %d", end, b.Instructions)
	}
}

func TestR7TheMemoryLimitIsCaughtByNoTry(t *testing.T) {
	for name, body := range map[string][]program.Ins{
		"strings": {ins(program.OpConst, 1), ins(program.OpSetLocal, 0), ins(program.OpConst, 1), ins(program.OpLocal, 0), ins(program.OpInterp, 2), ins(program.OpPop)},
		"doubled": {ins(program.OpLocal, 0), ins(program.OpConst, 1), ins(program.OpInterp, 2), ins(program.OpSetLocal, 0)},
		"lists":   {ins(program.OpLocal, 1), ins(program.OpElse, 3), ins(program.OpList, 0), ins(program.OpConst, 1), ins(program.OpList, 1), ins(program.OpBinary, int32(value.OpAdd)), ins(program.OpSetLocal, 1)},
		"json":    {ins(program.OpConst, 1), ins(program.OpJSON), ins(program.OpPop)},
	} {
		p := endless(t, body...)
		b := &machine.Budget{Instructions: 1 << 40, Bytes: 1 << 20}
		end := machine.Run(p, machine.NewFrame(p, 0), newHost(), b)
		if !end.Limit() || end.Err.Code != machine.CodeMemory {
			t.Errorf("%s: %+v", name, end)
		}
	}
}

func TestABudgetIsSharedByAllThatRunsInASegment(t *testing.T) {
	s := newSample()
	p := s.routine(push(1), ins(program.OpPop), ins(program.OpEnd)).link(t)
	b := &machine.Budget{Instructions: 5, Bytes: 100}
	if end := machine.Run(p, machine.NewFrame(p, 0), newHost(), b); end.Kind != machine.Done || b.Instructions != 2 {
		t.Fatalf("%+v, left %d", end, b.Instructions)
	}
	if end := machine.Run(p, machine.NewFrame(p, 0), newHost(), b); !end.Limit() {
		t.Errorf("%+v", end)
	}
}

// A run allocates little: guards are evaluated for every event of every token.
func TestAGuardDoesNotAllocate(t *testing.T) {
	p, guard := guardProgram(t)
	h, b := newHost(), machine.NewBudget()
	if n := testing.AllocsPerRun(100, func() { machine.Eval(p, guard, h, b) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// guardProgram holds the guard `event.id > 10 and d != in`.
func guardProgram(t testing.TB) (*program.Program, int) {
	s := newSample()
	guard := s.add(program.Code{Ins: join(
		ins(program.OpEvent, 0), push(10), ins(program.OpBinary, int32(value.OpGt)), ins(program.OpAnd, 7),
		ins(program.OpData, 0), ins(program.OpInput, 0), ins(program.OpBinary, int32(value.OpNe)), ins(program.OpReturn),
	)})
	return s.link(t), guard
}

func BenchmarkGuard(b *testing.B) {
	p, guard := guardProgram(b)
	h, budget := newHost(), machine.NewBudget()
	b.ReportAllocs()
	for b.Loop() {
		budget.Instructions = machine.MaxInstructions
		machine.Eval(p, guard, h, budget)
	}
}

// A counting loop of 100,000 rounds of 7 instructions: the price of one instruction.
func BenchmarkInstructions(b *testing.B) {
	s := newSample().locals(value.TypeInt)
	p := s.routine(
		push(0), ins(program.OpSetLocal, 0),
		ins(program.OpLocal, 0), push(1), ins(program.OpBinary, int32(value.OpAdd)), ins(program.OpSetLocal, 0),
		ins(program.OpLocal, 0), push(100_000), ins(program.OpBinary, int32(value.OpGe)), ins(program.OpJumpNot, 2),
		ins(program.OpEnd),
	).link(b)
	h := newHost()
	n := int64(0)
	for b.Loop() {
		budget := &machine.Budget{Instructions: 1 << 40, Bytes: 1 << 40}
		machine.Run(p, machine.NewFrame(p, 0), h, budget)
		n += 1<<40 - budget.Instructions
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "instructions/s")
}

// A typical block: two assignments, a note and a dispatch.
func BenchmarkBlock(b *testing.B) {
	s := newSample()
	block := s.add(program.Code{Ins: join(
		ins(program.OpData, 0), push(1), ins(program.OpBinary, int32(value.OpAdd)), ins(program.OpSetData, 0),
		ins(program.OpEvent, 0), ins(program.OpSetData, 1),
		ins(program.OpConst, 1), ins(program.OpData, 0), ins(program.OpInterp, 2), ins(program.OpNote),
		pointOf(1, 2), ins(program.OpDispatch, 0, 0), ins(program.OpEnd),
	)})
	s.Flows[0].States[0].Entry = block
	p := s.link(b)
	h := silent{newHost()}
	b.ReportAllocs()
	for b.Loop() {
		h.data[0] = value.OfInt(1)
		machine.Eval(p, block, h, machine.NewBudget())
	}
}

// silent is a host that keeps no log, so that a benchmark measures the machine.
type silent struct{ *host }

func (s silent) SetData(i int, v value.Value)                    { s.data[i] = v }
func (s silent) Note(string)                                     {}
func (s silent) Dispatch(_ int, _ value.Value, _ program.Policy) {}
