package vm_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/compiler/program"
	"flowc/validate"
	"flowc/vm"
	"flowc/vm/sim"
)

// In its full size: go test ./vm -run TestRandomFlows -model.runs 5000
var (
	modelRuns = flag.Int("model.runs", 100, "random flows that are compared with the model")
	modelSeed = flag.Uint64("model.seed", 1, "seed of the first of them")
)

// Whatever the flow and whatever is done to it, the token is what the model of §2 says: never early, never twice, never from an
// earlier visit, never lost, in the order of R16, and equal to its replay.
func TestRandomFlowsAgreeWithTheModel(t *testing.T) {
	valid, fires, ops := 0, 0, 0
	for seed := *modelSeed; valid < *modelRuns; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		root := randomFlow(r)
		text := root.text()
		if c := validate.CheckText("random.flow", text); c.Model == nil {
			if seed > *modelSeed+uint64(*modelRuns)*20 {
				t.Fatalf("hardly a flow is valid: %v\n%s", c.Findings, text)
			}
			continue
		}
		valid++
		d := &duel{t: t, seed: seed, r: r, text: text}
		d.run(root)
		fires, ops = fires+len(d.m.fired), ops+len(d.done)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d flows, %d operations, %d timers fired", valid, ops, fires)
	if fires < valid {
		t.Errorf("%d timers fired in %d flows: the test shows nothing", fires, valid)
	}
}

// A duel drives a token and its model.
type duel struct {
	t    *testing.T
	seed uint64
	r    *rand.Rand
	text string
	w    *world
	e    *sim.Token
	m    *mToken
	done []string
}

func (d *duel) run(root *mState) {
	d.w = check(d.t, "random.flow", d.text)
	delay := int64(0)
	if d.r.IntN(4) == 0 {
		delay = int64(1+d.r.IntN(30)) * minutes
	}
	d.m = &mToken{root: root, now: testStart, status: vm.Scheduled, startAt: testStart + delay, visits: map[*mState]int{}, segment: map[*mState]int{}, joined: map[*mState]bool{}}
	if d.e, _ = d.w.start("f", "", nil, delay); d.e == nil {
		d.t.Fatal("it does not start")
	}
	if delay == 0 {
		d.m.begin()
	}
	d.m.fireDue()
	d.note("start after %dm", delay/minutes)
	for n := 40; n > 0 && d.same() && !d.e.VM().Status.Ended(); n-- {
		d.operate()
	}
	if d.same() {
		d.w.replay()
	}
}

func (d *duel) note(format string, args ...any) {
	d.done = append(d.done, fmt.Sprintf(format, args...))
}

// operate does something to both.
func (d *duel) operate() {
	switch d.r.IntN(12) {
	case 0, 1, 2, 3: // a server that runs
		by := int64(d.r.IntN(19)) * 5 * minutes
		d.note("advance %dm", by/minutes)
		d.w.advance(d.w.Now() + by)
		d.m.advance(d.m.now + by)
	case 4: // no server runs; the snapshot is read anew afterwards, as it is after every step
		by := int64(d.r.IntN(40)) * 10 * minutes
		d.note("down for %dm", by/minutes)
		d.w.down(d.w.Now() + by)
		d.m.now += by
		d.m.fireDue()
	case 5, 6, 7, 8:
		d.event(mOp{event: mEvents[d.r.IntN(len(mEvents))]})
	case 9:
		d.event(mOp{event: "due_is", due: []int64{0, d.w.Now() + int64(d.r.IntN(200)-50)*minutes, d.w.Now()}[d.r.IntN(3)]})
	case 10:
		if d.m.status == vm.Paused {
			d.command(vm.OnResume, d.m.resume)
		} else {
			d.command(vm.OnPause, d.m.pause)
		}
	case 11:
		if d.m.status == vm.Failed {
			d.command(vm.OnRetry, d.m.retry)
		} else if d.r.IntN(3) == 0 {
			d.event(mOp{event: "boom"})
		}
	}
}

