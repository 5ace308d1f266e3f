package lsp

import (
	"flowc/validate/diag"
)

// Diagnostics gives the findings of a file, as `flowc validate` of that file alone has them, and whether it could be read. Findings
// in what it imports belong to those files.
func (s *Snapshot) Diagnostics(file string) ([]diag.Finding, bool) {
	c := s.check(file)
	if _, ok := c.index[file]; !ok {
		return nil, false
	}
	found := []diag.Finding{}
	for _, f := range c.Findings {
		if f.File == file {
			found = append(found, f)
		}
	}
	return found, true
}
