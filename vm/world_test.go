package vm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// world is a server in miniature for tests: a virtual clock, tokens, tasks and an inbox in order. Every token is stored and read
// back after every call of Apply, and replayed from its history at the end, so that each test is one of both.
type world struct {
	t      testing.TB
	model  *model.Program
	units  map[string]*program.Program
	tests  *compiler.Tests
	now    int64
	down   bool
	tokens []*entry
	tasks  []*task
	inbox  []Message
	mocks  map[string][]*model.TestMock
	keys   map[string]*entry
	last   *entry
	n      int
}

type entry struct {
	p              *program.Program
	tok            *Token
	label          string
	snapshot, data []byte
	steps          []Step
}

type task struct {
	offer    Offer
	token    *entry
	attempts int
	nextAt   int64
	over     bool
}

const testStart = 1767225600 * 1_000_000 // 2026-01-01T00:00:00Z

// check compiles a file that has no error.
func check(t testing.TB, name, text string) *world {
	t.Helper()
	r := validate.CheckText(name, text)
	if r.Model == nil {
		for _, f := range r.Findings {
			t.Errorf("%s:%d: %s [%s]", name, f.Range.Start.Line, f.Message, f.ID)
		}
		t.FailNow()
	}
	w := &world{t: t, model: r.Model, units: map[string]*program.Program{}, now: testStart, mocks: map[string][]*model.TestMock{}, keys: map[string]*entry{}}
	pointers(r.Model)
	units, err := compiler.CompileAll(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		w.units[u.Flow.Name] = u.Program
	}
	if w.tests, err = compiler.CompileTests(r.Model); err != nil {
		t.Fatal(err)
	}
	return w
}

// pointers makes every expectation a pointer, whichever form the checker gives it.
func pointers(m *model.Program) {
	for _, b := range m.Tests {
		for _, s := range b.Stmts {
			if e, ok := s.(*model.Expect); ok && reflect.TypeOf(e.What).Kind() != reflect.Pointer {
				p := reflect.New(reflect.TypeOf(e.What))
				p.Elem().Set(reflect.ValueOf(e.What))
				e.What = p.Interface()
			}
		}
	}
}

// apply steps a token and carries the effects out.
func (w *world) apply(e *entry, st *Stimulus) Answer {
	w.t.Helper()
	before := e.tok
	var frozen []byte
	if before != nil {
		frozen = append(append(frozen, e.snapshot...), e.data...)
	}
	r, err := Apply(e.p, before, st, w.now)
	if err != nil {
		w.t.Fatalf("apply %+v: %v", st, err)
	}
	if before != nil {
		s, d, err := EncodeToken(e.p, before)
		if err != nil || !bytes.Equal(frozen, append(s, d...)) {
			w.t.Fatalf("Apply changed the token that it was given (%v)", err)
		}
	}
	if r.Token == nil {
		return r.Answer
	}
	w.store(e, r)
	for _, s := range r.Steps {
		e.steps = append(e.steps, reread(w.t, s))
	}
	for _, o := range r.Offers {
		w.tasks = append(w.tasks, &task{offer: o, token: e, nextAt: w.now})
	}
	for _, id := range r.Withdraw {
		for _, t := range w.tasks {
			if t.offer.ID == id {
				t.over = true
			}
		}
	}
	for _, m := range r.Messages {
		m.Stimulus = reread(w.t, m.Stimulus)
		w.inbox = append(w.inbox, m)
	}
	return r.Answer
}

// store encodes a token and decodes it again.
func (w *world) store(e *entry, r *Result) {
	w.t.Helper()
	s, d, err := EncodeToken(e.p, r.Token)
	if err != nil {
		w.t.Fatal(err)
	}
	if !r.DataChanged && e.data != nil && !bytes.Equal(d, e.data) {
		w.t.Fatalf("the data changed and nobody said so\n%s\n%s", e.data, d)
	}
	back, err := DecodeToken(e.p, r.Token.Program, s, d)
	if err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, s, d)
	}
	s2, d2, err := EncodeToken(e.p, back)
	if err != nil || !bytes.Equal(s, s2) || !bytes.Equal(d, d2) {
		w.t.Fatalf("a round trip changed the token (%v)\n%s\n%s\n%s\n%s", err, s, s2, d, d2)
	}
	e.tok, e.snapshot, e.data = back, s, d
}

