// Package layered places boxes in rows and leads lines between them, so that no line crosses a box and no label covers another:
// the method of Sugiyama, with the horizontal placement of Brandes and Köpf.
//
// Rank gives each box its row. Place orders the boxes of each row so that few lines cross, gives them their coordinates, and leads
// every line through places of its own in the rows that it passes. A label stands in a row between those of the boxes, to the
// right of its line. All lengths are in the units of the drawing; y grows downwards. The same input gives the same result.
package layered

// A Point is a place in the drawing.
type Point struct{ X, Y float64 }

// A Node is a box. Left and Right are its extents from the axis, the vertical line on which it is placed.
type Node struct {
	Left, Right, Height float64
	Side                float64 // how far from the axis lines may begin, at most; 0: the lesser of Left and Right
	Rank                int     // boxes of one rank share a row
	First               bool    // it is the leftmost one of its row; one at most in a row
}

// An Edge is a line with an arrow; From and To are of different rank.
type Edge struct {
	From, To       int
	LabelW, LabelH float64 // 0 without a label
	// FromAt and ToAt are where on the box the line begins and ends, from the axis; nil lets Place choose.
	FromAt, ToAt *float64
}

// A Layout says where everything is, with (0, 0) at the upper left.
type Layout struct {
	Axis, Top     []float64 // of the nodes
	Paths         [][]Point // of the edges: straight where two points have one x, otherwise curved between them
	Labels        []Point   // upper left corners of the edges' labels
	Width, Height float64
}

const (
	nodeGap  = 22.0 // between the boxes of a row
	lineHalf = 7.0  // half of the room for a line that passes a row
	labelGap = 6.0  // between a line and its label
	leastRow = 18.0 // between two rows
	mostRow  = 54.0
	slope    = 0.10 // how much further apart rows are for each unit that a line between them goes sideways
	portGap  = 16.0 // between two lines at a box
	corner   = 12.0 // of a box, where no line begins
)

// A vertex is a box, or the place of a line in a row.
type vertex struct {
	left, right, height float64
	row, at             int // at: position in the row
	node                int // -1: of a line
	first               bool
	up, down            []int
	x                   float64
}

type placing struct {
	nodes []Node
	edges []Edge
	v     []vertex
	rows  [][]int
	chain [][]int // the vertices of each edge, from From to To
	label []int   // the vertex of each edge's label, -1 without
	top   []float64
	tall  []float64
}

// Place gives nodes and edges their places.
func Place(nodes []Node, edges []Edge) Layout {
	p := &placing{nodes: nodes, edges: edges}
	p.build()
	p.order()
	p.horizontal()
	p.vertical()
	return p.result()
}

// build makes the vertices and the rows. Boxes have even levels, labels odd ones; levels that hold neither are left out.
func (p *placing) build() {
	level := func(rank int) int { return 2 * rank }
	used := map[int]bool{}
	for _, n := range p.nodes {
		used[level(n.Rank)] = true
	}
	labelLevel := func(e Edge) int {
		if p.nodes[e.To].Rank > p.nodes[e.From].Rank {
			return level(p.nodes[e.From].Rank) + 1
		}
		return level(p.nodes[e.From].Rank) - 1
	}
	for _, e := range p.edges {
		if e.LabelW > 0 {
			used[labelLevel(e)] = true
		}
	}
	row, last := numbered(used)
	for i, n := range p.nodes {
		p.v = append(p.v, vertex{left: n.Left, right: n.Right, height: n.Height, row: row[level(n.Rank)], node: i, first: n.First})
	}
	for _, e := range p.edges {
		at := -1
		if e.LabelW > 0 {
			at = row[labelLevel(e)]
		}
		p.lead(e, at)
	}
	p.rows = make([][]int, last)
}

// numbered numbers the levels that are used without gaps.
func numbered(used map[int]bool) (row map[int]int, n int) {
	least, most := 0, 0
	for l := range used {
		least, most = min(least, l), max(most, l)
	}
	row = map[int]int{}
	for l := least; l <= most; l++ {
		if used[l] {
			row[l] = n
			n++
		}
	}
	return row, n
}

// lead makes the vertices of an edge in the rows between its ends, with room for the label in one of them.
func (p *placing) lead(e Edge, labelRow int) {
	step := 1
	if p.v[e.To].row < p.v[e.From].row {
		step = -1
	}
	chain, label := []int{e.From}, -1
	for r := p.v[e.From].row + step; r != p.v[e.To].row; r += step {
		v := vertex{left: lineHalf, right: lineHalf, row: r, node: -1}
		if r == labelRow {
			label = len(p.v)
			v.right, v.height = labelGap+e.LabelW+lineHalf, e.LabelH
		}
		chain = append(chain, len(p.v))
		p.v = append(p.v, v)
	}
	chain = append(chain, e.To)
	for i := 1; i < len(chain); i++ {
		a, b := chain[i-1], chain[i]
		if step < 0 {
			a, b = b, a
		}
		p.v[a].down = append(p.v[a].down, b)
		p.v[b].up = append(p.v[b].up, a)
	}
	p.chain, p.label = append(p.chain, chain), append(p.label, label)
}
