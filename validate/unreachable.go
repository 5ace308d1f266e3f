package validate

import (
	"strings"

	"flowc/validate/diag"
	"flowc/validate/model"
)

// An absence is why an event that the engine makes can never come to a handler of a state.
type absence struct {
	why     string
	help    string
	instead model.Reserved // what comes in its place, or NotReserved
	taken   *handler       // of a state inside, which takes it first, or nil
}

// ofParts are the reserved events that come only from a part of the state or of those in it, so that it can be said that one never
// comes. A run-time error may come from any code, and a cancel from outside; `expired` has a finding of its own.
var ofParts = []model.Reserved{model.OnTimeout, model.OnCompleted, model.OnJoined}

var reservedNames = map[model.Reserved]string{
	model.OnTimeout: "timeout", model.OnCompleted: "completed", model.OnJoined: "joined",
}

// checkUnreachable warns of handlers of `timeout`, `completed` and `joined` to which that event can never come. A state of which it is
// said already that nothing leaves it, and a handler that reads what the event does not have, need no second finding.
func (c *checker) checkUnreachable(s *state) {
	if s.stuck || s.damagedInside() {
		return
	}
	for _, kind := range ofParts {
		name := reservedNames[kind]
		h, ev := s.firstHandler(kind)
		if h == nil || h.shape.strange {
			continue
		}
		gone := s.absent(kind)
		if gone == nil {
			continue
		}
		so := ", so this handler never runs"
		if len(h.events) > 1 {
			so = ""
		}
		n := c.report(ev.at, diag.UnreachableHandler, "`%s` never comes here%s: %s", name, so, gone.why)
		if gone.help != "" {
			n.help("%s", gone.help)
		}
		if gone.taken != nil {
			n.related(gone.taken.at, "taken here")
		}
		if gone.instead != model.NotReserved {
			s.write(gone.instead, n, h, ev)
		}
		if len(h.events) > 1 { // the rest of the handler does run
			n.f.Help = strings.NewReplacer("remove the handler", "remove `"+name+"`", "remove this handler", "remove `"+name+"`").Replace(n.f.Help)
		}
	}
}

// write says to handle the event that comes instead of another one. The fix is certain where the handler reads nothing of the event.
func (s *state) write(right model.Reserved, n *note, h *handler, wrong eventRef) {
	name := reservedNames[right]
	if other, _ := s.firstHandler(right); other != nil {
		n.help("remove this handler: `on %s` is there", name).related(other.at, "this one runs")
		return
	}
	if n.help("write `on %s`", name); right == model.OnJoined {
		n.help("write `on joined`; its `event.ok` says whether as many succeeded as the join asks for")
	}
	if len(h.shape.seen) == 0 && !h.shape.strange {
		n.fix("Write `"+name+"`", wrong.at.span, name)
	}
}

// relateAbsent points at the handlers of a state that might be taken for a way out and never run.
func (s *state) relateAbsent(n *note) {
	for _, kind := range ofParts {
		if h, ev := s.firstHandler(kind); h != nil && s.absent(kind) != nil {
			n.related(ev.at, "`%s` never comes here", reservedNames[kind])
		}
	}
}

// firstHandler is the first handler of the state that takes a reserved event, with the place where it names the event.
func (s *state) firstHandler(kind model.Reserved) (*handler, eventRef) {
	for _, h := range s.handlers {
		for _, ev := range h.events {
			if ev.reserved == kind && !ev.unknown {
				return h, ev
			}
		}
	}
	return nil, eventRef{}
}

// damagedInside reports whether the state, or one in it, could not be read in full.
func (s *state) damagedInside() bool {
	if s.hurt || s.misfit || s.work != nil && s.work.unknown {
		return true
	}
	for _, k := range s.kids {
		if k.damagedInside() {
			return true
		}
	}
	return false
}

