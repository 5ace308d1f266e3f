package vm

// check looks at what has to fit together: the active states are a tree from the root, and all else belongs to visits of it.
func (d *decoder) check() {
	t := d.t
	switch t.Status {
	case Scheduled, Running, Paused, Failed, Completed, Cancelled:
	default:
		d.fail("there is no status %q", t.Status)
	}
	for i, v := range t.Active {
		parent := d.f.States[v.State].Parent
		if i > 0 && v.State <= t.Active[i-1].State || parent >= 0 && activeAt(t, parent) < 0 {
			d.fail("the active states are no tree")
		}
	}
	for i := range t.Timers {
		if tm := &t.Timers[i]; tm.Kind != StartTimer || tm.Decl >= 0 {
			d.visit(tm.State, tm.Visit)
		}
	}
	for _, w := range t.Work {
		d.visit(w.State, w.Visit)
	}
	for _, c := range t.Children {
		d.visit(c.State, c.Visit)
	}
	for i := range t.Frames {
		d.visit(t.Frames[i].State, t.Frames[i].Visit)
	}
	for i := range t.Fans {
		d.visit(t.Fans[i].State, t.Fans[i].Visit)
	}
}

func (d *decoder) visit(state int, visit int64) {
	if i := activeAt(d.t, state); i < 0 || d.t.Active[i].Visit != visit {
		d.fail("visit %d of state %d has ended", visit, state)
	}
}
