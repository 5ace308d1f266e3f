package vm

import "flowc/compiler/program"

// CanJoin reports whether an outcome of a fan-out's task fits, so that one step may take it together with others of the same fan-out
// (Stimulus.Tasks, R57). Events and what workers schedule are steps of their own.
func CanJoin(p *program.Program, t *Token, st *Stimulus) bool {
	f := flowOf(p, t.Flow)
	if f == nil || t.Status != Running || st.Event != "" || len(st.Tasks) > 0 || len(st.Task.Schedule) > 0 || st.Task.Dispatched {
		return false
	}
	s := newStep(p, f, t, st, t.LastAt)
	v, ok := s.waitsFor(st.Task)
	return ok && s.workAt(st.Task.ID) < 0 && s.checkOutcome(v, st) == nil
}

// takeTask takes the outcome of a task.
func (s *step) takeTask(st *Stimulus) Answer {
	o := st.Task
	if o == nil {
		return s.invalid(PayloadInvalid, "an outcome without a task")
	}
	if o.Dispatched {
		return s.dispatched(o)
	}
	if s.t.Status != Running && s.t.Status != Paused {
		return s.leaseLost()
	}
	v, ok := s.waitsFor(o)
	if !ok {
		return s.leaseLost()
	}
	if bad := s.checkOutcome(v, st); bad != nil {
		return *bad
	}
	if s.t.Status == Paused {
		return s.keep(st)
	}
	if st.Event != "" {
		return s.taskEvent(v, st)
	}
	return s.taskEnded(v, st)
}

// dispatched appends what became of work that nobody waits for; it outlives the token (R47).
func (s *step) dispatched(o *TaskOutcome) Answer {
	s.same = true
	s.taskLine(o, Visit{State: -1})
	return Answer{Outcome: Accepted}
}

func (s *step) leaseLost() Answer {
	s.same = true
	return Answer{Outcome: LeaseLost, Code: Withdrawn, Reason: "the token waits for this task no more"}
}

// waitsFor returns the visit that waits for a task.
func (s *step) waitsFor(o *TaskOutcome) (Visit, bool) {
	if i := s.workAt(o.ID); i >= 0 {
		w := s.t.Work[i]
		return s.t.Active[s.visitOf(w.State)], true
	}
	for i := range s.t.Fans {
		fan := &s.t.Fans[i]
		if fan.Flow == "" && fan.Visit == o.Visit && o.Index >= 0 && o.Index < fan.Next && !fan.has(o.Index) && fan.id(s.t.ID, o.Index) == o.ID {
			return s.t.Active[s.visitOf(fan.State)], true
		}
	}
	return Visit{}, false
}

// taskEvent ends a task with an event. One that nothing takes is refused, nothing of the outcome is saved and the lease goes on
// (R45); it does not wait as deferred either, since a worker can wait by itself.
func (s *step) taskEvent(v Visit, st *Stimulus) Answer {
	e, bad := s.mayEvent(s.may(v), st.Event, st.Payload, "")
	if bad != nil {
		return *bad
	}
	e.actor = st.Actor
	found, ok := s.pick(e)
	if ok && len(found) == 0 {
		return s.refuseEvent(st.Event, "")
	}
	s.active()
	s.line(Line{Kind: "event-accepted", Name: st.Event, Text: "from the worker of " + st.Task.Task})
	s.taskTaken(v, st.Task)
	if s.halt != going {
		s.keepLines()
		return Answer{Outcome: ErrorOutcome}
	}
	s.taken()
	s.carryOut(found, e)
	s.saveSchedules(v, st.Task)
	s.settle()
	return Answer{Outcome: Accepted}
}

// taskTaken takes a task from the work that is waited for.
func (s *step) taskTaken(v Visit, o *TaskOutcome) {
	s.taskLine(o, v)
	if i := s.workAt(o.ID); i >= 0 {
		s.removeWork(i)
		return
	}
	if k := s.fanAt(v); k >= 0 {
		for _, h := range s.fanOutcome(k, FanResult{Index: o.Index}, true, nil, nil) {
			s.happen(h)
		}
	}
}

func (s *step) taskLine(o *TaskOutcome, v Visit) {
	l := Line{Kind: "task-completed", State: s.path(v.State), Visit: v.Visit, Name: o.Task, ID: o.ID}
	if o.Code != "" {
		l.Kind, l.Text = "task-failed", o.Code+": "+o.Message
	}
	s.line(l)
}

