package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A use is one use of a fragment in a flow: what its parameters stand for there.
type use struct {
	name  string // the fragment's
	sym   *symbol
	outer *env // of the place of the use
	span  grammar.Span
	first bool // the first use of this fragment
	trial bool // no flow uses the fragment: its body is checked by itself, without knowing what the parameters stand for
	st    *state
	call  *grammar.Call
	kinds map[string]string // of each parameter: state, task, event, fn or value
	defs  map[string]*Def   // of each parameter

	states map[string]ref    // arguments of kind state
	found  map[string]*state // what they were resolved to, nil for none
	tasks  map[string]*symbol
	events map[string]*symbol
	fns    map[string]*symbol
	values map[string]*useValue
	data   map[string]int // the fragment's own data, in the flow's
	bound  binding
}

// A binding says how far the values and the data of a use are known.
type binding uint8

const (
	unbound binding = iota
	binds           // its arguments are being checked
	isBound
)

// A useValue is an argument that is a value: a constant, or a data field that the entry sets.
type useValue struct {
	typ      *value.Type
	constant *model.Const
	index    int // in the flow's data, when constant is nil; -1 when the argument is wrong
}

func (u *use) has(name string) bool {
	_, ok := u.data[name]
	return ok
}

// useFragment splices a fragment in as a child state.
func (c *checker) useFragment(s *state, n *grammar.Use) {
	if n.Call == nil || n.Call.Name == nil {
		return
	}
	sym := c.resolve(s.env, symFragment, pathRef(n.Call.Name))
	if n.As == nil {
		return
	}
	kid := c.newState(s, n.As, n, model.Composite)
	if kid == nil {
		return
	}
	if sym == nil {
		kid.hurt, s.fl.unclear, kid.env = true, true, s.env
		return
	}
	decl, ok := sym.node.(*grammar.FragmentDecl)
	if !ok {
		return
	}
	u := c.newUse(s.env, sym, decl, n)
	u.st, kid.use, kid.env = kid, u, &env{file: sym.env.file, use: u}
	if sym.recursed || c.insideItself(s.env, sym) {
		kid.hurt, s.fl.unclear = true, true
		return
	}
	c.fillState(kid, decl.Body)
}

func (c *checker) insideItself(e *env, sym *symbol) bool {
	for u := e.use; u != nil; u = u.outer.use {
		if u.sym == sym {
			return true
		}
	}
	return false
}

func (c *checker) newUse(e *env, sym *symbol, decl *grammar.FragmentDecl, n *grammar.Use) *use {
	u := &use{
		name: sym.name, sym: sym, outer: e, span: n.Call.Name.Span(), call: n.Call,
		kinds: map[string]string{}, defs: map[string]*Def{}, states: map[string]ref{}, found: map[string]*state{},
		tasks: map[string]*symbol{}, events: map[string]*symbol{}, fns: map[string]*symbol{},
		values: map[string]*useValue{}, data: map[string]int{},
	}
	u.first = !c.usedFragments[sym]
	c.usedFragments[sym] = true
	for _, p := range decl.Params.List() {
		if p == nil || p.Name == nil || u.kinds[p.Name.Text] != "" {
			continue
		}
		u.kinds[p.Name.Text] = paramKind(p)
		u.defs[p.Name.Text] = c.info.define(sym.env.file, DefParam, p.Name, p)
	}
	c.useArgs(u, decl)
	return u
}

func paramKind(p *grammar.Field) string {
	if t, ok := p.Type.(*grammar.NamedType); ok {
		switch name := t.Name.String(); name {
		case "state", "task", "event", "fn":
			return name
		}
	}
	return "value"
}

// useArgs binds the arguments that are names; values wait until the whole tree is known.
func (c *checker) useArgs(u *use, decl *grammar.FragmentDecl) {
	given := map[string]bool{}
	for _, a := range u.call.Args.List() {
		if a == nil {
			continue
		}
		if a.Name == nil {
			c.unnamed(u.outer, a, u.call.Args, paramNames(decl), given)
			continue
		}
		name := a.Name.Text
		kind := u.kinds[name]
		if kind == "" {
			c.unknownArg(u.outer, a.Name, "the fragment `"+u.name+"`", sortedKeys(u.kinds), given)
			continue
		}
		if given[name] {
			c.report(u.outer.of(a.Name), diag.DuplicateParameter, "the argument `%s` is given twice", name)
			continue
		}
		given[name] = true
		c.info.refer(u.outer.file, a.Name.Span(), u.defs[name])
		c.bindArg(u, kind, name, a)
	}
	var lacking []*grammar.Field
	for _, p := range decl.Params.List() {
		if p != nil && p.Name != nil && !given[p.Name.Text] && !c.defaultParam(u, p) {
			lacking = append(lacking, p)
		}
	}
	if len(lacking) > 0 && !u.call.Args.Broken() {
		c.missingParams(u, lacking)
	}
}

