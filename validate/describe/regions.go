package describe

import "flowc/validate/model"

// parallelStay is how long a parallel takes at most until its join is decided and that has been taken: with `all` as long as its
// slowest region, with `race` as its fastest. `any` and a number are decided at the latest when all have ended.
func (d *describer) parallelStay(s *model.State) Bound {
	if !d.leaving(s.Index, model.OnJoined) {
		return waiting(s, nil, "may last on when its regions have ended")
	}
	if b, ok := d.beginsAnew(s); ok {
		return b
	}
	b := Bound{}
	for i, r := range s.Children {
		end := d.ownStay(r)
		switch {
		case i == 0:
			b = end
		case s.Join.Kind == model.JoinRace:
			b = least(b, end)
		default:
			b = most(b, end)
		}
	}
	if s.Join.Kind == model.JoinAny {
		for _, r := range s.Children { // the first that can only succeed decides
			if d.onlySucceeds(r) {
				b = least(b, d.ownStay(r))
			}
		}
	}
	return b
}

// beginsAnew: a parallel's own transition into one of its regions begins the others anew, however often it comes.
func (d *describer) beginsAnew(s *model.State) (Bound, bool) {
	for _, m := range d.moves {
		if m.from == s.Index && m.to != s.Index && within(d.flow, m.to, s.Index) {
			return Bound{Loop: &Loop{States: []string{nameOf(s), nameOf(s)}, Events: []string{m.label}}}, true
		}
	}
	return Bound{}, false
}

// onlySucceeds reports whether every end of a region is a success.
func (d *describer) onlySucceeds(region int) bool {
	for _, c := range d.flow.States[region].Children {
		if s := d.flow.States[c]; s.Kind == model.Final && s.Outcome != model.Success {
			return false
		}
	}
	return true
}
