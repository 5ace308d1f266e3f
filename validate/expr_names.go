package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// name is a bare name. Of equal names the inner one counts: a local, then data and inputs (in a fragment its parameters and its
// own data), then a constant.
func (x *coder) name(e *grammar.NameExpr) model.Expr {
	if e.Name == nil {
		return x.bad(e.Span())
	}
	span, name := e.Span(), e.Name.Text
	if name == "event" {
		x.c.report(x.env.at(span), diag.TypeMismatch, "`event` is no value of its own").help("name the field that is meant: `event.FIELD`")
		return x.bad(span)
	}
	if m := x.valueNamed(name, span); m != nil {
		return m
	}
	if name == "entered_at" && x.fl != nil {
		return &model.CallBuiltin{Typed: x.typed(value.TypeTime, span), Name: name}
	}
	x.unknownName(e.Name)
	return x.bad(span)
}

// valueNamed finds a value by its bare name, nil when there is none.
func (x *coder) valueNamed(name string, span grammar.Span) model.Expr {
	if l := x.local(name); l != nil {
		x.c.info.refer(x.env.file, span, l.def)
		m := &model.LocalRef{Typed: x.typed(x.locals[l.index].Type, span), Index: l.index}
		m.T = x.narrowed(m, m.T)
		return m
	}
	if x.env.use != nil {
		if m := x.useValue(name, span); m != nil {
			return m
		}
	} else if x.fl != nil {
		if m := x.flowValue(name, span); m != nil {
			return m
		}
	}
	if s := x.env.file.scope[symConst][name]; s != nil {
		x.c.mentionName(x.env, s, span)
		return x.constRef(s, span)
	}
	return nil
}

// flowValue is a data field or an input of the flow.
func (x *coder) flowValue(name string, span grammar.Span) model.Expr {
	if i, ok := x.fl.dataByName[name]; ok {
		return x.dataRef(i, span)
	}
	i := x.fl.m.Input.Field(name)
	if i < 0 {
		return nil
	}
	if f := fieldNamed(x.fl.decl.Params.List(), name); f != nil {
		x.c.info.refer(x.env.file, span, x.c.info.defs[f.Name])
	}
	m := &model.InputRef{Typed: x.typed(x.fl.m.Input.Fields[i].Type, span), Index: i}
	m.T = x.narrowed(m, m.T)
	return m
}

func (x *coder) dataRef(i int, span grammar.Span) model.Expr {
	d := x.fl.data[i]
	d.used = true
	x.c.info.refer(x.env.file, lastName(span, d.def), d.def)
	if x.reads != nil {
		x.reads[i] = true
	}
	if x.where == inData && i >= x.ready {
		x.notYet(d, span)
		return x.bad(span)
	}
	m := &model.DataRef{Typed: x.typed(d.m.Type, span), Index: i, Unset: x.mayBeUnset(d)}
	m.T = x.narrowed(m, m.T)
	return m
}

// lastName is where a definition's name stands at the end of a path: `field` in `local.field`.
func lastName(path grammar.Span, d *Def) grammar.Span {
	if d == nil {
		return path
	}
	return grammar.Span{Start: path.End - len(d.Name), End: path.End}
}

// notYet reports a default that reads a field which gets its value later.
func (x *coder) notYet(d *dataField, span grammar.Span) {
	given, name := "inputs", x.env.file.ast.Src[span.Start:span.End]
	if x.env.use != nil {
		given = "parameters"
	}
	if d.m.Owner != x.fl.data[x.ready].m.Owner {
		x.c.report(x.env.at(span), diag.UnknownField, "a default reads %s and the data fields before it, and `%s` belongs to a fragment, whose data get their values later", given, name).
			help("set the field in an `entry` block or in a handler")
		return
	}
	x.c.report(x.env.at(span), diag.UnknownField, "a default reads %s and the data fields before it, and `%s` comes later", given, name).
		help("move the field behind `%s`", name)
}

// mayBeUnset reports whether a fragment's field may have no value where it is read. Its defaults are computed at the start, where
// one that is an error leaves the field without a value, and again by each entry. So the fragment's own code always finds one; code
// outside of it may not, nor may defaults and arguments, which are computed at the start too.
func (x *coder) mayBeUnset(d *dataField) bool {
	if d.m.Owner == 0 || d.m.Type.Optional || d.m.Default != nil && neverFails(d.m.Default.Result) {
		return false
	}
	inside := x.env.use != nil && x.env.use.st.m.Index == d.m.Owner
	return !inside || x.where == inData || x.where == inPart
}

