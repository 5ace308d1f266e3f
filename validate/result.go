package validate

import "flowc/validate/diag"

// result puts together what the check found.
func (c *checker) result() *Result {
	c.unsupported()
	c.silence()
	c.info.finish()
	misspelt := c.misspelt()
	r := &Result{Partial: c.prog, Info: c.info, Unreadable: c.unreadable}
	for _, f := range c.findings {
		if !misspelt[f.File][f.Range] || f.ID == diag.Syntax {
			r.Findings = append(r.Findings, *f)
		}
	}
	r.Findings = diag.Normalize(r.Findings)
	for _, f := range c.files {
		r.Sources = append(r.Sources, &Source{Name: f.name, AST: f.ast})
	}
	if len(c.unreadable) == 0 && !hasError(r.Findings) {
		r.Model = c.prog
	}
	return r
}

// misspelt are the words and signs, by file, that have a fault of the text: a word that is no name is not unknown besides.
func (c *checker) misspelt() map[string]map[diag.Range]bool {
	byFile := map[string]map[diag.Range]bool{}
	for _, f := range c.findings {
		if f.ID != diag.Syntax {
			continue
		}
		if byFile[f.File] == nil {
			byFile[f.File] = map[diag.Range]bool{}
		}
		byFile[f.File][f.Range] = true
	}
	return byFile
}

func hasError(findings []diag.Finding) bool {
	for _, f := range findings {
		if f.Severity == diag.Error {
			return true
		}
	}
	return false
}
