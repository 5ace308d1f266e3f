package vm_test

import (
	"testing"

	"flowc/vm"
)

// R54: the pause of a parent holds for a child that has failed, too: no retry lets it run until the parent is resumed.
func TestR54_APausedParentHoldsItsFailedChild(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	w.event(kid, "boom", "")
	w.wantStatus(kid, vm.Failed)
	w.command(e, vm.OnPause)
	if a := w.command(kid, vm.OnRetry); a.Outcome != vm.Refused || a.Code != vm.TokenPaused {
		t.Fatalf("%+v", a)
	}
	w.wantStatus(kid, vm.Failed)
	w.command(e, vm.OnPause) // a second one changes nothing
	w.command(e, vm.OnResume)
	w.command(kid, vm.OnRetry)
	w.wantStatus(kid, vm.Running)
	w.event(kid, "stop", "")
	w.wantData(e, "log", "bad cancelled 0")
}

// R54: a child fails before its parent's pause reaches it.
func TestR54_APauseThatMeetsAFailure(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.Children(e, "kid")[0]
	w.give(e, &vm.Stimulus{Kind: vm.OnPause})
	w.give(kid, &vm.Stimulus{Kind: vm.OnEvent, Event: "boom"}) // its outcome waits behind the pause
	w.rest()
	w.wantStatus(kid, vm.Failed)
	if a := w.command(kid, vm.OnRetry); a.Code != vm.TokenPaused {
		t.Fatalf("%+v", a)
	}
	w.command(e, vm.OnResume)
	w.wantData(e, "log", "child_failed kid failed: failed: boom kid")
	w.command(kid, vm.OnRetry)
	w.wantStatus(kid, vm.Running)
	w.command(kid, vm.OnCancel)
	w.wantStatus(kid, vm.Cancelled)
}
