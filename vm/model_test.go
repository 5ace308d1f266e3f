package vm_test

import (
	"encoding/json"
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
	"flowc/vm/oracle"
	"flowc/vm/sim"
	"flowc/vm/task"
)

// In its full size: go test ./vm -run TestRandomFlows -timeout 60m -args -model.runs 5000
var (
	modelRuns = flag.Int("model.runs", 100, "random flows that are compared with the model")
	modelSeed = flag.Uint64("model.seed", 1, "seed of the first of them")
)

// Whatever the flow and whatever is done to it, the token is what the model of the design says: never early, never twice, never from
// an earlier visit, never lost, in the order of R16, and equal to its replay.
func TestRandomFlowsAgreeWithTheModel(t *testing.T) {
	valid, fires, steps := 0, 0, 0
	did := map[string]int{}
	for seed := *modelSeed; valid < *modelRuns; seed++ {
		d := &duel{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 0)), did: did}
		d.flow = oracle.Generate(d.r, oracle.Options{Tick: 10 * oracle.Minute, Work: true, Zones: true})
		d.text = d.flow.Text()
		if c := validate.CheckText("random.flow", d.text); c.Model == nil {
			if seed > *modelSeed+uint64(*modelRuns)*20 {
				t.Fatalf("hardly a flow is valid: %v\n%s", c.Findings, d.text)
			}
			continue
		}
		valid++
		if d.run(); t.Failed() {
			return
		}
		for _, e := range d.w.Tokens() {
			steps += len(e.Steps())
		}
		fires += d.fired
	}
	t.Logf("%d flows, %d steps, %d timers fired; %v", valid, steps, fires, did)
	if fires < valid {
		t.Errorf("%d timers fired in %d flows: the test shows nothing", fires, valid)
	}
}

// A duel drives a token and its model.
type duel struct {
	t     *testing.T
	seed  uint64
	r     *rand.Rand
	flow  *oracle.Flow
	text  string
	w     *world
	e     *sim.Token
	model *oracle.World
	m     *oracle.Token
	done  []string
	did   map[string]int
	fired int
}

// changes are instants of clock changes; the duels begin within a day before one.
var changes = []string{
	"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", // Berlin
	"2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z", // New York
	"2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z", // Lord Howe
}

func (d *duel) run() {
	defer func() {
		if p := recover(); p != nil {
			d.fail("%v", p)
		}
	}()
	d.w = check(d.t, "random.flow", d.text)
	at, err := time.Parse(time.RFC3339, changes[d.r.IntN(len(changes))])
	if err != nil {
		d.t.Fatal(err)
	}
	d.w.down(at.UnixMicro() - int64(d.r.IntN(48))*30*minutes)
	d.model = oracle.NewWorld(d.w.Now())
	d.begin("")
	for n := 40; n > 0 && d.same(); n-- {
		d.operate()
	}
	if d.same() {
		d.fired += len(d.m.Fired)
		d.w.replay()
	}
}

// begin starts a token of each, perhaps in place of one (R53, R56).
func (d *duel) begin(restarts string) {
	delay := int64(0)
	if d.r.IntN(4) == 0 {
		delay = int64(1+d.r.IntN(30)) * minutes
	}
	d.note("start", "%s after %dm", restarts, delay/minutes)
	d.w.n++
	n := vm.NewToken{ID: fmt.Sprintf("token-%d", d.w.n), Flow: "f", Program: "hash-f", Delay: delay, RestartOf: restarts}
	e, a, err := d.w.Begin(d.w.units["f"], n, "")
	if d.w.must(err); e == nil {
		d.t.Fatal("it does not start:", a.Reason)
	}
	d.e, d.m = e, d.model.Start(d.flow, delay)
	d.rest()
}

func (d *duel) rest() {
	d.w.rest()
	d.model.Rest()
}

func (d *duel) note(what, format string, args ...any) {
	d.did[what]++
	d.done = append(d.done, strings.TrimSpace(what+" "+fmt.Sprintf(format, args...)))
}

