package lsp

import "flowc/grammar"

// wantedInTest proposes what a word wants in a test, where some words mean other things than in a flow.
func (x *completer) wantedInTest(word string) bool {
	switch word {
	case "send", "refused", "accepts":
		declared[*grammar.EventDecl](x, KindEvent, 0)
	case "claim", "complete", "offered", "dispatched", "fail":
		declared[*grammar.TaskDecl](x, KindTask, 0)
	case "mock":
		declared[*grammar.TaskDecl](x, KindTask, 0)
		declared[*grammar.FlowDecl](x, KindFlow, 1)
	case "start", "child":
		declared[*grammar.FlowDecl](x, KindFlow, 0)
		if word == "start" {
			x.keywords(1, "server")
		}
	case "restart", "stop":
		x.keywords(0, "server")
	case "expect":
		x.expectations()
		x.keywords(1, "not")
		x.values()
	case "not":
		x.expectations()
		x.values()
	case "state", "final":
		x.statesOfFlows(word == "final")
	case "timer":
		x.timersOfFlows()
	case "status":
		x.enumerated(KindMember, statuses...)
	case "outcome":
		x.enumerated(KindMember, outcomes...)
	case "no":
		if x.headWord() == "expect" {
			x.keywords(0, "timers")
		} else {
			x.keywords(0, "retry")
		}
	case "advance", "after":
		x.durations()
		if word == "advance" {
			x.keywords(2, "to")
		}
	case "in":
		if x.headWord() == "expect" {
			x.durations()
		}
		x.values()
	case "to":
		x.times()
	case "at":
		if x.headWord() == "retry" {
			x.statesOfFlows(false)
		} else {
			x.times()
		}
	case "with":
		declared[*grammar.EventDecl](x, KindEvent, 0)
	default:
		return false
	}
	return true
}

func (x *completer) expectations() {
	x.keywords(0, "state", "status", "final", "outcome", "error", "timer", "no timers", "refused", "offered", "dispatched", "child",
		"note", "accepts")
}

// statesOfFlows proposes the states that a test can name: of the flows of the file.
func (x *completer) statesOfFlows(finals bool) {
	for _, s := range x.all {
		d, ok := s.decl.(*grammar.FlowDecl)
		if !ok {
			continue
		}
		for _, r := range states(d, x.all).reaches() {
			if _, final := r.state.node.(*grammar.Final); final == finals || !finals {
				x.state(r, 0)
			}
		}
	}
}

// timersOfFlows proposes the timers that a test can name.
func (x *completer) timersOfFlows() {
	x.add(0, Item{Label: "timeout", Kind: KindTimer, Detail: "of the innermost active state"})
	x.add(0, Item{Label: "idle", Kind: KindTimer})
	for _, s := range x.all {
		if d, ok := s.decl.(*grammar.FlowDecl); ok {
			x.timersBelow(states(d, x.all))
		}
	}
	declared[*grammar.EventDecl](x, KindEvent, 2)
}

func (x *completer) timersBelow(n *stateNode) {
	x.timersOf(n)
	for _, kid := range n.kids {
		x.timersBelow(kid)
	}
}
