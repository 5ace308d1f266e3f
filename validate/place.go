package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// An assignee is what an assignment changes.
type assignee struct {
	place model.Place
	typ   *value.Type
	key   string // of the place, or of the list or map that it is in
	exact bool   // key names the place itself
}

func (x *coder) assign(n *grammar.AssignStmt) model.Stmt {
	if x.isWork(n.Value) {
		return x.assignWork(n)
	}
	a := x.assignable(n.Target)
	if a == nil {
		m := x.expr(n.Value, value.TypeInvalid)
		x.noteErrors(m)
		return nil
	}
	m := x.value(n.Value, a.typ, "`"+x.text(n.Target)+"`")
	x.assigned(a, m)
	return &model.Assign{Placed: x.placed(n), Place: a.place, Value: m}
}

// assigned notes what an assignment changes and shows.
func (x *coder) assigned(a *assignee, m model.Expr) {
	x.forget(a.key)
	if a.exact && a.typ.Optional && m != nil && !isBad(m) && !m.Type().Optional {
		x.learn(a.key)
	}
	if a.place.Data >= 0 {
		x.effects.assigns[a.place.Data] = true
	}
	for _, step := range a.place.Path {
		if step.Index != nil {
			x.effects.mayErr = true
		}
	}
}

// assignable resolves what stands before `=`; nil after a finding.
func (x *coder) assignable(e grammar.Expr) *assignee {
	switch n := e.(type) {
	case *grammar.NameExpr:
		return x.assignableName(n)
	case *grammar.SelectExpr:
		return x.assignableField(n)
	case *grammar.IndexExpr:
		return x.assignableIndex(n)
	case *grammar.ParenExpr:
		return x.assignable(n.X)
	}
	if e != nil && !e.Broken() {
		if _, bad := e.(*grammar.BadExpr); !bad {
			x.c.report(x.env.of(e), diag.TypeMismatch, "only data fields and locals, and parts of them, are assigned to")
		}
	}
	return nil
}

func (x *coder) assignableName(n *grammar.NameExpr) *assignee {
	if n.Name == nil {
		return nil
	}
	name, span := n.Name.Text, n.Span()
	if l := x.local(name); l != nil {
		x.c.info.refer(x.env.file, span, l.def)
		x.c.info.wrote(x.env.file, span)
		return &assignee{place: model.Place{Data: -1, Local: l.index}, typ: x.locals[l.index].Type, key: "l" + itoa(l.index), exact: true}
	}
	if i, ok := x.dataNamed(name); ok {
		d := x.fl.data[i]
		d.used = true
		x.c.info.refer(x.env.file, span, d.def)
		x.c.info.wrote(x.env.file, span)
		return &assignee{place: model.Place{Data: i, Local: -1}, typ: d.m.Type, key: "d" + itoa(i), exact: true}
	}
	if x.readOnly(name, n) {
		return nil
	}
	x.unknownName(n.Name)
	return nil
}

// dataNamed is the data field of that name which this code may assign.
func (x *coder) dataNamed(name string) (int, bool) {
	switch {
	case x.fl == nil:
		return 0, false
	case x.env.use != nil:
		i, ok := x.env.use.data[name]
		return i, ok
	}
	i, ok := x.fl.dataByName[name]
	return i, ok
}

// readOnly reports an assignment to what is only read.
func (x *coder) readOnly(name string, n *grammar.NameExpr) bool {
	what, help := "", "copy it into a data field or a `let`, and change that"
	switch {
	case name == "event":
		what = "`event` is what was received"
	case x.env.use != nil && x.env.use.kinds[name] != "":
		what = "`" + name + "` is a parameter of the fragment"
	case x.env.use == nil && x.fl != nil && x.fl.m.Input.Field(name) >= 0:
		what = "`" + name + "` is an input of the flow"
		x.valueNamed(name, n.Span())
	case x.env.file.scope[symConst][name] != nil:
		what = "`" + name + "` is a constant"
		x.c.mentionName(x.env, x.env.file.scope[symConst][name], n.Span())
	default:
		return false
	}
	x.c.report(x.env.of(n), diag.AssignToInput, "%s, and is only read", what).help("%s", help)
	return true
}