// neverFails reports whether an expression is sure to have a value.
func neverFails(m model.Expr) bool {
	switch m := m.(type) {
	case *model.Const, *model.InputRef:
		return true
	case *model.DataRef:
		return !m.Unset
	}
	return false
}

// unknownName reports a name that stands for no value, with what it may have meant.
func (x *coder) unknownName(id *grammar.Ident) {
	name := id.Text
	if x.env.file.partial {
		return // it may be a constant of the file that could not be read
	}
	if meant := grammar.MeantDuration(name); meant != "" {
		x.c.report(x.env.of(id), diag.DurationSyntax, "`%s` is written `%s`: a duration is a whole number and one unit", name, meant).
			fix("Write `"+meant+"`", id.Span(), meant)
		return
	}
	if grammar.HasMonths(name) {
		x.c.report(x.env.of(id), diag.DurationSyntax, "`%s`: months and years differ in length, so they are no unit", name).
			help("count days, or compute the time with add_months(t, n, zone)")
		return
	}
	n := x.c.report(x.env.of(id), diag.UnknownField, "nothing here is called `%s`", name)
	if gone := x.ended[name]; gone != nil {
		n.related(x.env.of(gone), "a local of this name ends with its block").help("declare it by `let` before that block, and assign it inside")
		return
	}
	if x.event != nil && x.event.fields[name] != nil {
		n.help("the event has a field of this name: `event.%s`", name).fix("Write `event."+name+"`", id.Span(), "event."+name)
		return
	}
	if enum := x.enumWith(name); enum != "" {
		n.help("it is a value of `%s`: `%s.%s`", enum, enum, name).fix("Write `"+enum+"."+name+"`", id.Span(), enum+"."+name)
		return
	}
	if meant := grammar.Respelling(name); meant != "" {
		n.help("write `%s`", meant).fix("Write `"+meant+"`", id.Span(), meant)
		return
	}
	if isBuiltin(name) {
		n.help("`%s` is a function: call it with parentheses", name)
		return
	}
	if near := diag.Nearest(name, x.visibleNames()); near != "" {
		n.didYouMean(id.Span(), name, []string{near})
		x.markMeant(near)
		return
	}
	switch {
	case x.st != nil && x.c.mayBeState(x.env, x.st, name) != nil:
		n.help("it is a state; whether a token is in it is asked by `active(%s)`", name)
	case name == "state" || name == "status" || name == "current_state":
		n.help("whether a token is in a state is asked by `active(STATE)`")
	case name == "data" || name == "this" || name == "input" || name == "context":
		n.help("inputs and data fields are written by their bare names")
	case x.env.file.lookup(symEvent, []string{name}) != nil && x.event != nil:
		n.help("what an event brings is read as `event.FIELD`")
	case x.env.use != nil:
		n.help("a fragment sees its parameters and its own data, not those of the flow")
	case x.fl == nil:
		n.help("here only constants and parameters are known")
	default:
		n.help("declare it as an input, as a data field, or with `let`")
	}
}

// markMeant keeps what a misspelt name meant from being reported as unused besides.
func (x *coder) markMeant(near string) {
	if s := x.env.file.scope[symConst][near]; s != nil {
		s.used = true
	}
	if x.fl != nil {
		if i, ok := x.fl.dataByName[near]; ok {
			x.fl.data[i].used = true
		}
	}
}

func (x *coder) enumWith(member string) string {
	for _, name := range sortedKeys(x.env.file.scope[symType]) {
		if s := x.env.file.scope[symType][name]; s.enum != nil && s.enum.Member(member) >= 0 {
			return name
		}
	}
	if model.OutcomeDecl.Member(member) >= 0 {
		return "outcome"
	}
	return ""
}

// maxChain is the longest chain of names that can mean one thing: a state's path is no deeper than blocks may be nested.
const maxChain = 256

// chain returns the names of `a.b.c`, nil for any other expression.
func chain(e grammar.Expr) []*grammar.Ident {
	n := 0
	for at := e; ; n++ {
		if n == maxChain {
			return nil
		}
		if sel, ok := at.(*grammar.SelectExpr); ok && sel.Field != nil {
			at = sel.X
			continue
		}
		if name, ok := at.(*grammar.NameExpr); !ok || name.Name == nil {
			return nil
		}
		break
	}
	ids := make([]*grammar.Ident, n+1)
	for ; n > 0; n-- {
		sel := e.(*grammar.SelectExpr)
		ids[n], e = sel.Field, sel.X
	}
	ids[0] = e.(*grammar.NameExpr).Name
	return ids
}

