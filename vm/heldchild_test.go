package vm

import "testing"

// R54: the pause of a parent holds for a child that has failed, too: no retry lets it run until the parent is resumed.
func TestR54_APausedParentHoldsItsFailedChild(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.children(e, "kid")[0]
	w.event(kid, "boom", "")
	w.wantStatus(kid, Failed)
	w.command(e, OnPause)
	if a := w.command(kid, OnRetry); a.Outcome != Refused || a.Code != TokenPaused {
		t.Fatalf("%+v", a)
	}
	w.wantStatus(kid, Failed)
	w.command(e, OnPause) // a second one changes nothing
	w.command(e, OnResume)
	w.command(kid, OnRetry)
	w.wantStatus(kid, Running)
	w.event(kid, "stop", "")
	w.wantData(e, "log", "bad cancelled 0")
}

// R54: a child fails before its parent's pause reaches it.
func TestR54_APauseThatMeetsAFailure(t *testing.T) {
	w, e := begin(t, kids, "one", "{}")
	kid := w.children(e, "kid")[0]
	w.apply(e, &Stimulus{Kind: OnPause})
	w.apply(kid, &Stimulus{Kind: OnEvent, Event: "boom"}) // its outcome waits behind the pause
	w.run()
	w.wantStatus(kid, Failed)
	if a := w.command(kid, OnRetry); a.Code != TokenPaused {
		t.Fatalf("%+v", a)
	}
	w.command(e, OnResume)
	w.wantData(e, "log", "child_failed kid failed: failed: boom kid")
	w.command(kid, OnRetry)
	w.wantStatus(kid, Running)
	w.command(kid, OnCancel)
	w.wantStatus(kid, Cancelled)
}
