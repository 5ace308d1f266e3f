package vm_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"flowc/vm"
	"flowc/vm/sim"
	"flowc/vm/task"

	"pgregory.net/rapid"
)

// everything is a flow with some of all that a token can hold.
const everything = `
event a
event b(n: int)
event c
event when_due(t: time?)
task work(n: int) -> (m: int)
flow kid(n: int) -> (m: int) {
  data { m: int = 0 }
  initial k
  state k {
    timeout 7h
    on timeout -> good { m = n }
    on c -> bad
    on a { fail "a kid" }
  }
  final good
  final bad as failure
}
flow f {
  data {
    n: int = 0
    due: time?
    log: string = ""
  }
  timeout 400h
  idle 200h
  on timeout -> over
  on expired -> over
  on cancel -> ending
  on when_due { due = event.t }
  on error { log = "{log}e" }
  initial first
  state first {
    timeout 5h
    every 1h for 4h as beat { n = n + 1 }
    after 30m as nag { n = n + 1 }
    at due + 1h { n = n + 1 }
    entry { schedule a after 3h }
    on a -> both
    on b when event.n > 3 { n = 10 / (event.n - 5) }
    on b -> self
    on c {
      rearm nag
      unschedule a
      rearm timeout
    }
    on timeout -> second
  }
  parallel both join any {
    timeout 20h
    region l {
      history
      initial l1
      state l1 {
        every day at "06:30" in "Europe/Berlin" { n = n + 1 }
        on a -> l2
        timeout 11h
        on timeout -> l_end
      }
      state l2 {
        do work(n: n) may b
        on completed -> l_end { n = n + event.m }
        on error -> l1
        on b { n = n + event.n }
      }
      final l_end
    }
    region r {
      initial r1
      state r1 {
        invoke kid(n: n)
        timeout 9h
        on completed when event.outcome == outcome.success -> r2
        on completed -> self
        on error -> r2
        on timeout -> r2
      }
      state r2 {
        defer c
        run {
          sleep 1h
          let x = wait b for 3h
          let y = call work(n: x == null ? 1 : x.n)
          wait {
            on c { n = n + 1 }
            after 2h { n = n + 2 }
          }
        }
        on completed -> r_end
        on error -> r1
        on a -> first
      }
      final r_end as failure
    }
    on joined when event.ok -> second
    on joined -> first
    on timeout -> first
  }
  state second {
    timeout 3h
    invoke kid(n: x) each x in range(3) concurrency 2 join 2
    on joined -> both
    on a -> both
    on error -> first
    on timeout -> first
  }
  state ending {
    timeout 1h
    on timeout -> stopped
    on c -> stopped
  }
  final over
  final stopped as cancelled
}`

// never holds what must never be: a timer that fires early, twice for one due time, for a visit that is over, or while paused.
type never struct {
	active map[int64]bool
	fired  map[string]bool
	steps  int
	paused bool
}

func (n *never) look(t *rapid.T, e *sim.Token) {
	for ; n.steps < len(e.Steps()); n.steps++ {
		s := e.Steps()[n.steps]
		for _, l := range s.Lines {
			switch l.Kind {
			case "entered":
				n.active[l.Visit] = true
			case "left":
				delete(n.active, l.Visit)
			case "timer-fired":
				n.timer(t, &s, &l)
			case "control":
				n.paused = l.Name == string(vm.OnPause) || n.paused && l.Name != string(vm.OnResume) && l.Name != string(vm.OnCancel)
			}
		}
	}
}

func (n *never) timer(t *rapid.T, s *vm.Step, l *vm.Line) {
	id := fmt.Sprintf("%s.%s of visit %d due %d", l.State, l.Name, l.Visit, l.Due)
	switch {
	case l.LateMicros < 0 || s.At < l.Due:
		t.Fatalf("%s fires early", id)
	case n.fired[id] && s.Stimulus.Kind == vm.OnTimer:
		t.Fatalf("%s fires twice", id)
	case !n.active[l.Visit]:
		t.Fatalf("%s fires for a visit that is over", id)
	case n.paused:
		t.Fatalf("%s fires while the token is paused", id)
	}
	n.fired[id] = true
}

