package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// list is `[a, b]`. Its elements have the type that the place wants, otherwise the one they have in common.
func (x *coder) list(e *grammar.ListLit, want *value.Type) model.Expr {
	elem := elemWanted(want, value.List)
	items := make([]model.Expr, len(e.Elems))
	common, broken := value.TypeInvalid, false
	for i, el := range e.Elems {
		hint := elem
		if hint == nil && broken {
			hint = value.TypeInvalid // a record after one that has no type has none for the same reason
		}
		items[i] = x.expr(el, hint)
		if elem != nil {
			items[i] = x.element(el, items[i], elem, "an element of the list")
		}
		if isBad(items[i]) {
			broken = true
			continue
		}
		if elem == nil && !broken {
			t, ok := value.Common(common, items[i].Type())
			if !ok {
				x.c.report(x.env.of(el), diag.TypeMismatch, "this is `%s`, and the elements before it are `%s`; a list has elements of one type", items[i].Type(), common)
				broken = true
				continue
			}
			common = t
		}
	}
	if elem == nil {
		elem = common
		for i, el := range e.Elems {
			if !broken {
				items[i] = x.coerce(el, items[i], elem, "an element of the list")
			}
		}
	}
	if broken || elem.Kind == value.Invalid && len(items) > 0 {
		return x.bad(e.Span())
	}
	return x.foldList(value.ListOf(elem), items, e.Span())
}

// element makes a part of a literal one of the type; within json every value becomes json.
func (x *coder) element(e grammar.Expr, m model.Expr, want *value.Type, what string) model.Expr {
	if want.Kind == value.JSON && m.Type().Kind != value.JSON && !isBad(m) {
		return x.convert(m, value.TypeJSON)
	}
	return x.coerce(e, m, want, what)
}

func (x *coder) foldList(t *value.Type, items []model.Expr, span grammar.Span) model.Expr {
	values := make([]value.Value, len(items))
	for i, it := range items {
		k, ok := it.(*model.Const)
		if !ok {
			return &model.ListLit{Typed: x.typed(t, span), Items: items}
		}
		values[i] = k.Value
	}
	return x.constant(t, value.OfList(values), span)
}

func elemWanted(want *value.Type, kind value.Kind) *value.Type {
	switch {
	case want == nil:
		return nil
	case want.Kind == value.Invalid:
		return value.TypeInvalid
	case want.Kind == value.JSON:
		return value.TypeJSON
	case want.Kind == kind && want.Elem != nil:
		return want.Elem
	}
	return nil
}

// braces is `{…}`: a record where one is expected, otherwise a map or json.
func (x *coder) braces(e *grammar.RecordLit, want *value.Type) model.Expr {
	if want != nil && want.Kind == value.Invalid {
		return x.anyMembers(e)
	}
	if want != nil && want.Kind == value.Record {
		return x.record(e, want.Base())
	}
	return x.mapLit(e, want)
}

// anyMembers is `{…}` in a place whose type has a finding already, or stands for the parameter of a fragment that nothing uses: its
// values are checked for their own sake.
func (x *coder) anyMembers(e *grammar.RecordLit) model.Expr {
	for _, m := range e.Members {
		if m == nil {
			continue
		}
		if m.Key != nil {
			x.expr(m.Key, value.TypeString)
		}
		x.expr(m.Value, value.TypeInvalid)
	}
	return x.bad(e.Span())
}

