package vm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// TestRunCases runs the test blocks of all files in testdata/run.
func TestRunCases(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.flow")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".flow"), func(t *testing.T) { runBlocks(t, file, string(text)) })
	}
}

// runBlocks runs every test block of a file.
func runBlocks(t *testing.T, name, text string) {
	blocks := check(t, name, text).model.Tests
	for i := range blocks {
		t.Run(blocks[i].Name, func(t *testing.T) {
			w := check(t, name, text)
			for _, s := range w.model.Tests[i].Stmts {
				line := 1 + strings.Count(text[:s.Position().Start], "\n")
				if bad := w.do(s); bad != "" {
					t.Fatalf("%s:%d: %s\n%s", name, line, bad, w.story())
				}
			}
			w.replayAll()
		})
	}
}

// story is the history of all tokens, for a test that fails.
func (w *world) story() string {
	var b strings.Builder
	for _, e := range w.tokens {
		fmt.Fprintf(&b, "%s %s %s %v\n", e.tok.ID, e.tok.Flow, e.tok.Status, w.states(e))
		for _, s := range e.steps {
			fmt.Fprintf(&b, "  %d +%ds %s %s\n", s.Version, (s.At-testStart)/1_000_000, s.Stimulus.Kind, s.Stimulus.Event)
			for _, l := range s.Lines {
				fmt.Fprintf(&b, "    %s %s %s %s\n", l.Kind, l.State, l.Name, l.Text)
			}
		}
	}
	return b.String()
}

func (w *world) states(e *entry) []string {
	if e.p == nil {
		return nil
	}
	return Leaves(e.p, e.tok)
}

// do carries out a statement of a test block and returns what is wrong.
func (w *world) do(s model.TestStmt) string {
	w.t.Helper()
	defer w.run()
	switch s := s.(type) {
	case *model.TestAt:
		w.now = w.eval(s.Time, nil).Micros()
	case *model.TestMock:
		name := ""
		if s.Task != nil {
			name = s.Task.Name
		} else {
			name = s.Flow.Name
		}
		list := w.mocks[name]
		if len(list) > 0 && list[len(list)-1].Times == 0 && s.Times == 0 {
			list = list[:len(list)-1]
		}
		w.mocks[name] = append(list[:len(list):len(list)], s)
	case *model.TestStart:
		return w.doStart(s)
	case *model.TestSend:
		a := w.send(w.subject(s.Subject), s.Event, s.Args, s.Actor)
		if a.Outcome == Refused || a.Outcome == Invalid {
			return fmt.Sprintf("%s is refused: %s", s.Event.Name, a.Reason)
		}
	case *model.TestAdvance:
		if s.By != nil {
			w.advance(w.now + w.eval(s.By, nil).Micros())
		} else {
			w.advance(w.eval(s.To, nil).Micros())
		}
	case *model.TestTask:
		return w.doTask(s)
	case *model.TestControl:
		return w.doControl(s)
	case *model.TestServer:
		w.down = s.Op == model.StopServer
	case *model.Expect:
		ok, got := w.expect(s)
		if ok == s.Not {
			return fmt.Sprintf("expected %s, found %v", s.Text, got)
		}
	}
	return ""
}

func (w *world) doStart(s *model.TestStart) string {
	key, delay := "", int64(0)
	if s.Key != nil {
		key = w.eval(s.Key, nil).Str()
	}
	if s.After != nil {
		delay = w.eval(s.After, nil).Micros()
	}
	e, a := w.start(s.Flow.Name, key, encode(w.eval(s.Args, nil)), delay)
	if e == nil {
		return "it does not start: " + a.Reason
	}
	e.label, w.last = s.Label, e
	return ""
}

func (w *world) subject(s model.Subject) *entry {
	e := w.last
	for _, x := range w.tokens {
		if s.Label != "" && x.label == s.Label {
			e = x
		}
	}
	if s.Child != nil {
		e = w.children(e, s.Child.Name)[s.N-1]
	}
	return e
}

func (w *world) children(of *entry, flow string) []*entry {
	var found []*entry
	for _, e := range w.tokens {
		if e.tok.Parent != nil && e.tok.Parent.Token == of.tok.ID && e.tok.Flow == flow {
			found = append(found, e)
		}
	}
	return found
}

func (w *world) send(e *entry, event *model.Event, args *model.Code, actor string) Answer {
	var raw json.RawMessage
	if args != nil {
		raw = encode(w.eval(args, e))
	}
	a := w.apply(e, &Stimulus{Kind: OnEvent, Event: event.Name, Payload: raw, Actor: actor})
	w.run()
	return a
}

