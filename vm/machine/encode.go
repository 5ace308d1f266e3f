package machine

import (
	"encoding/json"
	"fmt"
	"strconv"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// frameJSON is a saved frame. Locals are by index, written by their types, those that are unset (or null) left out.
type frameJSON struct {
	Code   int                        `json:"code"`
	PC     int                        `json:"pc"`
	Locals map[string]json.RawMessage `json:"locals,omitempty"`
	Events []takenJSON                `json:"events,omitempty"` // of the cases around the pc, the outermost first
}

type takenJSON struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	Actor   *string         `json:"actor,omitempty"`
}

// EncodeFrame returns a frame as JSON. Errors: a local whose value is not of its type, which no verified program makes.
func EncodeFrame(p *program.Program, f *Frame) ([]byte, error) {
	out := frameJSON{Code: f.Code, PC: f.PC}
	locals := p.Codes[f.Code].Locals
	for i, v := range f.Locals {
		if v.IsNull() {
			continue
		}
		raw, err := value.EncodeJSON(v, locals[i].Type)
		if err != nil {
			return nil, fmt.Errorf("encode frame: local %d %s: %w", i, locals[i].Name, err)
		}
		if out.Locals == nil {
			out.Locals = map[string]json.RawMessage{}
		}
		out.Locals[strconv.Itoa(i)] = raw
	}
	taken := f.Outer
	if t, ok := f.taken(); ok {
		taken = append(taken[:len(taken):len(taken)], t)
	}
	for _, t := range taken {
		e, err := encodeTaken(p, t)
		if err != nil {
			return nil, fmt.Errorf("encode frame: %w", err)
		}
		out.Events = append(out.Events, e)
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode frame: %w", err)
	}
	return b, nil
}

func encodeTaken(p *program.Program, t Taken) (takenJSON, error) {
	event := &p.Events[t.Event]
	raw, err := value.EncodeJSON(t.Payload, value.RecordOf(event.Payload))
	if err != nil {
		return takenJSON{}, fmt.Errorf("event %s: %w", event.Name, err)
	}
	out := takenJSON{Event: event.Name, Payload: raw}
	if !t.Actor.IsNull() {
		actor := t.Actor.Str()
		out.Actor = &actor
	}
	return out, nil
}

// DecodeFrame reads a frame back. It stands at the start of a routine or at a suspension of one; anything else is an error, so
// that no stored text can make the machine misbehave.
func DecodeFrame(p *program.Program, b []byte) (*Frame, error) {
	var in frameJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("decode frame: %w", err)
	}
	f := &Frame{Code: in.Code, PC: in.PC}
	if _, ok := suspendedAt(p, f); !ok && (f.PC != 0 || f.Code < 0 || f.Code >= len(p.Codes)) {
		return nil, fmt.Errorf("decode frame: code %d does not wait at %d", in.Code, in.PC)
	}
	locals := p.Codes[f.Code].Locals
	f.Locals = make([]value.Value, len(locals))
	for key, raw := range in.Locals {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(locals) {
			return nil, fmt.Errorf("decode frame: there is no local %q", key)
		}
		if f.Locals[i], err = value.DecodeStored(raw, locals[i].Type); err != nil {
			return nil, fmt.Errorf("decode frame: local %d %s: %w", i, locals[i].Name, err)
		}
	}
	for _, e := range in.Events {
		t, err := decodeTaken(p, e)
		if err != nil {
			return nil, fmt.Errorf("decode frame: %w", err)
		}
		f.enter(t)
	}
	return f, nil
}

func decodeTaken(p *program.Program, e takenJSON) (Taken, error) {
	for i := range p.Events {
		if p.Events[i].Name != e.Event {
			continue
		}
		v, err := value.DecodeStored(e.Payload, value.RecordOf(p.Events[i].Payload))
		if err != nil {
			return Taken{}, fmt.Errorf("event %s: %w", e.Event, err)
		}
		t := Taken{Event: i, Payload: v}
		if e.Actor != nil {
			t.Actor = value.OfString(*e.Actor)
		}
		return t, nil
	}
	return Taken{}, fmt.Errorf("there is no event %s", e.Event)
}
