package lsp

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/builtin"
	"flowc/validate/value"
)

// A variable is a name that holds a value: an input, a field of the data, a parameter or a local.
type variable struct {
	name, detail string
	typ          func() *value.Type // nil when it is not known
	input        bool               // cannot be assigned to
	doc          func() string
}

// variables lists the values in reach, the inner ones first.
func (x *completer) variables() []variable {
	var out []variable
	for i := len(x.path) - 1; i >= 0; i-- {
		switch n := x.path[i].(type) {
		case *grammar.Block:
			out = append(out, x.lets(n)...)
		case *grammar.ForStmt:
			out = x.named1(out, n.Var, false)
		case *grammar.Do:
			out = x.eachVar(out, &n.Clauses)
		case *grammar.Invoke:
			out = x.eachVar(out, &n.Clauses)
		case *grammar.CallWork:
			out = x.eachVar(out, &n.Clauses)
		case *grammar.Catch:
			out = x.named1(out, n.As, true)
		case *grammar.LambdaExpr:
			out = x.named1(out, n.Param, true)
		case *grammar.FnDecl:
			out = append(out, x.fields(n.Params.List(), true)...)
		case *grammar.FragmentDecl:
			out = append(out, x.fields(n.Params.List(), true)...)
			out = append(out, x.data(n.Body)...)
		case *grammar.FlowDecl:
			out = append(out, x.data(n.Body)...)
			out = append(out, x.fields(n.Params.List(), true)...)
		case *grammar.TestDecl:
			out = append(out, x.tested()...)
		}
	}
	return out
}

// lets are the locals that a block has declared before the placeholder.
func (x *completer) lets(b *grammar.Block) []variable {
	var out []variable
	for _, s := range b.Stmts {
		if let, ok := s.(*grammar.LetStmt); ok && let.Span().End <= x.tokens[x.k].Span.Start {
			out = x.named1(out, let.Name, false)
		}
	}
	return out
}

func (x *completer) eachVar(out []variable, c *grammar.Clauses) []variable {
	if c.Each == nil {
		return out
	}
	return x.named1(out, c.Each.Var, true)
}

func (x *completer) named1(out []variable, id *grammar.Ident, fixed bool) []variable {
	if id == nil {
		return out
	}
	typ := func() *value.Type {
		if d := x.checked().defAt(index, id.Span()); d != nil {
			return d.Type
		}
		return nil
	}
	return append(out, variable{name: id.Text, input: fixed, detail: "local", typ: typ})
}

func (x *completer) fields(list []*grammar.Field, input bool) []variable {
	var out []variable
	for _, f := range list {
		if f.Name == nil {
			continue
		}
		out = append(out, variable{name: f.Name.Text, detail: oneLine(text(x.tree, f)), input: input,
			typ: func() *value.Type { return x.checked().fieldType(x.tree, f) }, doc: func() string { return fieldDoc(x.tree, f) }})
	}
	return out
}

func (x *completer) data(body *grammar.StateBody) []variable {
	if body == nil {
		return nil
	}
	var out []variable
	for _, item := range body.Items {
		if d, ok := item.(*grammar.Data); ok {
			out = append(out, x.fields(d.Fields(), false)...)
		}
	}
	return out
}

// tested are the inputs and data of the flows that a test may have started.
func (x *completer) tested() []variable {
	var out []variable
	for _, d := range x.tree.Decls {
		if f, ok := d.(*grammar.FlowDecl); ok {
			out = append(out, x.data(f.Body)...)
			out = append(out, x.fields(f.Params.List(), true)...)
		}
	}
	return out
}

// fieldType is the type of a field as it is written, nil when it is not known.
func (c *checked) fieldType(f *grammar.File, field *grammar.Field) *value.Type {
	i, ok := c.index[f.Name]
	if !ok || field.Name == nil {
		return nil
	}
	if d := c.defAt(i, field.Name.Span()); d != nil {
		return d.Type
	}
	return nil
}

// named proposes all names that hold a value.
func (x *completer) named(rank int) {
	for _, v := range x.variables() {
		x.add(rank, Item{Label: v.name, Kind: KindVariable, Detail: v.detail, doc: v.doc})
	}
	if x.inHandler() {
		x.add(rank, Item{Label: "event", Kind: KindVariable, Detail: "what the handler took"})
	}
	declared[*grammar.ConstDecl](x, KindConstant, rank)
}

