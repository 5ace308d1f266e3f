package program

import "flowc/validate/value"

func (e *encoder) program(p *Program) {
	e.text(p.Flow)
	e.uint(len(p.Types))
	list(e, p.Consts, (*encoder).value)
	e.texts(p.Builtins)
	each(e, p.Policies, (*encoder).policy)
	each(e, p.Events, func(e *encoder, v *Event) {
		e.text(v.Name)
		e.decl(v.Payload)
		e.flag(v.Internal)
	})
	each(e, p.Tasks, func(e *encoder, t *Task) {
		e.text(t.Name)
		e.decl(t.Params)
		e.decl(t.Result)
		e.texts(t.Fails)
		e.policy(&t.Policy)
	})
	list(e, p.Flows, (*encoder).flow)
	each(e, p.Codes, (*encoder).code)
}

func (e *encoder) policy(q *Policy) {
	e.int64(q.Within)
	e.int(q.Retries)
	e.int64(q.Backoff)
	e.int64(q.BackoffMax)
	e.text(q.Queue)
}

func (e *encoder) flow(f *Flow) {
	e.text(f.Name)
	e.decl(f.Input)
	each(e, f.Data, func(e *encoder, d *DataField) {
		e.text(d.Name)
		e.typ(d.Type)
		e.int(d.Default)
		e.int(d.Owner)
	})
	e.ints(f.Result)
	each(e, f.States, (*encoder).state)
}

func (e *encoder) state(s *State) {
	e.text(s.Name)
	e.text(s.Path)
	e.byte(byte(s.Kind))
	e.int(s.Parent)
	e.ints(s.Children)
	e.int(s.Initial)
	e.int(s.Last)
	e.byte(byte(s.Outcome))
	e.byte(byte(s.Join))
	e.int(s.JoinN)
	e.byte(byte(s.History))
	e.int(s.Entry)
	e.int(s.Exit)
	each(e, s.Handlers, (*encoder).handler)
	each(e, s.Always, func(e *encoder, a *Always) {
		e.int(a.Order)
		e.int(a.Guard)
		e.target(a.Target)
		e.int(a.Block)
	})
	each(e, s.Timers, (*encoder).timer)
	e.flag(s.Never)
	e.flag(s.Work != nil)
	if s.Work != nil {
		e.work(s.Work)
	}
	e.ints(s.Defer)
}

func (e *encoder) target(t Target) {
	e.byte(byte(t.Kind))
	e.int(t.State)
}

func (e *encoder) handler(h *Handler) {
	e.int(h.Order)
	each(e, h.Triggers, func(e *encoder, t *Trigger) {
		e.byte(byte(t.Reserved))
		e.int(t.Event)
	})
	e.int(h.Guard)
	e.flag(h.PayloadGuard)
	e.flag(h.RefuseOnly)
	e.target(h.Target)
	e.int(h.Block)
}

func (e *encoder) timer(t *Timer) {
	e.byte(byte(t.Kind))
	e.int(t.Order)
	e.text(t.Name)
	e.int(t.Dur)
	e.int(t.Time)
	e.ints(t.ReadsData)
	e.int(t.For)
	e.int(t.Times)
	e.byte(t.Days)
	e.int(t.Clock)
	e.int(t.Zone)
	e.int(t.Guard)
	e.target(t.Target)
	e.int(t.Block)
}

func (e *encoder) work(w *Work) {
	e.byte(byte(w.Kind))
	e.int(w.Task)
	e.int(w.Flow)
	e.int(w.Args)
	e.policy(&w.Policy)
	e.ints(w.May)
	e.int(w.Each)
	e.int(w.Concurrency)
	e.byte(byte(w.Join))
	e.int(w.JoinN)
	e.int(w.Key)
	e.int(w.Routine)
}

func (e *encoder) code(c *Code) {
	e.int(c.Flow)
	e.int(c.State)
	e.int(c.Params)
	each(e, c.Locals, func(e *encoder, l *Local) {
		e.text(l.Name)
		e.typ(l.Type)
	})
	list(e, c.Ins, func(e *encoder, in Ins) {
		e.byte(byte(in.Op))
		e.int(int(in.A))
		e.int(int(in.B))
	})
	each(e, c.Tries, func(e *encoder, t *Try) {
		e.int(t.From)
		e.int(t.To)
		e.int(t.Handler)
		e.texts(t.Codes)
		e.int(t.Var)
	})
	each(e, c.Calls, func(e *encoder, k *Call) {
		e.int(k.Task)
		e.int(k.Flow)
		e.policy(&k.Policy)
		e.flag(k.Keyed)
		e.optionalType(k.Result)
	})
	each(e, c.Waits, (*encoder).wait)
	list(e, c.Lambdas, func(e *encoder, l Lambda) {
		e.int(l.Code)
		e.int(l.Param)
		e.int(l.Args)
	})
}

func (e *encoder) optionalType(t *value.Type) {
	e.flag(t != nil)
	if t != nil {
		e.typ(t)
	}
}

func (e *encoder) wait(w *Wait) {
	e.byte(byte(w.Limit))
	each(e, w.Cases, func(e *encoder, k *WaitCase) {
		e.ints(k.Events)
		e.int(k.Guard)
		e.int(k.Target)
	})
	e.int(w.Target)
}
