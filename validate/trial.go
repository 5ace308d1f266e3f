package validate

import (
	"flowc/grammar"
	"flowc/validate/model"
	"flowc/validate/value"
)

// tryFragments checks the bodies of the fragments that no flow uses, so that a library's mistakes are found where it stands. What
// a parameter stands for is not known, so nothing is said of the body as a whole.
func (c *checker) tryFragments() {
	c.eachSymbol(func(s *symbol) {
		d, ok := s.node.(*grammar.FragmentDecl)
		if ok && !s.recursed && !c.usedFragments[s] && d.Body != nil {
			c.tryFragment(s, d)
		}
	})
}

func (c *checker) tryFragment(s *symbol, d *grammar.FragmentDecl) {
	used := c.usedFragments[s]
	c.usedFragments[s] = true // one that uses itself by another has its finding
	fl := &flow{sym: s, decl: &grammar.FlowDecl{}, env: s.env, dataByName: map[string]int{}, m: &model.Flow{
		Name: s.full, Input: &value.Decl{Name: s.full}, Pos: s.env.pos(s.ident.Span()),
	}}
	root := &state{fl: fl, env: s.env, byName: map[string]*state{}, named: s.env.of(s.ident)}
	root.m = &model.State{Parent: -1, Initial: -1, Kind: model.Composite}
	c.addState(fl, root)
	u := c.trialUse(root, s, d)
	kid := u.st
	c.fillState(kid, d.Body)
	for _, st := range fl.states[1:] {
		c.prepare(st)
	}
	c.collectExits(fl)
	c.checkBody(kid)
	c.usedFragments[s] = used
}

// trialUse makes a use whose states lead to a final state of their own and whose other names are not known.
func (c *checker) trialUse(root *state, s *symbol, d *grammar.FragmentDecl) *use {
	u := &use{
		name: s.name, sym: s, outer: s.env, span: s.ident.Span(), call: &grammar.Call{}, first: true, trial: true,
		kinds: map[string]string{}, defs: map[string]*Def{}, states: map[string]ref{}, found: map[string]*state{},
		tasks: map[string]*symbol{}, events: map[string]*symbol{}, fns: map[string]*symbol{},
		values: map[string]*useValue{}, data: map[string]int{},
	}
	end := &state{fl: root.fl, parent: root, env: s.env, byName: map[string]*state{}, named: root.named}
	end.m = &model.State{Kind: model.Final, Initial: -1}
	c.addState(root.fl, end)
	kid := &state{fl: root.fl, parent: root, byName: map[string]*state{}, ident: s.ident, named: root.named, use: u, env: &env{file: s.env.file, use: u}}
	kid.m = &model.State{Kind: model.Composite, Initial: -1, Name: s.name, Path: s.name}
	c.addState(root.fl, kid)
	root.kids = append(root.kids, end, kid)
	u.st = kid
	for _, p := range d.Params.List() {
		if p == nil || p.Name == nil || u.kinds[p.Name.Text] != "" {
			continue
		}
		name := p.Name.Text
		u.kinds[name] = paramKind(p)
		u.defs[name] = c.info.define(s.env.file, DefParam, p.Name, p)
		switch u.kinds[name] {
		case "state":
			u.states[name], u.found[name] = ref{p.Name}, end
		case "value":
			t := c.typeOf(s.env, p.Type)
			u.values[name] = &useValue{typ: t, index: c.addUseData(kid, name, t, nil, s.env.pos(p.Name.Span()), nil)}
		}
	}
	return u
}