// inHandler says whether `event` is something here.
func (x *completer) inHandler() bool {
	return innermost[*grammar.On](x.path) != nil || innermost[*grammar.WaitArm](x.path) != nil
}

// values proposes what an expression can begin with.
func (x *completer) values() {
	x.named(1)
	x.functions(3)
	x.members0(2, nil)
	x.modules()
	x.keywords(4, "true", "false", "null", "not")
}

// functions proposes declared and built-in functions.
func (x *completer) functions(rank int) {
	for _, s := range x.all {
		if _, ok := s.decl.(*grammar.FnDecl); ok {
			x.add(rank, Item{Label: s.label, Kind: KindFunction, Detail: s.detail(), Insert: s.label + "($1)", Snippet: true, doc: s.doc})
		}
	}
	for _, f := range builtin.All() {
		x.add(rank+1, builtinItem(f))
	}
	x.add(rank+1, Item{Label: "entered_at", Kind: KindVariable, Detail: "time", doc: func() string { return "When the state was entered." }})
}

func builtinItem(f *builtin.Func) Item {
	i := Item{Label: f.Name, Kind: KindFunction, Detail: f.Signature, doc: func() string { return f.Doc }}
	switch {
	case f.Bare:
		i.Kind = KindVariable
	case strings.HasSuffix(f.Signature, "()"):
		i.Insert = f.Name + "()"
	default:
		i.Insert, i.Snippet = f.Name+"($1)", true
	}
	return i
}

// members0 proposes the values of enums, `tier.gold`; of one enum when the type is known.
func (x *completer) members0(rank int, only *value.Type) {
	for _, s := range x.all {
		d, ok := s.decl.(*grammar.EnumDecl)
		if !ok || only != nil && (only.Decl == nil || only.Decl.Name != s.label && lastPart(only.Decl.Name) != s.label) {
			continue
		}
		for _, v := range d.Values() {
			x.add(rank, Item{Label: s.label + "." + v.Text, Kind: KindMember, Detail: s.detail()})
		}
	}
	if only != nil && only.Decl != nil && only.Decl.Name == "outcome" {
		for _, o := range outcomes {
			x.add(rank, Item{Label: "outcome." + o, Kind: KindMember})
		}
	}
}

// valuesOf proposes values where a type is wanted: those of the type first.
func (x *completer) valuesOf(t *value.Type) {
	if t == nil || t.Kind == value.Invalid {
		x.values()
		return
	}
	for _, v := range x.variables() {
		if got := v.typ(); got != nil && value.Assignable(got, t) {
			x.add(0, Item{Label: v.name, Kind: KindVariable, Detail: v.detail, doc: v.doc})
		}
	}
	switch t.Kind {
	case value.Enum:
		x.members0(0, t)
	case value.Bool:
		x.keywords(0, "true", "false")
	case value.Duration:
		x.lengths()
	case value.Time:
		x.builtins(0, "now", "next", "time", "time_at", "add_months")
	}
	if t.Optional {
		x.keywords(0, "null")
	}
	x.values()
}

func (x *completer) builtins(rank int, names ...string) {
	for _, name := range names {
		if f, ok := builtin.Lookup(name); ok {
			x.add(rank, builtinItem(f))
		}
	}
}

// times proposes instants.
func (x *completer) times() { x.valuesOf(value.TypeTime) }

// durations proposes lengths of time: constants and fields that are one, and literals.
func (x *completer) durations() {
	for _, s := range x.all {
		if t := x.checked().constType(s); t != nil && t.Kind == value.Duration {
			x.add(0, Item{Label: s.label, Kind: KindConstant, Detail: s.detail(), doc: s.doc})
		}
	}
	for _, v := range x.variables() {
		if t := v.typ(); t != nil && t.Kind == value.Duration {
			x.add(0, Item{Label: v.name, Kind: KindVariable, Detail: v.detail, doc: v.doc})
		}
	}
	x.lengths()
}

// lengths proposes literals; typing a number proposes its units.
func (x *completer) lengths() {
	for i, d := range []string{"30s", "1m", "5m", "15m", "1h", "6h", "12h", "1d", "7d", "30d"} {
		x.add(1, Item{Label: d, Kind: KindUnit, Detail: "duration", Sort: ordinal(i)})
	}
}
