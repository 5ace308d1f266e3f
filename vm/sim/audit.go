package sim

import (
	"bytes"
	"encoding/json"
	"fmt"

	"flowc/vm"
)

// Audit makes every later step of the World prove what a server relies on, and lets Give fail when it does not: the step leaves the
// snapshot that it was given as it was and says whether it changed the data; the new snapshot, its history and its messages are what
// is read back after they have been stored. Tokens go on from what was read back, so every step is one after a restart,
// and rows of fan-outs are loaded as a step asks for them. Replay
// proves the rest. Tests run under it; `flowc test` does not pay for it.
func (w *World) Audit() { w.audited = true }

// step is vm.Apply, under the audit when there is one.
func (w *World) step(t *Token, s *vm.Stimulus) (*vm.Result, error) {
	if !w.audited {
		return vm.Apply(t.program, t.vm, s, w.now)
	}
	before, err := t.stored()
	if err != nil {
		return nil, err
	}
	if t.shelf == nil {
		t.shelf = newShelf()
	}
	r, err := t.shelf.apply(t, s, w.now)
	if err != nil {
		return nil, err
	}
	after, err := t.stored()
	if err != nil {
		return nil, err
	}
	if !after.equal(before) {
		return nil, fmt.Errorf("the step changed the snapshot that it was given: %s became %s", before, after)
	}
	if r.Token != nil {
		err = t.audit(r, before)
	}
	return r, err
}

// audit stores what a step gave and reads it back.
func (t *Token) audit(r *vm.Result, before stored) error {
	first, err := encode(t, r.Token)
	if err != nil {
		return err
	}
	if !r.DataChanged && before.data != nil && !bytes.Equal(before.data, first.data) {
		return fmt.Errorf("the data changed from %s to %s and the step did not say so", before.data, first.data)
	}
	if r.Token, err = vm.DecodeToken(t.program, r.Token.Program, first.snapshot, first.data); err != nil {
		return fmt.Errorf("read back %s: %w", first, err)
	}
	second, err := encode(t, r.Token)
	if err != nil {
		return err
	}
	if !second.equal(first) {
		return fmt.Errorf("%s was read back as %s", first, second)
	}
	if err := t.shelf.put(r); err != nil {
		return err
	}
	for i := range r.Steps {
		if r.Steps[i], err = reread(r.Steps[i]); err != nil {
			return err
		}
	}
	for i := range r.Messages {
		if r.Messages[i].Stimulus, err = reread(r.Messages[i].Stimulus); err != nil {
			return err
		}
	}
	return nil
}

// stored is what a store keeps of a token.
type stored struct{ snapshot, data []byte }

func (s stored) String() string { return fmt.Sprintf("%s with the data %s", s.snapshot, s.data) }

func (s stored) equal(o stored) bool {
	return bytes.Equal(s.snapshot, o.snapshot) && bytes.Equal(s.data, o.data)
}

func (t *Token) stored() (stored, error) {
	if t.vm == nil || t.mocked {
		return stored{}, nil
	}
	return encode(t, t.vm)
}

func encode(t *Token, v *vm.Token) (stored, error) {
	snapshot, data, err := vm.EncodeToken(t.program, v)
	if err != nil {
		return stored{}, fmt.Errorf("save %s: %w", v.ID, err)
	}
	return stored{snapshot, data}, nil
}

// reread writes a value as JSON and reads it again.
func reread[T any](v T) (T, error) {
	var out T
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// Replay makes every token again from its history; the error names the first that does not come out as it is (R71).
func (w *World) Replay() error {
	for _, t := range w.tokens {
		if err := t.replay(); err != nil {
			return fmt.Errorf("replay %s: %w", t.vm.ID, err)
		}
	}
	return nil
}

func (t *Token) replay() error {
	if t.mocked {
		return nil
	}
	again, err := vm.Replay(t.program, t.steps)
	if err != nil {
		return err
	}
	was, err := t.stored()
	if err != nil {
		return err
	}
	is, err := encode(t, again)
	if err == nil && !is.equal(was) {
		err = fmt.Errorf("%s was replayed as %s", was, is)
	}
	if err == nil && t.shelf != nil {
		err = t.shelf.equal(again)
	}
	return err
}
