package machine_test

import (
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// anyHost answers whatever index verified code asks for.
type anyHost struct{ *host }

func (h anyHost) Input(int) value.Value                               { return value.OfInt(1) }
func (h anyHost) Data(int) value.Value                                { return ints(1, 2) }
func (h anyHost) SetData(int, value.Value)                            {}
func (h anyHost) Active(int) bool                                     { return true }
func (h anyHost) Start(machine.Start)                                 {}
func (h anyHost) Send(machine.Send)                                   {}
func (h anyHost) Note(string)                                         {}
func (h anyHost) Raise(int, value.Value)                              {}
func (h anyHost) EventField(string) value.Value                       { return value.OfString("x") }
func (h anyHost) Dispatch(int, value.Value, program.Policy)           {}
func (h anyHost) Schedule(int, value.Value, int64, bool) *value.Error { return nil }

// FuzzRun runs every code of whatever Decode lets through: no bytes make the machine misbehave.
func FuzzRun(f *testing.F) {
	for _, c := range append(opCases(), effectCases()...) {
		s := opSample()
		s.routine(append(join(c.ins), ins(program.OpEnd))...)
		if program.Verify(s.Program) == nil {
			f.Add(program.Encode(s.Program))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := program.Decode(b)
		if err != nil {
			return
		}
		for code := range p.Codes {
			runAll(t, p, code)
		}
	})
}

// runAll runs a code, and a routine over some suspensions, each saved and read back when its locals allow it.
func runAll(t *testing.T, p *program.Program, code int) {
	h := anyHost{newHost()}
	b := &machine.Budget{Instructions: 10_000, Bytes: 1 << 20}
	f := machine.NewFrame(p, code)
	end := machine.Run(p, f, h, b)
	for range 4 {
		if end.Kind != machine.Suspended {
			return
		}
		if raw, err := machine.EncodeFrame(p, f); err == nil {
			if _, err := machine.DecodeFrame(p, raw); err != nil {
				t.Fatalf("frame %s: %v", raw, err)
			}
		}
		switch {
		case end.Suspend.Kind != machine.Wait:
			end = machine.Resume(p, f, value.OfInt(1), h, b)
		case len(end.Suspend.Cases) > 0 && len(p.Events) > 0:
			taken := machine.Taken{Payload: value.OfRecord(p.Events[0].Payload, make([]value.Value, len(p.Events[0].Payload.Fields)))}
			machine.Guard(p, f, end.Suspend.Cases[0].Guard, taken, h, b)
			end = machine.ResumeWait(p, f, 0, taken, h, b)
		default:
			end = machine.ResumeLimit(p, f, h, b)
		}
	}
}

// FuzzDecodeFrame reads frames of a routine: what is read can be resumed and is written the same again.
func FuzzDecodeFrame(f *testing.F) {
	p := waiting(f)
	f.Add([]byte(`{"code":0,"pc":4,"events":[{"event":"go","payload":{"id":1},"actor":"ann"}]}`))
	f.Add([]byte(`{"code":0,"pc":0}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := machine.DecodeFrame(p, b)
		if err != nil {
			return
		}
		raw, err := machine.EncodeFrame(p, frame)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := machine.DecodeFrame(p, raw); err != nil || again.PC != frame.PC || len(again.Outer) != len(frame.Outer) {
			t.Fatalf("%s is read as %+v, %v", raw, again, err)
		}
		machine.ResumeLimit(p, frame, newHost(), machine.NewBudget())
	})
}
