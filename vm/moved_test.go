package vm_test

import (
	"testing"

	"flowc/vm"
	"flowc/vm/sim"
)

const moved = `
event again
flow f {
  data {
    n: int = 0
  }
  initial s
  state s {
    timeout 9h
    every 1h for 5h as tick { n = n + 1 }
    on again { rearm timeout }
    on timeout -> over
  }
  final over
}`

func (w *world) move(e *sim.Token, id string, due int64) {
	w.t.Helper()
	if a := w.give(e, &vm.Stimulus{Kind: vm.OnMove, Timer: &vm.TimerRef{ID: id}, Due: due}); a.Outcome != vm.Accepted {
		w.t.Fatalf("%s is not moved: %+v", id, a)
	}
	w.rest()
}

func wantDue(t *testing.T, e *sim.Token, id string, hour int64) {
	t.Helper()
	if due := dueOf(e, id); due != testStart+hour*hours {
		t.Fatalf("%s is due at +%d min, not at +%d h", id, (due-testStart)/minutes, hour)
	}
}

// R15: who moves a timer of a paused token to 10:00 means 10:00, however long the pause still lasts.
func TestR15_ATimerMovedWhilePausedFiresAtTheInstantAsked(t *testing.T) {
	w, e := begin(t, moved, "f", "{}")
	w.command(e, vm.OnPause)
	w.advance(testStart + hours)
	w.move(e, "s.timeout", testStart+3*hours)
	wantDue(t, e, "s.timeout", 3) // shown as an instant already
	w.advance(testStart + 2*hours)
	w.command(e, vm.OnResume)
	wantDue(t, e, "s.timeout", 3)
	w.advance(testStart + 3*hours)
	w.wantStates(e, "over")
}

// R15: what fell due while the token is paused fires at once on resume, as any instant does.
func TestR15_ATimerMovedIntoThePauseFiresOnResume(t *testing.T) {
	w, e := begin(t, moved, "f", "{}")
	w.command(e, vm.OnPause)
	w.move(e, "s.timeout", testStart+hours)
	w.advance(testStart + 4*hours)
	w.wantStates(e, "s")
	w.command(e, vm.OnResume)
	w.wantStates(e, "over")
}

// R15: it makes no difference whether the pause came before the move or after it.
func TestR15_APauseDoesNotMoveATimerThatAHandMoved(t *testing.T) {
	w, e := begin(t, moved, "f", "{}")
	w.move(e, "s.timeout", testStart+6*hours)
	w.command(e, vm.OnPause)
	w.advance(testStart + 2*hours)
	w.command(e, vm.OnResume)
	wantDue(t, e, "s.timeout", 6)
	w.event(e, "again", "") // begun anew it is a duration as before
	w.command(e, vm.OnPause)
	w.advance(testStart + 4*hours)
	w.command(e, vm.OnResume)
	wantDue(t, e, "s.timeout", 13)
}

// R15, R17: a repetition gets one fire moved; from that on it goes by its period, its `for` gets every pause back.
func TestR15_ARepetitionIsADurationAgainAfterTheMovedFire(t *testing.T) {
	w, e := begin(t, moved, "f", "{}")
	w.command(e, vm.OnPause) // `for` has 5 h left
	w.advance(testStart + hours)
	w.move(e, "s.tick", testStart+3*hours)
	w.advance(testStart + 2*hours)
	w.command(e, vm.OnResume) // ends before +7 h
	wantDue(t, e, "s.tick", 3)
	w.advance(testStart + 3*hours)
	w.wantData(e, "n", 1)
	wantDue(t, e, "s.tick", 4)
	w.command(e, vm.OnPause)
	w.advance(testStart + 5*hours)
	w.command(e, vm.OnResume) // ends before +9 h
	wantDue(t, e, "s.tick", 6)
	w.move(e, "s.tick", testStart+7*hours)
	w.command(e, vm.OnPause)
	w.advance(testStart + 6*hours)
	w.command(e, vm.OnResume) // ends before +10 h
	w.advance(testStart + 9*hours)
	w.wantData(e, "n", 4) // at 7, 8 and 9
	if due := dueOf(e, "s.tick"); due != 0 {
		t.Fatalf("it is due again at +%d min", (due-testStart)/minutes)
	}
}

// R15, R56: a start that a hand has moved while it is paused happens at the instant asked.
func TestR15_AStartMovedWhilePausedHappensAtTheInstantAsked(t *testing.T) {
	w := check(t, "test.flow", moved)
	e, _ := w.start("f", "", nil, hours)
	w.command(e, vm.OnPause)
	w.move(e, "start", testStart+4*hours)
	w.advance(testStart + 2*hours)
	w.command(e, vm.OnResume)
	if at := e.VM().StartAt; at != testStart+4*hours {
		t.Fatalf("it is to start at +%d min", (at-testStart)/minutes)
	}
	w.advance(testStart + 4*hours)
	w.wantStates(e, "s")
	w.replay()
}
