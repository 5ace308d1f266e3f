package vm_test

import (
	"testing"

	"flowc/compiler/program"
	"flowc/vm"
)

// A wait of ten years, advanced in one line, is two steps: the start and the fire.
func TestLongWaitsCostNoWorkInBetween(t *testing.T) {
	w, e := begin(t, `
flow f() {
  initial s
  state s {
    timeout never
    run { sleep 3650d }
    on completed -> done
    on error -> done
  }
  final done
}`, "f", "{}")
	w.advance(w.Now() + 3650*days - 1)
	if w.wantStates(e, "s"); len(e.Steps()) != 1 {
		t.Fatalf("%d steps while it slept", len(e.Steps()))
	}
	w.advance(w.Now() + 1)
	if w.wantStatus(e, vm.Completed); len(e.Steps()) != 2 {
		t.Fatalf("%d steps", len(e.Steps()))
	}
}

const beating = `
flow f() {
  data { n: int = 0 }
  initial s
  state s {
    timeout 40d
    every 1m { n = n + 1 }
    on timeout -> done
  }
  final done
}`

// 30 days of a one-minute `every` end with the memory and the work for a step that they began with.
func TestR17_ALongBeatNeitherGrowsNorSlowsDown(t *testing.T) {
	w, e := begin(t, beating, "f", "{}")
	tok, now := beat(t, e.Program(), e.VM(), w.Now(), 10)
	size, work := sizeOf(t, e.Program(), tok), workOf(t, e.Program(), tok, now)
	const fires = 30 * 24 * 60
	tok, now = beat(t, e.Program(), tok, now, fires-10)
	if got := tok.Data[0].Int(); got != fires {
		t.Fatalf("%d fires of %d", got, fires)
	}
	if len(tok.Timers) != 2 || now != w.Now()+30*days {
		t.Fatalf("%d timers at %d", len(tok.Timers), now)
	}
	if end := sizeOf(t, e.Program(), tok); end > size+16 { // the counters have more digits
		t.Errorf("the snapshot grew from %d to %d bytes", size, end)
	}
	if end := workOf(t, e.Program(), tok, now); end > work+2 {
		t.Errorf("a step allocates %v times, at the start it was %v", end, work)
	}
}

// beat lets the next timers fire, each at its instant and as one step.
func beat(t *testing.T, p *program.Program, tok *vm.Token, now int64, fires int) (*vm.Token, int64) {
	t.Helper()
	for range fires {
		due, ok := vm.NextDue(tok)
		if !ok {
			t.Fatal("nothing is due any more")
		}
		r, err := vm.Apply(p, tok, nil, due)
		if err != nil || len(r.Steps) != 1 {
			t.Fatalf("%d steps, %v", len(r.Steps), err)
		}
		tok, now = r.Token, due
	}
	return tok, now
}

func sizeOf(t *testing.T, p *program.Program, tok *vm.Token) int {
	t.Helper()
	snapshot, data, err := vm.EncodeToken(p, tok)
	if err != nil {
		t.Fatal(err)
	}
	return len(snapshot) + len(data)
}

func workOf(t *testing.T, p *program.Program, tok *vm.Token, now int64) float64 {
	t.Helper()
	return testing.AllocsPerRun(50, func() {
		if _, err := vm.Apply(p, tok, nil, now+minutes); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkBeat is one fire of an `every`, after 30 days of them.
func BenchmarkBeat(b *testing.B) {
	w := check(b, "beat.flow", beating)
	e, _ := w.start("f", "", nil, 0)
	r, err := vm.Apply(e.Program(), e.VM(), nil, w.Now()+30*days)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vm.Apply(e.Program(), r.Token, nil, r.Token.LastAt+minutes); err != nil {
			b.Fatal(err)
		}
	}
}
