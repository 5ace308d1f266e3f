package vm_test

import (
	"testing"

	"flowc/vm"
	"flowc/vm/sim"
)

const benchFlow = `
event approve(by: string)
event back

flow review(owner: string) -> (count: int) {
  data {
    count: int = 0
    last: string = ""
    note_text: string = ""
  }
  timeout 30d
  on timeout -> late
  initial draft

  state draft {
    timeout 2d
    every 12h { note_text = "reminded" }
    on approve when event.by != "" -> final_check {
      count = count + 1
      last = event.by
    }
    on timeout -> late
  }
  state final_check {
    timeout 1d
    after 1h { note_text = "soon" }
    on back -> draft
    on timeout -> late
  }
  final late as failure
}
`

func benchToken(b *testing.B) *sim.Token {
	w := check(b, "bench.flow", benchFlow)
	e, a := w.start("review", "", []byte(`{"owner":"ann"}`), 0)
	if e == nil {
		b.Fatal(a)
	}
	return e
}

var approve = &vm.Stimulus{Kind: vm.OnEvent, Event: "approve", Payload: []byte(`{"by":"ann"}`)}

// BenchmarkTransition is a step of an event that leaves a state with two timers and enters another one: the step alone.
func BenchmarkTransition(b *testing.B) {
	e := benchToken(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := vm.Apply(e.Program(), e.VM(), approve, testStart+5_000_000); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStored is the same with reading the token from its store and writing it back.
func BenchmarkStored(b *testing.B) {
	e := benchToken(b)
	snapshot, data := snapshotOf(b, e)
	b.ReportAllocs()
	for b.Loop() {
		t, err := vm.DecodeToken(e.Program(), "hash", snapshot, data)
		if err != nil {
			b.Fatal(err)
		}
		r, err := vm.Apply(e.Program(), t, approve, testStart+5_000_000)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := vm.EncodeToken(e.Program(), r.Token); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	e := benchToken(b)
	snapshot, data := snapshotOf(b, e)
	b.ReportAllocs()
	b.ReportMetric(float64(len(snapshot)), "snapshot-bytes")
	for b.Loop() {
		if _, err := vm.DecodeToken(e.Program(), "hash", snapshot, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	e := benchToken(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := vm.EncodeToken(e.Program(), e.VM()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAccepts(b *testing.B) {
	e := benchToken(b)
	b.ReportAllocs()
	for b.Loop() {
		vm.Accepts(e.Program(), e.VM(), testStart)
	}
}

// BenchmarkWaiting is what it costs to say what a token waits for, once a token and batch.
func BenchmarkWaiting(b *testing.B) {
	e := benchToken(b)
	b.ReportAllocs()
	for b.Loop() {
		if vm.Waiting(e.Program(), e.VM(), false, testStart) != string(vm.WhyEither) {
			b.Fatal("it waits for something else")
		}
	}
}
