package describe

import "flowc/validate/model"

// A handling is a handler in the search for an event, with the state that holds it.
type handling struct {
	at int // index of the state
	h  *model.Handler
}

// search lists the handlers that a reserved event of a state meets, from the state outwards: guarded ones, and at the end the first
// that takes it for certain, where there is one.
func search(f *model.Flow, state int, kind model.Reserved) (found []handling, certain bool) {
	for at := state; at >= 0; at = f.States[at].Parent {
		for _, h := range f.States[at].Handlers {
			if !takes(h, kind) {
				continue
			}
			found = append(found, handling{at, h})
			if h.Guard == nil {
				return found, true
			}
		}
	}
	return found, false
}

func takes(h *model.Handler, kind model.Reserved) bool {
	for _, t := range h.Triggers {
		if t.Reserved == kind {
			return true
		}
	}
	return false
}

// within reports whether a state is another one or inside it.
func within(f *model.Flow, state, around int) bool {
	for ; state >= 0; state = f.States[state].Parent {
		if state == around {
			return true
		}
	}
	return false
}

// leaves reports whether a transition of one state leaves another one that is active, which is the same or inside. What a state
// does inside itself does not leave it; a final state of the flow ends even the flow.
func leaves(f *model.Flow, from int, t model.Target, state int) bool {
	switch {
	case t.Kind == model.Stay:
		return false
	case state == 0: // only its end leaves the flow
		return t.Kind == model.ToState && endsFlow(f, t.State)
	case from != state, t.Kind == model.ToSelf, t.State == state:
		return true
	}
	return !within(f, t.State, state)
}

func endsFlow(f *model.Flow, state int) bool {
	return f.States[state].Kind == model.Final && f.States[state].Parent == 0
}

// failsFirst reports whether a block fails the token whenever it runs to its end.
func failsFirst(c *model.Code) bool {
	if c == nil {
		return false
	}
	for _, s := range c.Stmts {
		if _, ok := s.(*model.Fail); ok {
			return true
		}
	}
	return false
}

// leaving reports whether a reserved event of a state leaves it for certain, whatever guards say: every handler that it may meet
// does, and when none takes it the token fails (timeout, error, R20 and R8), which ends the stay too. A `completed` or `joined` that
// nothing takes changes nothing.
func (d *describer) leaving(state int, kind model.Reserved) bool {
	found, certain := search(d.flow, state, kind)
	if !certain && kind != model.OnTimeout && kind != model.OnError {
		return false
	}
	for _, x := range found {
		if !failsFirst(x.h.Block) && !leaves(d.flow, x.at, x.h.Target, state) {
			return false
		}
		if d.mayStay(state, x.at, x.h.Guard, x.h.Target, x.h.Block) {
			return false
		}
	}
	return true
}

// mayStay reports whether a transition that leaves a state may be undone by a run-time error that is handled without leaving it: the
// event that made the transition is used up then (R8).
func (d *describer) mayStay(state, from int, guard *model.Code, t model.Target, block *model.Code) bool {
	if len(d.onError) == 0 {
		return false
	}
	if d.staysInside(state) && d.exitsMayErr(state) {
		return true
	}
	return d.staysOnError(state) && (codeMayErr(guard) || codeMayErr(block) || d.moveMayErr(from, t))
}

// staysOnError reports whether a handler of `error` in the state or around it may keep the state. The search begins at the state
// whose block ran, if that is active after the undo, otherwise at the transition's source (R8).
func (d *describer) staysOnError(state int) bool {
	for _, i := range d.onError {
		if !within(d.flow, state, i) {
			continue
		}
		for _, h := range d.flow.States[i].Handlers {
			if takes(h, model.OnError) && !failsFirst(h.Block) && !leaves(d.flow, i, h.Target, state) {
				return true
			}
		}
	}
	return false
}

// staysInside reports whether a handler of `error` of a state inside may keep the state. It is met by errors of exit blocks.
func (d *describer) staysInside(state int) bool {
	for _, i := range d.onError {
		if i == state || !within(d.flow, i, state) {
			continue
		}
		for _, h := range d.flow.States[i].Handlers {
			out := h.Target.Kind == model.ToState && !within(d.flow, h.Target.State, state)
			if takes(h, model.OnError) && !failsFirst(h.Block) && !out {
				return true
			}
		}
	}
	return false
}

func (d *describer) exitsMayErr(state int) bool {
	for i, s := range d.flow.States {
		if within(d.flow, i, state) && codeMayErr(s.Exit) {
			return true
		}
	}
	return false
}
