package layered

import (
	"math"
	"slices"
)

// horizontal gives every vertex its x, after Brandes and Köpf, "Fast and simple horizontal coordinate assignment" (2001): four
// placements, each as far to one side as can be with chains of vertices on straight lines, and of them the middle.
func (p *placing) horizontal() {
	p.number()
	bad := p.conflicts()
	var runs [4][]float64
	for i := range runs {
		down, left := i < 2, i%2 == 0
		runs[i] = p.run(down, left, bad)
	}
	p.alignRuns(&runs)
	for v := range p.v {
		xs := []float64{runs[0][v], runs[1][v], runs[2][v], runs[3][v]}
		slices.Sort(xs)
		p.v[v].x = (xs[1] + xs[2]) / 2
	}
}

// conflicts finds the lines that cross a part of a long line between two of its inner places; those are kept straight first.
func (p *placing) conflicts() map[[2]int]bool {
	bad := map[[2]int]bool{}
	for r := 1; r < len(p.rows); r++ {
		above, row := p.rows[r-1], p.rows[r]
		left, next := 0, 0
		for at, v := range row {
			inner := p.innerAbove(v)
			if inner < 0 && at != len(row)-1 {
				continue
			}
			right := len(above)
			if inner >= 0 {
				right = p.v[inner].at
			}
			for ; next <= at; next++ {
				for _, u := range p.v[row[next]].up {
					if k := p.v[u].at; (k < left || k > right) && (p.v[u].node >= 0 || p.v[row[next]].node >= 0) {
						bad[[2]int{u, row[next]}] = true
					}
				}
			}
			left = right
		}
	}
	return bad
}

// innerAbove is the place above a place of a line when both are of a line, otherwise -1.
func (p *placing) innerAbove(v int) int {
	if p.v[v].node < 0 && len(p.v[v].up) == 1 && p.v[p.v[v].up[0]].node < 0 {
		return p.v[v].up[0]
	}
	return -1
}

// A run is one of the four placements. Rows are taken from the top or from the bottom, and within them from the left or, mirrored,
// from the right.
type run struct {
	*placing
	left        bool
	rows        [][]int
	pos         []int
	root, align []int
}

func (p *placing) run(down, left bool, bad map[[2]int]bool) []float64 {
	n := len(p.v)
	r := &run{placing: p, left: left, pos: make([]int, n), root: make([]int, n), align: make([]int, n)}
	for _, row := range p.rows {
		row = slices.Clone(row)
		if !left {
			slices.Reverse(row)
		}
		for i, v := range row {
			r.pos[v] = i
		}
		r.rows = append(r.rows, row)
	}
	if !down {
		slices.Reverse(r.rows)
	}
	r.chains(down, bad)
	x := r.compact()
	if !left {
		for i := range x {
			x[i] = -x[i]
		}
	}
	return x
}

// chains joins each vertex with the middle one of those in the row before it, unless that would cross a chain.
func (r *run) chains(down bool, bad map[[2]int]bool) {
	for v := range r.v {
		r.root[v], r.align[v] = v, v
	}
	for _, row := range r.rows {
		last := -1
		for _, v := range row {
			near := r.v[v].down
			if down {
				near = r.v[v].up
			}
			if len(near) == 0 {
				continue
			}
			near = slices.Clone(near)
			slices.SortFunc(near, func(a, b int) int { return r.pos[a] - r.pos[b] })
			for i := (len(near) - 1) / 2; i <= len(near)/2; i++ {
				w := near[i]
				if r.align[v] == v && last < r.pos[w] && !bad[[2]int{w, v}] && !bad[[2]int{v, w}] {
					r.align[w] = v
					r.root[v] = r.root[w]
					r.align[v] = r.root[v]
					last = r.pos[w]
				}
			}
		}
	}
}

// compact places the chains as far to the side as their neighbours allow, then draws those towards the others that have room.
func (r *run) compact() []float64 {
	next, before, order := r.blocks()
	x := make([]float64, len(r.v))
	for _, b := range order {
		for _, l := range before[b] {
			x[b] = math.Max(x[b], x[l.to]+l.least)
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		b, most := order[i], math.Inf(1)
		for _, l := range next[b] {
			most = math.Min(most, x[l.to]-l.least)
		}
		if !math.IsInf(most, 1) {
			x[b] = math.Max(x[b], most)
		}
	}
	for v := range x {
		x[v] = x[r.root[v]]
	}
	return x
}

// A link says how far apart the axes of two neighbouring chains are at least.
type link struct {
	to    int
	least float64
}

// blocks lists the chains with their neighbours to both sides, in an order in which what stands left comes first.
func (r *run) blocks() (next, before map[int][]link, order []int) {
	next, before = map[int][]link{}, map[int][]link{}
	waiting := map[int]int{}
	for _, row := range r.rows {
		for i := 1; i < len(row); i++ {
			a, b := r.root[row[i-1]], r.root[row[i]]
			gap := r.apart(row[i-1], row[i])
			next[a] = append(next[a], link{b, gap})
			before[b] = append(before[b], link{a, gap})
			waiting[b]++
		}
	}
	for v := range r.v {
		if r.root[v] == v && waiting[v] == 0 {
			order = append(order, v)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, l := range next[order[i]] {
			if waiting[l.to]--; waiting[l.to] == 0 {
				order = append(order, l.to)
			}
		}
	}
	return next, before, order
}

// apart is the least distance of the axes of two neighbours of a row.
func (r *run) apart(a, b int) float64 {
	gap := 0.0
	if r.v[a].node >= 0 || r.v[b].node >= 0 {
		gap = nodeGap
	}
	if r.left {
		return r.v[a].right + r.v[b].left + gap
	}
	return r.v[a].left + r.v[b].right + gap
}

// alignRuns moves the four placements to the narrowest one: those to the left by their left sides, those to the right by their
// right sides.
func (p *placing) alignRuns(runs *[4][]float64) {
	var least, most [4]float64
	narrow := 0
	for i, x := range runs {
		least[i], most[i] = p.extent(x)
		if most[i]-least[i] < most[narrow]-least[narrow] {
			narrow = i
		}
	}
	for i, x := range runs {
		by := least[narrow] - least[i]
		if i%2 == 1 {
			by = most[narrow] - most[i]
		}
		for v := range x {
			x[v] += by
		}
	}
}

// extent is how far a placement reaches to both sides.
func (p *placing) extent(x []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for v := range x {
		least, most = math.Min(least, x[v]-p.v[v].left), math.Max(most, x[v]+p.v[v].right)
	}
	return least, most
}