// taskEnded takes a result or an error, and more of them from one fan-out in the same step (R57).
func (s *step) taskEnded(v Visit, st *Stimulus) Answer {
	found := s.taskOutcome(v, st.Task, nil)
	answer := Answer{Outcome: Accepted}
	for i := range st.Tasks {
		if v, ok := s.waitsFor(&st.Tasks[i]); ok {
			found = s.taskOutcome(v, &st.Tasks[i], found)
		} else {
			answer.Left = append(answer.Left, st.Tasks[i].ID)
		}
	}
	s.taken()
	for _, h := range found {
		if s.halt == going {
			s.entered = -1
			s.tell(h)
			s.saveSchedules(v, st.Task)
			s.settle()
		}
	}
	if len(found) == 0 {
		s.saveSchedules(v, st.Task)
		s.settle()
	}
	return answer
}

// taskOutcome takes one outcome and adds what the state or routine is told.
func (s *step) taskOutcome(v Visit, o *TaskOutcome, found []happening) []happening {
	s.taskLine(o, v)
	f := &Failure{Code: o.Code, Message: o.Message, Attempts: o.Attempts, Source: o.Task, State: v.State, CodeRef: -1, PC: -1, At: s.now}
	if i := s.workAt(o.ID); i >= 0 {
		s.removeWork(i)
		if o.Code != "" {
			return append(found, happening{owner: v, payload: errorEvent(f)})
		}
		return append(found, happening{owner: v, payload: s.taskResult(o)})
	}
	k := s.fanAt(v)
	if k < 0 {
		return found
	}
	if o.Code != "" {
		return s.fanOutcome(k, FanResult{Index: o.Index, Code: o.Code}, false, f, found)
	}
	return s.fanOutcome(k, FanResult{Index: o.Index, Value: encode(s.taskResult(o).record)}, true, nil, found)
}

// taskResult is `completed` of a task: its result.
func (s *step) taskResult(o *TaskOutcome) *payload {
	e := reservedEvent(program.OnCompleted)
	if i := taskIndex(s, o.Task); i >= 0 {
		e.record, _ = decodeRecord(s.p.Tasks[i].Result, o.Result)
	}
	return e
}

// saveSchedules arms what a worker scheduled with its outcome, for the state that the outcome entered, otherwise for that of the
// task; what failed schedules nothing (R14).
func (s *step) saveSchedules(v Visit, o *TaskOutcome) {
	if s.halt != going || len(o.Schedule) == 0 || o.Code != "" {
		return
	}
	owner := s.entered
	if owner < 0 {
		owner = v.State
	}
	for i := range o.Schedule {
		sc := &o.Schedule[i]
		event := eventIndex(s.p, sc.Event)
		record, errs := decodePayload(s.p, event, sc.Payload)
		if event < 0 || len(errs) > 0 {
			continue
		}
		p := pending{owner: owner, event: event, payload: record}
		if p.at = sc.At != nil; p.at {
			p.when = *sc.At
		} else {
			p.when = *sc.After
		}
		s.scheduleFor(p)
	}
}

// takeKeptTask takes an outcome that came during a pause. An event that nothing takes any more cannot go back to the worker, so
// the state is told with an error.
func (s *step) takeKeptTask(st *Stimulus) Answer {
	v, ok := s.waitsFor(st.Task)
	if s.t.Status != Running || !ok {
		s.line(Line{Kind: "event-dropped", Name: st.Task.Task, Text: "the token waits for this task no more"})
		return Answer{Outcome: LeaseLost, Code: Withdrawn}
	}
	if st.Event == "" {
		return s.taskEnded(v, st)
	}
	a := s.taskEvent(v, st)
	if a.Outcome != Refused && s.halt != refusing {
		return a
	}
	reason := s.reason
	s.undo(&s.basis)
	s.same = false
	s.refuseLine(st.Event, reason)
	failed := *st.Task
	failed.Code, failed.Message = CodeLease, "the event `"+st.Event+"` was refused after the pause"
	return s.taskEnded(v, &Stimulus{Kind: OnTask, Task: &failed})
}

// takeChild takes how children ended. What nobody waits for any more still counts in the totals.
func (s *step) takeChild(st *Stimulus) Answer {
	if st.Child == nil && len(st.Children) == 0 {
		s.same = true
		return Answer{Outcome: Accepted}
	}
	if s.t.Status == Paused && s.awaited(st) {
		return s.keep(st)
	}
	found := s.childOutcomes(st)
	s.taken()
	for _, h := range found {
		if s.halt == going {
			s.tell(h)
			s.settle()
		}
	}
	if s.t.Status == Running {
		s.settle()
	}
	return Answer{Outcome: Accepted}
}

// awaited reports whether an outcome is waited for, so that a pause keeps it.
func (s *step) awaited(st *Stimulus) bool {
	all := st.Children
	if st.Child != nil {
		all = append([]ChildOutcome{*st.Child}, all...)
	}
	for i := range all {
		if s.visiting(Visit{State: all[i].State, Visit: all[i].Visit}) {
			return true
		}
	}
	return false
}
