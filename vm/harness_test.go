package vm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/sim"
	"flowc/vm/task"
)

const (
	seconds = int64(1_000_000)
	minutes = 60 * seconds
	hours   = 60 * minutes
	days    = 24 * hours
)

var testStart = sim.Epoch

// A world is the simulated World under audit, with what these tests do to it; whatever must not happen in it ends the test.
type world struct {
	*sim.World
	t     testing.TB
	units map[string]*program.Program
	n     int // of started tokens
	away  bool
}

// check compiles a file that has no error, for a world without tokens.
func check(t testing.TB, name, text string) *world {
	t.Helper()
	r := validate.CheckText(name, text)
	if r.Model == nil {
		for _, f := range r.Findings {
			t.Errorf("%s:%d: %s [%s]", name, f.Range.Start.Line, f.Message, f.ID)
		}
		t.FailNow()
	}
	units, err := compiler.CompileAll(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, units: map[string]*program.Program{}}
	for _, u := range units {
		w.units[u.Flow.Name] = u.Program
	}
	return w.anew()
}

// anew is a world of the same flows without tokens.
func (w *world) anew() *world {
	fresh := &world{World: sim.NewWorld(), t: w.t, units: w.units}
	fresh.Audit()
	return fresh
}

// begin starts a flow of a text, and replays all tokens when the test is over.
func begin(t testing.TB, text, flow, input string) (*world, *sim.Token) {
	t.Helper()
	w := check(t, "test.flow", text)
	t.Cleanup(func() {
		if !t.Failed() {
			w.replay()
		}
	})
	e, a := w.start(flow, "", json.RawMessage(input), 0)
	if e == nil {
		t.Fatal("it does not start:", a.Reason, a.Errors)
	}
	return w, e
}

// must ends the test on a fault of the world.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.story())
	}
}

func (w *world) replay() {
	w.t.Helper()
	w.must(w.Replay())
}

func (w *world) start(flow, key string, input json.RawMessage, delay int64) (*sim.Token, vm.Answer) {
	w.t.Helper()
	w.n++
	n := vm.NewToken{ID: fmt.Sprintf("token-%d", w.n), Flow: flow, Key: key, Program: "hash-" + flow, Input: input, Delay: delay}
	e, a, err := w.Begin(w.units[flow], n, "")
	w.must(err)
	w.rest()
	return e, a
}

// give gives a stimulus; what follows from it for other tokens waits for rest.
func (w *world) give(e *sim.Token, st *vm.Stimulus) vm.Answer {
	w.t.Helper()
	a, err := w.Give(e, st)
	w.must(err)
	return a
}

func (w *world) rest() {
	w.t.Helper()
	if w.away {
		w.away = false
		w.must(w.Start())
	}
	w.must(w.Rest())
}

func (w *world) advance(to int64) {
	w.t.Helper()
	w.must(w.Advance(to))
}

// late moves the clock, back too, while nobody looks: nothing fires before the next rest, or before the next stimulus.
func (w *world) late(to int64) {
	w.t.Helper()
	w.Stop()
	w.away = true
	w.advance(to)
}

// down lets time pass without a server; then everything that is overdue has its turn.
func (w *world) down(to int64) {
	w.t.Helper()
	w.late(to)
	w.rest()
}

func (w *world) event(e *sim.Token, name, payload string) vm.Answer {
	w.t.Helper()
	a := w.give(e, &vm.Stimulus{Kind: vm.OnEvent, Event: name, Payload: json.RawMessage(payload)})
	w.rest()
	return a
}

func (w *world) command(e *sim.Token, kind vm.StimulusKind) vm.Answer {
	w.t.Helper()
	a := w.give(e, &vm.Stimulus{Kind: kind})
	w.rest()
	return a
}

// completes lets a worker complete a task.
func (w *world) completes(k *sim.Work, c task.Completion) vm.Answer {
	w.t.Helper()
	a, err := w.Complete(k, c)
	w.must(err)
	w.rest()
	return a
}

