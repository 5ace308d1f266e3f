package lsp

import (
	"cmp"
	"slices"

	"flowc/grammar"
	"flowc/validate"
)

// A Caller is a declaration that starts flows or is started: a flow, a fragment or a test.
type Caller struct {
	Location // of its name
	Whole    Location
	Name     string
	Kind     ItemKind
}

// Calls is the other end of calls, with the places where the flow is named.
type Calls struct {
	Caller
	Places []Location
}

// Caller gives the flow whose name stands at the offset, nil when none does.
func (s *Snapshot) Caller(file string, offset int) *Caller {
	c, ref := s.ref(file, offset)
	if ref == nil || ref.Def.Kind != validate.DefFlow {
		return nil
	}
	d, ok := ref.Def.Node.(grammar.Decl)
	if !ok {
		return nil
	}
	return c.caller(ref.Def.File, d)
}

func (c *checked) caller(file int, d grammar.Decl) *Caller {
	whole := c.at(file, d.Span())
	if t, ok := d.(*grammar.TestDecl); ok && t.Name != nil {
		return &Caller{c.at(file, t.Name.Span()), whole, "test " + text(c.Sources[file].AST, t.Name), KindFunction}
	}
	id := nameOf(d)
	if id == nil {
		return nil
	}
	return &Caller{c.at(file, id.Span()), whole, id.Text, declKind(d)}
}

// Incoming lists who invokes, calls or starts the flow at the offset: flows, fragments and tests.
func (s *Snapshot) Incoming(file string, offset int) []Calls {
	c, def := s.everywhere(file, offset)
	if def == nil || def.Kind != validate.DefFlow {
		return nil
	}
	var out []Calls
	for _, r := range c.Info.RefsOf(def) {
		if r.Span == def.Span && r.File == def.File {
			continue
		}
		if d := declAround(c.Sources[r.File].AST, r.Span.Start); d != nil && starts(c.Sources[r.File].AST, r.Span.Start) {
			out = addCall(out, c.caller(r.File, d), c.at(r.File, r.Span))
		}
	}
	return out
}

// Outgoing lists the flows that the declaration at the offset invokes, calls or starts.
func (s *Snapshot) Outgoing(file string, offset int) []Calls {
	c := s.check(file)
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	tree := c.Sources[i].AST
	from := declAround(tree, offset)
	if from == nil {
		return nil
	}
	var out []Calls
	for _, r := range c.Info.Refs {
		if r.File != i || r.Def.Kind != validate.DefFlow || r.Span == r.Def.Span && r.File == r.Def.File || !from.Span().Contains(r.Span.Start) {
			continue
		}
		if d, ok := r.Def.Node.(grammar.Decl); ok && starts(tree, r.Span.Start) {
			out = addCall(out, c.caller(r.Def.File, d), c.at(i, r.Span))
		}
	}
	return out
}

func addCall(out []Calls, to *Caller, at Location) []Calls {
	if to == nil {
		return out
	}
	i := slices.IndexFunc(out, func(c Calls) bool { return c.Location == to.Location })
	if i < 0 {
		out = append(out, Calls{Caller: *to})
		i = len(out) - 1
	}
	out[i].Places = append(out[i].Places, at)
	slices.SortStableFunc(out[i].Places, func(a, b Location) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out
}

func declAround(f *grammar.File, offset int) grammar.Decl {
	for _, d := range f.Decls {
		if d.Span().Contains(offset) {
			return d
		}
	}
	return nil
}

// starts says whether the name of a flow stands where a token of it is made, and not where one is only spoken of.
func starts(f *grammar.File, offset int) bool {
	for _, n := range pathTo(f, offset) {
		switch n.(type) {
		case *grammar.Invoke, *grammar.CallWork, *grammar.StartStmt, *grammar.TestStart:
			return true
		}
	}
	return false
}