// paramNames lists the names of a fragment's parameters in order.
func paramNames(decl *grammar.FragmentDecl) []string {
	var out []string
	for _, p := range decl.Params.List() {
		if p != nil && p.Name != nil {
			out = append(out, p.Name.Text)
		}
	}
	return out
}

// defaultParam gives a parameter without an argument its default; it reports false when there is none.
func (c *checker) defaultParam(u *use, p *grammar.Field) bool {
	name := p.Name.Text
	u.found[name] = nil
	if u.kinds[name] != "value" {
		return false
	}
	t := c.typeOf(u.sym.env, p.Type)
	u.values[name] = &useValue{typ: t, index: -1}
	if p.Default != nil {
		x := c.coder(u.sym.env, nil, nil, inConstant)
		k, ok := x.need(p.Default, t, "the default of `"+name+"`").(*model.Const)
		u.values[name].constant = k
		return ok
	}
	if t.Optional {
		u.values[name].constant = &model.Const{Typed: model.Typed{T: t, Pos: u.outer.pos(u.span)}}
	}
	return t.Optional
}

func (c *checker) missingParams(u *use, params []*grammar.Field) {
	var names []string
	for _, p := range params {
		names = append(names, p.Name.Text)
	}
	n := c.report(u.outer.at(u.span), diag.MissingArgument, "the fragment `%s` needs %s", u.name, counted(names, "an argument", "the arguments"))
	for _, p := range params {
		n.related(u.sym.env.of(p), "declared here")
	}
	n.help("add `%s`", blanks(names))
}

func (c *checker) bindArg(u *use, kind, name string, a *grammar.Arg) {
	if kind == "value" {
		return
	}
	path := c.argPath(u, kind, a)
	if path == nil {
		return
	}
	switch kind {
	case "state":
		u.states[name] = path
	case "task":
		u.tasks[name] = c.findTask(u.outer, path)
	case "event":
		u.events[name] = c.findDeclaredEvent(u.outer, path)
	case "fn":
		u.fns[name] = c.findFunction(u.outer, path)
	}
}

// argPath reads the argument's expression as a name.
func (c *checker) argPath(u *use, kind string, a *grammar.Arg) ref {
	ids := chain(a.Value)
	if ids == nil {
		if a.Value != nil && !a.Value.Broken() {
			c.report(u.outer.of(a.Value), diag.TypeMismatch, "the argument `%s` is the name of a %s", a.Name.Text, kind)
		}
		return nil
	}
	return ids
}

// bindValues checks the arguments that are values, in the scope of the use, and declares the fragment's own data, whose defaults
// may read them. An argument that reads the data of another use has that one bound first.
func (c *checker) bindValues(s *state) {
	u := s.use
	if u == nil || u.bound != unbound {
		return
	}
	u.bound = binds
	defer func() { u.bound = isBound }()
	decl := u.sym.node.(*grammar.FragmentDecl)
	for _, a := range u.call.Args.List() {
		if a == nil || a.Name == nil || u.kinds[a.Name.Text] != "value" || u.values[a.Name.Text] != nil {
			continue
		}
		p := fieldNamed(decl.Params.List(), a.Name.Text)
		if p == nil {
			continue
		}
		v := &useValue{typ: c.typeOf(u.sym.env, p.Type), index: -1}
		u.values[a.Name.Text] = v
		x := c.coder(u.outer, s.fl, s.parent, inPart)
		m := x.need(a.Value, v.typ, "the argument `"+a.Name.Text+"`")
		if k, ok := m.(*model.Const); ok {
			v.constant = k
			continue
		}
		code := x.asCode(m)
		code.State = s.m.Index
		v.index = c.addUseData(s, a.Name.Text, v.typ, code, u.sym.env.pos(p.Name.Span()), nil)
		s.fl.data[v.index].used = true
	}
	for name, kind := range u.kinds {
		if kind == "value" && u.values[name] == nil {
			u.values[name] = &useValue{typ: value.TypeInvalid, index: -1} // its argument has a finding
		}
	}
	c.useData(s, u, decl)
	for _, name := range sortedKeys(u.data) {
		c.dataDefault(s, u.data[name])
	}
}

// addUseData adds a field to the flow's data that belongs to the visit of a fragment's state.
func (c *checker) addUseData(s *state, name string, t *value.Type, code *model.Code, pos model.Pos, decl *grammar.Field) int {
	fl := s.fl
	m := &model.DataField{Name: s.m.Path + "." + name, Type: t, Default: code, Owner: s.m.Index, Pos: pos}
	fl.m.Data = append(fl.m.Data, m)
	fl.data = append(fl.data, &dataField{m: m, decl: decl, env: s.env})
	return len(fl.data) - 1
}

