package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
)

// A flow is a flow with what is known of its states.
type flow struct {
	sym        *symbol
	decl       *grammar.FlowDecl
	env        *env
	m          *model.Flow
	data       []*dataField // beside m.Data
	dataByName map[string]int
	states     []*state // beside m.States
	order      int      // the last Order given out
	tooLarge   bool
	unclear    bool     // a target or a part is missing, so that what leads where is not known
	meant      []*state // what targets with a finding most likely mean, and states that no target can name
	exits      []exitBlock
	made       madeEvents // events that the flow itself makes, with where their timers live
}

// A dataField is a field of the flow's data, or of a fragment's.
type dataField struct {
	m    *model.DataField
	decl *grammar.Field
	env  *env
	def  *Def
	used bool
}

func (fl *flow) dataField(name string) *dataField {
	if i, ok := fl.dataByName[name]; ok {
		return fl.data[i]
	}
	return nil
}

// A state is a state of the tree, the flow's body its root.
type state struct {
	m      *model.State
	fl     *flow
	parent *state
	kids   []*state
	byName map[string]*state

	env   *env           // where the names in its body are looked up
	named place          // its name, for findings about the state as a whole
	ident *grammar.Ident // of its name; nil for a flow without one
	items []grammar.StateItem
	from  grammar.StateItem // the item that declares it, nil for the root
	use   *use              // when the state is a fragment that was spliced in
	hurt  bool              // its body has faults, so that parts may be missing

	timers   []*timer
	handlers []*handler
	always   []*always
	work     *work
	blocks   []*effects // of entry and exit
	initial  *state
	never    bool
	misfit   bool         // it has work that cannot be where it stands
	stuck    bool         // it has a finding that says that nothing leaves it
	shared   *inheritance // what the state gives to those in it
	regions  *regionExits // of a parallel
	found    map[model.Reserved][]*handler
	payload  map[model.Reserved][]payload
	defers   []deferred
	idle     *timer
	timeout  *timer
}

func (s *state) isFinal() bool { return s.m.Kind == model.Final }

// within reports whether s is t or inside it.
func (s *state) within(t *state) bool {
	for ; s != nil; s = s.parent {
		if s == t {
			return true
		}
	}
	return false
}

// title is the state as messages call it.
func (s *state) title() string {
	if s.parent == nil {
		return "the flow `" + s.fl.m.Name + "`"
	}
	return "`" + s.m.Path + "`"
}

// buildStates makes the tree of a flow's states, with fragments spliced in.
func (c *checker) buildStates(fl *flow) {
	root := &state{fl: fl, env: fl.env, ident: fl.decl.Name, byName: map[string]*state{}}
	root.named = fl.env.of(fl.decl.Name)
	root.m = &model.State{Parent: -1, Initial: -1, Doc: fl.m.Doc, Pos: fl.m.Pos}
	c.addState(fl, root)
	c.fillState(root, fl.decl.Body)
}

func (c *checker) addState(fl *flow, s *state) {
	s.m.Index = len(fl.states)
	fl.states = append(fl.states, s)
	fl.m.States = append(fl.m.States, s.m)
}

// fillState takes the items of a body and builds the states in it.
func (c *checker) fillState(s *state, body *grammar.StateBody) {
	if body == nil {
		s.hurt = true
		return
	}
	s.hurt = s.hurt || body.Broken()
	s.items = body.Items
	for _, item := range body.Items {
		if item.Broken() {
			s.hurt = true
		}
		c.buildChild(s, item)
	}
	if faultsInside(s.env.file, body) {
		s.hurt = true
	}
	c.setKind(s)
}

// faultsInside reports whether a fault of the text lies in a body, and not in a state inside it, so that a part may be missing. A
// duration with a fault is there all the same.
func faultsInside(f *file, body *grammar.StateBody) bool {
	found := f.faultsIn(body.Span())
	for _, item := range body.Items {
		if found == 0 {
			return false
		}
		switch item.(type) {
		case *grammar.State, *grammar.Parallel, *grammar.Region, *grammar.Final:
			found -= f.faultsIn(item.Span())
		}
	}
	return found > 0
}

func (c *checker) buildChild(s *state, item grammar.StateItem) {
	switch n := item.(type) {
	case *grammar.State:
		c.child(s, n.Name, n, n.Body, model.Leaf)
	case *grammar.Parallel:
		c.child(s, n.Name, n, n.Body, model.Parallel)
	case *grammar.Region:
		c.child(s, n.Name, n, n.Body, model.Region)
	case *grammar.Final:
		if kid := c.child(s, n.Name, n, nil, model.Final); kid != nil {
			c.finalState(kid, n)
		}
	case *grammar.Use:
		c.useFragment(s, n)
	}
}

