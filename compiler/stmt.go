package compiler

import (
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

func (k *coder) stmts(ss []model.Stmt) {
	for _, s := range ss {
		k.stmt(s)
	}
}

// stmt compiles a statement; before it and after it the operand stack is empty, so that a routine can be saved at any of them.
func (k *coder) stmt(s model.Stmt) {
	pos := s.Position()
	switch s := s.(type) {
	case *model.Assign:
		k.assign(pos, &s.Place, func() { k.expr(s.Value) })
	case *model.Unset:
		k.unset(pos, &s.Place)
	case *model.If:
		k.branch(pos, s)
	case *model.For:
		k.forEach(pos, s)
	case *model.While:
		k.while(pos, s)
	case *model.Break:
		k.leave(pos, true)
	case *model.Continue:
		k.leave(pos, false)
	case *model.Note:
		k.expr(s.Text)
		k.emit(pos, program.OpNote, 0, 0)
	case *model.Refuse:
		k.expr(s.Text)
		k.emit(pos, program.OpRefuse, 0, 0)
	case *model.Fail:
		k.expr(s.Text)
		k.emit(pos, program.OpFail, 0, 0)
	default:
		if !k.effect(pos, s) && !k.suspension(pos, s) {
			k.fail("a statement of type %T is not known to the compiler", s)
		}
	}
}

func (k *coder) branch(pos model.Pos, s *model.If) {
	k.expr(s.Cond)
	otherwise := k.emit(pos, program.OpJumpNot, 0, 0)
	k.stmts(s.Then)
	if len(s.Else) == 0 {
		k.land(otherwise)
		return
	}
	end := k.emit(pos, program.OpJump, 0, 0)
	k.land(otherwise)
	k.stmts(s.Else)
	k.land(end)
}

// forEach keeps the list and the position in hidden locals, which are unset once the loop is left, so that a saved frame does
// not carry a list that nothing reads any more.
func (k *coder) forEach(pos model.Pos, s *model.For) {
	k.expr(s.List)
	k.emit(pos, program.OpSetLocal, s.Iter, 0)
	k.constant(pos, value.OfInt(0))
	k.emit(pos, program.OpSetLocal, s.Count, 0)
	again := k.emit(pos, program.OpNext, s.Iter, s.Count)
	end := k.emit(pos, program.OpJumpNot, 0, 0)
	k.emit(pos, program.OpSetLocal, s.Var, 0)
	k.loop(pos, again, s.Body)
	k.land(end)
	k.emit(pos, program.OpPop, 0, 0)
	k.landBreaks()
	k.emit(pos, program.OpClear, s.Iter, 0)
}

func (k *coder) while(pos model.Pos, s *model.While) {
	again := k.here()
	k.expr(s.Cond)
	end := k.emit(pos, program.OpJumpNot, 0, 0)
	k.loop(pos, again, s.Body)
	k.land(end)
	k.landBreaks()
}

// loop compiles a loop's body and the way back.
func (k *coder) loop(pos model.Pos, again int, body []model.Stmt) {
	k.loops = append(k.loops, loop{depth: k.depth, again: again})
	k.stmts(body)
	k.emit(pos, program.OpJump, again, 0)
}

// landBreaks ends the loop: its breaks lead here.
func (k *coder) landBreaks() {
	last := len(k.loops) - 1
	for _, jump := range k.loops[last].breaks {
		k.land(jump)
	}
	k.loops = k.loops[:last]
}

// leave compiles `break` and `continue`; the events of wait cases inside the loop end with them.
func (k *coder) leave(pos model.Pos, breaks bool) {
	if len(k.loops) == 0 {
		k.fail("`break` or `continue` outside a loop")
		return
	}
	l := &k.loops[len(k.loops)-1]
	if k.depth > l.depth {
		k.emit(pos, program.OpUnwind, l.depth, 0)
	}
	jump := k.emit(pos, program.OpJump, l.again, 0)
	if breaks {
		l.breaks = append(l.breaks, jump)
	}
}

// effect compiles what a block does to its token and to others; false for another statement.
func (k *coder) effect(pos model.Pos, s model.Stmt) bool {
	switch s := s.(type) {
	case *model.Raise:
		k.expr(s.Args)
		k.emit(pos, program.OpRaise, k.event(s.Event), 0)
	case *model.Schedule:
		k.expr(s.Args)
		at := k.when(s.After, s.At)
		k.emit(pos, program.OpSchedule, k.event(s.Event), at)
	case *model.Unschedule:
		k.emit(pos, program.OpUnschedule, k.event(s.Event), 0)
	case *model.Rearm:
		if s.Timer < 0 {
			k.emit(pos, program.OpRearmEvent, k.event(s.Event), 0)
		} else {
			k.emit(pos, program.OpRearm, s.State, s.Timer)
		}
	case *model.Dispatch:
		k.expr(s.Args)
		k.emit(pos, program.OpDispatch, k.task(s.Task), k.policy(policyOf(s.Task, s.Policy)))
	case *model.Start:
		k.start(pos, s)
	case *model.Send:
		k.send(pos, s)
	default:
		return false
	}
	return true
}

// when pushes a duration or an instant and returns 1 for an instant.
func (k *coder) when(after, at model.Expr) int {
	if at != nil {
		k.expr(at)
		return 1
	}
	k.expr(after)
	return 0
}

func (k *coder) start(pos model.Pos, s *model.Start) {
	flags := 0
	k.expr(s.Args)
	if s.Key != nil {
		k.expr(s.Key)
		flags |= program.StartKeyed
	}
	if s.Keep {
		flags |= program.StartKeep
	}
	switch {
	case s.At != nil:
		k.expr(s.At)
		flags |= program.StartAt
	case s.After != nil:
		k.expr(s.After)
		flags |= program.StartAfter
	}
	k.emit(pos, program.OpStart, k.compiler.flow(s.Flow), flags)
}

func (k *coder) send(pos model.Pos, s *model.Send) {
	k.expr(s.Args)
	to := none
	if s.Flow != nil {
		k.expr(s.Key)
		to = k.text(s.Flow.Name)
	}
	k.emit(pos, program.OpSend, k.event(s.Event), to)
}