func reread[T any](t testing.TB, v T) (out T) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// replayAll replays every token from its history (R71).
func (w *world) replayAll() {
	w.t.Helper()
	for _, e := range w.tokens {
		if len(e.steps) == 0 {
			continue
		}
		again, err := Replay(e.p, e.steps)
		if err != nil {
			w.t.Fatal(err)
		}
		s, d, err := EncodeToken(e.p, again)
		if err != nil || !bytes.Equal(s, e.snapshot) || !bytes.Equal(d, e.data) {
			w.t.Fatalf("a replay gives another token (%v)\n%s\n%s\n%s\n%s", err, e.snapshot, s, e.data, d)
		}
	}
}

// start makes a token.
func (w *world) start(flow, key string, input json.RawMessage, delay int64) (*entry, Answer) {
	w.t.Helper()
	w.n++
	n := NewToken{ID: fmt.Sprintf("token-%d", w.n), Flow: flow, Key: key, Program: "hash-" + flow, Input: input, Delay: delay}
	e := &entry{p: w.units[flow]}
	a := w.apply(e, New(n))
	if e.tok == nil {
		return nil, a
	}
	w.enlist(e)
	w.run()
	return e, a
}

func (w *world) enlist(e *entry) {
	w.tokens = append(w.tokens, e)
	w.last = e
	if e.tok.Key != "" {
		w.keys[e.tok.Flow+"/"+e.tok.Key] = e
	}
}

// run delivers messages, mocks and timers until nothing is left to do at this instant.
func (w *world) run() {
	w.t.Helper()
	for n := 0; !w.down; n++ {
		if n > 100_000 {
			w.t.Fatal("the world does not come to rest")
		}
		if len(w.inbox) > 0 {
			m := w.inbox[0]
			w.inbox = w.inbox[1:]
			w.deliver(m)
			continue
		}
		if !w.fire() && !w.mockTask() {
			return
		}
	}
}

func (w *world) fire() bool {
	for _, e := range w.tokens {
		if due, ok := NextDue(e.tok); ok && due <= w.now {
			w.apply(e, nil)
			return true
		}
	}
	return false
}

func (w *world) byID(id string) *entry {
	for _, e := range w.tokens {
		if e.tok.ID == id {
			return e
		}
	}
	return nil
}

func (w *world) deliver(m Message) {
	w.t.Helper()
	switch {
	case m.Start != nil:
		w.deliverStart(m)
		return
	case m.To == "":
		if e := w.keys[m.Flow+"/"+m.Key]; e != nil {
			w.apply(e, &m.Stimulus)
			return
		}
	default:
		if e := w.byID(m.To); e != nil && e.p != nil {
			w.apply(e, &m.Stimulus)
			return
		} else if e != nil {
			return
		}
	}
	w.undelivered(m, "there is no such token")
}

func (w *world) undelivered(m Message, reason string) {
	st, ok := Undelivered(&m, reason)
	sender := m.Stimulus.From
	if m.Start != nil && m.Start.Parent != nil {
		sender = m.Start.Parent.Token
	}
	if e := w.byID(sender); ok && e != nil {
		w.apply(e, &st)
	}
}

func (w *world) deliverStart(m Message) {
	w.t.Helper()
	if m.Keyed && w.keys[m.Flow+"/"+m.Start.Key] != nil {
		w.undelivered(m, "the key is taken")
		return
	}
	last := w.last
	if mock := w.mock(m.Flow); mock != nil && m.Start.Parent != nil {
		w.mockChild(m, mock)
		return
	}
	parent := w.units[m.Start.Flow]
	if m.Start.Parent != nil {
		parent = w.byID(m.Start.Parent.Token).p
	}
	e := &entry{p: parent}
	if a := w.apply(e, &m.Stimulus); e.tok == nil {
		w.t.Fatalf("a child does not start: %+v", a)
	}
	w.enlist(e)
	if last != nil {
		w.last = last
	}
}

// mock uses a mock of a task or a flow up.
func (w *world) mock(name string) *model.TestMock {
	list := w.mocks[name]
	if len(list) == 0 {
		return nil
	}
	m := *list[0]
	switch list[0].Times {
	case 0:
	case 1:
		w.mocks[name] = list[1:]
	default:
		m.Times--
		w.mocks[name] = append([]*model.TestMock{&m}, list[1:]...)
	}
	return &m
}

