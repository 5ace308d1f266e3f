package validate

import "flowc/validate/model"

// An inheritance is what a state's items do to the states in it, computed once: the ways out, and those by declared events, which
// count differently for a state in which the flow makes the event itself.
type inheritance struct {
	exits   []exit
	events  map[*symbol][]exit
	unknown bool // an event that is not known leaves too
}

// inherited adds the ways by which the items of p, which is around s, leave s.
func (p *state) inherited(s *state, out []exit) []exit {
	if p.shared == nil {
		p.shared = p.inherit()
	}
	in := p.shared
	out = append(out, in.exits...)
	others := len(in.events)
	for ev := range p.fl.made {
		if ways := in.events[ev]; ways != nil && s.makes(ev) {
			others--
			out = appendAs(out, ways, byOwn)
		}
	}
	if s.work != nil {
		for _, ev := range s.work.may {
			if ways := in.events[ev]; ways != nil && !s.makes(ev) {
				others--
				out = appendAs(out, ways, byWork)
			}
		}
	}
	if others > 0 || in.unknown {
		out = append(out, exit{kind: byOutside})
	}
	return out
}

func appendAs(out, ways []exit, kind wayKind) []exit {
	for _, e := range ways {
		e.kind = kind
		out = append(out, e)
	}
	return out
}

// inherit computes what a state's items do to any state in it: every transition leaves those.
func (p *state) inherit() *inheritance {
	in := &inheritance{events: map[*symbol][]exit{}}
	inner := &state{fl: p.fl, parent: p, m: &model.State{}}
	seen := map[exit]bool{}
	for _, e := range p.plainExits(inner) {
		if !seen[e] {
			seen[e] = true
			in.exits = append(in.exits, e)
		}
	}
	for _, h := range p.handlers {
		ends := h.effects != nil && h.effects.fails
		if h.m.Target.Kind == model.Stay && !ends {
			continue
		}
		e := exit{target: h.target, ends: ends && h.target == nil}
		for _, ev := range h.events {
			switch {
			case ev.unknown:
				in.unknown = true
			case ev.sym == nil:
			case ev.sym.event.Internal:
				if e.kind = byOwn; !seen[e] {
					seen[e] = true
					in.exits = append(in.exits, e)
				}
			default:
				e.kind = byOutside
				in.events[ev.sym] = append(in.events[ev.sym], e)
			}
		}
	}
	return in
}

// A regionExits is what the regions of a parallel do to one another: each way out with the region that has it, nil for several.
type regionExits struct {
	from  map[exit]*state
	order []exit
}

// mostBeside is how many ways out of a parallel are looked at one by one; a flow with more regions than that has some of each kind.
const mostBeside = 256

// beside adds the ways by which the regions beside u, in the parallel p, leave the parallel.
func (p *state) beside(u *state, out []exit) []exit {
	if p.regions == nil {
		p.regions = &regionExits{from: map[exit]*state{}}
		for _, r := range p.kids {
			for _, e := range r.outward(r) {
				p.regions.add(e, r)
			}
		}
	}
	for _, e := range p.regions.order {
		if p.regions.from[e] != u {
			out = append(out, e)
		}
	}
	return out
}

func (x *regionExits) add(e exit, r *state) {
	if by, ok := x.from[e]; ok {
		if by != r {
			x.from[e] = nil
		}
		return
	}
	if len(x.order) < mostBeside {
		x.from[e] = r
		x.order = append(x.order, e)
	}
}
