package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// A fan-out (R57) is `do … each`, `invoke … each` or a routine's `call … each`. The snapshot holds its counts and what has ended as
// bits; fanrows.go has the rest.

// beginFan starts a leaf's work for each item of a list.
func (s *step) beginFan(v Visit, w *program.Work) {
	in := s.at(v.State, nil)
	list, ok := s.eval(w.Each, in)
	if !ok {
		return
	}
	if n := list.Len(); n > MaxItems {
		s.raiseErr(value.Errorf(value.CodeTooManyItems, "%d items, more than %d", n, MaxItems), in, w.Each)
		return
	}
	fan := Fan{State: v.State, Visit: v.Visit, Total: list.Len(), Begun: s.t.Version}
	if w.Kind == program.Invoke {
		fan.Flow = s.p.Flows[w.Flow].Name
	}
	if !s.fanNumbers(&fan, w, in) {
		return
	}
	for index, item := range list.All() {
		args, ok := s.eval(w.Args, in, item)
		if !ok {
			return
		}
		i := FanItem{Index: index, Input: encode(args)}
		if !s.key(&i, w.Key, in, item) || !s.spend(len(i.Input)) {
			return
		}
		fan.Items = append(fan.Items, i)
	}
	s.t.Fans = append(s.t.Fans, fan)
	for _, h := range s.advanceFan(len(s.t.Fans)-1, nil) {
		s.happen(h)
	}
	s.saveItems(v)
}

// fanNumbers evaluates how many run at once and how many successes are needed.
func (s *step) fanNumbers(fan *Fan, w *program.Work, in place) bool {
	if w.Concurrency >= 0 {
		n, ok := s.eval(w.Concurrency, in)
		if !ok {
			return false
		}
		if !n.IsNull() && n.Int() < 1 {
			s.raiseErr(value.Errorf(value.CodeRange, "concurrency is %d, and at least 1 is needed", n.Int()), in, w.Concurrency)
			return false
		}
		fan.Limit = clampInt(n.Int())
	}
	if w.Join == program.JoinCount {
		n, ok := s.eval(w.JoinN, in)
		if !ok {
			return false
		}
		fan.Need = clampInt(n.Int())
	}
	return true
}

// callEach begins a routine's `call … each`. The machine has seen to its limits.
func (s *step) callEach(v Visit, wait *machine.Suspension) {
	fan := Fan{State: v.State, Visit: v.Visit, Total: len(wait.Args), Limit: wait.Concurrency, Begun: s.t.Version}
	for index, args := range wait.Args {
		i := FanItem{Index: index, Input: encode(args)}
		if !s.spend(len(i.Input)) {
			return
		}
		fan.Items = append(fan.Items, i)
	}
	s.t.Fans = append(s.t.Fans, fan)
	s.advanceFan(len(s.t.Fans)-1, nil)
	s.saveItems(v)
}

func (s *step) fanAt(v Visit) int {
	for i := range s.t.Fans {
		if s.t.Fans[i].Visit == v.Visit && s.t.Fans[i].State == v.State {
			return i
		}
	}
	return -1
}

// fanJoin returns the join of a fan-out; a routine's call waits for all.
func fanJoin(f *program.Flow, t *Token, fan *Fan) program.JoinKind {
	if t.frameAt(fan.visit()) >= 0 {
		return program.JoinAll
	}
	return f.States[fan.State].Work.Join
}

func (fan *Fan) visit() Visit { return Visit{State: fan.State, Visit: fan.Visit} }

func (fan *Fan) tally() tally { return tally{fan.Total, fan.Succeeded, fan.Failed} }

func (fan *Fan) has(index int) bool {
	return index/64 < len(fan.Ended) && fan.Ended[index/64]&(1<<(index%64)) != 0
}

// id returns the id of an item's task or child.
func (fan *Fan) id(token string, index int) string { return FanID(token, fan.Visit, fan.Begun, index) }

// add puts in how an item ended. own says that the step may write the slices: the first time it copies them, with room to grow.
func (fan *Fan) add(r FanResult, own bool) {
	if !own {
		fan.Ended = append(make([]uint64, 0, fan.Total/64+1), fan.Ended...)
		fan.Results = append(make([]FanResult, 0, len(fan.Results)*5/4+4), fan.Results...)
	}
	for len(fan.Ended) <= r.Index/64 {
		fan.Ended = append(fan.Ended, 0)
	}
	fan.Ended[r.Index/64] |= 1 << (r.Index % 64)
	fan.Results = append(fan.Results, r)
	fan.Bytes += len(r.Value)
}

// setFan replaces Fans[i].
func (s *step) setFan(i int, fan Fan) {
	fans := append([]Fan(nil), s.t.Fans...)
	fans[i] = fan
	s.t.Fans = fans
}