func TestTimersNeverFireEarlyTwiceOrForAnEarlierVisit(t *testing.T) {
	template := check(t, "everything.flow", everything)
	rapid.Check(t, func(rt *rapid.T) {
		w := template.anew()
		e, _ := w.start("f", "", nil, 0)
		watch := &never{active: map[int64]bool{}, fired: map[string]bool{}}
		for range rapid.IntRange(1, 60).Draw(rt, "operations") {
			w.random(rt, e)
			watch.look(rt, e)
		}
		w.replay()
	})
}

// random does something to the token that anybody might do.
func (w *world) random(t *rapid.T, e *sim.Token) {
	of := e
	if kids := w.Children(e, "kid"); len(kids) > 0 && rapid.IntRange(0, 3).Draw(t, "kid") == 0 {
		of = kids[rapid.IntRange(0, len(kids)-1).Draw(t, "which")]
	}
	switch rapid.IntRange(0, 13).Draw(t, "operation") {
	case 0, 1, 2:
		w.advance(w.Now() + rapid.Int64Range(0, 8*hours).Draw(t, "by"))
	case 3: // the server was down
		w.down(w.Now() + rapid.Int64Range(0, 30*hours).Draw(t, "down"))
	case 4, 5:
		w.event(of, rapid.SampledFrom([]string{"a", "c"}).Draw(t, "event"), "")
	case 6:
		w.event(of, "b", fmt.Sprintf(`{"n":%d}`, rapid.IntRange(0, 7).Draw(t, "n")))
	case 7:
		w.event(e, "when_due", fmt.Sprintf(`{"t":"2026-01-%02dT00:00:00Z"}`, rapid.IntRange(1, 9).Draw(t, "day")))
	case 8:
		w.command(of, vm.OnPause)
	case 9, 10:
		w.command(of, rapid.SampledFrom([]vm.StimulusKind{vm.OnResume, vm.OnRetry}).Draw(t, "command"))
	case 11:
		w.randomTask(t)
	case 12:
		if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
			w.command(of, vm.OnCancel)
		}
	case 13:
		if armed := vm.Timers(e.Program(), e.VM(), w.Now()); len(armed) > 0 {
			id := armed[rapid.IntRange(0, len(armed)-1).Draw(t, "timer")].ID
			w.give(e, &vm.Stimulus{Kind: vm.OnFire, Timer: &vm.TimerRef{ID: id}})
			w.rest()
		}
	}
}

func (w *world) randomTask(t *rapid.T) {
	for _, k := range w.Tasks() {
		if r := k.Row(); r.Status.Over() || r.HeldAt != 0 {
			continue
		}
		switch rapid.IntRange(0, 2).Draw(t, "outcome") {
		case 0:
			w.must(w.Fail(k, task.Failing{Code: "down"}))
			w.rest()
		case 1:
			w.completes(k, task.Completion{Event: "b", Payload: json.RawMessage(`{"n":2}`)})
		default:
			w.completes(k, task.Completion{Result: json.RawMessage(`{"m":1}`)})
		}
		return
	}
}

// PAU-01: whatever the pauses, the time that a token runs until its timeout is what the file says.
func TestR15_PausesNeitherLoseNorGiveTime(t *testing.T) {
	template := check(t, "visits.flow", visits)
	rapid.Check(t, func(rt *rapid.T) {
		w := template.anew()
		e, _ := w.start("f", "", nil, 0)
		ran := int64(0)
		for range rapid.IntRange(0, 50).Draw(rt, "pauses") {
			run := rapid.Int64Range(0, 20*minutes).Draw(rt, "run")
			if ran+run >= 6*hours {
				break
			}
			w.advance(w.Now() + run)
			ran += run
			w.command(e, vm.OnPause)
			w.advance(w.Now() + rapid.Int64Range(0, 9*hours).Draw(rt, "pause"))
			w.command(e, vm.OnResume)
		}
		w.advance(w.Now() + 6*hours - ran - 1)
		w.wantStates(e, "review")
		w.advance(w.Now() + 1)
		w.wantStates(e, "over")
	})
}
