package layered

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// random makes a graph of n boxes that a seed names.
func random(seed uint64, n int) ([]Node, []Edge) {
	r := rand.New(rand.NewPCG(seed, 1))
	var pairs [][2]int
	for range n * 2 {
		a, b := r.IntN(n), r.IntN(n)
		if a != b {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	ranks := Rank(n, pairs)
	nodes := make([]Node, n)
	for i := range nodes {
		half := 10 + r.Float64()*60
		nodes[i] = Node{Left: half, Right: half + r.Float64()*30, Height: 20 + r.Float64()*80, Rank: ranks[i]}
	}
	var edges []Edge
	for _, p := range pairs {
		e := Edge{From: p[0], To: p[1]}
		if r.IntN(3) > 0 {
			e.LabelW, e.LabelH = 20+r.Float64()*100, 15
		}
		edges = append(edges, e)
	}
	return nodes, edges
}

func TestRank(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := 1 + r.IntN(20)
		var pairs [][2]int
		for range r.IntN(40) {
			pairs = append(pairs, [2]int{r.IntN(n), r.IntN(n)})
		}
		ranks := Rank(n, pairs)
		for _, p := range pairs {
			if p[0] != p[1] && ranks[p[0]] == ranks[p[1]] {
				t.Fatalf("seed %d: a line joins two boxes of row %d", seed, ranks[p[0]])
			}
		}
	}
}

func TestRankFollowsTheWay(t *testing.T) {
	// 0 → 1 → 2 → 1, 2 → 3: the way back leads upwards. 4 stands just above 3.
	got := Rank(5, [][2]int{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 3}})
	if want := []int{0, 1, 2, 3, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBoxesAndLabelsStandApart(t *testing.T) {
	for seed := range uint64(60) {
		nodes, edges := random(seed, 3+int(seed)%25)
		l := Place(nodes, edges)
		type area struct{ x, y, w, h float64 }
		var all []area
		for i, n := range nodes {
			all = append(all, area{l.Axis[i] - n.Left, l.Top[i], n.Left + n.Right, n.Height})
		}
		for i, e := range edges {
			if e.LabelW > 0 {
				all = append(all, area{l.Labels[i].X, l.Labels[i].Y, e.LabelW, e.LabelH})
			}
		}
		for i, a := range all {
			if a.x < -0.01 || a.y < -0.01 || a.x+a.w > l.Width+0.01 || a.y+a.h > l.Height+0.01 {
				t.Fatalf("seed %d: %v is outside of %g × %g", seed, a, l.Width, l.Height)
			}
			for _, b := range all[:i] {
				if a.x+0.01 < b.x+b.w && b.x+0.01 < a.x+a.w && a.y+0.01 < b.y+b.h && b.y+0.01 < a.y+a.h {
					t.Fatalf("seed %d: %v and %v cover each other", seed, a, b)
				}
			}
		}
	}
}

func TestPlaceIsAFunction(t *testing.T) {
	nodes, edges := random(7, 30)
	if a, b := Place(nodes, edges), Place(nodes, edges); !reflect.DeepEqual(a, b) {
		t.Error("the same input gave two layouts")
	}
}

func TestFirstIsLeftmost(t *testing.T) {
	nodes := []Node{
		{Left: 10, Right: 10, Height: 10, Rank: 1}, {Left: 10, Right: 10, Height: 10, Rank: 1},
		{Left: 5, Right: 5, Rank: 0}, {Left: 5, Right: 5, Rank: 0}, {Right: 40, Height: 20, Rank: 0, First: true},
	}
	l := Place(nodes, []Edge{{From: 2, To: 1}, {From: 3, To: 0}})
	if l.Axis[4]+40 > l.Axis[2]-5 || l.Axis[4]+40 > l.Axis[3]-5 {
		t.Errorf("the first of the row stands at %g, others at %g and %g", l.Axis[4], l.Axis[2], l.Axis[3])
	}
}

func TestNothing(t *testing.T) {
	if l := Place(nil, nil); l.Width != 0 || l.Height != 0 {
		t.Errorf("nothing takes %g × %g", l.Width, l.Height)
	}
	if l := Place([]Node{{Left: 3, Right: 3, Height: 5}}, nil); l.Width != 6 || l.Height != 5 {
		t.Errorf("one box takes %g × %g", l.Width, l.Height)
	}
}
