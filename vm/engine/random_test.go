package engine_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/validate"
	"flowc/vm"
	"flowc/vm/engine"
	"flowc/vm/oracle"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// In its full size: go test ./vm/engine -run TestRandomFlows -random.flows 200 -random.seconds 20
var (
	randomFlows   = flag.Int("random.flows", 24, "random flows that run on two servers")
	randomSeconds = flag.Int("random.seconds", 4, "for how long something is done to their tokens")
	randomSeed    = flag.Uint64("random.seed", 1, "seed of the first of them")
)

// Random flows in real time, on two servers over one Postgres, with whatever anybody may do to them. What the history says happened to
// each is then done to a model of the design at the same instants: no timer fired early, twice, for an earlier visit or while it was
// paused, none was lost, each fired before whatever came later (R12) and in the order of R16, every answer was right, and in the end
// token, replay and model are the same. Package vm does this to thousands of flows under the virtual clock.
func TestRandomFlowsOnTwoServersAgreeWithTheModel(t *testing.T) {
	url := pgtest.Reused(t)
	servers := []*server{serve(t, url, store.Options{}, ""), serve(t, url, store.Options{}, "")}
	for _, s := range servers {
		s.longer(time.Duration(*randomFlows+*randomSeconds) * time.Second)
	}
	var runs []*randomRun
	for seed := *randomSeed; len(runs) < *randomFlows; seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		flow := oracle.Generate(r, oracle.Options{Name: fmt.Sprintf("f%d", seed), Tick: oracle.Second, Stays: []int64{3, 4, 6}})
		if validate.CheckText("random.flow", flow.Text()).Model == nil {
			continue
		}
		servers[0].deploy(flow.Text())
		runs = append(runs, &randomRun{t: t, servers: servers, r: r, flow: flow, id: servers[0].start(flow.Name, "", "{}").ID})
	}
	var wg sync.WaitGroup
	end := time.After(time.Duration(*randomSeconds) * time.Second)
	done := make(chan struct{})
	for _, run := range runs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			run.jostle(done)
		}()
	}
	<-end // the time that passes is the test
	close(done)
	wg.Wait()
	fired, steps := 0, 0
	for _, run := range runs {
		rows := run.verify()
		fired, steps = fired+len(run.model.Fired), steps+len(rows)
	}
	t.Logf("%d flows, %d steps, %d timers fired", len(runs), steps, fired)
	if fired < len(runs) {
		t.Errorf("%d timers fired in %d flows: the test shows nothing", fired, len(runs))
	}
}

// A randomRun is a token of a random flow.
type randomRun struct {
	t       *testing.T
	servers []*server
	r       *rand.Rand
	flow    *oracle.Flow
	id      string
	model   *oracle.Token
}

// jostle does this and that to the token; what it may not do is refused, which is as well. In the end it stands still.
func (x *randomRun) jostle(done <-chan struct{}) {
	for {
		x.operate(x.servers[x.r.IntN(len(x.servers))])
		select {
		case <-time.After(time.Duration(x.r.IntN(300)) * time.Millisecond): // the moments are the test
		case <-done:
			_, _ = x.servers[0].Control(x.servers[0].ctx, engine.ControlRequest{Token: engine.Ref{ID: x.id}, Action: engine.Pause})
			return
		}
	}
}

func (x *randomRun) operate(s *server) {
	control := engine.ControlRequest{Token: engine.Ref{ID: x.id}}
	event, payload := oracle.Events[x.r.IntN(len(oracle.Events))], ""
	switch x.r.IntN(20) {
	case 0:
		control.Action = engine.Pause
	case 1, 2:
		control.Action = engine.Resume
	case 3, 4:
		control.Action = engine.Retry
	case 5:
		control.Action, control.State = engine.Retry, x.flow.States[1+x.r.IntN(len(x.flow.States)-1)].Path()
	case 6, 7:
		if control.Timer = x.timer(s); control.Timer == "" {
			return
		}
		control.Action, control.Due = engine.MoveTimer, time.Now().Add(time.Duration(x.r.IntN(2000)-300)*time.Millisecond).UnixMicro()
		if x.r.IntN(2) == 0 {
			control.Action, control.Due = engine.FireTimer, 0
		}
	case 8:
		if x.r.IntN(8) == 0 {
			control.Action = engine.Cancel
		}
	case 9:
		event = "boom"
	case 10, 11:
		event, payload = "due_is", `{"t": null}`
		if x.r.IntN(3) > 0 {
			payload = fmt.Sprintf(`{"t": %q}`, time.Now().Add(time.Duration(x.r.IntN(2000)-500)*time.Millisecond).UTC().Format(time.RFC3339Nano))
		}
	}
	if control.Action != "" {
		_, _ = s.Control(s.ctx, control)
		return
	}
	if event == "b" {
		payload = fmt.Sprintf(`{"k": %d}`, x.r.IntN(6))
	}
	_, _ = s.SendEvent(s.ctx, engine.EventRequest{Token: control.Token, Event: event, Payload: json.RawMessage(payload)})
}

// timer is one of the armed timers, "" for none.
func (x *randomRun) timer(s *server) string {
	v, err := s.Token(s.ctx, engine.Ref{ID: x.id})
	if err != nil || len(v.Timers) == 0 {
		return ""
	}
	return v.Timers[x.r.IntN(len(v.Timers))].ID
}

