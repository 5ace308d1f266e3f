package program

import "flowc/validate/value"

func (d *decoder) program() *Program {
	p := &Program{Flow: d.text()}
	n := d.uint()
	if n > len(d.decls) {
		d.fail("%d types of %d declarations", n, len(d.decls))
		return p
	}
	if n > 0 {
		p.Types = d.decls[:n:n]
	}
	p.Consts = items(d, func(d *decoder) value.Value { return d.value(value.MaxDepth) })
	p.Builtins = d.texts()
	p.Policies = items(d, (*decoder).policy)
	p.Events = items(d, func(d *decoder) Event {
		return Event{Name: d.text(), Payload: d.decl(), Internal: d.flag()}
	})
	p.Tasks = items(d, func(d *decoder) Task {
		return Task{Name: d.text(), Params: d.decl(), Result: d.decl(), Fails: d.texts(), Policy: d.policy()}
	})
	p.Flows = items(d, (*decoder).flow)
	p.Codes = items(d, (*decoder).code)
	return p
}

func (d *decoder) policy() Policy {
	return Policy{Within: d.int64(), Retries: d.int(), Backoff: d.int64(), BackoffMax: d.int64(), Queue: d.text()}
}

func (d *decoder) flow() *Flow {
	return &Flow{
		Name:  d.text(),
		Input: d.decl(),
		Data: items(d, func(d *decoder) DataField {
			return DataField{Name: d.text(), Type: d.typ(maxTypeDepth), Default: d.int(), Owner: d.int()}
		}),
		Result: d.ints(),
		States: items(d, (*decoder).state),
	}
}

func (d *decoder) state() State {
	s := State{
		Name:     d.text(),
		Path:     d.text(),
		Kind:     StateKind(d.byte()),
		Parent:   d.int(),
		Children: d.ints(),
		Initial:  d.int(),
		Last:     d.int(),
		Outcome:  Outcome(d.byte()),
		Join:     JoinKind(d.byte()),
		JoinN:    d.int(),
		History:  HistoryKind(d.byte()),
		Entry:    d.int(),
		Exit:     d.int(),
		Handlers: items(d, (*decoder).handler),
		Always: items(d, func(d *decoder) Always {
			return Always{Order: d.int(), Guard: d.int(), Target: d.target(), Block: d.int()}
		}),
		Timers: items(d, (*decoder).timer),
		Never:  d.flag(),
	}
	if d.flag() {
		s.Work = d.work()
	}
	s.Defer = d.ints()
	return s
}

func (d *decoder) target() Target { return Target{Kind: TargetKind(d.byte()), State: d.int()} }

func (d *decoder) handler() Handler {
	return Handler{
		Order: d.int(),
		Triggers: items(d, func(d *decoder) Trigger {
			return Trigger{Reserved: Reserved(d.byte()), Event: d.int()}
		}),
		Guard:        d.int(),
		PayloadGuard: d.flag(),
		RefuseOnly:   d.flag(),
		Target:       d.target(),
		Block:        d.int(),
	}
}

func (d *decoder) timer() Timer {
	return Timer{
		Kind:      TimerKind(d.byte()),
		Order:     d.int(),
		Name:      d.text(),
		Dur:       d.int(),
		Time:      d.int(),
		ReadsData: d.ints(),
		For:       d.int(),
		Times:     d.int(),
		Days:      d.byte(),
		Clock:     d.int(),
		Zone:      d.int(),
		Guard:     d.int(),
		Target:    d.target(),
		Block:     d.int(),
	}
}

func (d *decoder) work() *Work {
	return &Work{
		Kind:        WorkKind(d.byte()),
		Task:        d.int(),
		Flow:        d.int(),
		Args:        d.int(),
		Policy:      d.policy(),
		May:         d.ints(),
		Each:        d.int(),
		Concurrency: d.int(),
		Join:        JoinKind(d.byte()),
		JoinN:       d.int(),
		Key:         d.int(),
		Routine:     d.int(),
	}
}

func (d *decoder) code() Code {
	return Code{
		Flow:   d.int(),
		State:  d.int(),
		Params: d.int(),
		Locals: items(d, func(d *decoder) Local { return Local{Name: d.text(), Type: d.typ(maxTypeDepth)} }),
		Ins: items(d, func(d *decoder) Ins {
			return Ins{Op: Op(d.byte()), A: int32(d.int()), B: int32(d.int())}
		}),
		Tries: items(d, func(d *decoder) Try {
			return Try{From: d.int(), To: d.int(), Handler: d.int(), Codes: d.texts(), Var: d.int()}
		}),
		Calls: items(d, func(d *decoder) Call {
			return Call{Task: d.int(), Flow: d.int(), Policy: d.policy(), Keyed: d.flag(), Result: d.optionalType()}
		}),
		Waits: items(d, func(d *decoder) Wait {
			return Wait{Limit: LimitKind(d.byte()), Cases: items(d, (*decoder).waitCase), Target: d.int()}
		}),
		Lambdas: items(d, func(d *decoder) Lambda { return Lambda{Code: d.int(), Param: d.int(), Args: d.int()} }),
	}
}

func (d *decoder) waitCase() WaitCase {
	return WaitCase{Events: d.ints(), Guard: d.int(), Target: d.int()}
}

func (d *decoder) optionalType() *value.Type {
	if !d.flag() {
		return nil
	}
	return d.typ(maxTypeDepth)
}