// operate does something to both.
func (d *duel) operate() {
	e, m := d.e, d.m
	if kids := d.w.Children(d.e, "kid"); len(kids) > 0 && len(kids) == len(d.m.Kids) && d.r.IntN(4) == 0 {
		i := len(kids) - 1 - d.r.IntN(min(2, len(kids)))
		e, m = kids[i], d.m.Kids[i]
	}
	switch d.r.IntN(24) {
	case 0, 1, 2, 3, 4: // a server that runs
		by := int64(d.r.IntN(19)) * 5 * minutes
		d.note("advance", "%dm", by/minutes)
		d.w.advance(d.w.Now() + by)
		d.model.Advance(d.model.Now + by)
	case 5:
		by := int64(d.r.IntN(50)) * seconds
		d.note("advance", "%ds", by/seconds)
		d.w.advance(d.w.Now() + by)
		d.model.Advance(d.model.Now + by)
	case 6, 7: // no server runs
		by := int64(d.r.IntN(60)) * 10 * minutes
		d.note("down", "%dm", by/minutes)
		d.w.down(d.w.Now() + by)
		d.model.Skip(d.model.Now + by)
	case 8, 9, 10, 11, 12:
		d.event(e, m, oracle.Event{Name: oracle.Events[d.r.IntN(3)], K: d.r.IntN(6)})
	case 13:
		d.event(e, m, oracle.Event{Name: "due_is", Due: []int64{0, d.w.Now() + int64(d.r.IntN(200)-50)*minutes, d.w.Now(), d.model.Began + int64(d.r.IntN(2))*5*hours}[d.r.IntN(4)]})
	case 14, 15:
		if e.VM().Status == vm.Paused {
			d.command(e, m, vm.OnResume, (*oracle.Token).Resume)
		} else {
			d.command(e, m, vm.OnPause, (*oracle.Token).Pause)
		}
	case 16:
		if d.m.Status == oracle.Failed || m.Status == oracle.Failed {
			d.command(e, m, vm.OnRetry, (*oracle.Token).Retry)
		} else if d.r.IntN(2) == 0 {
			d.event(e, m, oracle.Event{Name: "boom"})
		}
	case 17:
		if d.r.IntN(4) == 0 {
			d.command(e, m, vm.OnCancel, (*oracle.Token).Cancel)
		}
	case 18:
		d.retryAt()
	case 19:
		d.byHand(e, m)
	case 20, 21, 22:
		d.task()
	case 23:
		if d.e.VM().Status.Ended() || d.r.IntN(20) == 0 {
			d.fired += len(d.m.Fired)
			d.begin(d.e.VM().ID)
		}
	}
}

func (d *duel) answered(what string, a vm.Answer, want oracle.Answer) {
	if string(a.Outcome) != string(want) {
		d.fail("%s is %s (%s), the model says %s", what, a.Outcome, a.Reason, want)
	}
	d.rest()
}

func (d *duel) command(e *sim.Token, m *oracle.Token, kind vm.StimulusKind, model func(*oracle.Token) oracle.Answer) {
	d.note(string(kind), "%s", e.VM().Flow)
	d.answered(string(kind), d.w.give(e, &vm.Stimulus{Kind: kind}), model(m))
}

func (d *duel) event(e *sim.Token, m *oracle.Token, op oracle.Event) {
	if !slices.ContainsFunc(e.Program().Events, func(v program.Event) bool { return v.Name == op.Name }) {
		return // a program does not know events that its flow never mentions
	}
	payload := ""
	switch op.Name {
	case "b":
		payload = fmt.Sprintf(`{"k":%d}`, op.K)
	case "due_is":
		payload = `{"t":null}`
		if op.Due != 0 {
			payload = fmt.Sprintf(`{"t":%q}`, time.UnixMicro(op.Due).UTC().Format(time.RFC3339))
		}
	}
	d.note("event", "%s %s %s", e.VM().Flow, op.Name, payload)
	d.answered(op.Name, d.w.give(e, &vm.Stimulus{Kind: vm.OnEvent, Event: op.Name, Payload: json.RawMessage(payload)}), m.Send(op))
}