// child adds a state to another one and builds what is inside it.
func (c *checker) child(s *state, id *grammar.Ident, n grammar.StateItem, body *grammar.StateBody, kind model.StateKind) *state {
	kid := c.newState(s, id, n, kind)
	if kid == nil {
		return nil
	}
	kid.env = s.env
	if kind != model.Final {
		c.fillState(kid, body)
	}
	return kid
}

func (c *checker) newState(s *state, id *grammar.Ident, n grammar.StateItem, kind model.StateKind) *state {
	fl := s.fl
	if len(fl.states) >= MaxStates {
		if !fl.tooLarge {
			fl.tooLarge = true
			c.report(fl.states[0].named, diag.FlowTooLarge, "the flow has more than 10,000 states, fragments included").
				help("move parts of it into flows of their own, and `invoke` them")
		}
		return nil
	}
	kid := &state{fl: fl, parent: s, ident: id, from: n, byName: map[string]*state{}}
	kid.m = &model.State{Kind: kind, Parent: s.m.Index, Initial: -1, Doc: s.env.file.doc(n)}
	span := n.Span()
	if id != nil {
		span = id.Span()
		kid.m.Name = id.Text
		c.nameState(s, kid, id, n)
	}
	if kid.m.Path = kid.m.Name; s.m.Path != "" {
		kid.m.Path = s.m.Path + "." + kid.m.Name
	}
	kid.named = s.env.at(span)
	kid.m.Pos = s.env.pos(span)
	s.kids = append(s.kids, kid)
	c.addState(fl, kid)
	s.m.Children = append(s.m.Children, kid.m.Index)
	return kid
}

func (c *checker) nameState(s, kid *state, id *grammar.Ident, n grammar.Node) {
	c.checkStyle(s.env, id)
	c.info.define(s.env.file, DefState, id, n).Doc = kid.m.Doc
	if first := s.byName[id.Text]; first != nil {
		s.fl.meant = append(s.fl.meant, kid)
		c.report(s.env.of(id), diag.DuplicateState, "there is a state `%s` beside this one already, so a target cannot say which is meant", id.Text).
			related(first.named, "first declared here").help("give one of them another name")
		return
	}
	s.byName[id.Text] = kid
}

// setKind says what a body with states in it is, once they are known.
func (c *checker) setKind(s *state) {
	if s.m.Kind == model.Leaf && len(s.kids) > 0 {
		s.m.Kind = model.Composite
	}
}

func (c *checker) finalState(s *state, n *grammar.Final) {
	if n.Body != nil {
		s.items = n.Body.Items
		s.hurt = n.Body.Broken()
	}
	if n.As == nil {
		if name := s.m.Name; name == "cancelled" || name == "failed" || name == "expired" {
			as := "failure"
			if name == "cancelled" {
				as = name
			}
			report := c.report(s.named, diag.OutcomeByName, "the final state `%s` ends as success: that is how it is counted and what a parent sees", name)
			report.help("write `final %s as %s`, or another name if this is a success", name, as)
		}
		return
	}
	switch n.As.Text {
	case "success":
		if name := s.m.Name; name == "cancelled" || name == "failed" || name == "expired" {
			c.report(s.named, diag.OutcomeByName, "the final state `%s` ends as success: that is how it is counted and what a parent sees", name).
				help("give it another name if this is a success, or another outcome")
		}
	case "failure":
		s.m.Outcome = model.Failure
	case "cancelled":
		s.m.Outcome = model.Cancelled
	default:
		c.report(s.env.of(n.As), diag.UnknownConstant, "a final state ends as `success`, `failure` or `cancelled`, and not as `%s`", n.As.Text).
			didYouMean(n.As.Span(), n.As.Text, model.OutcomeDecl.Members)
	}
}

// child finds a state directly inside by name.
func (s *state) child(name string) *state { return s.byName[name] }

