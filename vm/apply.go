package vm

import (
	"errors"
	"fmt"

	"flowc/compiler/program"
)

// Apply steps a token: first the timers that are due fire, in their order and each as a step of its own (R12, R16), then the
// stimulus is taken (nil: timers only), then what follows from it: errors, events that waited, timers due at the same instant.
// The instant is never before the token's last one. t is nil for OnStart, which makes the token.
//
// Apply changes neither t nor anything that it is given. An error means that rows have to be loaded first (Unloaded), that the
// snapshot does not fit the program, or a bug; faults of the flow are in the Result.
func Apply(p *program.Program, t *Token, st *Stimulus, now int64) (*Result, error) {
	x, err := newApply(p, t, st, now)
	if err != nil {
		return nil, err
	}
	if x.fireDue(); st != nil {
		x.res.Answer = x.take(st)
	}
	x.takeKept()
	x.fireDue()
	return x.res, x.err
}

// ErrNoToken says that a stimulus other than OnStart has no token.
var ErrNoToken = errors.New("there is no token to step")

// apply is one call of Apply.
type apply struct {
	p       *program.Program
	f       *program.Flow
	now     int64
	res     *Result
	derived int // timers and errors that followed
	allowed int
	err     error
}

func newApply(p *program.Program, t *Token, st *Stimulus, now int64) (*apply, error) {
	x := &apply{p: p, now: now, res: &Result{Token: t}}
	name := ""
	switch {
	case t != nil:
		name = t.Flow
		x.now = max(now, t.LastAt)
		x.allowed = len(t.Timers)
	case st == nil || st.Kind != OnStart || st.Start == nil:
		return nil, ErrNoToken
	default:
		name = st.Start.Flow
	}
	if x.f = flowOf(p, name); x.f == nil {
		return nil, fmt.Errorf("the program has no flow %q", name)
	}
	x.allowed += MaxMoves
	return x, nil
}

func flowOf(p *program.Program, name string) *program.Flow {
	for _, f := range p.Flows {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// fireDue fires all timers that are due.
func (x *apply) fireDue() {
	for x.err == nil && x.res.Token != nil {
		t := x.res.Token
		if t.Status != Running && t.Status != Scheduled {
			return
		}
		i := nextTimer(x.f, t, x.now)
		if i < 0 {
			return
		}
		if x.derived++; x.derived > x.allowed {
			x.take(stepLimit(t, "timers that are due at once fire again and again"))
			return
		}
		tm := &t.Timers[i]
		x.take(&Stimulus{Kind: OnTimer, Timer: &TimerRef{ID: timerID(x.p, x.f, tm), Visit: tm.Visit, Due: tm.Due}})
	}
}

// stepLimit is the stimulus that ends a loop of steps at one instant (R7).
func stepLimit(t *Token, text string) *Stimulus {
	return &Stimulus{Kind: OnError, Failure: &Failure{Code: CodeSteps, Message: text, State: t.innermost(), CodeRef: -1, PC: -1}}
}

func (t *Token) innermost() int {
	if len(t.Active) == 0 {
		return -1
	}
	return t.Active[len(t.Active)-1].State
}

// takeKept applies what was kept during a pause, in the order of receipt (R50).
func (x *apply) takeKept() {
	for x.err == nil && x.res.Token != nil && x.res.Token.Status != Paused && len(x.res.Token.Kept) > 0 {
		k := x.res.Token.Kept[0].Stimulus
		x.take(&Stimulus{Kind: OnKept, Event: k.Event, Actor: k.Actor, ID: k.ID, From: k.From})
	}
}

// take makes one step and those that follow from it at once.
func (x *apply) take(st *Stimulus) Answer {
	if x.err != nil {
		return Answer{}
	}
	out, err := take(x.p, x.f, x.res.Token, st, x.now)
	if err != nil {
		x.err = err
		return Answer{}
	}
	x.add(out)
	for i := range out.failures {
		x.takeFailure(&out.failures[i])
	}
	x.takeDeferred()
	return out.answer
}

func (x *apply) add(o *outcome) {
	r := x.res
	r.Token = o.token
	r.DataChanged = r.DataChanged || o.data
	if o.step != nil {
		r.Steps = append(r.Steps, *o.step)
	}
	r.Offers = append(r.Offers, o.offers...)
	r.Withdraw = append(r.Withdraw, o.withdraw...)
	r.Messages = append(r.Messages, o.messages...)
	r.FanRows = append(r.FanRows, o.rows...)
	r.ClosedFans = append(r.ClosedFans, o.over...)
	r.Seen = append(r.Seen, o.seen...)
	r.Taken = append(r.Taken, o.taken...)
}

// takeFailure makes the step of an error (R8), unless the token has ended or failed meanwhile.
func (x *apply) takeFailure(f *Failure) {
	t := x.res.Token
	if x.err != nil || t.Status != Running {
		return
	}
	if i := activeAt(t, f.State); f.Visit != 0 && (i < 0 || t.Active[i].Visit != f.Visit) {
		return // the state has been left, and the routine with it
	}
	if x.derived++; x.derived > x.allowed {
		x.take(stepLimit(t, "errors follow one another without end"))
		return
	}
	x.take(&Stimulus{Kind: OnError, Failure: f})
}

// takeDeferred gives the first deferred event that somebody takes now to them, and so on until none is left that somebody takes.
func (x *apply) takeDeferred() {
	if x.err != nil || x.res.Token == nil || len(x.res.Token.Deferred) == 0 || x.res.Token.Status != Running {
		return
	}
	if i := takeable(x.p, x.f, x.res.Token, x.now); i >= 0 {
		x.take(&Stimulus{Kind: OnDeferred, Index: i, Event: x.res.Token.Deferred[i].Stimulus.Event})
	}
}

// Replay makes a token's steps again from its history, which gives the same snapshot (R71). Steps that changed nothing are passed
// over; an error names the first step that comes out differently.
func Replay(p *program.Program, steps []Step) (*Token, error) {
	var t *Token
	for i := range steps {
		st := &steps[i]
		if !st.Changed {
			continue
		}
		name := ""
		if t != nil {
			name = t.Flow
		} else if st.Stimulus.Start != nil {
			name = st.Stimulus.Start.Flow
		}
		f := flowOf(p, name)
		if f == nil {
			return nil, fmt.Errorf("replay step %d: the program has no flow %q", i, name)
		}
		out, err := take(p, f, t, &st.Stimulus, st.At)
		if err != nil {
			return nil, fmt.Errorf("replay step %d: %w", i, err)
		}
		if out.token == nil || out.token.Version != st.Version {
			return nil, fmt.Errorf("replay step %d: it does not lead to version %d", i, st.Version)
		}
		t = out.token
	}
	return t, nil
}
