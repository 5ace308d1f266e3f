package vm

import (
	"encoding/json"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// invoke starts a leaf's child.
func (s *step) invoke(v Visit, w *program.Work) {
	in := s.at(v.State, nil)
	args, ok := s.eval(w.Args, in)
	if !ok {
		return
	}
	item := FanItem{Input: encode(args)}
	if s.key(&item, w.Key, in) {
		s.startChild(v, w.Flow, item, s.id(), 0)
	}
}

// key evaluates the key of a child; code -1: it has none.
func (s *step) key(item *FanItem, code int, in place, params ...value.Value) bool {
	if code < 0 {
		return s.halt == going
	}
	k, ok := s.eval(code, in, params...)
	if !ok {
		return false
	}
	text, err := value.Text(k)
	if err != nil || k.IsNull() {
		s.raiseErr(value.Errorf(value.CodeNull, "the key is null"), in, code)
		return false
	}
	item.Key, item.Keyed = text, true
	return true
}

// startChild sends the message that makes a child. It runs on this token's program.
func (s *step) startChild(v Visit, flow int, item FanItem, id string, index int) {
	n := &NewToken{
		ID: id, Flow: s.p.Flows[flow].Name, Key: item.Key, Program: s.t.Program, Input: item.Input,
		Parent: &ParentRef{Token: s.t.ID, Flow: s.t.Flow, State: v.State, Visit: v.Visit, Index: index},
	}
	if s.fanAt(v) < 0 {
		s.t.Children = append(s.t.Children, Child{Token: id, Flow: n.Flow, State: v.State, Visit: v.Visit})
	}
	s.t.Totals.Running++
	s.line(Line{Kind: "child-started", State: s.path(v.State), Visit: v.Visit, Name: n.Flow, ID: id})
	s.send(Message{To: id, Flow: n.Flow, Key: n.Key, Keyed: item.Keyed, Stimulus: Stimulus{Kind: OnStart, Start: n, From: s.t.ID}, Start: n})
	s.spend(len(item.Input))
}

// cancelChildren cancels what a visit invoked or called; the messages are committed with the step, so a crash leaves no orphan
// (R51).
func (s *step) cancelChildren(v Visit) {
	var kept []Child
	for i, c := range s.t.Children {
		if c.Visit != v.Visit || c.State != v.State {
			if kept != nil {
				kept = append(kept, c)
			}
			continue
		}
		if kept == nil {
			kept = append(make([]Child, 0, len(s.t.Children)), s.t.Children[:i]...)
		}
		s.cancelChild(c.Token, c.Flow, v)
	}
	if kept != nil {
		s.t.Children = kept
	}
}

func (s *step) cancelChild(token, flow string, v Visit) {
	s.line(Line{Kind: "child-cancelled", State: s.path(v.State), Visit: v.Visit, Name: flow, ID: token})
	s.send(Message{To: token, Flow: flow, Stimulus: Stimulus{Kind: OnCancel, From: s.t.ID, ByParent: true, Reason: "its parent waits no more"}})
}

// release lets a failed child know that nobody waits for it any more, so that it is not retried in vain (R53).
func (s *step) release(o *ChildOutcome) {
	if o.Outcome == "" {
		s.send(Message{To: o.Token, Flow: o.Flow, Stimulus: Stimulus{Kind: OnCancel, From: s.t.ID, ByParent: true}})
	}
}

// childOutcomes takes how children ended, all that wait in one step (R57).
func (s *step) childOutcomes(st *Stimulus) []happening {
	var found []happening
	if st.Child != nil {
		found = s.childOutcome(st.Child, found)
	}
	for i := range st.Children {
		found = s.childOutcome(&st.Children[i], found)
	}
	return found
}

// count keeps the totals of children ever made.
func (s *step) count(o *ChildOutcome) {
	n := &s.t.Totals
	if o.Again {
		n.Failed--
	} else {
		n.Running--
	}
	switch o.Outcome {
	case "":
		n.Failed++
	case "cancelled":
		n.Cancelled++
	default:
		n.Completed++
	}
}

// childOutcome takes one outcome and returns what the state is told, if it waits for it.
func (s *step) childOutcome(o *ChildOutcome, found []happening) []happening {
	s.count(o)
	v := Visit{State: o.State, Visit: o.Visit}
	i := s.visitOf(o.State)
	if s.t.Status != Running || i < 0 || !s.visiting(v) {
		return found
	}
	v = s.t.Active[i]
	f := &Failure{Code: CodeChild, Message: childMessage(o), Source: o.Flow, State: o.State, CodeRef: -1, PC: -1, At: s.now}
	if k := s.fanAt(v); k >= 0 {
		s.childEnded(o, v)
		s.release(o)
		return s.fanOutcome(k, childResult(o), o.Outcome == "success", nil, found)
	}
	k := s.childAt(o.Token)
	if k < 0 {
		return found
	}
	s.childEnded(o, v)
	if s.frameAt(v) >= 0 {
		s.removeChild(k)
		s.release(o)
		if o.Outcome == "" {
			return append(found, happening{owner: v, payload: errorEvent(f)})
		}
		return append(found, happening{owner: v, payload: s.childEvent(o)})
	}
	if o.Outcome == "" {
		s.failedChild(k)
		return append(found, happening{owner: v, payload: errorEvent(f)})
	}
	s.removeChild(k)
	return append(found, happening{owner: v, payload: s.childEvent(o)})
}

func (s *step) childEnded(o *ChildOutcome, v Visit) {
	l := Line{Kind: "child-ended", State: s.path(v.State), Visit: v.Visit, Name: o.Flow, ID: o.Token, Text: o.Outcome}
	if o.Outcome == "" {
		l.Text = o.Code + ": " + o.Message
	}
	s.line(l)
}

func childMessage(o *ChildOutcome) string {
	return o.Flow + " failed: " + o.Code + ": " + o.Message
}

func childResult(o *ChildOutcome) FanResult {
	r := FanResult{Index: o.Index, Final: o.Final, Outcome: o.Outcome, Value: o.Result}
	if o.Outcome == "" {
		r.Code, r.Value = CodeChild, nil
	}
	return r
}

// childEvent is `completed` of a child: its results, `final` and `outcome`.
func (s *step) childEvent(o *ChildOutcome) *payload {
	return &payload{
		reserved: program.OnCompleted, event: -1, record: s.childRecord(o.Flow, o.Result),
		extra: []extra{{"final", optional(o.Final)}, {"outcome", outcomeValue(o.Outcome)}},
	}
}

// childRecord decodes a child's results. One that was cancelled may have none.
func (s *step) childRecord(flow string, raw json.RawMessage) value.Value {
	f := flowOf(s.p, flow)
	if f == nil || len(raw) == 0 {
		return value.Value{}
	}
	v, err := value.DecodeStored(raw, value.RecordOf(resultOf(f)))
	if err != nil {
		return value.Value{}
	}
	return v
}

func (s *step) childAt(token string) int {
	for i := range s.t.Children {
		if s.t.Children[i].Token == token {
			return i
		}
	}
	return -1
}

func (s *step) removeChild(i int) {
	children := make([]Child, 0, len(s.t.Children))
	s.t.Children = append(append(children, s.t.Children[:i]...), s.t.Children[i+1:]...)
}

// failedChild keeps a child that failed until its state is left: retried, it may still complete the state.
func (s *step) failedChild(i int) {
	children := append([]Child(nil), s.t.Children...)
	children[i].Failed = true
	s.t.Children = children
}

// callResult is what a routine's call gives: the task's or flow's results as the type that the routine expects.
func callResult(t *value.Type, e *payload) value.Value {
	if t == nil || t.Decl == nil {
		return value.Value{}
	}
	fields := make([]value.Value, len(t.Decl.Fields))
	for i := range fields {
		fields[i] = e.field(t.Decl.Fields[i].Name)
	}
	return value.OfRecord(t.Decl, fields)
}

// callResults is what a `call … each` gives: the list of its tasks' results.
func callResults(t *value.Type, e *payload) value.Value {
	if t == nil {
		return value.Value{}
	}
	rows := e.field("results")
	list := make([]value.Value, rows.Len())
	for i, row := range rows.All() {
		list[i] = row.At(5)
	}
	return value.OfList(list)
}

// tell hands a state what its work ended in: to its routine when that waits for it, otherwise as an event.
func (s *step) tell(h happening) {
	if !s.visiting(h.owner) {
		return
	}
	i := s.frameAt(h.owner)
	if i < 0 || s.t.Frames[i].Wait == nil || s.t.Frames[i].Wait.Kind == machine.Wait || s.t.Frames[i].Wait.Kind == machine.Sleep {
		s.reserved(h)
		return
	}
	if h.payload.reserved == program.OnError {
		f := s.failureOf(h.payload, h.owner.State)
		s.resume(h.owner, s.withError(value.Errorf(f.Code, "%s", f.Message)), f)
		return
	}
	result := s.t.Frames[i].Wait.Result
	if h.payload.reserved == program.OnJoined {
		s.resume(h.owner, s.with(callResults(result, h.payload)), nil)
		return
	}
	s.resume(h.owner, s.with(callResult(result, h.payload)), nil)
}
