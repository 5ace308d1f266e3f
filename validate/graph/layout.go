package graph

import (
	"math"

	"flowc/validate/graph/layered"
)

// layout places everything: from the outside inwards it says which arrow crosses which border at the top or at the bottom, from the
// inside outwards it gives sizes, and from the outside inwards again places.
func (d *drawing) layout() {
	d.rank(d.root)
	d.passages()
	d.size(d.root)
	d.root.x, d.root.y = 0, 0
	d.moveTo(d.root)
	for _, a := range d.arrows {
		d.finish(a)
	}
}

// level lists the arrows that lead from one child of a box, or from inside it, to another.
func (d *drawing) level(b *box) []*arrow {
	var out []*arrow
	for _, a := range d.arrows {
		if a.from != a.to && common(a.from, a.to) == b {
			out = append(out, a)
		}
	}
	return out
}

// How long an arrow may be, in rows, before it ends at a pill instead: always, or when many others lead to the same place.
const (
	longest   = 14
	long      = 6
	manyLead  = 4
	bigLevels = 60 // of more boxes than this, long arrows are all too many
)

// rank gives the children of a box, and of those in it, their rows.
func (d *drawing) rank(b *box) {
	for _, c := range b.children {
		if c.holds() {
			d.rank(c)
		}
	}
	if b.state.Kind == "parallel" {
		return
	}
	level := d.level(b)
	d.rankLevel(b, level)
	into := map[*box]int{}
	for _, a := range level {
		into[below(b, a.to)]++
	}
	cut := false
	for _, a := range level {
		from, to := below(b, a.from), below(b, a.to)
		span := max(from.rank-to.rank, to.rank-from.rank)
		if from.kind == stateBox && (span > longest || span > long && (into[to] > manyLead || len(b.children) > bigLevels)) {
			inner := d.away(a)
			d.rankLevel(inner, d.level(inner))
			cut = true
		}
	}
	if cut {
		d.rankLevel(b, d.level(b))
	}
}

func (d *drawing) rankLevel(b *box, level []*arrow) {
	// What the level begins with comes first, so that circles are opened where they begin.
	order := make([]*box, 0, len(b.children))
	for _, c := range b.children {
		if c.kind == dotBox {
			order = append(order, c)
		}
	}
	for _, c := range b.children {
		if c.kind != dotBox {
			order = append(order, c)
		}
	}
	at := map[*box]int{}
	for i, c := range order {
		at[c] = i
	}
	var edges [][2]int
	for _, a := range level {
		edges = append(edges, [2]int{at[below(b, a.from)], at[below(b, a.to)]})
	}
	for i, r := range layered.Rank(len(order), edges) {
		order[i].rank = r
	}
}

// passages notes at every border that an arrow crosses on which side it does: downwards arrows leave at the bottom and come in at the
// top.
func (d *drawing) passages() {
	for _, a := range d.arrows {
		c := common(a.from, a.to)
		if c == nil || a.from == a.to {
			continue
		}
		down := below(c, a.from).rank < below(c, a.to).rank
		for b := a.from; b.parent != c; b = b.parent {
			b.parent.passing = append(b.parent.passing, &passage{arrow: a, child: b, out: true, top: !down})
		}
		for b := a.to; b.parent != c; b = b.parent {
			b.parent.passing = append(b.parent.passing, &passage{arrow: a, child: b, top: down})
		}
	}
}

// size gives a box and those in it their sizes, and the children their places in it.
func (d *drawing) size(b *box) {
	for _, c := range b.children {
		d.size(c)
	}
	if !b.holds() {
		b.sizeAlone()
		return
	}
	w, h := b.headSize()
	b.headH = h + 2*padY
	if b.state.Kind == "parallel" {
		d.placeRegions(b, w)
	} else {
		d.placeLevel(b, w)
	}
	b.fitLoops()
}

// placeRegions puts regions side by side, all as tall as the tallest.
func (d *drawing) placeRegions(b *box, headW float64) {
	x, tall := 0.0, 0.0
	for _, r := range b.children {
		tall = math.Max(tall, r.h)
	}
	for _, r := range b.children {
		r.x, r.y, r.h = x, 0, tall
		x += r.w
	}
	wide := math.Max(x, headW+2*padX)
	if n := float64(len(b.children)); wide > x && n > 0 { // the regions fill it
		more := (wide - x) / n
		for i, r := range b.children {
			r.x += float64(i) * more
			r.w += more
			r.innerX += more / 2
			for _, p := range r.passing {
				p.at += more / 2
			}
		}
	}
	b.w, b.h = wide, b.headH+tall
	b.innerX, b.innerY = 0, b.headH
	for _, p := range b.passing {
		p.at = p.child.x + p.child.at(p.arrow)
	}
}