func (d *duel) retryAt() {
	s := d.flow.States[1+d.r.IntN(len(d.flow.States)-1)]
	if s.Kind == oracle.Final || d.r.IntN(2) == 0 && s.InRegion() {
		return
	}
	d.note("retry at", "%s", s.Path())
	d.answered("retry at", d.w.give(d.e, &vm.Stimulus{Kind: vm.OnRetry, State: s.Path()}), d.m.RetryAt(s))
}

// byHand fires or moves a timer.
func (d *duel) byHand(e *sim.Token, m *oracle.Token) {
	armed := m.Timers()
	if len(armed) == 0 {
		return
	}
	id := armed[d.r.IntN(len(armed))].ID
	if d.r.IntN(2) == 0 {
		d.note("fire", "%s", id)
		d.answered("fire", d.w.give(e, &vm.Stimulus{Kind: vm.OnFire, Timer: &vm.TimerRef{ID: id}}), m.FireByHand(id))
		return
	}
	due := d.w.Now() + int64(d.r.IntN(100)-10)*minutes
	d.note("move", "%s to +%dm", id, (due-d.w.Now())/minutes)
	d.answered("move", d.w.give(e, &vm.Stimulus{Kind: vm.OnMove, Timer: &vm.TimerRef{ID: id}, Due: due}), m.MoveByHand(id, due))
}

// task lets a worker do something about one of the last tasks.
func (d *duel) task() {
	all := d.w.Tasks()
	if len(all) == 0 {
		return
	}
	i := len(all) - 1 - d.r.IntN(min(3, len(all)))
	k, j := all[i], d.model.Jobs[i]
	if k.Row().Status.Over() {
		if k.Token().VM().Status == vm.Paused {
			return // the row refuses it; the token may hold the outcome already
		}
		d.note("late", "%d", i)
		d.answered("a late outcome", d.w.outcome(k, &vm.Stimulus{Task: &vm.TaskOutcome{Result: json.RawMessage(`{"k":1}`)}}), j.Late())
		return
	}
	d.note("claim", "%d", i)
	if err, ok := d.w.Claim(k), j.Claim(); (err == nil) != ok {
		d.fail("the claim of task %d: %v, in the model %v", i, err, ok)
	} else if !ok {
		return
	}
	if d.r.IntN(5) == 0 { // what comes then is an outcome that a paused token gets
		owner := k.Token()
		d.command(owner, j.Token, vm.OnPause, (*oracle.Token).Pause)
		d.w.advance(d.w.Now() + 7*seconds)
		d.model.Advance(d.model.Now + 7*seconds)
		if k.Row().Status != task.Claimed {
			return // its lease has run out meanwhile
		}
	}
	switch n := d.r.IntN(6); {
	case n == 0: // the worker is silent
	case n < 3:
		all := d.r.IntN(2) == 0
		code := map[bool]string{true: "bad", false: "down"}[all]
		d.note("fail", "%d %s", i, code)
		d.w.must(d.w.Fail(k, task.Failing{Code: code}))
		j.Fail(all)
		d.rest()
	case n == 3:
		d.note("end by event", "%d", i)
		a, err := d.w.Complete(k, task.Completion{Event: "b", Payload: json.RawMessage(`{"k":3}`)})
		d.w.must(err)
		d.answered("an end by event", a, j.Complete("b", 3))
	default:
		d.note("complete", "%d", i)
		a, err := d.w.Complete(k, task.Completion{Result: json.RawMessage(`{"k":1}`)})
		d.w.must(err)
		d.answered("a completion", a, j.Complete("", 1))
	}
}