// selected is `x.name`: an enum's value, a field of the event, something behind an import, a fragment's data, or a field.
func (x *coder) selected(e *grammar.SelectExpr) model.Expr {
	if e.Field == nil {
		x.expr(e.X, nil)
		return x.bad(e.Span())
	}
	if ids := chain(e); ids != nil {
		if m := x.qualified(e, ids); m != nil {
			return m
		}
	}
	base := x.expr(e.X, nil)
	return x.field(base, e.X, e.Field, e.Span())
}

// qualified is a chain of names that together stand for one thing, nil when they do not.
func (x *coder) qualified(e *grammar.SelectExpr, ids []*grammar.Ident) model.Expr {
	span, first := e.Span(), ids[0].Text
	if len(ids) == 2 && first == "event" {
		return x.eventField(e, ids)
	}
	if m := x.enumValue(ids, span); m != nil {
		return m
	}
	if x.shadowed(first) {
		return nil
	}
	if len(ids) == 2 && first == "token" && x.fl != nil {
		if t := tokenFields[ids[1].Text]; t != nil {
			return &model.CallBuiltin{Typed: x.typed(t, span), Name: "token." + ids[1].Text}
		}
		x.c.report(x.env.of(ids[1]), diag.UnknownField, "a token has no `%s`", ids[1].Text).
			didYouMean(ids[1].Span(), ids[1].Text, sortedKeys(tokenFields))
		return x.bad(span)
	}
	if m := x.fragmentData(ids, span); m != nil {
		return m
	}
	if ref := x.env.file.aliases[first]; ref != nil && len(ids) == 2 {
		return x.imported(ref, ids, span)
	}
	return nil
}

var tokenFields = map[string]*value.Type{
	"id": value.TypeString, "key": value.Opt(value.TypeString), "started_at": value.TypeTime,
}

// shadowed reports whether the name stands for a value here.
func (x *coder) shadowed(name string) bool {
	switch {
	case x.local(name) != nil:
		return true
	case x.env.use != nil:
		return x.env.use.values[name] != nil || x.env.use.has(name)
	case x.fl != nil:
		_, ok := x.fl.dataByName[name]
		return ok || x.fl.m.Input.Field(name) >= 0
	}
	return x.env.file.scope[symConst][name] != nil
}

// enumValue is `tier.gold` or `lib.tier.gold`; the enum's name counts before any value of that name.
func (x *coder) enumValue(ids []*grammar.Ident, span grammar.Span) model.Expr {
	last := ids[len(ids)-1]
	names := make([]string, len(ids)-1)
	for i := range names {
		names[i] = ids[i].Text
	}
	decl := model.OutcomeDecl
	var s *symbol
	if len(names) != 1 || names[0] != "outcome" {
		s = x.env.file.lookup(symType, names)
		if s == nil || s.enum == nil {
			return nil
		}
		decl = s.enum
		x.c.mention(x.env, s, ids[:len(ids)-1])
	}
	i := decl.Member(last.Text)
	if i < 0 {
		x.c.report(x.env.of(last), diag.UnknownConstant, "`%s` has no value `%s`", decl.Name, last.Text).
			didYouMean(last.Span(), last.Text, decl.Members)
		return &model.Const{Typed: x.typed(value.TypeInvalid, span)}
	}
	if s != nil {
		x.c.info.refer(x.env.file, last.Span(), x.c.memberDef(s, last.Text))
	}
	return x.constant(value.EnumOf(decl), value.OfEnum(decl, i), span)
}

func (c *checker) memberDef(s *symbol, name string) *Def {
	if d, ok := s.node.(*grammar.EnumDecl); ok {
		for _, v := range d.Values() {
			if v.Text == name {
				return c.info.defs[v]
			}
		}
	}
	return nil
}

// imported is a constant behind an import's name.
func (x *coder) imported(ref *importRef, ids []*grammar.Ident, span grammar.Span) model.Expr {
	ref.used = true
	x.c.info.refer(x.env.file, ids[0].Span(), x.c.info.defs[ref.decl.As])
	if ref.file == nil {
		return x.bad(span)
	}
	s := ref.file.own(symConst, ids[1].Text)
	if s == nil {
		var names []string
		for _, n := range sortedKeys(ref.file.scope[symConst]) {
			if ref.file.own(symConst, n) != nil {
				names = append(names, n)
			}
		}
		x.c.report(x.env.of(ids[1]), diag.UnknownField, "`%s` has no constant `%s`", ref.file.name, ids[1].Text).
			didYouMean(ids[1].Span(), ids[1].Text, names)
		return x.bad(span)
	}
	x.c.mention(x.env, s, ids)
	return x.constRef(s, span)
}
