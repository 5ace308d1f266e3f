package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// eventArgs checks the arguments of an event.
func (x *coder) eventArgs(call *grammar.Call, s *symbol) model.Expr {
	if s == nil {
		if call != nil {
			x.looseArgs(call.Args)
		}
		return nil
	}
	m := x.payload(call.Args, s.event.Payload, "the event `"+s.name+"`", callRef(call))
	x.noteErrors(m)
	return m
}

func (x *coder) raise(n *grammar.RaiseStmt) model.Stmt {
	s := x.c.emittedEvent(x.env, n.Event, diag.ReservedEventRaised, "raised")
	args := x.eventArgs(n.Event, s)
	if s == nil {
		return nil
	}
	x.effects.raises = append(x.effects.raises, emission{sym: s, at: x.env.ofRef(callRef(n.Event))})
	return &model.Raise{Placed: x.placed(n), Event: s.event, Args: args}
}

func (x *coder) schedule(n *grammar.ScheduleStmt) model.Stmt {
	s := x.c.emittedEvent(x.env, n.Event, diag.ReservedEventScheduled, "scheduled")
	if x.where == inExit {
		x.c.report(x.env.at(wordSpan(n, "schedule")), diag.ScheduleInExit, "the state is being left, and its timers stop with it, so this one could never fire").
			help("schedule it in the transition's block, where it belongs to the state that is entered")
	}
	m := &model.Schedule{Placed: x.placed(n), Args: x.eventArgs(n.Event, s)}
	out := emission{sym: s, lives: x.lives}
	switch {
	case n.After != nil:
		m.After = x.value(n.After, value.TypeDuration, "the delay")
		out.dur = x.positiveTimer(n.After, m.After, "the delay")
	case n.At != nil:
		m.At = x.needTime(n.At, value.TypeTime, "the instant of `schedule`")
		x.noteErrors(m.At)
	}
	if s == nil {
		return nil
	}
	m.Event = s.event
	span := wordSpan(n, "schedule")
	span.End = callRef(n.Event).span().End
	out.at = x.env.at(span)
	if x.where != inExit {
		x.effects.schedules = append(x.effects.schedules, out)
	}
	return m
}

func (x *coder) unschedule(n *grammar.UnscheduleStmt) model.Stmt {
	r := pathRef(n.Event)
	if r.String() == "timeout" {
		x.c.report(x.env.ofRef(r), diag.UnknownEvent, "`unschedule` stops an event that was scheduled, and `timeout` is the state's own").
			help("`rearm timeout` starts it over")
		return nil
	}
	s := x.c.findDeclaredEvent(x.env, r)
	if s == nil {
		return nil
	}
	return &model.Unschedule{Placed: x.placed(n), Event: s.event}
}

// rearm finds the timer by name, from the block's state outwards: a declared one, or an event that was scheduled.
func (x *coder) rearm(n *grammar.RearmStmt) model.Stmt {
	r := pathRef(n.Timer)
	if len(r) == 0 || x.st == nil {
		return nil
	}
	if len(r) == 1 {
		for s := x.st; s != nil; s = s.parent {
			if i, t := s.timerNamed(r[0].Text); i >= 0 {
				x.c.rearms = append(x.c.rearms, rearmed{s, t})
				x.c.referTimer(x.env, r[0], s)
				return &model.Rearm{Placed: x.placed(n), State: s.m.Index, Timer: i}
			}
		}
	}
	if s := x.env.file.lookup(symEvent, r.names()); s != nil || x.c.eventParam(x.env, r) != nil {
		s = x.c.findEvent(x.env, r)
		if s == nil {
			return nil
		}
		return &model.Rearm{Placed: x.placed(n), State: x.state(), Timer: -1, Event: s.event}
	}
	var names []string
	for s := x.st; s != nil; s = s.parent {
		names = append(names, s.timerNames()...)
	}
	note := x.c.report(x.env.ofRef(r), diag.UnknownTimer, "no timer in reach is called `%s`", r)
	note.didYouMean(r.span(), r.String(), append(names, x.env.file.names(symEvent)...))
	if note.f.Help == "" {
		note.help("a timer gets its name by `as`: `after 2h as %s -> …`; `timeout` and `idle` have theirs", r)
	}
	return nil
}

