package vm

import "flowc/validate/value"

// The limits of a step (R7, R50, R57). Code's own are in package machine.
const (
	MaxMoves    = 1000    // moves in one step, and timers that fire again and again at one instant
	MaxKept     = 1000    // stimuli kept while paused; likewise events that are deferred
	MaxItems    = 10_000  // items of a fan-out
	MaxResults  = 1 << 20 // bytes of a fan-out's results
	MaxSnapshot = 1 << 20 // bytes of a snapshot with its data; the inputs, fan-outs and the ids of events aside
	maxEffects  = 64 << 20
)

// The codes of exceeded limits that the step itself counts. Like the machine's they undo the step and fail the token.
const (
	CodeSteps    = "step_limit"
	CodeSnapshot = "snapshot_limit"
)

// The codes of failures that are no run-time errors of code.
const (
	CodeFail    = "failed"       // `fail "…"`
	CodeTimeout = "timeout"      // a timeout that nothing takes (R20)
	CodeChild   = "child_failed" // a child that failed
	CodeResults = "results_too_large"
	CodeLease   = "lease_lost"
)

// move counts one move and reports whether the step may go on.
func (s *step) move() bool {
	if s.halt != going {
		return false
	}
	if s.moves++; s.moves <= MaxMoves {
		return true
	}
	s.limit(CodeSteps, "more than 1,000 moves in one step")
	return false
}

func (s *step) limit(code, message string) {
	s.halt = limited
	s.fault = &Failure{Code: code, Message: message, State: s.here.state, CodeRef: -1, PC: -1, At: s.now}
}

// spend counts the bytes of what the step sends out.
func (s *step) spend(n int) bool {
	if s.bytes += n; s.bytes > maxEffects && s.halt == going {
		s.limit(value.CodeMemory, "one step offers, starts and sends more than 64 MiB")
	}
	return s.halt == going
}

// oversized reports whether the token's snapshot is over MaxSnapshot. It first adds up what the parts take at most and encodes
// only what comes near the limit.
func oversized(s *step) bool {
	if bound(s.t) < MaxSnapshot {
		return false
	}
	size, err := snapshotSize(s.p, s.t)
	return err != nil || size > MaxSnapshot
}

// bound is no less than what EncodeToken writes, the input and fan-outs aside. A value's JSON may be longer than its Size by
// escapes, six bytes for one.
func bound(t *Token) int {
	n := 4096
	for _, v := range t.Data {
		n += v.Size() * 6
	}
	n += 64*len(t.Active) + 256*len(t.Timers) + 160*(len(t.Work)+len(t.Children))
	for i := range t.Timers {
		n += 6 * t.Timers[i].Payload.Size()
	}
	for i := range t.Frames {
		n += 512
		for _, v := range t.Frames[i].Frame.Locals {
			n += 6 * v.Size()
		}
	}
	for i := range t.Fans {
		n += 256 + 21*len(t.Fans[i].Ended)
	}
	return n + keptSize(t.Deferred) + keptSize(t.Kept)
}

func keptSize(kept []Kept) int {
	n := 0
	for i := range kept {
		n += stimulusSize(&kept[i].Stimulus)
	}
	return n
}

func stimulusSize(s *Stimulus) int {
	n := 768 + len(s.Payload) + 6*(len(s.ID)+len(s.Actor)+len(s.Reason)+len(s.Event))
	if s.Task != nil {
		n += taskSize(s.Task)
	}
	for i := range s.Tasks {
		n += taskSize(&s.Tasks[i])
	}
	if s.Child != nil {
		n += childSize(s.Child)
	}
	for i := range s.Children {
		n += childSize(&s.Children[i])
	}
	return n
}

func taskSize(o *TaskOutcome) int {
	n := 256 + len(o.Result) + 6*len(o.Message)
	for i := range o.Schedule {
		n += 128 + len(o.Schedule[i].Payload)
	}
	return n
}

func childSize(o *ChildOutcome) int { return 512 + len(o.Result) + 6*(len(o.Message)+len(o.Reason)) }
