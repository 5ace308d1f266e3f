package vm_test

import (
	"testing"

	"flowc/vm"
)

// FuzzDecodeToken: damaged bytes are an error, or a token that can be stepped and stored again; never a panic.
func FuzzDecodeToken(f *testing.F) {
	w := check(f, "everything.flow", everything)
	e, _ := w.start("f", "", nil, 0)
	add := func() {
		snapshot, data := snapshotOf(f, e)
		f.Add(snapshot, data)
	}
	add()
	for _, event := range []string{"c", "a", "a", "c"} {
		w.event(e, event, "")
		add()
	}
	w.advance(w.Now() + 10*hours)
	w.event(e, "c", "")
	add()
	w.command(e, vm.OnPause)
	w.event(e, "b", `{"n":1}`)
	add()
	stimuli := []*vm.Stimulus{
		nil, {Kind: vm.OnEvent, Event: "a"}, {Kind: vm.OnEvent, Event: "c"}, {Kind: vm.OnResume}, {Kind: vm.OnPause}, {Kind: vm.OnRetry}, {Kind: vm.OnCancel},
		{Kind: vm.OnRetry, State: "second"}, {Kind: vm.OnFire, Timer: &vm.TimerRef{ID: "both.l.l1.timeout"}},
	}
	f.Fuzz(func(t *testing.T, snapshot, data []byte) {
		tok, err := vm.DecodeToken(e.Program(), "hash", snapshot, data)
		if err != nil {
			return
		}
		vm.Accepts(e.Program(), tok, w.Now())
		vm.Timers(e.Program(), tok, w.Now())
		vm.WaitingFor(e.Program(), tok, w.Now())
		for _, st := range stimuli {
			r, err := vm.Apply(e.Program(), tok, st, w.Now()+100*hours)
			if err != nil {
				continue
			}
			s, d, err := vm.EncodeToken(e.Program(), r.Token)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := vm.DecodeToken(e.Program(), "hash", s, d); err != nil {
				t.Fatalf("what a step makes of a token cannot be read: %v\n%s\n%s\nfrom\n%s", err, s, d, snapshot)
			}
		}
	})
}
