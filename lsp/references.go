package lsp

import (
	"flowc/validate"
)

// A Use is a place where a name is written.
type Use struct {
	Location
	Declaration bool
	Write       bool // the place assigns to it
}

// References gives all places in the workspace where the name at the offset is written, its declaration among them, by file and
// place.
func (s *Snapshot) References(file string, offset int) []Use {
	c, def := s.everywhere(file, offset)
	if def == nil {
		return nil
	}
	return c.uses(def)
}

// everywhere finds the name at an offset in a check of all files of the workspace that mention it.
func (s *Snapshot) everywhere(file string, offset int) (*checked, *validate.Def) {
	_, ref := s.ref(file, offset)
	if ref == nil {
		return nil, nil
	}
	c := s.check(s.mentioning(ref.Def.Name, file)...)
	i, ok := c.index[file]
	if !ok {
		return nil, nil
	}
	if ref = c.Info.At(i, offset); ref == nil {
		return nil, nil
	}
	return c, ref.Def
}

func (c *checked) uses(def *validate.Def) []Use {
	var out []Use
	for _, r := range c.Info.RefsOf(def) {
		out = append(out, Use{Location: c.at(r.File, r.Span), Write: r.Write, Declaration: r.File == def.File && r.Span == def.Span})
	}
	return out
}

// Highlights gives the places in the file where the name at the offset is written.
func (s *Snapshot) Highlights(file string, offset int) []Use {
	c, ref := s.ref(file, offset)
	if ref == nil {
		return nil
	}
	var out []Use
	for _, u := range c.uses(ref.Def) {
		if u.File == file {
			out = append(out, u)
		}
	}
	return out
}
