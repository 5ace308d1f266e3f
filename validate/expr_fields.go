package validate

import (
	"slices"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// field is `base.name` of a record.
func (x *coder) field(base model.Expr, at grammar.Expr, id *grammar.Ident, span grammar.Span) model.Expr {
	t := base.Type()
	switch {
	case isBad(base):
		return x.bad(span)
	case t.Kind != value.Record:
		n := x.c.report(x.env.of(id), diag.TypeMismatch, "`%s` has no fields: it is `%s`", x.text(at), t)
		if x.lengthField(n, at, id, t, span) {
			return x.bad(span)
		}
		if t.Kind == value.JSON {
			n.help("json is stored, passed on and compared; declare a `type` to read its parts")
		} else if t.Kind == value.Map {
			n.help("a map's values are read by key: `%s[\"%s\"]`", x.text(at), id.Text)
		}
		return x.bad(span)
	case t.Optional:
		x.notTested(at, "%s may be null, and a field of it is read")
		return x.bad(span)
	}
	i := t.Decl.Field(id.Text)
	if i < 0 {
		x.unknownMember(id, t)
		return x.bad(span)
	}
	x.c.info.refer(x.env.file, id.Span(), x.c.fieldDefs[t.Decl][id.Text])
	m := &model.FieldRef{Typed: x.typed(t.Decl.Fields[i].Type, span), X: base, Index: i}
	m.T = x.narrowed(m, m.T)
	if k, ok := base.(*model.Const); ok {
		return x.constant(t.Decl.Fields[i].Type, k.Value.At(i), span)
	}
	return m
}

// eventField is `event.name`.
func (x *coder) eventField(e *grammar.SelectExpr, ids []*grammar.Ident) model.Expr {
	span, id := e.Span(), ids[1]
	if x.event == nil {
		x.c.report(x.env.of(ids[0]), diag.UnknownField, "`event` is what a handler takes, and there is no event here").
			help("`event` stands in the guard and the block of `on EVENT`")
		return x.bad(span)
	}
	x.c.info.event(x.env.file, ids[0].Span(), x.event)
	if x.event.open {
		return x.bad(span)
	}
	t := x.event.fields[id.Text]
	if t == nil {
		x.unknownEventField(id)
		return x.bad(span)
	}
	x.event.looked(id.Text)
	x.c.info.refer(x.env.file, id.Span(), x.event.defs[id.Text])
	m := &model.EventField{Typed: x.typed(t, span), Name: id.Text}
	m.T = x.narrowed(m, m.T)
	return m
}

func (x *coder) unknownEventField(id *grammar.Ident) {
	x.event.strange = true
	if who := x.event.some[id.Text]; who != "" {
		x.c.report(x.env.of(id), diag.EventFieldNotCommon, "not all events of this handler have a field `%s` of one type", id.Text).
			help("%s; write a handler of its own for it", who)
		return
	}
	n := x.c.report(x.env.of(id), diag.UnknownField, "%s has no field `%s`", x.event.what, id.Text)
	names := sortedKeys(x.event.fields)
	if x.otherEnd(n, id.Text) {
		return
	}
	if n.didYouMean(id.Span(), id.Text, names); len(names) > 0 {
		n.orHelp("it has %s", quote(names, "and"))
	}
}

// otherEnd explains a field that the end of one piece of work does not have and the end of many has, or the other way round.
func (x *coder) otherEnd(n *note, name string) bool {
	if x.st == nil {
		return false
	}
	joined := slices.ContainsFunc(regionsEnd, func(f value.Field) bool { return f.Name == name })
	switch {
	case x.event.only == model.OnCompleted && joined && x.st.ends(model.OnJoined):
		n.help("%s ends in `joined`, which has `%s`: write `on joined`", x.st.title(), name)
	case x.event.only == model.OnCompleted && joined && diag.Nearest(name, sortedKeys(x.event.fields)) == "":
		n.help("`%s` is a field of `joined`, in which a parallel and work with `each` end", name)
	case x.event.only == model.OnJoined && regionsJoined.Field(name) >= 0:
		n.help("each of `event.results` has `%s`; of all together there are `ok`, `total`, `succeeded` and `failed`", name)
	case x.event.only == model.OnJoined && joined && x.st.ends(model.OnCompleted):
		n.help("%s ends in `completed`: write `on completed`", x.st.title())
	case x.event.only == model.OnJoined && joined:
		n.help("`joined` is how a parallel and work with `each` end, and none of them leaves it to %s", x.st.title())
	default:
		return false
	}
	return true
}

// index is `x[i]`.
func (x *coder) index(e *grammar.IndexExpr) model.Expr {
	base := x.expr(e.X, nil)
	t := base.Type()
	switch {
	case isBad(base):
		x.expr(e.Index, nil)
		return x.bad(e.Span())
	case t.Kind != value.List && t.Kind != value.Map:
		x.c.report(x.env.of(e.X), diag.TypeMismatch, "only lists and maps are indexed, and this is `%s`", t)
		x.expr(e.Index, nil)
		return x.bad(e.Span())
	case t.Optional:
		x.notTested(e.X, "%s may be null, and an element of it is read")
		x.expr(e.Index, nil)
		return x.bad(e.Span())
	}
	i := x.indexOf(e, t)
	if isBad(i) || t.Elem.Kind == value.Invalid {
		return x.bad(e.Span())
	}
	elem := t.Elem
	if t.Kind == value.Map {
		elem = value.Opt(elem)
	}
	m := &model.IndexRef{Typed: x.typed(elem, e.Span()), X: base, I: i}
	m.T = x.narrowed(m, m.T)
	return m
}

func (x *coder) indexOf(e *grammar.IndexExpr, t *value.Type) model.Expr {
	if t.Kind == value.Map {
		return x.need(e.Index, value.TypeString, "a map's key")
	}
	return x.need(e.Index, value.TypeInt, "a list's index")
}

// nonNull is `x!`.
func (x *coder) nonNull(e *grammar.NonNullExpr, want *value.Type) model.Expr {
	m := x.expr(e.X, want)
	if isBad(m) {
		return x.bad(e.Span())
	}
	t := m.Type()
	if t.Kind == value.Null {
		x.c.report(x.env.of(e.X), diag.TypeMismatch, "`null!` has no value")
		return x.bad(e.Span())
	}
	if !t.Optional {
		return m
	}
	return &model.Must{Typed: x.typed(t.Base(), e.Span()), X: m}
}
