package graph

// A drawing is a graph that is being laid out.
type drawing struct {
	graph  *Graph
	root   *box
	boxes  map[*State]*box
	arrows []*arrow
	pills  map[pillKey]*box
}

type pillKey struct {
	in, of *box
	source bool
}

func newDrawing(g *Graph) *drawing {
	d := &drawing{graph: g, boxes: map[*State]*box{}, pills: map[pillKey]*box{}}
	d.root = newBox(g.States[0], nil)
	d.root.state = g.States[0]
	d.index(d.root)
	d.addDots(d.root)
	d.addArrows()
	return d
}

func (d *drawing) index(b *box) {
	if b.kind == stateBox {
		d.boxes[b.state] = b
	}
	for _, c := range b.children {
		d.index(c)
	}
}

func (d *drawing) addDots(b *box) {
	for _, c := range b.children {
		if c.kind == dotBox {
			d.arrows = append(d.arrows, &arrow{from: c, to: d.boxes[b.state.initial]})
		}
		d.addDots(c)
	}
}

// addArrows makes one arrow for all transitions from one state to another, with a label of as many parts.
func (d *drawing) addArrows() {
	type ends struct{ from, to *State }
	at := map[ends]*arrow{}
	for _, t := range d.graph.Transitions {
		k := ends{t.From, t.To}
		a := at[k]
		if a == nil {
			a = &arrow{from: d.boxes[t.From], to: d.boxes[t.To]}
			at[k] = a
			d.arrows = append(d.arrows, a)
		}
		a.transitions = append(a.transitions, t)
		class := "event"
		switch {
		case t.timed():
			class = "time"
		case t.Kind == ByAlways || t.Kind == ByGo:
			class = "auto"
		}
		a.rows = append(a.rows, rowsOf(t.Label(), t.Clock, class, labelChars, mostRows)...)
	}
	for _, a := range d.arrows {
		d.settle(a)
	}
}

// settle replaces an end that cannot be reached by a line on one level by a pill that stands for it: a state around the other end,
// or one in another region.
func (d *drawing) settle(a *arrow) {
	switch {
	case a.from == a.to && a.from == d.root:
		a.from, a.to = d.pill(d.root, d.root, true), d.pill(d.root, d.root, false)
	case a.from == a.to:
		a.from.loops = append(a.from.loops, a)
	case a.to.within(a.from):
		a.from = d.pill(a.to.parent, a.from, true)
	case a.from.within(a.to):
		a.to = d.pill(a.from.parent, a.to, false)
	default:
		if c := common(a.from, a.to); c.state.Kind == "parallel" {
			d.away(a)
		}
	}
}

// away lets an arrow end at a pill beside its source. A region's place beside others is not in a layout of rows, so what leads from
// one goes on inside it.
func (d *drawing) away(a *arrow) *box {
	in := a.from.parent
	if in.state.Kind == "parallel" {
		in = a.from
	}
	a.to = d.pill(in, a.to, false)
	if in == a.from {
		a.from = d.pill(in, in, true)
	}
	return in
}

// pill is the stand-in of a box in another one.
func (d *drawing) pill(in, of *box, source bool) *box {
	if in.state.Kind == "parallel" { // regions stand there alone
		in = in.parent
	}
	k := pillKey{in, of, source}
	p := d.pills[k]
	if p != nil && source {
		return p
	}
	p = &box{kind: pillBox, text: pillText(of, source), state: of.state}
	in.adopt(p)
	if source {
		d.pills[k] = p
	}
	return p
}

func pillText(of *box, source bool) string {
	switch {
	case source && of.state.Parent == nil:
		return "from any state"
	case source:
		return "from any state in " + of.state.Name
	case of.state.Parent == nil:
		return "→ begin again"
	}
	return "→ " + of.state.Name
}
