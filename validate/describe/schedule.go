package describe

import "flowc/validate/model"

// scheduled is when the first event that a leaf's `entry` block always schedules leaves the leaf for certain. Nothing else in the flow
// may schedule, stop or start over that event, and whoever takes it leaves.
func (d *describer) scheduled(s *model.State) (soonest int64, ok bool) {
	if s.Kind != model.Leaf || s.Index == 0 {
		return 0, false
	}
	for _, n := range schedules(s.Entry) {
		micros, fixed := constantExpr(n.After)
		if fixed && d.clocked[n.Event] == 1 && d.takenAway(s.Index, n.Event) && (!ok || micros < soonest) {
			soonest, ok = micros, true
		}
	}
	return soonest, ok
}

// schedules lists the statements of a block that schedule an event each time it runs to its end.
func schedules(c *model.Code) []*model.Schedule {
	if c == nil {
		return nil
	}
	var out []*model.Schedule
	for _, s := range c.Stmts {
		if n, ok := s.(*model.Schedule); ok {
			out = append(out, n)
		}
	}
	return out
}

// takenAway reports whether an event that comes in a leaf leaves it for certain, whatever guards say.
func (d *describer) takenAway(leaf int, e *model.Event) bool {
	if w := d.flow.States[leaf].Work; w != nil && w.Kind == model.Run {
		return false // a `wait` may take it
	}
	for at := leaf; at >= 0; at = d.flow.States[at].Parent {
		for _, h := range d.flow.States[at].Handlers {
			if !takesEvent(h, e) {
				continue
			}
			if !failsFirst(h.Block) && !leaves(d.flow, at, h.Target, leaf) || d.mayStay(leaf, at, h.Guard, h.Target, h.Block) {
				return false
			}
			if h.Guard == nil {
				return !refuses(h.Block)
			}
			if refuses(h.Block) {
				return false
			}
		}
	}
	return false
}

func takesEvent(h *model.Handler, e *model.Event) bool {
	for _, t := range h.Triggers {
		if t.Event == e {
			return true
		}
	}
	return false
}

// refuses reports whether a block may refuse its event, which undoes the move.
func refuses(c *model.Code) bool {
	found := false
	if c != nil {
		statements(c.Stmts, func(s model.Stmt) {
			_, is := s.(*model.Refuse)
			found = found || is
		})
	}
	return found
}

// clockEvent counts a statement that schedules an event, stops one or starts it over.
func (d *describer) clockEvent(s model.Stmt) {
	switch n := s.(type) {
	case *model.Schedule:
		d.clocked[n.Event]++
	case *model.Unschedule:
		d.clocked[n.Event]++
	case *model.Rearm:
		if n.Timer < 0 {
			d.clocked[n.Event]++
		}
	}
}