// record is `{name: value}`.
func (x *coder) record(e *grammar.RecordLit, t *value.Type) model.Expr {
	given := map[string]bool{}
	fields := make([]model.Expr, len(t.Decl.Fields))
	for _, m := range e.Members {
		if m == nil {
			continue
		}
		if m.Name == nil {
			if m.Key != nil {
				text := plainText(m.Key)
				x.c.report(x.env.of(m.Key), diag.TypeMismatch, "a `%s` has fields, and this is a key of a map", t).
					help("write the field's name without quotes: `%s: …`", text).fix("Write `"+text+"`", m.Key.Span(), text)
				x.markGiven(given, t, text)
			}
			x.expr(m.Value, value.TypeInvalid)
			continue
		}
		i := t.Decl.Field(m.Name.Text)
		if i < 0 {
			x.unknownMember(m.Name, t)
			x.markGiven(given, t, m.Name.Text)
			x.expr(m.Value, value.TypeInvalid)
			continue
		}
		if given[m.Name.Text] {
			x.c.report(x.env.of(m.Name), diag.DuplicateField, "the field `%s` is given twice", m.Name.Text)
			continue
		}
		given[m.Name.Text] = true
		x.c.info.refer(x.env.file, m.Name.Span(), x.c.fieldDefs[t.Decl][m.Name.Text])
		fields[i] = x.need(m.Value, t.Decl.Fields[i].Type, "the field `"+m.Name.Text+"`")
	}
	return x.complete(t, fields, given, e.Span(), func(names []string) {
		is := "is"
		if len(names) > 1 {
			is = "are"
		}
		x.c.report(x.env.at(firstLetter(e.Span())), diag.MissingArgument, "%s of `%s` %s missing", counted(names, "the field", "the fields"), t, is).
			help("add `%s`, or give defaults in the type", blanks(names))
	})
}

func firstLetter(s grammar.Span) grammar.Span {
	return grammar.Span{Start: s.Start, End: min(s.End, s.Start+1)}
}

// markGiven keeps a field that was named wrongly from being reported as missing besides.
func (x *coder) markGiven(given map[string]bool, t *value.Type, name string) {
	names := make([]string, len(t.Decl.Fields))
	for i, f := range t.Decl.Fields {
		names[i] = f.Name
	}
	if t.Decl.Field(name) >= 0 {
		given[name] = true
	} else if near := diag.Nearest(name, names); near != "" {
		given[near] = true
	}
}

// fieldWith is the field of a record whose value is a record with that field, or "".
func fieldWith(t *value.Type, name string) string {
	for _, f := range t.Decl.Fields {
		if f.Type.Kind == value.Record && f.Type.Decl.Field(name) >= 0 {
			return f.Name
		}
	}
	return ""
}

func (x *coder) unknownMember(id *grammar.Ident, t *value.Type) {
	names := make([]string, len(t.Decl.Fields))
	for i, f := range t.Decl.Fields {
		names[i] = f.Name
	}
	n := x.c.report(x.env.of(id), diag.UnknownField, "`%s` has no field `%s`", t, id.Text).didYouMean(id.Span(), id.Text, names)
	switch {
	case n.f.Help != "":
	case fieldWith(t, id.Text) != "":
		n.help("it is a field of `%s`: `….%s.%s`", fieldWith(t, id.Text), fieldWith(t, id.Text), id.Text)
	case len(names) == 0:
		n.help("it has no fields at all")
	default:
		n.help("it has %s", quote(names, "and"))
	}
}

// complete fills in defaults and folds the record; what is missing is reported.
func (x *coder) complete(t *value.Type, fields []model.Expr, given map[string]bool, span grammar.Span, missing func(names []string)) model.Expr {
	broken, folds := false, true
	var lacking []string
	values := make([]value.Value, len(fields))
	for i, f := range t.Decl.Fields {
		if fields[i] == nil {
			switch {
			case f.Default != nil:
				fields[i] = x.constant(f.Type, *f.Default, span)
			case f.Type.Optional:
				fields[i] = x.constant(f.Type, value.OfNull(), span)
			case given[f.Name]:
				broken = true
				continue
			default:
				lacking = append(lacking, f.Name)
				broken = true
				continue
			}
		}
		if isBad(fields[i]) && f.Type.Kind != value.Invalid {
			broken = true
			continue
		}
		k, ok := fields[i].(*model.Const)
		folds = folds && ok
		if ok {
			values[i] = k.Value
		}
	}
	if len(lacking) > 0 {
		missing(lacking)
	}
	if broken {
		return x.bad(span)
	}
	if folds {
		return x.constant(t, value.OfRecord(t.Decl, values), span)
	}
	return &model.RecordLit{Typed: x.typed(t, span), Fields: fields}
}

