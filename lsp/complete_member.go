package lsp

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// members proposes what may stand behind a dot.
func (x *completer) members() {
	before := x.dotted()
	if len(before) > 0 && x.isImport(before[0]) && len(before) == 1 {
		x.imported(before[0])
		return
	}
	if x.inTarget() {
		x.substates(before)
		return
	}
	sel := innermost[*grammar.SelectExpr](x.path)
	if (sel == nil || sel.X == nil) && len(before) == 1 && before[0] == "event" {
		x.eventFields(x.tokens[x.k].Span.Start)
		return
	}
	if sel == nil || sel.X == nil {
		x.byName(before)
		return
	}
	if len(before) == 1 {
		if before[0] == "event" {
			x.eventFields(sel.X.Span().Start)
			return
		}
		if x.byName(before) {
			return
		}
	}
	if t := x.checked().typeOf(index, sel.X.Span()); t != nil && t.Decl != nil && t.Kind == value.Record {
		x.typedFields(t.Decl.Fields)
		return
	}
	x.byName(before)
}

// dotted is the chain of names before the dot, empty when something else stands there.
func (x *completer) dotted() []string {
	var names []string
	for i := x.k - 1; i > 0 && x.tokens[i].Kind == grammar.Dot && x.tokens[i-1].Kind == grammar.Ident_; i -= 2 {
		names = append([]string{x.textOf(i - 1)}, names...)
	}
	return names
}

func (x *completer) isImport(name string) bool {
	for _, d := range x.tree.Decls {
		if imp, ok := d.(*grammar.ImportDecl); ok && imp.As != nil && imp.As.Text == name {
			return true
		}
	}
	return false
}

// imported proposes the declarations of an import.
func (x *completer) imported(alias string) {
	for _, s := range x.all {
		name, ok := strings.CutPrefix(s.label, alias+".")
		if !ok {
			continue
		}
		kind := KindConstant
		switch s.decl.(type) {
		case *grammar.EnumDecl:
			kind = KindEnum
		case *grammar.TypeDecl:
			kind = KindType
		case *grammar.EventDecl:
			kind = KindEvent
		case *grammar.TaskDecl:
			kind = KindTask
		case *grammar.FnDecl:
			kind = KindFunction
		case *grammar.FragmentDecl:
			kind = KindFragment
		case *grammar.FlowDecl:
			kind = KindFlow
		}
		x.add(0, Item{Label: name, Kind: kind, Detail: s.detail(), doc: s.doc})
	}
}

// inTarget says whether the dotted name is a state.
func (x *completer) inTarget() bool {
	if innermost[*grammar.Path](x.path) == nil {
		return false
	}
	return innermost[*grammar.Target](x.path) != nil || innermost[*grammar.GoStmt](x.path) != nil || innermost[*grammar.Initial](x.path) != nil ||
		innermost[*grammar.ExpectState](x.path) != nil || innermost[*grammar.TestRetry](x.path) != nil || innermost[*grammar.ExpectFinal](x.path) != nil
}

// substates proposes the states inside the one that the names lead to.
func (x *completer) substates(before []string) {
	roots := []*stateNode{x.here()}
	if roots[0] == nil {
		roots = roots[:0]
		for _, s := range x.all {
			if d, ok := s.decl.(*grammar.FlowDecl); ok {
				roots = append(roots, states(d, x.all))
			}
		}
	}
	for _, root := range roots {
		if base := root.find(before); base != nil {
			for _, kid := range base.kids {
				x.state(reach{path: kid.name, state: kid}, 0)
			}
		}
	}
}

// byName proposes what is known of a bare name: an enum's values, what `token` has, an import's enum; it reports whether the name
// is one of them.
func (x *completer) byName(before []string) bool {
	label := strings.Join(before, ".")
	if d, s := find[*grammar.EnumDecl](x.all, label); d != nil {
		for _, v := range d.Values() {
			x.add(0, Item{Label: v.Text, Kind: KindMember, Detail: s.label})
		}
		return true
	}
	switch label {
	case "token":
		for _, f := range builtin.All() {
			if name, ok := strings.CutPrefix(f.Name, "token."); ok {
				x.add(0, Item{Label: name, Kind: KindField, Detail: f.Signature, doc: func() string { return f.Doc }})
			}
		}
		return true
	case "outcome":
		x.enumerated(KindMember, outcomes...)
		return true
	}
	return false
}

// eventFields proposes what `event` has: as the checker found it, or where the handler is too broken to be checked, as its events
// are declared.
func (x *completer) eventFields(at int) {
	if fields := x.checked().Info.EventFields(index, at); len(fields) > 0 {
		x.typedFields(fields)
		return
	}
	for _, path := range x.handled() {
		if d, s := find[*grammar.EventDecl](x.all, path); d != nil {
			for _, f := range d.Params.List() {
				x.add(0, Item{Label: identText(f.Name), Kind: KindField, Detail: oneLine(text(s.file, f)), doc: func() string { return fieldDoc(s.file, f) }})
			}
			x.add(1, Item{Label: "actor", Kind: KindField, Detail: "actor: string?"})
		}
		for _, f := range reservedFields[path] {
			x.add(0, Item{Label: f, Kind: KindField})
		}
	}
}

// handled lists the events of the handler around.
func (x *completer) handled() []string {
	var names []string
	for i := x.k - 1; i > 0; i-- {
		if word := x.textOf(i); x.tokens[i].Kind == grammar.Ident_ && word == "on" && !x.isMember(i) {
			for j := i + 1; j < x.k && (x.tokens[j].Kind == grammar.Ident_ || x.tokens[j].Kind == grammar.Dot || x.tokens[j].Kind == grammar.Comma); j++ {
				switch {
				case x.textOf(j) == "when":
					return names
				case x.tokens[j].Kind == grammar.Dot && len(names) > 0 && j+1 < x.k:
					names[len(names)-1] += "." + x.textOf(j+1)
					j++
				case x.tokens[j].Kind == grammar.Ident_:
					names = append(names, x.textOf(j))
				}
			}
			return names
		}
	}
	return nil
}

// reservedFields are what reserved events carry whatever brings them.
var reservedFields = map[string][]string{
	"timeout": {"due", "state"}, "error": {"code", "message", "attempts", "source"}, "completed": {"final", "outcome"},
	"joined": {"ok", "total", "succeeded", "failed", "results"}, "expired": {"due"}, "cancel": {"reason"},
}

func (x *completer) typedFields(fields []value.Field) {
	for _, f := range fields {
		x.add(0, Item{Label: f.Name, Kind: KindField, Detail: f.Name + ": " + f.Type.String()})
	}
}

// elementOf is the record that a list or a map of records holds.
func elementOf(t *value.Type) *value.Type {
	for t != nil && t.Elem != nil {
		t = t.Elem
	}
	return t
}