// lookup finds the state that a path means in the code of a state: a name of a state inside it or beside it or beside one around
// it, then names of states inside that. In a fragment the search ends with the fragment's own states; then its parameters count.
func (c *checker) lookup(e *env, from *state, r ref) *state {
	if len(r) == 0 {
		return nil
	}
	first := r[0].Text
	var base *state
	for s := from; s != nil; s = s.parent {
		if base = s.child(first); base != nil {
			break
		}
		if s.use != nil && s.use == e.use {
			break
		}
	}
	if base == nil && e.use != nil {
		base = c.stateArg(e.use, first)
		if base != nil {
			c.info.refer(e.file, r[0].Span(), e.use.defs[first])
		}
	} else if base != nil {
		c.referState(e, r[0], base)
	}
	for _, part := range r[1:] {
		if base == nil {
			return nil
		}
		if base = base.child(part.Text); base != nil {
			c.referState(e, part, base)
		}
	}
	return base
}

func (c *checker) referState(e *env, id *grammar.Ident, s *state) {
	if s.ident != nil {
		c.info.refer(e.file, id.Span(), c.info.defs[s.ident])
	}
}

// findState is lookup with a finding for a state that does not exist.
func (c *checker) findState(e *env, from *state, r ref) *state {
	if len(r) == 0 || from == nil {
		return nil
	}
	if s := c.lookup(e, from, r); s != nil {
		return s
	}
	if e.use != nil && c.badStateArg(e.use, r[0].Text) {
		return nil // the argument has its finding
	}
	at := e.ofRef(r)
	n := c.report(at, diag.UnknownState, "there is no state `%s` in reach", r)
	name := r.last().Text
	if paths := c.pathsTo(e, from, name); len(paths) > 0 {
		n.help("`%s` is inside another state: write `%s`", name, paths[0]).fix("Write `"+paths[0]+"`", r.span(), paths[0])
		c.meant(e, from, paths[0])
		c.meant(e, from, strings.SplitN(paths[0], ".", 2)[0]) // or the state around it, which begins where it says
		return nil
	}
	if c.unknownInside(e, from, r, n) {
		return nil
	}
	near := diag.Nearest(r.String(), c.statesInReach(e, from))
	c.meant(e, from, near)
	n.didYouMean(r.span(), r.String(), []string{near})
	if n.f.Help == "" {
		if e.use != nil {
			n.help("a fragment reaches its own states and its parameters of kind `state`")
		} else {
			n.help("declare it, or write the way to it: `outer.inner`")
		}
	}
	return nil
}

// unknownInside explains a path of which the first names are known, and reports false for any other.
func (c *checker) unknownInside(e *env, from *state, r ref, n *note) bool {
	for k := len(r) - 1; k > 0; k-- {
		if c.mayBeState(e, from, r[0].Text) == nil {
			return false
		}
		outer := c.lookup(e, from, r[:k])
		if outer == nil {
			continue
		}
		var names []string
		for _, kid := range outer.kids {
			names = append(names, kid.m.Name)
		}
		if near := diag.Nearest(r[k].Text, names); near != "" && k == len(r)-1 {
			c.meant(e, from, r[:k].String()+"."+near)
			n.didYouMean(r[k].Span(), r[k].Text, []string{near})
			return true
		}
		from.fl.unclear = true
		if len(names) == 0 {
			n.help("no states are inside `%s`", r[:k])
		} else {
			n.help("`%s` holds %s", r[:k], quote(names, "and"))
		}
		return true
	}
	return false
}

// meant notes which state a target with a finding most likely means, so that it is not unreachable besides.
func (c *checker) meant(e *env, from *state, path string) {
	names := strings.Split(path, ".")
	s := c.mayBeState(e, from, names[0])
	for _, name := range names[1:] {
		if s != nil {
			s = s.child(name)
		}
	}
	if s == nil {
		from.fl.unclear = true
		return
	}
	from.fl.meant = append(from.fl.meant, s)
}

// statesInReach lists the names and paths that a target could have, the near ones first.
func (c *checker) statesInReach(e *env, from *state) []string {
	var out []string
	for s := from; s != nil; s = s.parent {
		for _, k := range s.kids {
			out = append(out, k.m.Name)
		}
		if s.use != nil && s.use == e.use {
			return append(out, sortedKeys(s.use.states)...)
		}
	}
	return out
}

// pathsTo lists the ways to states of that name which are not in reach by the name alone.
func (c *checker) pathsTo(e *env, from *state, name string) []string {
	var out []string
	for _, s := range from.fl.states {
		if s.m.Name != name || s.parent == nil || s.named.env.use != e.use {
			continue
		}
		path := name
		for up := s.parent; up != nil && up.parent != nil; up = up.parent {
			path = up.m.Name + "." + path
			if from.within(up.parent) {
				out = append(out, path)
				break
			}
		}
	}
	return out
}