// mapLit is `{"key": value}`.
func (x *coder) mapLit(e *grammar.RecordLit, want *value.Type) model.Expr {
	elem := elemWanted(want, value.Map)
	var keys, values []model.Expr
	common, broken, untyped := value.TypeInvalid, false, false
	seen := map[string]bool{}
	for _, m := range e.Members {
		if m == nil {
			continue
		}
		if m.Name != nil {
			if !untyped {
				untyped = x.nameInMap(m, want)
			}
			x.expr(m.Value, value.TypeInvalid)
			broken = true
			continue
		}
		k := x.expr(m.Key, value.TypeString)
		v := x.expr(m.Value, elem)
		if elem != nil {
			v = x.element(m.Value, v, elem, "a value of the map")
		} else if !isBad(v) && !broken {
			t, ok := value.Common(common, v.Type())
			if !ok {
				x.c.report(x.env.of(m.Value), diag.TypeMismatch, "this is `%s`, and the values before it are `%s`; a map has values of one type", v.Type(), common)
				broken = true
			} else {
				common = t
			}
		}
		if kc, ok := k.(*model.Const); ok && m.Key != nil {
			if seen[kc.Value.Str()] {
				x.c.report(x.env.of(m.Key), diag.DuplicateField, "the key `%s` is given twice", kc.Value.Str())
			}
			seen[kc.Value.Str()] = true
		}
		broken = broken || isBad(v) || isBad(k)
		keys, values = append(keys, k), append(values, v)
	}
	if broken {
		return x.bad(e.Span())
	}
	if elem == nil {
		elem = common
		for i := range values {
			values[i] = x.coerce(e.Members[i].Value, values[i], elem, "a value of the map")
		}
	}
	return x.foldMap(value.MapOf(elem), keys, values, e.Span())
}

func (x *coder) foldMap(t *value.Type, keys, values []model.Expr, span grammar.Span) model.Expr {
	entries := make([]value.Entry, len(keys))
	for i := range keys {
		k, ok := keys[i].(*model.Const)
		v, ok2 := values[i].(*model.Const)
		if !ok || !ok2 {
			return &model.MapLit{Typed: x.typed(t, span), Keys: keys, Values: values}
		}
		entries[i] = value.Entry{Key: k.Value.Str(), Value: v.Value}
	}
	return x.constant(t, value.OfMap(entries), span)
}

// nameInMap reports a field's name where a key of a map stands; true says that nothing tells what the braces are, which is one
// mistake however many names there are.
func (x *coder) nameInMap(m *grammar.Member, want *value.Type) (untyped bool) {
	if want != nil && (want.Kind == value.Map || want.Kind == value.JSON) {
		quoted := "\"" + m.Name.Text + "\""
		x.c.report(x.env.of(m.Name), diag.TypeMismatch, "a `%s` has keys, which are strings", want.Base()).
			help("write `%s: …`", quoted).fix("Write `"+quoted+"`", m.Name.Span(), quoted)
		return false
	}
	x.c.report(x.env.of(m.Name), diag.TypeMismatch, "a record stands where the type of the record is known, and nothing says it here").
		help("give the place a type (`let x: item = {…}`), or write a map: `{\"%s\": …}`", m.Name.Text)
	return true
}

// stringLit is a string, with what stands in its braces as text.
func (x *coder) stringLit(e *grammar.StringLit) model.Expr {
	var parts []model.Expr
	broken := false
	for _, p := range e.Parts {
		if p.Expr == nil {
			parts = append(parts, x.constant(value.TypeString, value.OfString(p.Text), p.Span))
			continue
		}
		m := x.expr(p.Expr, nil)
		broken = broken || isBad(m)
		parts = append(parts, m)
	}
	if broken {
		return x.bad(e.Span())
	}
	text := ""
	for _, p := range parts {
		k, ok := p.(*model.Const)
		if !ok {
			return &model.Interp{Typed: x.typed(value.TypeString, e.Span()), Parts: parts}
		}
		t, err := value.Text(k.Value)
		if err != nil {
			return &model.Interp{Typed: x.typed(value.TypeString, e.Span()), Parts: parts}
		}
		text += t
	}
	return x.constant(value.TypeString, value.OfString(text), e.Span())
}