// same compares what can be seen of the two and of their children, and how they came there.
func (d *duel) same() bool {
	d.compare(d.e, d.m)
	kids := d.w.Children(d.e, "kid")
	if len(kids) != len(d.m.Kids) {
		d.fail("there are %d children, in the model %d", len(kids), len(d.m.Kids))
		return false
	}
	for i := range kids {
		d.compare(kids[i], d.m.Kids[i])
	}
	for i, k := range d.w.Tasks() {
		if i >= len(d.model.Jobs) {
			d.fail("%d tasks were offered, in the model %d", len(d.w.Tasks()), len(d.model.Jobs))
			break
		}
		r, j := k.Row(), d.model.Jobs[i]
		claimed := r.Status == task.Claimed
		if r.Status.Over() != j.Over() || !j.Over() && (claimed != j.Claimed() || (claimed || r.HeldAt == 0) && max(r.NextAt, d.w.Now()) != max(j.Next(), d.w.Now())) {
			d.fail("task %d is %s until +%ds, in the model claimed %v, over %v, until +%ds", i, r.Status, (r.NextAt-d.model.Began)/seconds,
				j.Claimed(), j.Over(), (j.Next()-d.model.Began)/seconds)
			break
		}
	}
	return !d.t.Failed()
}

func (d *duel) compare(e *sim.Token, m *oracle.Token) {
	if d.t.Failed() {
		return
	}
	tok := e.VM()
	n := -1
	if len(tok.Data) > 0 {
		n = int(tok.Data[0].Int())
	}
	switch {
	case string(tok.Status) != string(m.Status) || tok.Cancelling != m.Cancelling:
		d.fail("%s: the status is %s, cancelling %v", m, tok.Status, tok.Cancelling)
	case !slices.Equal(vm.Leaves(e.Program(), tok), m.States()):
		d.fail("%s: the states are %v", m, vm.Leaves(e.Program(), tok))
	case !slices.Equal(firesOf(e), m.Fired):
		d.fail("%s: fired %v\nthe model %v", m, tail(firesOf(e)), tail(m.Fired))
	case len(tok.Kept) != m.Kept() || len(tok.Deferred) != m.Deferred():
		d.fail("%s: %d are kept and %d deferred", m, len(tok.Kept), len(tok.Deferred))
	case n >= 0 && n != m.N:
		d.fail("%s: n is %d", m, n)
	case !slices.Equal(d.timers(e), d.shown(e, m)):
		d.fail("%s: armed are %v\nin the model %v", m, d.timers(e), d.shown(e, m))
	}
}

func tail(list []string) []string { return list[max(0, len(list)-6):] }

func firesOf(e *sim.Token) []string {
	var out []string
	for _, s := range e.Steps() {
		for _, l := range s.Lines {
			if l.Kind == "timer-fired" {
				out = append(out, fmt.Sprintf("%s due %d at %d", strings.TrimPrefix(l.State+"."+l.Name, "."), l.Due, s.At))
			}
		}
	}
	return out
}

func (d *duel) timers(e *sim.Token) []string {
	out := []string{}
	for _, a := range vm.Timers(e.Program(), e.VM(), d.w.Now()) {
		out = append(out, d.timer(oracle.Shown{ID: a.ID, Held: a.Held, Due: a.Due, Left: a.Remaining}))
	}
	return d.sorted(e, out)
}

func (d *duel) shown(e *sim.Token, m *oracle.Token) []string {
	out := []string{}
	for _, s := range m.Timers() {
		out = append(out, d.timer(s))
	}
	return d.sorted(e, out)
}

// sorted: the order of timers that stand still means nothing.
func (d *duel) sorted(e *sim.Token, list []string) []string {
	if s := e.VM().Status; s == vm.Paused || s == vm.Failed {
		slices.Sort(list)
	}
	return list
}

func (d *duel) timer(s oracle.Shown) string {
	if s.Held {
		return fmt.Sprintf("%s with %ds left", s.ID, s.Left/seconds)
	}
	return fmt.Sprintf("%s at +%ds", s.ID, (s.Due-d.model.Began)/seconds)
}

func (d *duel) fail(format string, args ...any) {
	d.t.Errorf("seed %d: %s\nmodel: %s\nafter: %s\n%s", d.seed, fmt.Sprintf(format, args...), d.m, strings.Join(d.done, "; "), d.text)
}