// fanOutcome takes how one item ended and returns what the state is told, when that decides the join.
// fault is the error behind a failure, nil for a child that ended.
func (s *step) fanOutcome(i int, r FanResult, success bool, fault *Failure, found []happening) []happening {
	fan := s.t.Fans[i]
	if r.Index < 0 || r.Index >= fan.Next || fan.has(r.Index) {
		return found
	}
	fan.add(r, s.grown == fan.Visit)
	s.rows = append(s.rows, FanRow{FanRef: fan.ref(), Index: r.Index, Result: &fan.Results[len(fan.Results)-1]})
	s.grown = fan.Visit
	if success {
		fan.Succeeded++
	} else {
		fan.Failed++
	}
	s.setFan(i, fan)
	if fan.Bytes > MaxResults {
		return append(found, s.fanError(i, &Failure{Code: CodeResults, Message: "the results take more than 1 MiB"}))
	}
	if fault != nil && s.frameAt(fan.visit()) >= 0 {
		return append(found, s.fanError(i, fault))
	}
	return s.advanceFan(i, found)
}

// advanceFan joins a fan-out, or starts as many items as may run.
func (s *step) advanceFan(i int, found []happening) []happening {
	fan := s.t.Fans[i]
	decided, ok := fan.tally().joined(fanJoin(s.f, s.t, &fan), fan.Need)
	if decided {
		return append(found, s.joinFan(i, ok))
	}
	for fan.Next < fan.Total && (fan.Limit == 0 || fan.Next-fan.Succeeded-fan.Failed < fan.Limit) && s.halt == going {
		s.startItem(&fan)
	}
	s.setFan(i, fan)
	return found
}

func (s *step) startItem(fan *Fan) {
	item, ok := s.nextItem(fan)
	if !ok {
		return
	}
	index := fan.Next
	fan.Next++
	v := fan.visit()
	if fan.Flow != "" {
		s.startChild(v, s.f.States[fan.State].Work.Flow, item, fan.id(s.t.ID, index), index)
		return
	}
	o := s.fanTask(fan, item)
	o.ID, o.State, o.Visit, o.Index = fan.id(s.t.ID, index), s.path(fan.State), fan.Visit, index
	s.offered(o, "task-offered")
}

func (s *step) fanTask(fan *Fan, item FanItem) Offer {
	if i := s.frameAt(fan.visit()); i >= 0 {
		return s.task(s.t.Frames[i].Wait.Task, item.Input, s.t.Frames[i].Wait.Policy)
	}
	w := s.f.States[fan.State].Work
	o := s.task(w.Task, item.Input, w.Policy)
	o.May = s.eventNames(w.May)
	return o
}

// joinFan ends a fan-out whose join is decided.
func (s *step) joinFan(i int, ok bool) happening {
	fan := s.t.Fans[i]
	v := s.t.Active[s.visitOf(fan.State)]
	if len(fan.Results) < fan.Succeeded+fan.Failed {
		s.unloaded(Unloaded{Need: FanNeed{FanRef: fan.ref(), Results: true}})
	}
	results := s.fanResults(&fan)
	s.closeFan(i)
	s.line(Line{Kind: "joined", State: s.path(v.State), Visit: v.Visit})
	return happening{owner: v, payload: joinedEvent(ok, fan.tally(), results)}
}

// fanError ends a fan-out with an error of its state or routine.
func (s *step) fanError(i int, fault *Failure) happening {
	fan := s.t.Fans[i]
	v := s.t.Active[s.visitOf(fan.State)]
	s.closeFan(i)
	return happening{owner: v, payload: errorEvent(fault)}
}

// closeFan takes a fan-out away and ends what still runs of it.
func (s *step) closeFan(i int) {
	fan := s.t.Fans[i]
	v := fan.visit()
	fans := make([]Fan, 0, len(s.t.Fans))
	s.t.Fans = append(append(fans, s.t.Fans[:i]...), s.t.Fans[i+1:]...)
	s.over = append(s.over, fan.ref())
	for index := range fan.Next {
		if fan.has(index) {
			continue
		}
		if id := fan.id(s.t.ID, index); fan.Flow == "" {
			s.withdrawn(id, v)
		} else {
			s.cancelChild(id, fan.Flow, v)
		}
	}
}

// endFan ends a visit's fan-out, if it has one.
func (s *step) endFan(v Visit) {
	if i := s.fanAt(v); i >= 0 {
		s.closeFan(i)
	}
}

// fanResults are `event.results`, in the order of the list.
func (s *step) fanResults(fan *Fan) []value.Value {
	rows := make([]*FanResult, fan.Total)
	for i := range fan.Results {
		rows[fan.Results[i].Index] = &fan.Results[i]
	}
	results := make([]value.Value, fan.Total)
	for i, r := range rows {
		fields := make([]value.Value, 6)
		fields[0] = value.OfInt(int64(i))
		if r != nil {
			fields[2], fields[3], fields[4] = optional(r.Final), outcomeValue(r.Outcome), optional(r.Code)
			fields[5] = s.fanValue(fan, r)
		}
		results[i] = value.OfRecord(resultDecl, fields)
	}
	return results
}

func (s *step) fanValue(fan *Fan, r *FanResult) value.Value {
	if len(r.Value) == 0 {
		return value.Value{}
	}
	if fan.Flow != "" {
		return s.childRecord(fan.Flow, r.Value)
	}
	v, err := value.DecodeStored(r.Value, value.RecordOf(s.p.Tasks[s.fanTaskIndex(fan)].Result))
	if err != nil {
		return value.Value{}
	}
	return v
}

func (s *step) fanTaskIndex(fan *Fan) int {
	if i := s.frameAt(fan.visit()); i >= 0 {
		return s.t.Frames[i].Wait.Task
	}
	return s.f.States[fan.State].Work.Task
}