func (w *world) mockChild(m Message, mock *model.TestMock) {
	w.t.Helper()
	f := flowOf(w.units[m.Start.Flow], m.Start.Flow)
	final := slices.IndexFunc(f.States, func(s program.State) bool { return s.Kind == program.Final && s.Name == mock.Final })
	up := m.Start.Parent
	o := &ChildOutcome{Token: m.Start.ID, Flow: m.Start.Flow, Index: up.Index, State: up.State, Visit: up.Visit, Final: mock.Final, Outcome: outcomeName(f.States[final].Outcome)}
	o.Result = json.RawMessage("{}")
	if mock.Result != nil {
		o.Result = encode(w.eval(mock.Result, nil))
	}
	tok := &Token{ID: m.Start.ID, Flow: m.Start.Flow, Status: Completed, Final: final, Active: []Visit{{State: 0}, {State: final}}, Parent: up}
	w.tokens = append(w.tokens, &entry{tok: tok})
	w.apply(w.byID(up.Token), &Stimulus{Kind: OnChild, Child: o})
}

// mockTask lets a mock end the next attempt of a task that is open.
func (w *world) mockTask() bool {
	for _, t := range w.tasks {
		if t.over || t.nextAt > w.now || t.token.tok.Status == Paused {
			continue
		}
		m := w.mock(t.offer.Task)
		if m == nil {
			continue
		}
		if m.Fails {
			w.attemptFails(t, m.Code, "mocked", false)
			return true
		}
		result := json.RawMessage("{}")
		if m.Result != nil {
			result = encode(w.eval(m.Result, nil))
		}
		w.taskEnds(t, &Stimulus{Kind: OnTask, Task: &TaskOutcome{Result: result}})
		return true
	}
	return false
}

// attemptFails uses up an attempt, as the engine does (R41).
func (w *world) attemptFails(t *task, code, message string, giveUp bool) Answer {
	t.attempts++
	if !giveUp && t.attempts <= t.offer.Policy.Retries && !slices.Contains(t.offer.Fails, code) {
		t.nextAt = w.now + Backoff(t.offer.Policy, t.attempts, 0)
		return Answer{Outcome: Accepted}
	}
	return w.taskEnds(t, &Stimulus{Kind: OnTask, Task: &TaskOutcome{Code: code, Message: message}})
}

func (w *world) taskEnds(t *task, st *Stimulus) Answer {
	w.t.Helper()
	st.Task.ID, st.Task.Task, st.Task.Visit, st.Task.Index = t.offer.ID, t.offer.Task, t.offer.Visit, t.offer.Index
	st.Task.Attempts, st.Task.Dispatched = t.attempts, t.offer.Dispatched
	a := w.apply(t.token, st)
	t.over = a.Outcome != Invalid && a.Outcome != Refused
	w.run()
	return a
}

// advance moves the clock, stopping wherever something is due.
func (w *world) advance(to int64) {
	w.t.Helper()
	for n := 0; !w.down; n++ {
		w.run()
		next := to
		for _, e := range w.tokens {
			if due, ok := NextDue(e.tok); ok && due > w.now {
				next = min(next, due)
			}
		}
		for _, t := range w.tasks {
			if !t.over && t.nextAt > w.now {
				next = min(next, t.nextAt)
			}
		}
		if next >= to {
			break
		}
		w.now = next
	}
	w.now = max(w.now, to)
	w.run()
}

// eval evaluates a code of a test over a token.
func (w *world) eval(c *model.Code, e *entry) value.Value {
	w.t.Helper()
	code, ok := w.tests.Code(c)
	if !ok {
		w.t.Fatal("a code of the test was not compiled")
	}
	end := machine.Eval(w.tests.Program, code, testHost{w: w, e: e}, machine.NewBudget())
	if end.Kind != machine.Done {
		w.t.Fatalf("the test's expression: %v", end.Err)
	}
	return end.Value
}

// testHost shows a token to the expressions of a test.
type testHost struct {
	machine.Host
	w *world
	e *entry
}

func (h testHost) Now() int64              { return h.w.now }
func (h testHost) Input(i int) value.Value { return h.e.tok.Input.At(i) }
func (h testHost) Data(i int) value.Value  { return h.e.tok.Data[i] }
func (h testHost) Active(state int) bool   { return activeAt(h.e.tok, state) >= 0 }
