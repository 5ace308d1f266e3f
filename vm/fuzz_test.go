package vm

import "testing"

// FuzzDecodeToken: damaged bytes are an error, or a token that can be stepped and stored again; never a panic.
func FuzzDecodeToken(f *testing.F) {
	w := check(f, "everything.flow", everything)
	e, _ := w.start("f", "", nil, 0)
	f.Add(e.snapshot, e.data)
	for _, event := range []string{"c", "a", "a", "c"} {
		w.event(e, event, "")
		f.Add(e.snapshot, e.data)
	}
	w.advance(w.now + 10*hours)
	w.event(e, "c", "")
	f.Add(e.snapshot, e.data)
	w.command(e, OnPause)
	w.event(e, "b", `{"n":1}`)
	f.Add(e.snapshot, e.data)
	stimuli := []*Stimulus{
		nil, {Kind: OnEvent, Event: "a"}, {Kind: OnEvent, Event: "c"}, {Kind: OnResume}, {Kind: OnPause}, {Kind: OnRetry}, {Kind: OnCancel},
		{Kind: OnRetry, State: "second"}, {Kind: OnFire, Timer: &TimerRef{ID: "both.l.l1.timeout"}},
	}
	f.Fuzz(func(t *testing.T, snapshot, data []byte) {
		tok, err := DecodeToken(e.p, "hash", snapshot, data)
		if err != nil {
			return
		}
		Accepts(e.p, tok, w.now)
		Timers(e.p, tok, w.now)
		WaitingFor(e.p, tok, w.now)
		for _, st := range stimuli {
			r, err := Apply(e.p, tok, st, w.now+100*hours)
			if err != nil {
				continue
			}
			s, d, err := EncodeToken(e.p, r.Token)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := DecodeToken(e.p, "hash", s, d); err != nil {
				t.Fatalf("what a step makes of a token cannot be read: %v\n%s\n%s\nfrom\n%s", err, s, d, snapshot)
			}
		}
	})
}
