package vm_test

import (
	"regexp"
	"testing"

	"flowc/vm"
	"flowc/vm/sim"
	"flowc/vm/task"
)

var number = regexp.MustCompile(`-?\b[0-9]+\b`)

// TestDamagedNumbers puts wrong numbers into every place of many snapshots: each is refused, or can be stepped and stored.
func TestDamagedNumbers(t *testing.T) {
	w := check(t, "everything.flow", everything)
	e, _ := w.start("f", "", nil, 0)
	try := func() {
		t.Helper()
		snapshot, data := snapshotOf(t, e)
		for _, at := range number.FindAllIndex(snapshot, -1) {
			for _, n := range []string{"-1", "0", "1", "7", "99", "2147483648", "9223372036854775807", "-9223372036854775808"} {
				damaged := string(snapshot[:at[0]]) + n + string(snapshot[at[1]:])
				w.tryDamaged(e, damaged, data)
			}
		}
	}
	try()
	for _, event := range []string{"a", "a", "c"} {
		w.event(e, event, "")
		try()
	}
	w.command(e, vm.OnPause)
	w.event(e, "b", `{"n":1}`)
	try()
	w.command(e, vm.OnResume)
	w.advance(w.Now() + 10*hours)
	w.event(e, "c", "")
	w.fails(w.Tasks()[len(w.Tasks())-1], task.Failing{Code: "down", Message: "down", NoRetry: true})
	try()
	w.give(e, &vm.Stimulus{Kind: vm.OnRetry, State: "second"})
	w.rest()
	try()
}

func (w *world) tryDamaged(e *sim.Token, snapshot string, data []byte) {
	w.t.Helper()
	tok, err := vm.DecodeToken(e.Program(), "hash", []byte(snapshot), data)
	if err != nil {
		return
	}
	vm.Accepts(e.Program(), tok, w.Now())
	vm.WaitingFor(e.Program(), tok, w.Now())
	for _, st := range []*vm.Stimulus{nil, {Kind: vm.OnEvent, Event: "a"}, {Kind: vm.OnResume}, {Kind: vm.OnPause}, {Kind: vm.OnRetry}, {Kind: vm.OnCancel}} {
		r, err := vm.Apply(e.Program(), tok, st, w.Now()+30*hours)
		if err != nil {
			continue
		}
		s, d, err := vm.EncodeToken(e.Program(), r.Token)
		if err != nil {
			w.t.Fatalf("%v\n%s", err, snapshot)
		}
		if _, err := vm.DecodeToken(e.Program(), "hash", s, d); err != nil {
			w.t.Fatalf("after %+v: %v\n%s\nfrom\n%s", st, err, s, snapshot)
		}
	}
}
