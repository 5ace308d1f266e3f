package layered

// Rank gives each of n boxes a row from 0, so that as many lines as possible lead downwards and are short. The lines that lead back
// to where one came from, seen from the boxes in their order, lead upwards. No line joins two boxes of one row.
func Rank(n int, edges [][2]int) []int {
	r := &ranking{n: n, down: make([][]int, n), up: make([][]int, n), state: make([]uint8, n)}
	out := make([][]int, n)
	into := make([]int, n)
	for _, e := range edges {
		if e[0] != e[1] {
			out[e[0]] = append(out[e[0]], e[1])
			into[e[1]]++
		}
	}
	for v := range n {
		if into[v] == 0 {
			r.visit(v, out)
		}
	}
	for v := range n {
		r.visit(v, out)
	}
	r.longest()
	r.tighten()
	return r.rank
}

type ranking struct {
	n        int
	down, up [][]int // without circles
	state    []uint8 // 0 not seen, 1 on the way, 2 done
	order    []int   // topological, reversed
	rank     []int
}

// visit goes depth first without recursion; a line to a box that is still on the way is turned round.
func (r *ranking) visit(start int, out [][]int) {
	if r.state[start] != 0 {
		return
	}
	type frame struct{ v, next int }
	stack := []frame{{v: start}}
	r.state[start] = 1
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(out[f.v]) {
			r.state[f.v] = 2
			r.order = append(r.order, f.v)
			stack = stack[:len(stack)-1]
			continue
		}
		v, w := f.v, out[f.v][f.next]
		f.next++
		if r.state[w] == 1 {
			v, w = w, v
		} else if r.state[w] == 0 {
			r.state[w] = 1
			stack = append(stack, frame{v: w})
		}
		r.down[v], r.up[w] = append(r.down[v], w), append(r.up[w], v)
	}
}

// longest puts each box as far up as the lines into it allow.
func (r *ranking) longest() {
	r.rank = make([]int, r.n)
	for i := len(r.order) - 1; i >= 0; i-- {
		v := r.order[i]
		for _, u := range r.up[v] {
			r.rank[v] = max(r.rank[v], r.rank[u]+1)
		}
	}
}

// tighten moves boxes with more lines out than in down, towards where those lead. Boxes that nothing leads to stand just above
// what they lead to.
func (r *ranking) tighten() {
	const rounds = 4
	for range rounds {
		for _, v := range r.order { // lower ones first
			if len(r.down[v]) <= len(r.up[v]) {
				continue
			}
			lowest := r.rank[r.down[v][0]] - 1
			for _, w := range r.down[v] {
				lowest = min(lowest, r.rank[w]-1)
			}
			r.rank[v] = max(r.rank[v], lowest)
		}
	}
}