// useData declares the fragment's own data for this use.
func (c *checker) useData(s *state, u *use, decl *grammar.FragmentDecl) {
	if decl.Body == nil {
		return
	}
	for _, item := range decl.Body.Items {
		data, ok := item.(*grammar.Data)
		if !ok {
			continue
		}
		for _, f := range data.Fields() {
			if f == nil || f.Name == nil {
				continue
			}
			if u.has(f.Name.Text) || u.kinds[f.Name.Text] != "" {
				c.report(s.env.of(f.Name), diag.DuplicateField, "the fragment has a parameter or a data field `%s` already", f.Name.Text)
				continue
			}
			t := c.typeOf(s.env, f.Type)
			i := c.addUseData(s, f.Name.Text, t, nil, s.env.pos(f.Name.Span()), f)
			u.data[f.Name.Text] = i
			s.fl.data[i].def = c.info.define(s.env.file, DefData, f.Name, f)
			s.fl.data[i].def.Type = t
		}
	}
}

// stateArg is the state that a parameter of kind state stands for, nil when it is none or is not found.
func (c *checker) stateArg(u *use, name string) *state {
	if s, ok := u.found[name]; ok {
		return s
	}
	path := u.states[name]
	if path == nil {
		return nil
	}
	u.found[name] = nil
	u.found[name] = c.findState(u.outer, u.st.parent, path)
	return u.found[name]
}

// badStateArg reports whether a parameter of kind state has an argument with a finding.
func (c *checker) badStateArg(u *use, name string) bool {
	s, ok := u.found[name]
	return u.kinds[name] == "state" && (ok && s == nil || u.states[name] == nil)
}

// useValue is a parameter or a data field of the fragment by its bare name.
func (x *coder) useValue(name string, span grammar.Span) model.Expr {
	u := x.env.use
	if i, ok := u.data[name]; ok {
		return x.dataRef(i, span)
	}
	v := u.values[name]
	if v == nil {
		return nil
	}
	x.c.info.refer(x.env.file, span, u.defs[name])
	x.param = true
	switch {
	case v.constant != nil:
		return x.constant(v.constant.T, v.constant.Value, span)
	case v.index < 0:
		return x.bad(span)
	}
	return x.dataRef(v.index, span)
}

// fragmentData is `local.field`: the data of a fragment that is used as the state `local`.
func (x *coder) fragmentData(ids []*grammar.Ident, span grammar.Span) model.Expr {
	if x.st == nil || len(ids) < 2 {
		return nil
	}
	if x.c.mayBeState(x.env, x.st, ids[0].Text) == nil {
		return nil
	}
	s := x.c.lookup(x.env, x.st, ids[:len(ids)-1])
	if s == nil || s.use == nil {
		return nil
	}
	field := ids[len(ids)-1]
	x.c.bindValues(s)
	i, ok := s.use.data[field.Text]
	if !ok && s.use.bound == binds {
		x.c.report(x.env.at(span), diag.UnknownField, "`%s` has no value yet here: the arguments of `%s` are computed before its data", ref(ids), s.m.Name).
			help("compute the argument from inputs, or from data of the flow")
		return x.bad(span)
	}
	if !ok {
		x.c.report(x.env.of(field), diag.UnknownField, "the fragment `%s`, used as `%s`, has no data field `%s`", s.use.name, s.m.Name, field.Text).
			didYouMean(field.Span(), field.Text, sortedKeys(s.use.data))
		return x.bad(span)
	}
	return x.dataRef(i, span)
}

// mayBeState is the first step of lookup without its side effects.
func (c *checker) mayBeState(e *env, from *state, name string) *state {
	for s := from; s != nil; s = s.parent {
		if k := s.child(name); k != nil {
			return k
		}
		if s.use != nil && s.use == e.use {
			return nil
		}
	}
	return nil
}

// checkFragments reports fragments that use themselves, directly or through others.
func (c *checker) checkFragments() {
	const open, done = 1, 2
	mark := map[*symbol]int{}
	var visit func(s *symbol)
	visit = func(s *symbol) {
		mark[s] = open
		decl := s.node.(*grammar.FragmentDecl)
		grammar.Walk(decl, func(n grammar.Node) bool {
			u, ok := n.(*grammar.Use)
			if !ok || u.Call == nil || u.Call.Name == nil {
				return true
			}
			inner := s.env.file.lookup(symFragment, pathRef(u.Call.Name).names())
			switch {
			case inner == nil:
			case mark[inner] == open:
				inner.recursed = true
				c.report(s.env.of(u.Call.Name), diag.RecursiveFragment, "the fragment `%s` uses itself here, so splicing it in would never end", inner.name).
					related(inner.env.of(inner.ident), "the fragment")
			case mark[inner] == 0:
				visit(inner)
			}
			return true
		})
		mark[s] = done
	}
	c.eachSymbol(func(s *symbol) {
		if s.kind == symFragment && mark[s] == 0 {
			visit(s)
		}
	})
}