func (w *world) doTask(s *model.TestTask) string {
	e := w.subject(s.Subject)
	i := slices.IndexFunc(w.tasks, func(t *task) bool {
		return !t.over && t.nextAt <= w.now && w.fits(t, s.Task, s.Match, e)
	})
	if i < 0 {
		return "no attempt of " + s.Task.Name + " is open"
	}
	t := w.tasks[i]
	switch {
	case s.Op == model.ClaimTask:
	case s.Op == model.FailTask:
		w.attemptFails(t, s.Code, "failed by the test", s.NoRetry)
	case s.Event != nil:
		st := &Stimulus{Kind: OnTask, Event: s.Event.Name, Task: &TaskOutcome{}}
		if s.Args != nil {
			st.Payload = encode(w.eval(s.Args, e))
		}
		if a := w.taskEnds(t, st); a.Outcome == Refused || a.Outcome == Invalid {
			return a.Reason
		}
	default:
		result := json.RawMessage("{}")
		if s.Result != nil {
			result = encode(w.eval(s.Result, e))
		}
		if a := w.taskEnds(t, &Stimulus{Kind: OnTask, Task: &TaskOutcome{Result: result}}); a.Outcome == Invalid {
			return a.Reason
		}
	}
	return ""
}

// fits reports whether a task is one of a token with these arguments.
func (w *world) fits(t *task, of *model.Task, match []model.ArgMatch, e *entry) bool {
	if t.token != e || t.offer.Task != of.Name {
		return false
	}
	args, err := value.DecodeStored(t.offer.Input, value.RecordOf(of.Params))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range match {
		if !value.Equal(args.At(m.Param), w.eval(m.Value, e)) {
			return false
		}
	}
	return true
}

func (w *world) doControl(s *model.TestControl) string {
	e := w.subject(s.Subject)
	st := &Stimulus{Kind: [...]StimulusKind{OnPause, OnResume, OnCancel, OnRetry}[s.Op], Reason: s.Reason}
	if s.Op == model.Retry && s.State >= 0 {
		st.State = flowOf(e.p, e.tok.Flow).States[s.State].Path
	}
	if a := w.apply(e, st); a.Outcome == Refused || a.Outcome == Invalid {
		return string(st.Kind) + ": " + a.Reason
	}
	return ""
}

// expect reports whether an expectation holds, and what was found instead.
func (w *world) expect(s *model.Expect) (bool, any) {
	e := w.subject(s.Subject)
	switch x := s.What.(type) {
	case *model.ExpectStates:
		for _, state := range x.States {
			if activeAt(e.tok, state) < 0 {
				return false, w.states(e)
			}
		}
		return true, w.states(e)
	case *model.ExpectStatus:
		return string(e.tok.Status) == x.Status, e.tok.Status
	case *model.ExpectFinal:
		return e.tok.Final == x.State, e.tok.Final
	case *model.ExpectOutcome:
		return e.tok.Outcome == outcomeName(program.Outcome(x.Outcome)), e.tok.Outcome
	case *model.ExpectError:
		return e.tok.Error != nil && e.tok.Error.Code == x.Code, e.tok.Error
	case *model.ExpectTrue:
		left := any(nil)
		if x.Left != nil {
			left = w.eval(x.Left, e)
		}
		return w.eval(x.Cond, e).Bool(), left
	case *model.ExpectTimer:
		return w.expectTimer(x, e)
	case *model.ExpectNoTimers:
		timers := Timers(e.p, e.tok, w.now)
		return len(timers) == 0, timers
	case *model.ExpectRefused:
		a := w.send(e, x.Event, x.Args, x.Actor)
		return a.Outcome == Refused && (!x.HasText || a.Reason == x.Text), a
	case *model.ExpectOffered:
		n := 0
		for _, t := range w.tasks {
			if t.offer.Dispatched == x.Dispatched && w.fits(t, x.Task, x.Match, e) {
				n++
			}
		}
		return n == x.Times || x.Times < 0 && n > 0, n
	case *model.ExpectChild:
		n := 0
		for _, c := range w.children(e, x.Flow.Name) {
			if x.State < 0 || activeAt(c.tok, x.State) >= 0 {
				n++
			}
		}
		return n == x.Times || x.Times < 0 && n > 0, n
	case *model.ExpectNote:
		for _, st := range e.steps {
			for _, l := range st.Lines {
				if l.Kind == "note" && l.Text == x.Text {
					return true, nil
				}
			}
		}
		return false, nil
	case *model.ExpectAccepts:
		accepts := Accepts(e.p, e.tok, w.now)
		for _, ev := range x.Events {
			if !slices.ContainsFunc(accepts, func(a Accept) bool { return a.Event == ev.Name }) {
				return false, accepts
			}
		}
		return true, accepts
	}
	w.t.Fatalf("no such expectation: %T", s.What)
	return false, nil
}

func (w *world) expectTimer(x *model.ExpectTimer, e *entry) (bool, any) {
	due := int64(0)
	if x.At != nil {
		due = w.eval(x.At, e).Micros()
	} else {
		due = w.now + w.eval(x.In, e).Micros()
	}
	f := flowOf(e.p, e.tok.Flow)
	armed := Timers(e.p, e.tok, w.now)
	best := ArmedTimer{}
	for _, a := range armed {
		name := a.ID[strings.LastIndexByte(a.ID, '.')+1:]
		if x.State >= 0 && a.State != f.States[x.State].Path || x.Name != "" && name != x.Name || x.Name == "" && name == "timeout" {
			continue
		}
		if best.ID == "" || len(a.State) > len(best.State) {
			best = a
		}
	}
	return best.ID != "" && best.Due == due, armed
}
