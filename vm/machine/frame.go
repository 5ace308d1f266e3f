package machine

import (
	"slices"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// NewFrame returns a frame at the start of a code, its first locals set to params.
func NewFrame(p *program.Program, code int, params ...value.Value) *Frame {
	locals := make([]value.Value, len(p.Codes[code].Locals))
	copy(locals, params)
	return &Frame{Code: code, Locals: locals}
}

// Clone returns a copy that runs on its own. A step clones the frame of its snapshot before it runs it, so that it can undo the
// segment (R8).
func (f *Frame) Clone() *Frame {
	c := *f
	c.Locals = slices.Clone(f.Locals)
	c.Outer = slices.Clone(f.Outer)
	return &c
}

// taken returns the event that `event` means in the frame, if a case took one.
func (f *Frame) taken() (Taken, bool) {
	if f == nil || f.Event == nil {
		return Taken{}, false
	}
	return Taken{Event: f.EventIndex, Payload: *f.Event, Actor: f.Actor}, true
}

// enter makes t the frame's event until the case's body is left.
func (f *Frame) enter(t Taken) {
	if around, ok := f.taken(); ok {
		f.Outer = append(f.Outer, around)
	}
	f.set(t)
}

func (f *Frame) set(t Taken) {
	f.Event, f.EventIndex, f.Actor = &t.Payload, t.Event, t.Actor
}

// unwind forgets the events of all cases but the outermost n.
func (f *Frame) unwind(n int) {
	switch {
	case f == nil || f.Event == nil || n > len(f.Outer):
	case n == 0:
		f.Event, f.EventIndex, f.Actor, f.Outer = nil, 0, value.Value{}, nil
	default:
		f.set(f.Outer[n-1])
		f.Outer = f.Outer[:n-1]
	}
}

// field returns the field of the event that a case took: by name, as cases of several events read what all of them have.
func (t Taken) field(p *program.Program, name string) value.Value {
	if i := p.Events[t.Event].Payload.Field(name); i >= 0 {
		return t.Payload.At(i)
	}
	if name == actorField {
		return t.Actor
	}
	return value.Value{}
}

// actorField is what every event from outside has besides its declared fields (language.md 3).
const actorField = "actor"