// at is where an arrow crosses a box's border, from its left side.
func (b *box) at(a *arrow) float64 {
	for _, p := range b.passing {
		if p.arrow == a {
			return p.at
		}
	}
	return b.w / 2
}

// placeLevel lays the children of a box out in rows.
func (d *drawing) placeLevel(b *box, headW float64) {
	nodes, edges, arrows := d.levelInput(b)
	headInside := b.entersAtTop()
	if headInside { // what comes in at the top passes to the right of the name
		nodes = append(nodes, layered.Node{Right: headW + padX, Height: b.headH - padY, Rank: -1, First: true})
		b.headH = padY
	}
	l := layered.Place(nodes, edges)
	for i, c := range b.children {
		c.x, c.y = l.Axis[i]-c.w/2, l.Top[i]
	}
	for i, a := range arrows {
		p := part{in: b}
		for _, q := range l.Paths[i] {
			p.path = append(p.path, point{q.X, q.Y})
		}
		a.parts = append(a.parts, p)
		if edges[i].LabelW > 0 {
			a.label, a.labelBox = point{l.Labels[i].X, l.Labels[i].Y}, b
		}
	}
	b.w = math.Max(l.Width+2*innerPad, headW+2*padX)
	b.h = b.headH + l.Height + innerPad + 6
	b.innerX, b.innerY = (b.w-l.Width)/2, b.headH+6
	if headInside {
		b.h -= 6
		b.innerY -= 6
	}
	for i, p := range b.passing {
		p.at = b.innerX + l.Axis[len(b.children)+i]
	}
}

// entersAtTop reports whether an arrow crosses the upper border.
func (b *box) entersAtTop() bool {
	for _, p := range b.passing {
		if p.top {
			return true
		}
	}
	return false
}

// levelInput describes the children of a box, the places where arrows cross its border, and the arrows between all those.
func (d *drawing) levelInput(b *box) (nodes []layered.Node, edges []layered.Edge, arrows []*arrow) {
	last := 0
	for _, c := range b.children {
		nodes = append(nodes, layered.Node{Left: c.w / 2, Right: c.w/2 + c.loopWidth(), Height: c.h, Side: c.w / 2, Rank: c.rank})
		last = max(last, c.rank)
	}
	const half = 6
	for _, p := range b.passing {
		rank := last + 1
		if p.top {
			rank = -1
		}
		port := len(nodes)
		nodes = append(nodes, layered.Node{Left: half, Right: half, Rank: rank})
		e := layered.Edge{From: port, To: p.child.index, ToAt: p.child.crossing(p.arrow)}
		if p.out {
			e = layered.Edge{From: p.child.index, To: port, FromAt: p.child.crossing(p.arrow)}
		}
		edges, arrows = append(edges, e), append(arrows, p.arrow)
	}
	for _, a := range d.level(b) {
		from, to := below(b, a.from), below(b, a.to)
		e := layered.Edge{From: from.index, To: to.index, FromAt: from.crossing(a), ToAt: to.crossing(a)}
		if len(a.rows) > 0 {
			e.LabelW, e.LabelH = widest(a.rows), float64(len(a.rows))*textRow
		}
		edges, arrows = append(edges, e), append(arrows, a)
	}
	return nodes, edges, arrows
}

// crossing is where an arrow crosses a box's border, from its axis; nil when it ends at the border.
func (b *box) crossing(a *arrow) *float64 {
	for _, p := range b.passing {
		if p.arrow == a {
			at := p.at - b.w/2
			return &at
		}
	}
	return nil
}

// moveTo makes the places of what is in a box absolute.
func (d *drawing) moveTo(b *box) {
	for _, c := range b.children {
		c.x += b.x + b.innerX
		c.y += b.y + b.innerY
		d.moveTo(c)
	}
}

// finish puts an arrow's parts together: from the innermost box around its source outwards, then inwards to its target.
func (d *drawing) finish(a *arrow) {
	c := common(a.from, a.to)
	if c == nil || a.from == a.to {
		return
	}
	var chain []*box
	for b := a.from.parent; b != c; b = b.parent {
		chain = append(chain, b)
	}
	chain = append(chain, c)
	var inward []*box
	for b := a.to.parent; b != c; b = b.parent {
		inward = append([]*box{b}, inward...)
	}
	for _, b := range append(chain, inward...) {
		for _, p := range a.parts {
			if p.in != b {
				continue
			}
			for _, q := range p.path {
				a.path = append(a.path, point{q.x + b.x + b.innerX, q.y + b.y + b.innerY})
			}
		}
	}
	if a.labelBox != nil {
		a.label.x += a.labelBox.x + a.labelBox.innerX
		a.label.y += a.labelBox.y + a.labelBox.innerY
	}
}
