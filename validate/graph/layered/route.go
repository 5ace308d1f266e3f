package layered

import (
	"cmp"
	"math"
	"slices"
)

// vertical gives the rows their places: as far apart as the lines between them go sideways, within limits.
func (p *placing) vertical() {
	p.top, p.tall = make([]float64, len(p.rows)), make([]float64, len(p.rows))
	y := 0.0
	for r, row := range p.rows {
		for _, v := range row {
			p.tall[r] = math.Max(p.tall[r], p.v[v].height)
		}
		if r > 0 {
			y += p.gapAbove(r)
		}
		p.top[r] = y
		y += p.tall[r]
	}
}

func (p *placing) gapAbove(r int) float64 {
	far := 0.0
	for _, v := range p.rows[r] {
		for _, u := range p.v[v].up {
			far = math.Max(far, math.Abs(p.v[u].x-p.v[v].x))
		}
	}
	return math.Min(leastRow+slope*far, mostRow)
}

func (p *placing) result() Layout {
	n := len(p.nodes)
	xs := make([]float64, len(p.v))
	for i := range p.v {
		xs[i] = p.v[i].x
	}
	least, most := 0.0, 0.0
	if len(p.v) > 0 {
		least, most = p.extent(xs)
	}
	for i := range p.v {
		p.v[i].x -= least
	}
	l := Layout{Axis: make([]float64, n), Top: make([]float64, n), Labels: make([]Point, len(p.edges)), Width: most - least}
	if k := len(p.rows); k > 0 {
		l.Height = p.top[k-1] + p.tall[k-1]
	}
	for i := range p.nodes {
		l.Axis[i], l.Top[i] = p.v[i].x, p.nodeTop(i)
	}
	from, to := p.ports()
	for i := range p.edges {
		l.Paths = append(l.Paths, p.path(i, from[i], to[i]))
		if v := p.label[i]; v >= 0 {
			l.Labels[i] = Point{p.v[v].x + labelGap, p.top[p.v[v].row] + (p.tall[p.v[v].row]-p.v[v].height)/2}
		}
	}
	return l
}

// nodeTop puts a box in the middle of its row.
func (p *placing) nodeTop(i int) float64 {
	r := p.v[i].row
	return p.top[r] + (p.tall[r]-p.v[i].height)/2
}

// A port is where a line meets a box.
type port struct {
	edge  int
	ends  bool // the line ends there
	wish  float64
	fixed bool
	x     float64
}

// ports chooses where lines meet the boxes: straight below or above where they come from, as far as there is room.
func (p *placing) ports() (from, to []float64) {
	from, to = make([]float64, len(p.edges)), make([]float64, len(p.edges))
	above, below := make([][]port, len(p.nodes)), make([][]port, len(p.nodes))
	put := func(node, near int, q port, at *float64) {
		q.wish = p.v[near].x
		if at != nil {
			q.fixed, q.wish = true, p.v[node].x+*at
		}
		if p.v[near].row < p.v[node].row {
			above[node] = append(above[node], q)
		} else {
			below[node] = append(below[node], q)
		}
	}
	for i, e := range p.edges {
		c := p.chain[i]
		put(e.From, c[1], port{edge: i}, e.FromAt)
		put(e.To, c[len(c)-2], port{edge: i, ends: true}, e.ToAt)
	}
	for node := range p.nodes {
		for _, side := range [][]port{above[node], below[node]} {
			p.spread(node, side)
			for _, q := range side {
				if q.ends {
					to[q.edge] = q.x
				} else {
					from[q.edge] = q.x
				}
			}
		}
	}
	return from, to
}

// spread puts the ports of one side of a box apart, in the order of where their lines go.
func (p *placing) spread(node int, side []port) {
	slices.SortStableFunc(side, func(a, b port) int { return cmp.Compare(a.wish, b.wish) })
	n := p.nodes[node]
	half := n.Side
	if half == 0 {
		half = math.Min(n.Left, n.Right)
	}
	half = math.Max(half-corner, 0)
	x, free := p.v[node].x, 0
	for i := range side {
		if !side[i].fixed {
			side[i].wish = math.Min(math.Max(side[i].wish, x-half), x+half)
			free++
		}
	}
	gap := portGap
	if free > 1 {
		gap = math.Min(gap, 2*half/float64(free-1))
	}
	keepApart(side, gap, x+half)
	for i := range side {
		if !side[i].fixed {
			side[i].x = math.Max(side[i].x, x-half)
		}
	}
}

// keepApart moves the ports that are free to the right until they have their distance, then to the left as far as the side ends.
func keepApart(side []port, gap, end float64) {
	last := math.Inf(-1)
	for i := range side {
		side[i].x = side[i].wish
		if !side[i].fixed {
			side[i].x = math.Max(side[i].wish, last+gap)
		}
		last = math.Max(last, side[i].x)
	}
	for i := len(side) - 1; i >= 0; i-- {
		if !side[i].fixed {
			side[i].x = math.Min(side[i].x, end)
		}
		end = math.Min(end, side[i].x-gap)
	}
}

// path leads an edge from port to port, straight through the rows and curved between them.
func (p *placing) path(i int, from, to float64) []Point {
	e, c := p.edges[i], p.chain[i]
	down := p.v[e.To].row > p.v[e.From].row
	var out []Point
	add := func(x, a, b float64) {
		if !down {
			a, b = b, a
		}
		out = append(out, Point{x, a}, Point{x, b})
	}
	for k, v := range c {
		r := p.v[v].row
		top, bottom := p.top[r], p.top[r]+p.tall[r]
		switch {
		case k == 0 && down:
			add(from, p.nodeTop(e.From)+p.nodes[e.From].Height, bottom)
		case k == 0:
			add(from, top, p.nodeTop(e.From))
		case k == len(c)-1 && down:
			add(to, top, p.nodeTop(e.To))
		case k == len(c)-1:
			add(to, p.nodeTop(e.To)+p.nodes[e.To].Height, bottom)
		default:
			add(p.v[v].x, top, bottom)
		}
	}
	return slices.Compact(out)
}