func (d *duel) command(kind vm.StimulusKind, model func() bool) {
	d.note("%s", kind)
	a := d.w.command(d.e, kind)
	if ok := model(); ok != (a.Outcome == vm.Accepted) {
		d.fail("%s is %s, the model says %v", kind, a.Outcome, ok)
	}
	d.m.fireDue()
}

func (d *duel) event(op mOp) {
	if !slices.ContainsFunc(d.e.Program().Events, func(v program.Event) bool { return v.Name == op.event }) { // a program does not know events that its flow never mentions
		return
	}
	payload := ""
	if op.event == "due_is" {
		payload = `{"t":null}`
		if op.due != 0 {
			payload = fmt.Sprintf(`{"t":%q}`, time.UnixMicro(op.due).UTC().Format(time.RFC3339))
		}
	}
	d.note("event %s %s", op.event, payload)
	a := d.w.event(d.e, op.event, payload)
	want := d.m.event(op)
	d.m.fireDue()
	if a.Outcome != want {
		d.fail("%s is %s, the model says %s", op.event, a.Outcome, want)
	}
}

// same compares what can be seen of the two, and how they came there.
func (d *duel) same() bool {
	if d.t.Failed() {
		return false
	}
	switch {
	case d.e.VM().Status != d.m.status:
		d.fail("the status is %s", d.e.VM().Status)
	case !slices.Equal(vm.Leaves(d.e.Program(), d.e.VM()), d.m.paths()) && d.m.status != vm.Scheduled:
		d.fail("the states are %v", vm.Leaves(d.e.Program(), d.e.VM()))
	case !slices.Equal(d.fires(), d.m.fired):
		d.fail("fired %v\nthe model %v", tail(d.fires()), tail(d.m.fired))
	case len(d.e.VM().Kept) != len(d.m.kept) || len(d.e.VM().Deferred) != len(d.m.deferred):
		d.fail("%d are kept and %d deferred", len(d.e.VM().Kept), len(d.e.VM().Deferred))
	case !slices.Equal(d.timers(), d.modelTimers()):
		d.fail("armed are %v\nin the model %v", d.timers(), d.modelTimers())
	}
	return !d.t.Failed()
}

func tail(list []string) []string { return list[max(0, len(list)-6):] }

func (d *duel) fires() []string {
	out := []string{}
	for _, s := range d.e.Steps() {
		for _, l := range s.Lines {
			if l.Kind == "timer-fired" {
				out = append(out, fmt.Sprintf("%s due %d at %d", strings.TrimPrefix(l.State+"."+l.Name, "."), l.Due, s.At))
			}
		}
	}
	return out
}

func (d *duel) timers() []string {
	out := []string{}
	for _, a := range vm.Timers(d.e.Program(), d.e.VM(), d.w.Now()) {
		out = append(out, shown(a.ID, a.Held, a.Due, a.Remaining))
	}
	if d.held() {
		slices.Sort(out)
	}
	return out
}

func shown(id string, held bool, due, left int64) string {
	if held {
		return fmt.Sprintf("%s with %dm left", id, left/minutes)
	}
	return fmt.Sprintf("%s at +%dm", id, (due-testStart)/minutes)
}

func (d *duel) held() bool { return d.m.status == vm.Paused || d.m.status == vm.Failed }

func (d *duel) modelTimers() []string {
	out := []string{}
	switch {
	case d.m.status == vm.Scheduled:
		return []string{shown("start", false, d.m.startAt, 0)}
	case d.m.status == vm.Paused && len(d.m.active) == 0:
		return []string{shown("start", true, 0, d.m.startAt)}
	}
	for _, t := range d.m.armed() {
		out = append(out, shown(t.id(), d.held() && !t.instant, t.due, t.left))
	}
	if d.held() {
		slices.Sort(out)
	}
	return out
}

func (d *duel) fail(format string, args ...any) {
	d.t.Errorf("seed %d: %s\nmodel: %s\nafter: %s\n%s", d.seed, fmt.Sprintf(format, args...), d.m, strings.Join(d.done, "; "), d.text)
}
