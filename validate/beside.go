package validate

import (
	"flowc/grammar"
	"flowc/validate/model"
)

// forgetBeside drops what a handler's guard has shown of data that handlers of the same event may change before its block runs: all
// guards are evaluated first, on unchanged data, and then the handlers of all regions run in the order of the file.
func (c *checker) forgetBeside(x *coder, h *handler) {
	if len(x.facts) == 0 {
		return
	}
	events := map[*symbol]bool{}
	for _, ev := range h.events {
		if ev.sym != nil {
			events[ev.sym] = true
		}
	}
	if len(events) == 0 {
		return
	}
	for _, t := range h.st.fl.states {
		if !beside(h.st, t) {
			continue
		}
		for _, item := range t.items {
			if n, ok := item.(*grammar.On); ok && c.takesOne(t.env, n, events) {
				c.forgetAssigned(x, t, n)
			}
		}
	}
}

// beside reports whether handlers of both states may be selected by one event: their ways up meet at a parallel, or one of them is
// around a parallel that holds the other.
func beside(s, t *state) bool {
	if s == t {
		return false
	}
	if t.within(s) || s.within(t) {
		inner, outer := s, t
		if t.within(s) {
			inner, outer = t, s
		}
		for u := inner.parent; u != nil; u = u.parent {
			if u.m.Kind == model.Parallel {
				return true
			}
			if u == outer {
				return false
			}
		}
		return false
	}
	for u := s.parent; u != nil; u = u.parent {
		if t.within(u) {
			return u.m.Kind == model.Parallel
		}
	}
	return false
}

// takesOne reports whether a handler takes one of the events; a name that is not known has its finding.
func (c *checker) takesOne(e *env, n *grammar.On, events map[*symbol]bool) bool {
	for _, path := range n.Events {
		r := pathRef(path)
		sym := e.file.lookup(symEvent, r.names())
		if e.use != nil && len(r) == 1 && e.use.kinds[r[0].Text] == "event" {
			sym = e.use.events[r[0].Text]
		}
		if sym != nil && events[sym] {
			return true
		}
	}
	return false
}

// forgetAssigned drops what is known of the data that a handler may change: in its block, and when it leads elsewhere in the exit and
// entry blocks on the way.
func (c *checker) forgetAssigned(x *coder, t *state, n *grammar.On) {
	forgetBlock(x, t, n.Block)
	if n.Target == nil {
		return
	}
	for _, s := range t.fl.states {
		for _, item := range s.items {
			switch b := item.(type) {
			case *grammar.Exit:
				forgetBlock(x, s, b.Block)
			case *grammar.Entry:
				forgetBlock(x, s, b.Block)
			}
		}
	}
}

func forgetBlock(x *coder, s *state, b *grammar.Block) {
	if b == nil {
		return
	}
	for name := range assignedNames(b) {
		if s.env.use != nil {
			if i, ok := s.env.use.data[name]; ok {
				x.forget("d" + itoa(i))
			}
		} else if i, ok := s.fl.dataByName[name]; ok {
			x.forget("d" + itoa(i))
		}
	}
}
