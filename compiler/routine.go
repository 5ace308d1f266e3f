package compiler

import (
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// suspension compiles what stands in routines only; false for another statement.
func (k *coder) suspension(pos model.Pos, s model.Stmt) bool {
	switch s := s.(type) {
	case *model.CallTask:
		k.callTask(pos, s)
	case *model.CallFlow:
		k.callFlow(pos, s)
	case *model.Sleep:
		k.emit(pos, program.OpSleep, k.when(s.For, s.Until), 0)
	case *model.Wait:
		k.wait(pos, s)
	case *model.WaitBlock:
		k.waitCases(pos, s)
	case *model.Try:
		k.try(pos, s)
	case *model.Go:
		t := target(s.Target)
		k.emit(pos, program.OpGo, int(t.Kind), max(t.State, 0))
	default:
		return false
	}
	return true
}

// addCall adds an entry to the code's calls and returns its index.
func (k *coder) addCall(c program.Call) int {
	k.out.Calls = append(k.out.Calls, c)
	return len(k.out.Calls) - 1
}

// callTask compiles a call of one task, or of one for each item: then the arguments are a `map` over the list.
func (k *coder) callTask(pos model.Pos, s *model.CallTask) {
	result := value.RecordOf(orEmpty(s.Task.Result))
	call := program.Call{Task: k.task(s.Task), Flow: none, Policy: policyOf(s.Task, s.Policy), Result: result}
	op := program.OpCallTask
	if s.Each == nil {
		k.expr(s.Args)
	} else {
		op, result = program.OpCallTasks, value.ListOf(result)
		call.Result = result
		k.expr(s.Each)
		k.lambda(pos, "map", 1, s.Item, s.Args)
		if s.Concurrency != nil {
			k.expr(s.Concurrency)
		} else {
			k.emit(pos, program.OpNull, 0, 0)
		}
	}
	k.emit(pos, op, k.addCall(call), 0)
	k.keep(pos, s.Place, result)
}

// callFlow compiles a call of a flow. What it gives back is the flow's results with `final` and `outcome`.
func (k *coder) callFlow(pos model.Pos, s *model.CallFlow) {
	call := program.Call{Task: none, Flow: k.compiler.flow(s.Flow), Keyed: s.Key != nil}
	if s.Flow.Ended != nil {
		call.Result = value.RecordOf(s.Flow.Ended)
	}
	k.expr(s.Args)
	if s.Key != nil {
		k.expr(s.Key)
	}
	k.emit(pos, program.OpCallFlow, k.addCall(call), 0)
	k.keep(pos, s.Place, call.Result)
}

func (k *coder) addWait(w program.Wait) int {
	k.out.Waits = append(k.out.Waits, w)
	return len(k.out.Waits) - 1
}

func (k *coder) wait(pos model.Pos, s *model.Wait) {
	w := program.Wait{Cases: []program.WaitCase{{Events: []int{k.event(s.Event)}, Guard: none}}}
	switch {
	case s.Until != nil:
		w.Limit = program.LimitUntil
		k.expr(s.Until)
	case s.For != nil:
		w.Limit = program.LimitFor
		k.expr(s.For)
	}
	k.emit(pos, program.OpWait, k.addWait(w), 0)
	k.keep(pos, s.Place, value.Opt(value.RecordOf(orEmpty(s.Event.Payload))))
}

// waitCases compiles a wait with cases. `event` means the case's in its body, and again that of the case around it behind.
func (k *coder) waitCases(pos model.Pos, s *model.WaitBlock) {
	w := program.Wait{Cases: make([]program.WaitCase, len(s.Cases))}
	for i, c := range s.Cases {
		w.Cases[i] = program.WaitCase{Events: k.events(c.Events), Guard: none}
		if c.Guard != nil {
			w.Cases[i].Guard = k.piece(c.Guard)
		}
	}
	if s.After != nil {
		w.Limit = program.LimitFor
		k.expr(s.After)
	}
	k.cases++
	at := k.addWait(w)
	k.emit(pos, program.OpWaitCases, at, 0)
	var ends []int
	for i, c := range s.Cases {
		k.out.Waits[at].Cases[i].Target = k.here()
		k.depth++
		k.stmts(c.Body)
		k.depth--
		k.emit(c.Pos, program.OpUnwind, k.depth, 0)
		ends = append(ends, k.emit(c.Pos, program.OpJump, 0, 0))
	}
	if s.After != nil {
		k.out.Waits[at].Target = k.here()
		k.stmts(s.Else)
	}
	for _, jump := range ends {
		k.land(jump)
	}
}

// try compiles the body, which is where errors are caught, and then the catches. Inner entries come first in the table, since
// the first that holds the pc and the code takes the error.
func (k *coder) try(pos model.Pos, s *model.Try) {
	from, cases := k.here(), k.cases
	k.stmts(s.Body)
	to := k.here()
	ends := []int{k.emit(pos, program.OpJump, 0, 0)}
	for _, c := range s.Catches {
		k.out.Tries = append(k.out.Tries, program.Try{From: from, To: to, Handler: k.here(), Codes: c.Codes, Var: c.Var})
		if k.cases > cases {
			k.emit(c.Pos, program.OpUnwind, k.depth, 0)
		}
		k.stmts(c.Body)
		ends = append(ends, k.emit(c.Pos, program.OpJump, 0, 0))
	}
	for _, jump := range ends {
		k.land(jump)
	}
}