// A rearmed is a timer that some statement starts over.
type rearmed struct {
	st   *state
	name string
}

// timerNamed finds a declared timer by its name, also before the item is checked; -1 when the state has none.
func (s *state) timerNamed(name string) (int, string) {
	for i, n := range s.timerNames() {
		if n == name {
			return i, name
		}
	}
	return -1, ""
}

// timerNames are the names of the timers that the state declares, in their order; "" for those without.
func (s *state) timerNames() []string {
	var out []string
	timeout, idle := false, false
	for _, item := range s.items {
		switch n := item.(type) {
		case *grammar.Timeout:
			if !timeout && !n.Never {
				out = append(out, "timeout")
			}
			timeout = true
		case *grammar.Idle:
			if !idle {
				out = append(out, "idle")
			}
			idle = true
		case *grammar.After:
			out = append(out, identText(n.As))
		case *grammar.At:
			out = append(out, identText(n.As))
		case *grammar.Every:
			out = append(out, identText(n.As))
		}
	}
	return out
}

// timerIdent is where a timer of the state gets its name by `as`; nil for `timeout` and `idle`.
func (s *state) timerIdent(name string) *grammar.Ident {
	for _, item := range s.items {
		var as *grammar.Ident
		switch n := item.(type) {
		case *grammar.After:
			as = n.As
		case *grammar.At:
			as = n.As
		case *grammar.Every:
			as = n.As
		}
		if as != nil && as.Text == name {
			return as
		}
	}
	return nil
}

// referTimer notes that a name stands for a timer of the state, also before the item that declares it is checked.
func (c *checker) referTimer(e *env, id *grammar.Ident, s *state) {
	if as := s.timerIdent(id.Text); as != nil {
		c.info.refer(e.file, id.Span(), c.info.define(s.env.file, DefTimer, as, as))
	}
}

func (x *coder) dispatch(n *grammar.DispatchStmt) model.Stmt {
	s := x.c.findTask(x.env, callRef(n.Call))
	if s == nil {
		if n.Call != nil {
			x.looseArgs(n.Call.Args)
		}
		return nil
	}
	m := &model.Dispatch{Placed: x.placed(n), Task: s.task, Policy: x.c.policyOf(x.env, &n.Clauses)}
	x.c.checkBackoffs(x.env, &n.Clauses, merge(s.task.Policy, m.Policy))
	m.Args = x.payload(n.Call.Args, s.task.Params, "the task `"+s.name+"`", callRef(n.Call))
	x.noteErrors(m.Args)
	return m
}

func (x *coder) startStmt(n *grammar.StartStmt) model.Stmt {
	s := x.c.findFlow(x.env, callRef(n.Flow))
	m := &model.Start{Placed: x.placed(n), Keep: n.Keep}
	if s != nil {
		m.Flow = s.flow.m
		m.Args = x.payload(n.Flow.Args, s.flow.m.Input, "the flow `"+s.name+"`", callRef(n.Flow))
		x.noteErrors(m.Args)
	} else if n.Flow != nil {
		x.looseArgs(n.Flow.Args)
	}
	if n.Key != nil {
		m.Key = x.value(n.Key, value.TypeString, "a key")
	}
	switch {
	case n.After != nil:
		m.After = x.value(n.After, value.TypeDuration, "the delay")
	case n.At != nil:
		m.At = x.needTime(n.At, value.TypeTime, "the instant of `start`")
		x.noteErrors(m.At)
	}
	if s == nil {
		return nil
	}
	return m
}

func (x *coder) send(n *grammar.SendStmt) model.Stmt {
	s := x.c.emittedEvent(x.env, n.Event, diag.ReservedEventSent, "sent")
	m := &model.Send{Placed: x.placed(n), Args: x.eventArgs(n.Event, s)}
	if !n.Parent {
		f := x.c.findFlow(x.env, pathRef(n.Flow))
		if f != nil {
			m.Flow = f.flow.m
		}
		if n.Key != nil {
			m.Key = x.value(n.Key, value.TypeString, "a key")
		}
		if f == nil {
			return nil
		}
	}
	if s == nil {
		return nil
	}
	m.Event = s.event
	return m
}