func (x *coder) assignableField(n *grammar.SelectExpr) *assignee {
	if n.Field == nil {
		return nil
	}
	if ids := chain(n); ids != nil && !x.shadowed(ids[0].Text) {
		if ids[0].Text == "event" {
			x.c.report(x.env.of(n), diag.AssignToInput, "`event` is what was received, and is only read").help("keep the value in a data field")
			return nil
		}
		if m := x.fragmentData(ids, n.Span()); m != nil {
			x.c.report(x.env.of(n), diag.AssignToInput, "`%s` belongs to the fragment `%s`, which alone assigns to it", x.text(n), ids[0].Text)
			return nil
		}
	}
	a := x.assignable(n.X)
	if a == nil {
		return nil
	}
	t := x.partOf(a)
	if t.Kind == value.Invalid {
		return nil
	}
	if t.Kind != value.Record || t.Optional {
		x.badPart(n.X, t, "a record")
		return nil
	}
	i := t.Decl.Field(n.Field.Text)
	if i < 0 {
		x.unknownMember(n.Field, t)
		return nil
	}
	x.c.info.refer(x.env.file, n.Field.Span(), x.c.fieldDefs[t.Decl][n.Field.Text])
	x.c.info.wrote(x.env.file, n.Field.Span())
	a.place.Path = append(a.place.Path, model.PathStep{Field: i, Pos: x.env.pos(n.Field.Span())})
	a.typ = t.Decl.Fields[i].Type
	if a.exact {
		a.key += "." + itoa(i)
	}
	return a
}

func (x *coder) assignableIndex(n *grammar.IndexExpr) *assignee {
	a := x.assignable(n.X)
	if a == nil {
		x.expr(n.Index, nil)
		return nil
	}
	t := x.partOf(a)
	if t.Kind == value.Invalid {
		x.expr(n.Index, nil)
		return nil
	}
	if t.Kind != value.List && t.Kind != value.Map || t.Optional {
		x.badPart(n.X, t, "a list or a map")
		x.expr(n.Index, nil)
		return nil
	}
	i := x.indexOf(n, t)
	if isBad(i) {
		return nil
	}
	a.place.Path = append(a.place.Path, model.PathStep{Field: -1, Index: i, Pos: x.env.pos(n.Index.Span())})
	a.typ, a.exact = t.Elem, false
	return a
}

// partOf is the type of a place that is gone into: without null when it is known to hold a value.
func (x *coder) partOf(a *assignee) *value.Type {
	if last := len(a.place.Path) - 1; last >= 0 && a.place.Path[last].Index != nil {
		return a.typ // an element; that of a map is there or the assignment ends in an error
	}
	if a.exact && a.typ.Optional && x.known(a.key) {
		return a.typ.Base()
	}
	return a.typ
}

func (x *coder) badPart(e grammar.Expr, t *value.Type, want string) {
	if t.Optional && (t.Kind == value.Record || t.Kind == value.List || t.Kind == value.Map) {
		x.notTested(e, "%s may be null, and a part of it is assigned")
		return
	}
	x.c.report(x.env.of(e), diag.TypeMismatch, "a part of %s is assigned, and `%s` is `%s`", want, x.text(e), t)
}

// unset is `unset x["k"]`.
func (x *coder) unset(n *grammar.UnsetStmt) model.Stmt {
	i, ok := n.Target.(*grammar.IndexExpr)
	if !ok {
		if n.Target != nil && !n.Target.Broken() {
			x.c.report(x.env.of(n.Target), diag.TypeMismatch, "`unset` removes a key of a map: `unset x[\"key\"]`").
				help("to empty a `T?` assign null")
		}
		return nil
	}
	outer := x.assignable(i.X)
	if outer == nil {
		x.expr(i.Index, nil)
		return nil
	}
	if t := x.partOf(outer); t.Kind != value.Map || t.Optional {
		if t.Kind != value.Invalid {
			x.badPart(i.X, t, "a map")
		}
		x.expr(i.Index, nil)
		return nil
	}
	k := x.need(i.Index, value.TypeString, "a map's key")
	outer.place.Path = append(outer.place.Path, model.PathStep{Field: -1, Index: k, Pos: x.env.pos(i.Index.Span())})
	x.assigned(outer, nil)
	return &model.Unset{Placed: x.placed(n), Place: outer.place}
}
