package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowc/compiler/program"
	"flowc/validate"
	about "flowc/validate/describe"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

// TestBoundsHold takes random walks through every flow of the examples and cases, and of a few made for it, and holds the tokens to
// what describe says: no visit of a state is longer than its longest stay, no token runs longer than until its latest end.
func TestBoundsHold(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../examples/*.flow", "testdata/run/*.flow", "testdata/scxml/*.flow", "testdata/bounds/*.flow"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	checked := 0
	for _, file := range files {
		r := validate.Check(validate.Options{Files: []string{file}})
		if r.Model == nil {
			t.Fatalf("%s does not check: %v", file, r.Findings)
		}
		suite, err := NewSuite(r.Model)
		if err != nil {
			t.Fatal(err)
		}
		source := func(i int) []byte { return r.Sources[i].AST.Src }
		bounds := map[string]*limits{}
		for _, f := range r.Model.Flows {
			bounds[f.Name] = limitsOf(f, source)
			checked += bounds[f.Name].known()
		}
		for _, f := range r.Model.Flows {
			for seed := range uint64(12) {
				walk(t, file, suite, f, bounds, seed)
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d bounds are known", checked)
	}
}

// limits are the bounds of a flow by the index of the state; the first is the end.
type limits struct{ bounds []about.Bound }

func limitsOf(f *model.Flow, source about.Source) *limits {
	l := &limits{}
	for i := range f.States {
		l.bounds = append(l.bounds, about.Stay(f, i, source))
	}
	return l
}

func (l *limits) known() (n int) {
	for _, b := range l.bounds {
		if b.Known {
			n++
		}
	}
	return n
}

// exceeded says which visit of a running token is too long.
func (l *limits) exceeded(t *Token, now int64) string {
	if t.mocked || t.vm.Status != vm.Running {
		return ""
	}
	if b := l.bounds[0]; b.Known && now-t.vm.StartedAt > b.Micros {
		return fmt.Sprintf("runs for %s, and ends after %s", about.Duration(now-t.vm.StartedAt), b)
	}
	for _, v := range t.vm.Active {
		if b := l.bounds[v.State]; v.State > 0 && t.flow.States[v.State].Kind != program.Final && b.Known && now-v.EnteredAt > b.Micros {
			return fmt.Sprintf("is in %s for %s, and leaves it after %s", t.flow.States[v.State].Path, about.Duration(now-v.EnteredAt), b)
		}
	}
	return ""
}

// A walker does one thing after the other, as its random numbers have it.
type walker struct {
	*rand.Rand
	world *World
	model *model.Program
}

func walk(t *testing.T, file string, s *Suite, f *model.Flow, bounds map[string]*limits, seed uint64) {
	t.Helper()
	u, err := s.unit(f)
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{rand.New(rand.NewPCG(seed, 5)), NewWorld(), s.model}
	w.world.Audit()
	defer func() {
		if err := w.world.Replay(); err != nil {
			t.Errorf("%s, seed %d: %v", file, seed, err)
		}
	}()
	tok, _, err := w.world.Begin(u.program, vm.NewToken{ID: "walker", Flow: f.Name, Program: u.hash, Input: []byte(w.record(f.Input))}, "")
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if tok == nil {
		return // the input does not do
	}
	const steps = 60
	for range steps {
		if err := w.world.Rest(); errors.Is(err, ErrRestless) {
			return // a flow that wakes itself at one instant for ever is not what is looked at here
		} else if err != nil {
			t.Fatalf("%s, seed %d: %v", file, seed, err)
		}
		if err := w.step(seed%3 == 0); err != nil {
			t.Fatalf("%s, seed %d: %v", file, seed, err)
		}
		for _, tok := range w.world.tokens {
			if why := bounds[tok.flow.Name].exceeded(tok, w.world.now); why != "" {
				t.Errorf("%s: with seed %d a token of %s %s\n%s", file, seed, tok.flow.Name, why, strings.Join(tok.history(lastLines), "\n"))
				return
			}
		}
	}
}

// step lets time pass, sends an event or ends some work. One that is lazy does little else than wait, since that makes long stays.
func (w *walker) step(lazy bool) error {
	kind := w.IntN(10)
	if lazy && w.IntN(4) > 0 {
		kind = 0
	}
	switch {
	case kind < 4:
		return w.pass()
	case kind < 8:
		e := w.model.Events[w.IntN(max(len(w.model.Events), 1))%max(len(w.model.Events), 1):]
		if len(e) == 0 || e[0].Internal {
			return nil
		}
		tok := w.world.tokens[w.IntN(len(w.world.tokens))]
		if tok.mocked {
			return nil
		}
		_, err := w.world.Send(tok, e[0].Name, []byte(w.record(e[0].Payload)), "")
		return err
	}
	return w.work()
}

// pass moves the clock to just before, to, or past what is due next.
func (w *walker) pass() error {
	next, ok := w.world.next()
	if !ok {
		next = w.world.now + int64(24*time.Hour/time.Microsecond)
	}
	to := next + []int64{-1_000_000, 0, 0, 1_000_000}[w.IntN(4)]
	return w.world.Advance(max(to, w.world.now))
}

func (w *walker) work() error {
	if len(w.world.open) == 0 {
		return w.pass()
	}
	k := w.world.open[w.IntN(len(w.world.open))]
	if k.row.Status == task.Backoff {
		return nil
	}
	if w.IntN(2) == 0 {
		return w.world.Fail(k, task.Failing{Code: "unlucky", Message: "unlucky", NoRetry: w.IntN(2) == 0})
	}
	for _, d := range w.model.Tasks {
		if d.Name == k.row.Task {
			_, err := w.world.Complete(k, task.Completion{Result: []byte(w.record(d.Result))})
			return err
		}
	}
	return nil
}

func (w *walker) record(d *value.Decl) string {
	if d == nil {
		return "{}"
	}
	var parts []string
	for _, f := range d.Fields {
		parts = append(parts, fmt.Sprintf("%q: %s", f.Name, w.value(f.Type)))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (w *walker) value(t *value.Type) string {
	if t.Optional && w.IntN(2) == 0 {
		return "null"
	}
	switch t.Kind {
	case value.Bool:
		return []string{"true", "false"}[w.IntN(2)]
	case value.Int:
		return fmt.Sprint(w.IntN(4))
	case value.Decimal:
		return fmt.Sprintf(`"%d.5"`, w.IntN(200))
	case value.Duration:
		return fmt.Sprintf(`"%dh"`, 1+w.IntN(5))
	case value.Time:
		return `"` + time.UnixMicro(w.world.now).UTC().Add(time.Duration(w.IntN(100)-20)*time.Hour).Format(time.RFC3339) + `"`
	case value.Enum:
		return fmt.Sprintf("%q", t.Decl.Members[w.IntN(len(t.Decl.Members))])
	case value.Record:
		return w.record(t.Decl)
	case value.List:
		var parts []string
		for range w.IntN(3) {
			parts = append(parts, w.value(t.Elem))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case value.Map:
		return "{}"
	case value.JSON:
		return "null"
	}
	return []string{`"ann"`, `"bob"`, `""`}[w.IntN(3)]
}
