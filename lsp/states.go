package lsp

import (
	"flowc/grammar"
)

// A stateNode is a state in the tree of a flow or a fragment, as it is written; what a `use` splices in hangs below it.
type stateNode struct {
	name   string
	node   grammar.Node // of the root the flow or the fragment
	body   *grammar.StateBody
	parent *stateNode
	kids   []*stateNode
}

const maxSplices = 20 // fragments in fragments; one that uses itself has a finding of its own

// states makes the tree of a flow's or a fragment's states.
func states(root grammar.Node, all []symbol) *stateNode {
	n := &stateNode{node: root, body: bodyOf(root)}
	n.grow(all, 0)
	return n
}

func (n *stateNode) grow(all []symbol, splices int) {
	if n.body == nil {
		return
	}
	for _, item := range n.body.Items {
		kid := &stateNode{node: item, body: bodyOf(item), parent: n}
		id := nameOf(item)
		switch item := item.(type) {
		case *grammar.State, *grammar.Parallel, *grammar.Region, *grammar.Final:
		case *grammar.Use:
			if item.Call != nil && splices < maxSplices {
				if d, _ := find[*grammar.FragmentDecl](all, item.Call.Name.String()); d != nil {
					kid.body = d.Body
				}
			}
			splices++
		default:
			continue
		}
		if id == nil {
			continue
		}
		kid.name = id.Text
		kid.grow(all, splices)
		n.kids = append(n.kids, kid)
	}
}

// around finds the state whose body holds an offset, the innermost one.
func (n *stateNode) around(path []grammar.Node) *stateNode {
	at := n
	for _, p := range path {
		for _, kid := range at.kids {
			if _, use := p.(*grammar.Use); kid.node == p && !use { // the states of a use are written elsewhere
				at = kid
				break
			}
		}
	}
	return at
}

// A reach is a state with the path by which a place names it.
type reach struct {
	path  string
	state *stateNode
	depth int // how many states out, and then in, one goes
}

// reaches lists all states that a place in this state can name, by the shortest path for each.
func (n *stateNode) reaches() []reach {
	var out []reach
	seen := map[*stateNode]bool{}
	hidden := map[string]bool{}
	depth := 0
	for s := n; s != nil; s = s.parent {
		var hide []string
		for _, kid := range s.kids {
			if !hidden[kid.name] {
				kid.collect(kid.name, depth, seen, &out)
				hide = append(hide, kid.name)
			}
		}
		for _, name := range hide {
			hidden[name] = true
		}
		depth++
	}
	return out
}

func (n *stateNode) collect(path string, depth int, seen map[*stateNode]bool, out *[]reach) {
	if !seen[n] {
		seen[n] = true
		*out = append(*out, reach{path, n, depth})
	}
	for _, kid := range n.kids {
		kid.collect(path+"."+kid.name, depth+1, seen, out)
	}
}

// find goes to a state by a path of names, the first looked up outwards.
func (n *stateNode) find(path []string) *stateNode {
	if len(path) == 0 {
		return nil
	}
	for s := n; s != nil; s = s.parent {
		if base := s.child(path[0]); base != nil {
			for _, name := range path[1:] {
				if base = base.child(name); base == nil {
					return nil
				}
			}
			return base
		}
	}
	return nil
}

func (n *stateNode) child(name string) *stateNode {
	for _, kid := range n.kids {
		if kid.name == name {
			return kid
		}
	}
	return nil
}

// detail says what sort of state it is.
func (n *stateNode) detail() string {
	switch d := n.node.(type) {
	case *grammar.Final:
		if d.As != nil {
			return "final as " + d.As.Text
		}
		return "final"
	case *grammar.Parallel:
		return "parallel"
	case *grammar.Region:
		return "region"
	case *grammar.Use:
		if d.Call != nil {
			return "use " + d.Call.Name.String()
		}
	}
	if len(n.kids) > 0 {
		return "composite state"
	}
	return "state"
}
