package lsp

import (
	"slices"

	"flowc/grammar"
	"flowc/validate/calendar"
)

// declared proposes the declarations of a kind.
func declared[D grammar.Decl](x *completer, kind ItemKind, rank int) {
	for _, s := range x.all {
		if _, ok := s.decl.(D); ok {
			x.add(rank, Item{Label: s.label, Kind: kind, Detail: s.detail(), Insert: s.label, doc: s.doc})
		}
	}
}

// parameters proposes the parameters of the fragment around that have one of the kinds.
func (x *completer) parameters(kinds ...string) {
	d := innermost[*grammar.FragmentDecl](x.path)
	if d == nil {
		return
	}
	for _, p := range d.Params.List() {
		if t, ok := p.Type.(*grammar.NamedType); ok && slices.Contains(kinds, t.Name.String()) {
			x.add(0, Item{Label: identText(p.Name), Kind: KindVariable, Detail: oneLine(text(x.tree, p))})
		}
	}
}

// eventsAfter proposes the events that may stand behind a word.
func (x *completer) eventsAfter(word string) {
	x.parameters("event")
	declared[*grammar.EventDecl](x, KindEvent, 0)
	if word != "on" {
		return
	}
	for i, name := range reservedOrder {
		x.add(1, Item{Label: name, Kind: KindEvent, Sort: ordinal(i), Detail: "reserved event", doc: func() string { return reservedDocs[name] }})
	}
}

// targets proposes the states that a transition from here can lead to: all of the flow, those that a bare name reaches first.
func (x *completer) targets() {
	x.parameters("state")
	if here := x.here(); here != nil {
		for _, r := range here.reaches() {
			x.state(r, min(r.depth, 3))
		}
	}
	x.add(4, Item{Label: "self", Kind: KindKeyword, doc: func() string { return wordHelp("self") }})
}

func (x *completer) state(r reach, rank int) {
	node := r.state.node
	x.add(rank, Item{Label: r.path, Kind: KindState, Detail: r.state.detail(), doc: func() string { return x.tree.Doc(node) }})
}

// children proposes the states directly inside, for `initial`.
func (x *completer) children() {
	if here := x.here(); here != nil {
		for _, kid := range here.kids {
			x.state(reach{path: kid.name, state: kid}, 0)
		}
	}
}

// timers proposes what `rearm` can start over: timers by name from here outwards, `timeout`, and scheduled events.
func (x *completer) timers() {
	x.add(0, Item{Label: "timeout", Kind: KindTimer, Detail: "the state's timeout"})
	for n := x.here(); n != nil; n = n.parent {
		x.timersOf(n)
	}
	declared[*grammar.EventDecl](x, KindEvent, 2)
}

func (x *completer) timersOf(n *stateNode) {
	if n.body == nil {
		return
	}
	for _, item := range n.body.Items {
		var as *grammar.Ident
		switch item := item.(type) {
		case *grammar.After:
			as = item.As
		case *grammar.At:
			as = item.As
		case *grammar.Every:
			as = item.As
		}
		if as != nil {
			x.add(0, Item{Label: as.Text, Kind: KindTimer, Detail: "timer of " + n.name})
		}
	}
}

// enumerated proposes words that are no keywords.
func (x *completer) enumerated(kind ItemKind, words ...string) {
	for i, w := range words {
		x.add(0, Item{Label: w, Kind: kind, Sort: ordinal(i)})
	}
}

// types proposes the types that a field can have.
func (x *completer) types() {
	for n, name := range typeOrder {
		i := Item{Label: name, Kind: KindType, Sort: ordinal(n), doc: func() string { return typeDocs[name] }}
		if name == "list" || name == "map" {
			i.Insert, i.Snippet = name+"<${1:string}>", true
		}
		x.add(1, i)
	}
	declared[*grammar.TypeDecl](x, KindType, 0)
	declared[*grammar.EnumDecl](x, KindEnum, 0)
	if x.headWord() == "fragment" {
		x.keywords(0, "state", "task", "event", "fn")
	}
	x.modules()
}

// modules proposes the names of imports.
func (x *completer) modules() {
	for _, d := range x.tree.Decls {
		if imp, ok := d.(*grammar.ImportDecl); ok && imp.As != nil {
			x.add(3, Item{Label: imp.As.Text, Kind: KindModule, Detail: oneLine(text(x.tree, imp))})
		}
	}
}

// zones proposes time zones as strings, and what may hold one.
func (x *completer) zones() {
	for _, name := range calendar.Names() {
		x.add(1, Item{Label: `"` + name + `"`, Kind: KindValue, Detail: "time zone"})
	}
	x.named(0)
}
