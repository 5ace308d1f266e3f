package layered

import (
	"cmp"
	"math"
	"slices"
)

// order chooses the order within the rows: first as a walk from the upper boxes finds them, then by sweeps that put each vertex
// near the middle of those that it is joined to, as long as that makes fewer lines cross.
func (p *placing) order() {
	seen := make([]bool, len(p.v))
	for i := range p.nodes {
		if p.v[i].first {
			p.place(i, seen)
		}
	}
	for r := range p.rows {
		for i := range p.nodes {
			if p.v[i].row == r {
				p.place(i, seen)
			}
		}
	}
	best, crossings := p.copyRows(), p.crossings()
	rounds := 24
	if len(p.v) > 4000 {
		rounds = 6
	}
	for i := 0; i < rounds && crossings > 0; i++ {
		p.sweep(i%2 == 0)
		p.transpose()
		if n := p.crossings(); n < crossings {
			best, crossings = p.copyRows(), n
		}
	}
	p.rows = best
	p.number()
}

// place puts a vertex and all below it into their rows.
func (p *placing) place(start int, seen []bool) {
	stack := []int{start}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		p.v[v].at = len(p.rows[p.v[v].row])
		p.rows[p.v[v].row] = append(p.rows[p.v[v].row], v)
		for i := len(p.v[v].down) - 1; i >= 0; i-- {
			stack = append(stack, p.v[v].down[i])
		}
	}
}

func (p *placing) copyRows() [][]int {
	out := make([][]int, len(p.rows))
	for i, row := range p.rows {
		out[i] = slices.Clone(row)
	}
	return out
}

func (p *placing) number() {
	for _, row := range p.rows {
		for i, v := range row {
			p.v[v].at = i
		}
	}
}

// sweep orders each row by the row before it, downwards or upwards.
func (p *placing) sweep(down bool) {
	for i := range p.rows {
		row := p.rows[i]
		if !down {
			row = p.rows[len(p.rows)-1-i]
		}
		key := make(map[int]float64, len(row))
		for _, v := range row {
			key[v] = p.middle(v, down)
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		for at, v := range row {
			p.v[v].at = at
		}
	}
}

// middle is the mean position of the vertices above or below one; its own where there are none.
func (p *placing) middle(v int, above bool) float64 {
	near := p.v[v].down
	if above {
		near = p.v[v].up
	}
	switch {
	case p.v[v].first:
		return math.Inf(-1)
	case len(near) == 0:
		return float64(p.v[v].at)
	}
	sum := 0
	for _, w := range near {
		sum += p.v[w].at
	}
	return float64(sum) / float64(len(near))
}

// transpose exchanges neighbours as long as that makes fewer lines cross.
func (p *placing) transpose() {
	const rounds = 3
	for range rounds {
		better := false
		for _, row := range p.rows {
			for i := 1; i < len(row); i++ {
				a, b := row[i-1], row[i]
				if !p.v[a].first && p.pair(a, b) > p.pair(b, a) {
					row[i-1], row[i] = b, a
					p.v[a].at, p.v[b].at = i, i-1
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// pair counts how often the lines of two neighbours cross when a stands left of b.
func (p *placing) pair(a, b int) int {
	count := func(x, y []int) (n int) {
		for _, v := range x {
			for _, w := range y {
				if p.v[v].at > p.v[w].at {
					n++
				}
			}
		}
		return n
	}
	return count(p.v[a].up, p.v[b].up) + count(p.v[a].down, p.v[b].down)
}

// crossings counts all crossings between neighbouring rows.
func (p *placing) crossings() int {
	n := 0
	for r := 1; r < len(p.rows); r++ {
		n += p.between(p.rows[r-1], len(p.rows[r]))
	}
	return n
}

// between counts the crossings below a row with a tree of sums over the positions of the next row.
func (p *placing) between(row []int, width int) int {
	tree := make([]int, width+1)
	crossings, total := 0, 0
	for _, v := range row {
		ends := make([]int, 0, len(p.v[v].down))
		for _, w := range p.v[v].down {
			ends = append(ends, p.v[w].at)
		}
		for _, at := range ends {
			before := 0
			for i := at + 1; i > 0; i -= i & -i {
				before += tree[i]
			}
			crossings += total - before
		}
		for _, at := range ends {
			for i := at + 1; i <= width; i += i & -i {
				tree[i]++
			}
			total++
		}
	}
	return crossings
}