// verify does to the model what the history says, and compares.
func (x *randomRun) verify() []store.History {
	rows := x.history()
	var fired []string
	for _, h := range rows {
		var st vm.Stimulus
		var lines []vm.Line
		if err := json.Unmarshal([]byte(h.Stimulus), &st); err != nil {
			x.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(h.Lines), &lines); err != nil {
			x.t.Fatal(err)
		}
		for _, l := range lines {
			if l.Kind == "timer-fired" {
				fired = append(fired, fmt.Sprintf("%s due %d at %d", strings.TrimPrefix(l.State+"."+l.Name, "."), l.Due, h.At))
			}
		}
		if !x.follow(&st, lines, h.At) || !slices.Equal(fired, x.model.Fired[:min(len(fired), len(x.model.Fired))]) {
			x.t.Errorf("%s, step %d, a %s %s: it fired %v\nthe model %v\nand is %s\n%s", x.id, h.Version, st.Kind, st.Event, last(fired), last(x.model.Fired), x.model, x.flow.Text())
			return rows
		}
	}
	s := x.servers[1]
	v := s.token(x.id)
	var data struct{ N int }
	if err := json.Unmarshal(v.Data, &data); err != nil {
		x.t.Fatal(err)
	}
	if v.Status != string(x.model.Status) || !slices.Equal(v.States, x.model.States()) || data.N != x.model.N || len(fired) != len(x.model.Fired) || !x.sameTimers(v) {
		x.t.Errorf("the token is %s\nthe model %s with the timers %v, and fired %v\n%s", jsonOf(v), x.model, x.model.Timers(), last(x.model.Fired), x.flow.Text())
	}
	if r, err := s.Replay(s.ctx, engine.Ref{ID: x.id}); err != nil || !r.Same {
		x.t.Errorf("the replay differs: %s %v", r.Reason, err)
	}
	return rows
}

func last(list []string) []string { return list[max(0, len(list)-6):] }

func (x *randomRun) history() []store.History {
	var rows []store.History
	for version, line, more := int64(0), 0, true; more; {
		page, left, err := x.servers[1].store.History(x.servers[1].ctx, x.id, version, line, 1000)
		if err != nil {
			x.t.Fatal(err)
		}
		if rows, more = append(rows, page...), left && len(page) > 0; more {
			version, line = page[len(page)-1].Version, page[len(page)-1].Line
		}
	}
	return rows
}

// follow does one step of the history to the model, and says whether the model would have answered the same.
func (x *randomRun) follow(st *vm.Stimulus, lines []vm.Line, at int64) bool {
	// A command that is refused leaves no step.
	refused := st.Kind == vm.OnEvent && slices.ContainsFunc(lines, func(l vm.Line) bool { return l.Kind == "event-refused" })
	if x.model == nil {
		x.model = oracle.NewWorld(at).Start(x.flow, 0)
		return st.Kind == vm.OnStart
	}
	x.model.At(at)
	answer := oracle.Accepted
	switch st.Kind {
	case vm.OnEvent:
		e := oracle.Event{Name: st.Event}
		var payload struct {
			K int
			T *time.Time
		}
		if len(st.Payload) > 0 && json.Unmarshal(st.Payload, &payload) != nil {
			return false
		}
		if e.K = payload.K; payload.T != nil {
			e.Due = payload.T.UnixMicro()
		}
		answer = x.model.Send(e)
	case vm.OnPause:
		answer = x.model.Pause()
	case vm.OnResume:
		answer = x.model.Resume()
	case vm.OnCancel:
		answer = x.model.Cancel()
	case vm.OnRetry:
		answer = x.retry(st.State)
	case vm.OnFire:
		answer = x.model.FireByHand(st.Timer.ID)
	case vm.OnMove:
		answer = x.model.MoveByHand(st.Timer.ID, st.Due)
	case vm.OnTimer, vm.OnKept, vm.OnDeferred, vm.OnError: // what follows of itself, in the model too
		x.model.FireDue()
		return true
	default:
		return false
	}
	return refused == (answer == oracle.Refused || answer == oracle.Invalid)
}

func (x *randomRun) retry(state string) oracle.Answer {
	for _, s := range x.flow.States {
		if state != "" && s.Path() == state {
			return x.model.RetryAt(s)
		}
	}
	return x.model.Retry()
}

// sameTimers compares the armed timers; people are shown what is left of one in milliseconds, rounded up.
func (x *randomRun) sameTimers(v engine.TokenView) bool {
	var has, wants []string
	for _, a := range v.Timers {
		if a.Due != nil {
			has = append(has, fmt.Sprintf("%s due %d", a.ID, a.Due.UnixMicro()))
		} else {
			has = append(has, fmt.Sprintf("%s with %d ms left", a.ID, *a.RemainingMs))
		}
	}
	for _, a := range x.model.Timers() {
		if !a.Held {
			wants = append(wants, fmt.Sprintf("%s due %d", a.ID, a.Due))
		} else {
			wants = append(wants, fmt.Sprintf("%s with %d ms left", a.ID, (a.Left+999)/1000))
		}
	}
	slices.Sort(has)
	slices.Sort(wants)
	return slices.Equal(has, wants)
}
