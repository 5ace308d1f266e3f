package machine

import (
	"sync"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// Run runs a frame from where it stands: one of NewFrame from its start. It changes the frame. Programs are those that
// program.Verify accepts, which Decode and the compiler see to.
func Run(p *program.Program, f *Frame, h Host, b *Budget) Ending {
	r := newRun(p, f, h, b)
	defer r.release()
	return r.ending(r.exec(f.Code, f.Locals, f.PC))
}

// Resume goes on behind a suspension with its result; that of a sleep does not count.
func Resume(p *program.Program, f *Frame, v value.Value, h Host, b *Budget) Ending {
	in, ok := suspendedAt(p, f)
	if !ok || in.Op == program.OpWaitCases {
		return misuse(f, "the frame does not wait for a result")
	}
	return resume(p, f, f.PC+1, in.Op != program.OpSleep, v, h, b)
}

// ResumeWait goes on with the event that a case of the wait took, by its index in Suspension.Cases.
func ResumeWait(p *program.Program, f *Frame, index int, t Taken, h Host, b *Budget) Ending {
	in, ok := suspendedAt(p, f)
	if !ok || !isWait(in.Op) || t.Event < 0 || t.Event >= len(p.Events) {
		return misuse(f, "the frame does not wait for that event")
	}
	if in.Op == program.OpWait {
		return resume(p, f, f.PC+1, true, t.Payload, h, b)
	}
	cases := p.Codes[f.Code].Waits[in.A].Cases
	if index < 0 || index >= len(cases) {
		return misuse(f, "the wait has no such case")
	}
	f.enter(t)
	return resume(p, f, cases[index].Target, false, value.Value{}, h, b)
}

// ResumeLimit goes on after the limit of a wait came first: a plain `wait` is null.
func ResumeLimit(p *program.Program, f *Frame, h Host, b *Budget) Ending {
	in, ok := suspendedAt(p, f)
	if !ok || !isWait(in.Op) {
		return misuse(f, "the frame has no limit")
	}
	if in.Op == program.OpWait {
		return resume(p, f, f.PC+1, true, value.Value{}, h, b)
	}
	return resume(p, f, p.Codes[f.Code].Waits[in.A].Target, false, value.Value{}, h, b)
}

// ResumeError raises an error at the suspension, where a `try` of the routine may catch it.
func ResumeError(p *program.Program, f *Frame, err *value.Error, h Host, b *Budget) Ending {
	if _, ok := suspendedAt(p, f); !ok {
		return misuse(f, "the frame does not wait")
	}
	r := newRun(p, f, h, b)
	defer r.release()
	pc := r.caught(f.Code, f.PC, err, f.Locals)
	if pc < 0 {
		return r.ending(failed)
	}
	return r.ending(r.exec(f.Code, f.Locals, pc))
}

// Eval evaluates an expression, with its first locals set to params, or runs a block that has no frame to be kept.
func Eval(p *program.Program, code int, h Host, b *Budget, params ...value.Value) Ending {
	r := newRun(p, nil, h, b)
	defer r.release()
	r.stack = append(r.stack, params...)
	return r.ending(r.exec(code, r.locals(code, len(params)), 0))
}

// Guard evaluates the guard of a wait case (WaitCase.Guard) for an event that came. The frame stays as it is. Without a guard
// the answer is true.
func Guard(p *program.Program, f *Frame, code int, t Taken, h Host, b *Budget) Ending {
	if code < 0 {
		return Ending{Kind: Done, Value: value.OfBool(true), Code: code}
	}
	g := f.Clone()
	g.set(t)
	r := newRun(p, g, h, b)
	defer r.release()
	return r.ending(r.exec(code, g.Locals, 0))
}

func resume(p *program.Program, f *Frame, pc int, push bool, v value.Value, h Host, b *Budget) Ending {
	r := newRun(p, f, h, b)
	defer r.release()
	if push {
		r.push(v)
	}
	return r.ending(r.exec(f.Code, f.Locals, pc))
}

// suspendedAt returns the suspension at which a saved frame stands.
func suspendedAt(p *program.Program, f *Frame) (program.Ins, bool) {
	if f.Code < 0 || f.Code >= len(p.Codes) || f.PC < 0 || f.PC >= len(p.Codes[f.Code].Ins) {
		return program.Ins{}, false
	}
	in := p.Codes[f.Code].Ins[f.PC]
	return in, in.Op.Suspends()
}

func isWait(op program.Op) bool { return op == program.OpWait || op == program.OpWaitCases }

// CodeInternal is the code of an error that a correct step never sees: a frame and a stimulus that do not fit together.
const CodeInternal = "internal_error"

func misuse(f *Frame, text string) Ending {
	return Ending{Kind: Raised, Err: value.Errorf(CodeInternal, "%s", text), Code: f.Code, PC: f.PC}
}

// A run is one segment while it runs.
type run struct {
	p      *program.Program
	host   Host
	budget *Budget
	frame  *Frame        // nil in Eval
	stack  []value.Value // operands, and the locals of functions and of Eval
	end    Ending        // of status ended
	err    *value.Error  // of status failed, with its place
	code   int
	pc     int
	placed bool // code and pc are those of err
}

// status says how a code ended.
type status uint8

const (
	finished status = iota // an expression's value is on top of the stack
	stopped                // see run.end
	failed                 // see run.err
)

var runs = sync.Pool{New: func() any { return &run{stack: make([]value.Value, 0, 64)} }}

// keptStack is the largest operand stack that is kept for the next run.
const keptStack = 1 << 10

func newRun(p *program.Program, f *Frame, h Host, b *Budget) *run {
	r := runs.Get().(*run)
	r.p, r.frame, r.host, r.budget = p, f, h, b
	return r
}

func (r *run) release() {
	if cap(r.stack) > keptStack {
		return
	}
	clear(r.stack[:cap(r.stack)])
	*r = run{stack: r.stack[:0]}
	runs.Put(r)
}

func (r *run) ending(s status) Ending {
	switch {
	case s == failed:
		return Ending{Kind: Raised, Err: r.err, Code: r.code, PC: r.pc}
	case s == stopped:
		return r.end
	}
	return Ending{Kind: Done, Value: r.pop()}
}

func (r *run) push(v value.Value) { r.stack = append(r.stack, v) }

func (r *run) pop() value.Value {
	n := len(r.stack) - 1
	v := r.stack[n]
	r.stack = r.stack[:n]
	return v
}

// take pops n operands; what it returns holds until the next push.
func (r *run) take(n int) []value.Value {
	at := len(r.stack) - n
	vs := r.stack[at:]
	r.stack = r.stack[:at]
	return vs
}

// locals makes the top n operands the first locals of a code and unsets the others.
func (r *run) locals(code, n int) []value.Value {
	base := len(r.stack) - n
	for range len(r.p.Codes[code].Locals) - n {
		r.push(value.Value{})
	}
	return r.stack[base:]
}

// caught records an error and returns where the code handles it, with the error in the handler's local, or -1.
func (r *run) caught(code, pc int, err *value.Error, locals []value.Value) int {
	if !r.placed {
		r.err, r.code, r.pc, r.placed = err, code, pc, true
	}
	if IsLimit(err) {
		return -1
	}
	c := &r.p.Codes[code]
	for i := range c.Tries {
		t := &c.Tries[i]
		if pc < t.From || pc >= t.To || !handles(t.Codes, err.Code) {
			continue
		}
		if t.Var >= 0 {
			locals[t.Var] = errorRecord(c.Locals[t.Var].Type.Decl, err)
		}
		r.err, r.placed = nil, false
		return t.Handler
	}
	return -1
}

func handles(codes []string, code string) bool {
	if len(codes) == 0 {
		return true
	}
	for _, c := range codes {
		if c == code {
			return true
		}
	}
	return false
}

// errorRecord is what `catch as e` puts into e.
func errorRecord(d *value.Decl, err *value.Error) value.Value {
	fields := make([]value.Value, len(d.Fields))
	if i := d.Field("code"); i >= 0 {
		fields[i] = value.OfString(err.Code)
	}
	if i := d.Field("message"); i >= 0 {
		fields[i] = value.OfString(err.Message)
	}
	return value.OfRecord(d, fields)
}
