package vm

import (
	"encoding/json"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// beginWork offers a leaf's task, starts its child, or notes that its routine is to be run.
func (s *step) beginWork(v Visit) {
	w := s.f.States[v.State].Work
	switch {
	case w == nil:
	case w.Kind == program.Run:
		s.starts = append(s.starts, v)
	case w.Each >= 0:
		s.beginFan(v, w)
	case w.Kind == program.Do:
		if args, ok := s.eval(w.Args, s.at(v.State, nil)); ok {
			s.offer(v, w.Task, args, w.Policy, w.May)
		}
	default:
		s.invoke(v, w)
	}
}

// offer offers a task that the token waits for.
func (s *step) offer(v Visit, task int, args value.Value, policy program.Policy, may []int) {
	o := s.task(task, encode(args), policy)
	o.ID, o.State, o.Visit, o.May = s.id(), s.path(v.State), v.Visit, s.eventNames(may)
	s.t.Work = append(s.t.Work, Work{Task: o.ID, State: v.State, Visit: v.Visit})
	s.offered(o, "task-offered")
}

func (s *step) task(task int, input json.RawMessage, policy program.Policy) Offer {
	return Offer{Task: s.p.Tasks[task].Name, Queue: queueOf(policy), Input: input, Policy: policy, Fails: s.p.Tasks[task].Fails}
}

func queueOf(p program.Policy) string {
	if p.Queue == "" {
		return "default"
	}
	return p.Queue
}

func (s *step) offered(o Offer, kind string) {
	s.offers = append(s.offers, o)
	s.line(Line{Kind: kind, State: o.State, Visit: o.Visit, Name: o.Task, ID: o.ID})
	s.spend(len(o.Input))
}

func (s *step) eventNames(events []int) []string {
	if len(events) == 0 {
		return nil
	}
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = s.p.Events[e].Name
	}
	return names
}

func encode(v value.Value) json.RawMessage { return value.AppendJSON(nil, v) }

// Dispatch offers a task that nobody waits for (R47).
func (s *step) Dispatch(task int, args value.Value, policy program.Policy) {
	o := s.task(task, encode(args), policy)
	o.ID, o.Dispatched = s.id(), true
	s.offered(o, "task-dispatched")
}

// stopWork withdraws what a visit waits for, ends its routine and, when the state is left, cancels its children.
func (s *step) stopWork(v Visit, cancel bool) {
	s.withdrawWork(v)
	s.endRoutine(v)
	s.endFan(v)
	if cancel {
		s.cancelChildren(v)
	}
}

func (s *step) withdrawWork(v Visit) {
	var kept []Work
	for i, w := range s.t.Work {
		if w.Visit != v.Visit || w.State != v.State {
			if kept != nil {
				kept = append(kept, w)
			}
			continue
		}
		if kept == nil {
			kept = append(make([]Work, 0, len(s.t.Work)), s.t.Work[:i]...)
		}
		s.withdrawn(w.Task, v)
	}
	if kept != nil {
		s.t.Work = kept
	}
}

func (s *step) withdrawn(id string, v Visit) {
	s.withdraw = append(s.withdraw, id)
	s.line(Line{Kind: "task-withdrawn", State: s.path(v.State), Visit: v.Visit, ID: id})
}

// workAt returns the position of an offered task, -1 when it was withdrawn.
func (s *step) workAt(id string) int {
	for i := range s.t.Work {
		if s.t.Work[i].Task == id {
			return i
		}
	}
	return -1
}

func (s *step) removeWork(i int) {
	work := make([]Work, 0, len(s.t.Work))
	s.t.Work = append(append(work, s.t.Work[:i]...), s.t.Work[i+1:]...)
}
