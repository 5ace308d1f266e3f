package vm

import (
	"flowc/compiler/program"
	"flowc/vm/machine"
)

// Accepts lists the declared events that a running or paused token would take now: a handler in reach, or a waiting routine. A
// guard that reads the payload makes an event conditional, other guards are evaluated; an event that only waits is deferred;
// handlers that only refuse do not count. Internal events, which nobody outside can send, are left out.
func Accepts(p *program.Program, t *Token, now int64) []Accept {
	f := flowOf(p, t.Flow)
	if f == nil || t.Status != Running && t.Status != Paused || len(t.Active) == 0 {
		return []Accept{}
	}
	s := newStep(p, f, t, &Stimulus{}, max(now, t.LastAt))
	found := []Accept{}
	for i := range p.Events {
		if p.Events[i].Internal {
			continue
		}
		switch s.acceptance(i) {
		case sure:
			found = append(found, Accept{Event: p.Events[i].Name})
		case perhaps:
			found = append(found, Accept{Event: p.Events[i].Name, Conditional: true})
		case waits:
			found = append(found, Accept{Event: p.Events[i].Name, Deferred: true})
		}
	}
	return found
}

// acceptance is what would become of an event.
type acceptance uint8

const (
	nobody acceptance = iota
	waits
	perhaps
	sure
)

func (s *step) acceptance(event int) acceptance {
	best := nobody
	if s.defers(event) {
		best = waits
	}
	for i := range s.t.Active {
		if isLeaf(s.f, s.t, i) {
			best = max(best, s.leafAccepts(s.t.Active[i], event))
		}
	}
	return best
}

// leafAccepts looks for who would take an event, from a leaf outwards.
func (s *step) leafAccepts(leaf Visit, event int) acceptance {
	best := s.waitAccepts(leaf, event)
	e := &payload{event: event}
	for state := leaf.State; state >= 0 && best != sure; state = s.f.States[state].Parent {
		for h := range s.f.States[state].Handlers {
			handler := &s.f.States[state].Handlers[h]
			if !takes(handler, e) {
				continue
			}
			switch a := s.handlerAccepts(handler, state); {
			case a == nobody:
			case handler.RefuseOnly && a == sure:
				return best
			case !handler.RefuseOnly:
				best = max(best, a)
			}
			if best == sure {
				break
			}
		}
	}
	return best
}

func (s *step) handlerAccepts(h *program.Handler, state int) acceptance {
	switch {
	case h.Guard < 0:
		return sure
	case h.PayloadGuard:
		return perhaps
	}
	holds := s.guard(h.Guard, s.at(state, nil))
	if s.halt != going { // sending the event would be an error, which is no refusal
		s.halt = going
		return perhaps
	}
	if holds {
		return sure
	}
	return nobody
}

func (s *step) waitAccepts(leaf Visit, event int) acceptance {
	i := s.frameAt(leaf)
	if i < 0 || s.t.Frames[i].Wait == nil || s.t.Frames[i].Wait.Kind != machine.Wait {
		return nobody
	}
	best := nobody
	for _, c := range s.t.Frames[i].Wait.Cases {
		switch {
		case !holds(c.Events, event):
		case c.Guard < 0:
			return sure
		default:
			best = perhaps
		}
	}
	return best
}
