package lsp

import (
	"maps"

	"flowc/validate/describe"
	"flowc/validate/model"
)

// A flowKey names a flow of a file.
type flowKey struct{ file, flow string }

// A lastGood is a flow as it was when nothing about it was wrong, with the texts that its model points into. It keeps nothing else of
// the check that it comes from.
type lastGood struct {
	flow   *model.Flow
	source describe.Source
}

// A memory has each flow of the open buffers as it was when it was last checked and good. It is never changed.
type memory map[flowKey]lastGood

// remember is the memory after a snapshot that has had its day: what its finished checks found good, and what it remembered itself
// of flows that were not.
func (s *Snapshot) remember() memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(s.last)
	for name := range s.open {
		c := s.checks[name]
		if c == nil || !c.done.Load() {
			continue
		}
		source, there := c.texts(), map[string]bool{}
		for _, f := range c.Partial.Flows {
			if c.Sources[f.Pos.File].Name != name {
				continue
			}
			there[f.Name] = true
			if c.sound(f) {
				out[flowKey{name, f.Name}] = lastGood{f, source}
			}
		}
		// A name that is typed is another flow with each letter.
		maps.DeleteFunc(out, func(k flowKey, _ lastGood) bool { return k.file == name && !there[k.flow] })
	}
	return out
}

// forget drops the flows of a file.
func (m memory) forget(file string) memory {
	out := maps.Clone(m)
	maps.DeleteFunc(out, func(k flowKey, _ lastGood) bool { return k.file == file })
	return out
}

// texts gives the texts of the files by their index, without the trees.
func (c *checked) texts() describe.Source {
	all := make([][]byte, len(c.Sources))
	for i, src := range c.Sources {
		all[i] = src.AST.Src
	}
	return func(file int) []byte {
		if file < 0 || file >= len(all) {
			return nil
		}
		return all[file]
	}
}
