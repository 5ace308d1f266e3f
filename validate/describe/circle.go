package describe

// measure computes the longest way from each child until the state around it is left: groups of children that lead to each other, in
// the order in which they lead on (Tarjan).
func (p *paths) measure() {
	t := &tarjan{p: p, number: map[int]int{}, low: map[int]int{}, on: map[int]bool{}}
	for _, c := range p.children {
		if t.number[c] == 0 {
			t.visit(c)
		}
	}
}

type tarjan struct {
	p           *paths
	count       int
	number, low map[int]int
	on          map[int]bool
	stack       []int
}

// visit goes depth first. A flow has at most 10,000 states, so the recursion has a limit.
func (t *tarjan) visit(v int) {
	t.count++
	t.number[v], t.low[v] = t.count, t.count
	t.stack, t.on[v] = append(t.stack, v), true
	for _, w := range t.p.ways[v] {
		if t.number[w.to] == 0 {
			t.visit(w.to)
			t.low[v] = min(t.low[v], t.low[w.to])
		} else if t.on[w.to] {
			t.low[v] = min(t.low[v], t.number[w.to])
		}
	}
	if t.low[v] != t.number[v] {
		return
	}
	var group []int
	for {
		w := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[w] = false
		group = append(group, w)
		if w == v {
			break
		}
	}
	t.p.group(group)
}

// group measures children that lead to each other; what they lead to besides has been measured. A circle that no time passes in is
// one step, which ends by its limit of moves; any other has no bound.
func (p *paths) group(group []int) {
	member := map[int]bool{}
	for _, v := range group {
		member[v] = true
	}
	stay, onwards, circle := known(0), known(0), len(group) > 1
	for _, v := range group {
		stay = sum(stay, p.d.ownStay(v))
		for _, w := range p.ways[v] {
			if member[w.to] {
				circle = circle || w.to == v
			} else {
				onwards = most(onwards, p.longest[w.to])
			}
		}
	}
	if circle && !(stay.Known && stay.Micros == 0) {
		stay = Bound{Waits: stay.Waits, Loop: p.loop(group, member)}
	}
	for _, v := range group {
		p.longest[v] = sum(stay, onwards)
	}
}

// loop finds the shortest way from the first of a group back to it.
func (p *paths) loop(group []int, member map[int]bool) *Loop {
	start := group[0]
	for _, v := range group {
		start = min(start, v)
	}
	type step struct {
		from  int
		label string
	}
	came := map[int]step{}
	queue := []int{start}
	for i := 0; i < len(queue); i++ {
		for _, w := range p.ways[queue[i]] {
			if _, seen := came[w.to]; seen || !member[w.to] {
				continue
			}
			came[w.to] = step{queue[i], w.label}
			queue = append(queue, w.to)
		}
	}
	name := func(v int) string { return nameOf(p.d.flow.States[v]) }
	l := &Loop{States: []string{name(start)}}
	for at := start; ; {
		s, ok := came[at]
		if !ok {
			break
		}
		l.States = append([]string{name(s.from)}, l.States...)
		l.Events = append([]string{s.label}, l.Events...)
		if at = s.from; at == start {
			break
		}
	}
	return l
}
