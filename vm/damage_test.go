package vm

import (
	"regexp"
	"testing"
)

var number = regexp.MustCompile(`-?\b[0-9]+\b`)

// TestDamagedNumbers puts wrong numbers into every place of many snapshots: each is refused, or can be stepped and stored.
func TestDamagedNumbers(t *testing.T) {
	w := check(t, "everything.flow", everything)
	e, _ := w.start("f", "", nil, 0)
	try := func() {
		t.Helper()
		for _, at := range number.FindAllIndex(e.snapshot, -1) {
			for _, n := range []string{"-1", "0", "1", "7", "99", "2147483648", "9223372036854775807", "-9223372036854775808"} {
				damaged := string(e.snapshot[:at[0]]) + n + string(e.snapshot[at[1]:])
				w.tryDamaged(e, damaged)
			}
		}
	}
	try()
	for _, event := range []string{"a", "a", "c"} {
		w.event(e, event, "")
		try()
	}
	w.command(e, OnPause)
	w.event(e, "b", `{"n":1}`)
	try()
	w.command(e, OnResume)
	w.advance(w.now + 10*hours)
	w.event(e, "c", "")
	w.taskEnds(w.tasks[len(w.tasks)-1], &Stimulus{Kind: OnTask, Task: &TaskOutcome{Code: "down"}})
	try()
	w.apply(e, &Stimulus{Kind: OnRetry, State: "second"})
	w.run()
	try()
}

func (w *world) tryDamaged(e *entry, snapshot string) {
	w.t.Helper()
	tok, err := DecodeToken(e.p, "hash", []byte(snapshot), e.data)
	if err != nil {
		return
	}
	Accepts(e.p, tok, w.now)
	WaitingFor(e.p, tok, w.now)
	for _, st := range []*Stimulus{nil, {Kind: OnEvent, Event: "a"}, {Kind: OnResume}, {Kind: OnPause}, {Kind: OnRetry}, {Kind: OnCancel}} {
		r, err := Apply(e.p, tok, st, w.now+30*hours)
		if err != nil {
			continue
		}
		s, d, err := EncodeToken(e.p, r.Token)
		if err != nil {
			w.t.Fatalf("%v\n%s", err, snapshot)
		}
		if _, err := DecodeToken(e.p, "hash", s, d); err != nil {
			w.t.Fatalf("after %+v: %v\n%s\nfrom\n%s", st, err, s, snapshot)
		}
	}
}
