package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// builtinTypes are the types without parts, by name.
var builtinTypes = map[string]*value.Type{
	"bool":     value.TypeBool,
	"int":      value.TypeInt,
	"decimal":  value.TypeDecimal,
	"string":   value.TypeString,
	"duration": value.TypeDuration,
	"time":     value.TypeTime,
	"json":     value.TypeJSON,
}

// typeOf resolves a type as written; what it does not know is Invalid.
func (c *checker) typeOf(e *env, t grammar.TypeExpr) *value.Type {
	switch t := t.(type) {
	case *grammar.NamedType:
		return c.namedType(e, pathRef(t.Name))
	case *grammar.ListType:
		return value.ListOf(c.typeOf(e, t.Elem))
	case *grammar.MapType:
		return value.MapOf(c.typeOf(e, t.Elem))
	case *grammar.OptionalType:
		return value.Opt(c.typeOf(e, t.Elem))
	}
	return value.TypeInvalid
}

func (c *checker) namedType(e *env, r ref) *value.Type {
	if len(r) == 0 {
		return value.TypeInvalid
	}
	if len(r) == 1 {
		if t := builtinTypes[r[0].Text]; t != nil {
			return t
		}
		if r[0].Text == "outcome" {
			return model.OutcomeType
		}
	}
	if s := c.find(e, symType, r); s != nil {
		return s.asType()
	}
	if len(r) == 1 && e.file.partial || len(r) > 1 && c.unknownAlias(e, r) {
		return value.TypeInvalid
	}
	near := append(sortedKeys(builtinTypes), e.file.names(symType)...)
	n := c.report(e.ofRef(r), diag.UnknownType, "there is no type `%s`", r)
	if meant := otherTypeName[r.String()]; meant != "" {
		n.help("write `%s`", meant).fix("Write `"+meant+"`", r.span(), meant)
		return value.TypeInvalid
	}
	switch r.String() { // no fix: what it holds stands behind it in another way
	case "List", "Array", "array", "vector", "Set":
		n.help("a list is written `list<T>`")
	case "Map", "dict", "Dict", "hash":
		n.help("a map is written `map<T>`; its keys are strings")
	default:
		n.didYouMean(r.span(), r.String(), near)
	}
	return value.TypeInvalid
}

// otherTypeName lists what other languages call the types.
var otherTypeName = map[string]string{
	"boolean": "bool", "Boolean": "bool", "integer": "int", "long": "int", "number": "decimal", "float": "decimal",
	"double": "decimal", "money": "decimal", "text": "string", "str": "string", "String": "string", "datetime": "time",
	"timestamp": "time", "date": "time", "instant": "time", "interval": "duration", "object": "json", "any": "json",
	"int32": "int", "int64": "int", "Int": "int", "Integer": "int",
	"char": "string", "uuid": "string",
}

func (s *symbol) asType() *value.Type {
	switch {
	case s.enum != nil:
		return value.EnumOf(s.enum)
	case s.record != nil:
		return value.RecordOf(s.record)
	}
	return value.TypeInvalid
}

// fields resolves a list of fields; of two with one name the first counts.
func (c *checker) fields(e *env, list []*grammar.Field, kind DefKind, dup diag.ID) []value.Field {
	var out []value.Field
	seen := map[string]*grammar.Field{}
	for _, f := range list {
		if f == nil || f.Name == nil {
			continue
		}
		if first := seen[f.Name.Text]; first != nil {
			c.report(e.of(f.Name), dup, "`%s` is declared twice", f.Name.Text).related(e.of(first.Name), "first declared here")
			continue
		}
		seen[f.Name.Text] = f
		c.checkStyle(e, f.Name)
		t := c.typeOf(e, f.Type)
		d := c.info.define(e.file, kind, f.Name, f)
		d.Type, d.Doc = t, e.file.doc(f)
		out = append(out, value.Field{Name: f.Name.Text, Type: t})
	}
	return out
}

// defaults folds the defaults of fields that were resolved from the same list.
func (c *checker) defaults(e *env, list []*grammar.Field, fields []value.Field) {
	byName := map[string]*value.Field{}
	for i := range fields {
		byName[fields[i].Name] = &fields[i]
	}
	for _, f := range list {
		if f == nil || f.Name == nil || f.Default == nil {
			continue
		}
		if field := byName[f.Name.Text]; field != nil && field.Default == nil {
			x := c.coder(e, nil, nil, inConstant)
			got := x.need(f.Default, field.Type, "the default of `"+f.Name.Text+"`")
			if k, ok := got.(*model.Const); ok {
				v := k.Value // null for what is wrong, so that uses do not miss the argument besides
				field.Default = &v
				continue
			}
			x.notConstant(f.Default, "a default")
		}
	}
}

// checkContains reports records that hold themselves otherwise than through a list, a map or an optional field.
func (c *checker) checkContains(s *symbol, d *grammar.TypeDecl) {
	fields := s.record.Fields
	for i := range fields {
		if fields[i].Type.Kind == value.Record && !fields[i].Type.Optional && reaches(fields[i].Type.Decl, s.record, map[*value.Decl]bool{}) {
			c.report(s.env.of(fieldNamed(d.Fields(), fields[i].Name)), diag.TypeMismatch, "a `%s` would hold another `%s`, without end", s.name, s.name).
				help("make the field optional (`%s?`), or a list", fields[i].Type)
			fields[i].Type = value.TypeInvalid
		}
	}
}

func fieldNamed(list []*grammar.Field, name string) *grammar.Field {
	for _, f := range list {
		if f.Name != nil && f.Name.Text == name {
			return f
		}
	}
	return nil
}

func reaches(from, to *value.Decl, seen map[*value.Decl]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, f := range from.Fields {
		if f.Type.Kind == value.Record && !f.Type.Optional && reaches(f.Type.Decl, to, seen) {
			return true
		}
	}
	return false
}
