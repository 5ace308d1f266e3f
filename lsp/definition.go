package lsp

import (
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/value"
)

// ref finds the name at an offset, in a check of the file alone.
func (s *Snapshot) ref(file string, offset int) (*checked, *validate.Ref) {
	c := s.check(file)
	i, ok := c.index[file]
	if !ok {
		return c, nil
	}
	return c, c.Info.At(i, offset)
}

// Definition gives where the name at the offset is declared; for the path of an import the file that it means.
func (s *Snapshot) Definition(file string, offset int) []Location {
	c, ref := s.ref(file, offset)
	if ref != nil {
		return []Location{c.at(ref.Def.File, ref.Def.Span)}
	}
	for _, link := range s.Links(file) {
		if link.Span.Contains(offset) {
			return []Location{{File: link.Target}}
		}
	}
	return nil
}

// TypeDefinition gives where the type of the name or the expression at the offset is declared: an enum, a record, an event or a
// task whose fields it has.
func (s *Snapshot) TypeDefinition(file string, offset int) []Location {
	c, ref := s.ref(file, offset)
	i, ok := c.index[file]
	if !ok {
		return nil
	}
	t := c.Info.TypeOf(i, offset)
	if ref != nil && ref.Def.Type != nil {
		t = ref.Def.Type
	}
	for t != nil && t.Elem != nil {
		t = t.Elem
	}
	if d := c.typeNamed(t); d != nil {
		return []Location{c.at(d.File, d.Span)}
	}
	return nil
}

// typeNamed finds the declaration of a type.
func (c *checked) typeNamed(t *value.Type) *validate.Def {
	if t == nil || t.Decl == nil || t.Decl.Name == "" {
		return nil
	}
	for i := range c.Info.Refs {
		r := &c.Info.Refs[i]
		if d := r.Def; (d.Kind == validate.DefEnum || d.Kind == validate.DefType) && d.Name == lastPart(t.Decl.Name) && declares(d, t.Decl) {
			return d
		}
	}
	return nil
}

// declares says whether a declaration lists what a type has: two files may each have a type of one name.
func declares(d *validate.Def, t *value.Decl) bool {
	switch n := d.Node.(type) {
	case *grammar.EnumDecl:
		return len(n.Values()) == len(t.Members)
	case *grammar.TypeDecl:
		return len(n.Fields()) == len(t.Fields)
	}
	return false
}

func lastPart(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i+1:]
		}
	}
	return path
}