func (w *world) result(i int, raw string) vm.Answer {
	w.t.Helper()
	return w.completes(w.Tasks()[i], task.Completion{Result: json.RawMessage(raw)})
}

// fails lets an attempt fail, when its backoff is over.
func (w *world) fails(k *sim.Work, f task.Failing) {
	w.t.Helper()
	w.advance(max(w.Now(), k.Row().NextAt))
	w.must(w.Fail(k, f))
	w.rest()
}

// outcome hands the end of a task straight to its token, past the checks that the task's row makes before.
func (w *world) outcome(k *sim.Work, st *vm.Stimulus) vm.Answer {
	w.t.Helper()
	r := k.Row()
	st.Kind = vm.OnTask
	if st.Task == nil {
		st.Task = &vm.TaskOutcome{}
	}
	st.Task.ID, st.Task.Task, st.Task.Visit, st.Task.Index = r.ID, r.Task, r.Visit, r.Index
	a := w.give(k.Token(), st)
	w.rest()
	return a
}

// keyed is the token of a key, nil for none.
func (w *world) keyed(flow, key string) *sim.Token {
	for _, e := range w.Tokens() {
		if e.VM().Flow == flow && e.VM().Key == key {
			return e
		}
	}
	return nil
}

func (w *world) wantStates(e *sim.Token, want ...string) {
	w.t.Helper()
	if got := vm.Leaves(e.Program(), e.VM()); !slices.Equal(got, want) {
		w.t.Fatalf("states are %v, want %v\n%s", got, want, w.story())
	}
}

func (w *world) wantStatus(e *sim.Token, want vm.Status) {
	w.t.Helper()
	if e.VM().Status != want {
		w.t.Fatalf("status is %s, want %s\n%s", e.VM().Status, want, w.story())
	}
}

func (w *world) wantData(e *sim.Token, field string, want any) {
	w.t.Helper()
	f := flowOf(e.Program(), e.VM().Flow)
	for i := range f.Data {
		if f.Data[i].Name == field {
			if got := string(value.AppendJSON(nil, e.VM().Data[i])); got != fmt.Sprint(want) && got != fmt.Sprintf("%q", want) {
				w.t.Fatalf("%s is %s, want %v\n%s", field, got, want, w.story())
			}
			return
		}
	}
	w.t.Fatalf("there is no field %s", field)
}

func flowOf(p *program.Program, name string) *program.Flow {
	return p.Flows[slices.IndexFunc(p.Flows, func(f *program.Flow) bool { return f.Name == name })]
}

// snapshotOf is what a store keeps of a token.
func snapshotOf(t testing.TB, e *sim.Token) (snapshot, data []byte) {
	t.Helper()
	snapshot, data, err := vm.EncodeToken(e.Program(), e.VM())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, data
}

// stored is the same as one text.
func stored(t testing.TB, e *sim.Token) string {
	t.Helper()
	snapshot, data := snapshotOf(t, e)
	return string(snapshot) + string(data)
}

// linesOf returns the lines of a kind, as `state name text`.
func linesOf(e *sim.Token, kind string) []string {
	var found []string
	for _, s := range e.Steps() {
		for _, l := range s.Lines {
			if l.Kind == kind {
				found = append(found, strings.Join(strings.Fields(l.State+" "+l.Name+" "+l.Text), " "))
			}
		}
	}
	return found
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("lines are %q, want %q", got, want)
	}
}

// story is the history of all tokens, for a test that fails.
func (w *world) story() string {
	var b strings.Builder
	for _, e := range w.Tokens() {
		fmt.Fprintf(&b, "%s %s %s %v\n", e.VM().ID, e.VM().Flow, e.VM().Status, vm.Leaves(e.Program(), e.VM()))
		for _, s := range e.Steps() {
			fmt.Fprintf(&b, "  %d +%ds %s %s\n", s.Version, (s.At-testStart)/seconds, s.Stimulus.Kind, s.Stimulus.Event)
			for _, l := range s.Lines {
				fmt.Fprintf(&b, "    %s %s %s %s\n", l.Kind, l.State, l.Name, l.Text)
			}
		}
	}
	return b.String()
}