// absent says why `timeout`, `completed` or `joined` can never come to a handler of the state, and is nil when it may.
func (s *state) absent(kind model.Reserved) *absence {
	if len(s.sources(kind)) > 0 {
		return nil
	}
	name := reservedNames[kind]
	if gone := s.endsOtherwise(kind); gone != nil {
		return gone
	}
	if h := s.takenInside(kind); h != nil {
		return &absence{why: "a state inside takes each one first", help: "remove this handler, or the one inside", taken: h}
	}
	gone := s.nothingMakes(kind)
	for up := s.parent; up != nil; up = up.parent {
		if up.gives(kind) {
			gone.help = "the `" + name + "` of " + up.title() + " is looked for from there outwards: write the handler there"
			if h, _ := up.firstHandler(kind); h != nil {
				gone.help = "remove the handler: the `" + name + "` of " + up.title() + " is looked for from there outwards, and is handled there"
			}
			break
		}
	}
	return gone
}

// endsOtherwise explains a handler of `completed` in a state that ends in `joined`, or the other way round; nil where neither is so.
func (s *state) endsOtherwise(kind model.Reserved) *absence {
	switch {
	case kind == model.OnCompleted && s.ends(model.OnJoined):
		what := "a parallel"
		if s.work != nil {
			what = "`" + s.work.word() + " … each`"
		}
		return &absence{why: what + " ends in `joined`", instead: model.OnJoined}
	case kind == model.OnJoined && s.ends(model.OnCompleted):
		what := "a state with states inside"
		if s.work != nil {
			what = "`" + s.work.word() + "` without `each`"
		}
		return &absence{why: what + " ends in `completed`", instead: model.OnCompleted}
	}
	return nil
}

// nothingMakes explains a handler in a state where no part makes the event.
func (s *state) nothingMakes(kind model.Reserved) *absence {
	leaf := len(s.kids) == 0
	switch {
	case kind == model.OnTimeout && leaf:
		return &absence{why: s.title() + " has no timeout", help: "add `timeout DUR`, or remove the handler"}
	case kind == model.OnTimeout:
		return &absence{why: "neither " + s.title() + " nor a state in it has a timeout", help: "add `timeout DUR`, or remove the handler"}
	case kind == model.OnJoined && leaf:
		return &absence{
			why:  s.title() + " is no parallel and has no work with `each`",
			help: "remove the handler, or write the event that is meant",
		}
	case kind == model.OnJoined:
		return &absence{
			why:  "no state in " + s.title() + " is a parallel or has work with `each`",
			help: "remove the handler, or write the event that is meant",
		}
	case leaf:
		return &absence{why: s.title() + " has no work that could end", help: "add `do`, `run` or `invoke`, or remove the handler"}
	case s.parent == nil:
		return &absence{
			why:  "no state of the flow has work whose `completed` is left to the flow",
			help: "remove the handler: a final state of the flow ends the token, and no event follows",
		}
	case s.m.Kind == model.Region:
		return &absence{why: "the end of a region counts for the `joined` of the parallel", help: "write `on joined` beside the regions"}
	}
	return &absence{
		why:  s.title() + " has no final state directly inside, and no work in it leaves its `completed` to it",
		help: "add a final state inside, or remove the handler",
	}
}

// takenInside finds a handler inside that takes an event which would otherwise come to the state.
func (s *state) takenInside(kind model.Reserved) *handler {
	for _, k := range s.kids {
		for _, h := range k.handlers {
			if h.takes(kind) && !h.guarded() && len(k.sources(kind)) > 0 {
				return h
			}
		}
		if h := k.takenInside(kind); h != nil {
			return h
		}
	}
	return nil
}

// gives reports whether the state itself gets the event at some time.
func (s *state) gives(kind model.Reserved) bool {
	if kind == model.OnTimeout {
		return s.timeout != nil
	}
	return s.ends(kind)
}

// word is how the language writes the work.
func (w *work) word() string {
	switch w.m.Kind {
	case model.Invoke:
		return "invoke"
	case model.Run:
		return "run"
	}
	return "do"
}
